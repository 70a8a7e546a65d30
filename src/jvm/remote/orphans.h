/* orphans.h - the end of everything that a process started. */
#ifndef EBB_JVM_REMOTE_ORPHANS_H
#define EBB_JVM_REMOTE_ORPHANS_H

/* Kills all children, and, for a subreaper, what they leave, and waits for them: none is there afterwards. */
void jvm_orphans_kill(void);

#endif
