/* relay.h - the far end of a connection: beside the program, whose processes it owns (parcel.h).
 *
 * One process of ebb serves one connection.  It starts the launcher and keeps all sockets: of the program, of its snapshots, of copies
 * that replay or try something out.  Each is a channel.  What they say goes to the near ebb, what that says goes to them, message by
 * message.  The program's standard streams are pipes to here; this process has the program's ends of them as its own standard
 * streams, so that a copy that goes on live finds them (time/branch.h).
 *
 * RL1  what the program wrote before a message arrives before it;
 * RL2  when the connection ends, for whatever reason, or the process that listens does: every process that came from the program is
 *      killed before this one ends;
 * RL3  of input there is at most one parcel that the program has not taken, so that neither side waits for the other. */
#ifndef EBB_JVM_REMOTE_RELAY_H
#define EBB_JVM_REMOTE_RELAY_H

#include "jvm/remote/remote.h"

/* Serves `connection`, which proved itself, until it ends.  `lifeline` becomes readable (or ends) when this process shall too. */
void jvm_relay_serve(int connection, int lifeline, const jvm_remote_launch *how);

#endif
