/* files.h - which natives change which files (files.def), told to the journal with which `branch` puts them back (time/journal.h). */
#ifndef EBB_JVM_RECORD_FILES_H
#define EBB_JVM_RECORD_FILES_H

#include "jvm/classes/class.h"
#include "jvm/record/record.h"
#include "time/journal.h"

/* Around a recorded native; only while recording. */
void jvm_files_before_native(const jvm_method *m, const jvm_slot *args);
void jvm_files_after_native(const jvm_method *m, const jvm_slot *args, jvm_slot result);

/* For the machine's own reads and writes, while recording; and for going live. */
ebb_journal *jvm_files_journal(void);

#endif
