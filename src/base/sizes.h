/* sizes.h - how much is taken, kept or handed over at once: normally, and in the tiny build.
 *
 * Growth, wrap-around and eviction happen seldom, so that is where mistakes live longest.  The tiny build (EBB_SETUP_MODE=tiny
 * tools/setup) makes them happen in every small test: first allocations, caches, blocks, pieces and intervals are as small in it as
 * they can be.  The table is here, for the whole house, so that both values are read side by side.
 *
 * SZ1  no file format and no message depends on a size in here: with any other value everything works the same, only at another price;
 * SZ2  so a test that knows a size takes it from here, and one that counts what eviction costs asks for EBB_IS_TINY. */
#ifndef EBB_BASE_SIZES_H
#define EBB_BASE_SIZES_H

#ifdef EBB_TINY
#define EBB_SIZE(name, normal, tiny) enum { name = (tiny) };
#else
#define EBB_SIZE(name, normal, tiny) enum { name = (normal) };
#endif

EBB_SIZE(EBB_IS_TINY, 0, 1)

/* ---- base ---- */

/* Bytes of a block of an arena: most arenas serve one command or one file, and need one block.  Tiny: several for each. */
EBB_SIZE(EBB_ARENA_BLOCK_BYTES, 16 << 10, 64)
/* Items of a vector's first allocation: most vectors stay as short.  Tiny: every second push moves the items. */
EBB_SIZE(EBB_VEC_FIRST, 8, 1)
/* Bytes of a buffer's first allocation: a line of text.  Tiny: every few bytes move the others. */
EBB_SIZE(EBB_BUF_FIRST, 64, 1)
/* Slots of a map's first table, a power of two: half a cache line of them.  Tiny: the fewest that leave one empty. */
EBB_SIZE(EBB_MAP_FIRST, 16, 2)

/* ---- time ---- */

/* Units in a chunk of the smallest undo ring: some checkpoints, so that even that one reaches back a little.  Tiny: hardly one. */
EBB_SIZE(EBB_UNDO_LEAST_CHUNK, 256, 32)
/* Bytes of a recording's block before it is packed: enough for zstd to find what repeats, so little that memory and what a crash loses
 * don't matter.  Tiny: a few events. */
EBB_SIZE(EBB_RECORDING_BLOCK_BYTES, 64 << 10, 1000)
/* Bytes that are copied at once from one recording to another, and of a file that one event keeps (time/journal.h): calls cost nothing beside them, and
 * they are nothing beside all memory.  Tiny: every copy takes several. */
EBB_SIZE(EBB_COPY_PIECE_BYTES, 256 << 10, 100)
EBB_SIZE(EBB_FILE_PIECE_BYTES, 1 << 20, 100)
/* Bytes of a file that are one section of a recording (time/recording_files.h): each is packed by itself, and unpacked as a whole.  Tiny: a
 * program has many of them. */
EBB_SIZE(EBB_FILE_PART_BYTES, 4 << 20, 10000)
/* Bytes of what a native program printed that are shown at most (session/c/printed.c): enough for a person.  Tiny: every test prints more. */
EBB_SIZE(EBB_PRINTED_BYTES, 1 << 20, 64)
/* Timestamps that the first look back goes back by: what a step back goes over mostly (time/timeline_back.c).  Tiny: most searches take
 * several looks. */
EBB_SIZE(EBB_FIRST_LOOK_BACK, 32, 2)
/* Hits that a look back bears on a way that it has to replay anyway (time/timeline_back.c): they take some 10 ms, about as long as to begin
 * anew nearer to where it looks.  Tiny: loops of tests have more. */
EBB_SIZE(EBB_LOOK_BACK_PATIENCE, 20000, 20)
/* Milliseconds between two snapshots of a running program: the first step back from a stop replays so much, the most of it with an undo log, which takes
 * two to three times as long.  So it is a pause that one just notices.  Tiny: a test that runs no longer than that has some. */
EBB_SIZE(EBB_PACE_INTERVAL_MS, 60, 10)
/* Snapshots before they are thinned out: fewer are not worth looking through, and their memory is small beside that of the debuggee.
 * Tiny: nearly every one is looked at. */
EBB_SIZE(EBB_THIN_AT_FIRST, 24, 3)

/* ---- jvm ---- */

/* Of pictures that a search makes of what values lead to (jvm/agent/picture.c): chars of a string and elements of an array, which is more than is
 * printed by default; objects in one picture, and in all that are told at once: some MB.  Tiny: most need another look. */
EBB_SIZE(JVM_PICTURED_PARTS, 256, 8)
EBB_SIZE(JVM_PICTURED_OBJECTS, 512, 8)
EBB_SIZE(JVM_PICTURED_AT_ONCE, 1 << 15, 40)

/* Timestamps between two checkpoints of the undo log.  A rewind runs forward up to so many, so it must not be much; but a checkpoint
 * takes as much of the ring as a dozen stores, and that should be little beside what the stores between two of them take.  Tiny: a test
 * of a few lines has many. */
EBB_SIZE(JVM_CHECKPOINT_INTERVAL, 512, 8)
/* Timestamps of a thread's turn: a fraction of a millisecond.  Tiny: threads switch in the middle of everything. */
EBB_SIZE(JVM_QUANTUM, 20000, 300)
/* Bytes given out before the first collection: small programs end without one.  Tiny: none does. */
/* Aliases made between two collections of theirs. Tiny: many collections. */
EBB_SIZE(JVM_ALIASES_AT_ONCE, 1 << 22, 4096)
/* Those that were just made: they fit into the second cache of a processor, with what else is done meanwhile. Tiny: they are moved all the time. */
EBB_SIZE(JVM_ALIASES_YOUNG, 1 << 14, 64)
EBB_SIZE(JVM_FIRST_COLLECTION_BYTES, 32 << 20, 512 << 10)
/* Global handles, monitors, symbols and strings: more than most programs have, or as many as the start-up needs.  Tiny: all of them grow
 * at once and often.  Slots are powers of two. */
EBB_SIZE(JVM_HANDLE_CHUNK, 1024, 3)
EBB_SIZE(JVM_MONITORS_AT_ONCE, 64, 1)
EBB_SIZE(JVM_SYMBOL_SLOTS, 1 << 15, 2)
EBB_SIZE(JVM_STRING_SLOTS, 4096, 2)
/* Bytes of memory outside of the heap that are cut into blocks; no less than the largest such block.  Tiny: just that. */
EBB_SIZE(JVM_OFFHEAP_CHUNK_BYTES, 1 << 20, 1 << 16)
/* Bytes in one event of a recording: no copy of more is ever needed.  Tiny: most things that natives read come in several. */
EBB_SIZE(JVM_LOG_STEP, 1 << 20, 200)
/* Numbers in an answer before its list grows. */
EBB_SIZE(JVM_ANSWER_FIRST, 16, 1)
/* Bytes that a relay hands over at once: as much as a pipe holds.  Tiny: a message comes in many parts. */
EBB_SIZE(JVM_RELAY_CHUNK_BYTES, 64 << 10, 50)

/* ---- x86 ---- */

/* What a program loads at its start, a few libraries: packing 4 MB takes 10 ms, of a program that may take 40. */
EBB_SIZE(X86_RECORD_PLAIN_BYTES, 16 << 20, 1000)
/* Timestamps between two checkpoints of the undo log, at unit line: some hundred microseconds of replay, which is what a rewind runs forward at
 * most, and several times what taking one costs.  Tiny: a loop has some. */
EBB_SIZE(X86_UNDO_INTERVAL, 100000, 40)
/* Microseconds of the copy's time that should lie between two of them, likewise: some twenty times what one costs.  Tiny: they are as near as the timestamps say. */
EBB_SIZE(X86_UNDO_PACE_US, 2000, 0)
/* Timestamps of a way forward in the past after which no undo log is kept of it: some 20 ms, more than most steps take.  Tiny: a loop is longer. */
EBB_SIZE(X86_UNDO_FAR, 2000000, 500)

/* Bytes of an arena of translated code: the code of most programs fits in one for each region of the address space.  A power of two, and
 * some times X86_MAX_HOST_BYTES.  Tiny: a C library's start-up fills it. */
EBB_SIZE(X86_ARENA_BYTES, 32 << 20, 64 << 10)
/* Arenas: a program has a handful of regions that are out of each other's reach.  Tiny: two regions share four. */
EBB_SIZE(X86_MAX_ARENAS, 16, 4)
/* Blocks in one arena: as many as fit if they are short.  Tiny: it may be full of blocks before it is full of bytes. */
EBB_SIZE(X86_INDEX_SIZE, 1 << 19, 256)
/* Chains by guest address and by guest page, as powers of two: chains stay short for the largest programs that we know.  Tiny: they are long. */
EBB_SIZE(X86_HASH_BITS, 18, 3)
EBB_SIZE(X86_PAGE_HASH_BITS, 14, 2)
/* Bytes that metadata of blocks is taken from; more than that of the largest block.  Tiny: a few blocks'. */
EBB_SIZE(X86_HEAP_CHUNK_BYTES, 1 << 20, 8 << 10)
/* Bytes of events that wait in the debuggee for ebb to write them: what a program makes while ebb packs a block, many times over.  A power of
 * two, and more than the longest event (x86/recorded.h).  Tiny: it is full again and again. */
EBB_SIZE(X86_RING_BYTES, 4 << 20, 128 << 10)
/* Hits of points that translated code notes before ebb takes them: so many that a stop does not count beside finding them.  Tiny: a stop for every few. */
EBB_SIZE(X86_NOTES_AT_ONCE, 8192, 3)

/* ---- session ---- */

/* Bytes of the undo log with `set undo auto`, in the past only: it costs nobody anything there.  `info history` shows it and the
 * manual names it.  Tiny: moves of a few thousand timestamps run out of it. */
EBB_SIZE(SES_UNDO_AUTO_BYTES, 64 << 20, 64 << 10)
/* Java frames that are asked for together: most stacks are read in one go.  Tiny: none is. */
EBB_SIZE(SES_FRAMES_AT_ONCE, 32, 2)

#endif
