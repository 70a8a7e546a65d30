/* stock.h - the agent of a stock JVM: answers what ebb asks a Java machine, with what the JVM's debug protocol tells.
 *
 * ebb talks to its own Java machine in the messages of wire/wire.def.  A JVM of somebody else's speaks JDWP.  Between the two stands a
 * process of ours, forked from ebb, that owns the JDWP connection: to ebb it is the agent of the machine, to the JVM it is a debugger.  So
 * everything above the wire, expressions, breakpoints, steps and the printing of objects, is the same for both.
 *
 *     ebb  <- wire ->  this process  <- JDWP, 127.0.0.1 ->  java -agentlib:jdwp=...
 *
 * What is named how (wire/places.h):
 *   - a class's number is a hash of its name, so that a place means the same in every run, though classes come in another order;
 *   - a method's index is its rank by name and descriptor;
 *   - an object is a number that counts the objects which ebb has heard of: what it means ends with the run;
 *   - a frame is its thread and how far from the outermost frame it is.
 *
 * Time is what the program counts by itself (weave/runtime): that of the thread which stopped, or 0 in one that counts nothing.
 *
 * SJ1  while ebb is not told of a stop the JVM runs, and while it answers the JVM stands still, each thread of it;
 * SJ2  a write is told after it happened, as everywhere (machine/points.h): the JVM tells before, so that thread goes one instruction on;
 * SJ3  a method that ebb calls is called in the program itself, on the thread that stopped: there are no copies.  The count that
 *      the call made is taken back;
 * SJ4  this process ends with either side.
 *
 * What the protocol can't: local variables and elements of arrays can't be watched, operand stacks can't be seen, and there is no
 * way back. */
#ifndef EBB_JVM_STOCK_STOCK_H
#define EBB_JVM_STOCK_STOCK_H

#include "base/error.h"

#include <sys/types.h>

/* A port of this computer at which one JVM will call; `option` (caller frees) is what has to be among the launcher's options. */
ebb_status jvm_stock_listen(int *listener, char **option, ebb_error *err) EBB_MUST_CHECK;

/* Forks the process, which is the caller's to wait for.  It takes both descriptors, and waits for `java` to call at the listener. */
ebb_status jvm_stock_begin(int wire, int listener, pid_t java, pid_t *agent, ebb_error *err) EBB_MUST_CHECK;

#endif
