/* state_hash.h - one number for the whole state of the machine that a program can see.
 *
 * Two runs of the same execution have the same hash at the same timestamp, in whatever process and by
 * whatever way they got there; that is what replay is checked with.
 *
 * HA1  covered: every object (address, class, mark word, contents; statics are contents of mirrors), frames of all
 *      threads with their values as far as types are known, monitors, the states of threads, the timestamp;
 * HA2  left out: what Java can't see and what may differ between processes (addresses of the machine's
 *      own structures kept in injected fields, mark bits, caches). */
#ifndef EBB_JVM_RECORD_STATE_HASH_H
#define EBB_JVM_RECORD_STATE_HASH_H

#include <stdint.h>

uint64_t jvm_state_hash(void);
/* The same, with a line per object and frame on standard error: for finding out what differs. */
uint64_t jvm_state_hash_tell(void);

#endif
