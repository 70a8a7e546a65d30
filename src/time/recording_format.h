/* recording_format.h - the bytes of a recording file, for those who write and read it; docs/recording-format.md explains.
 *
 *   file:   prologue, block, block, ...
 *   block:  head, `stored_nbytes` bytes
 *
 * Numbers are little-endian, as this machine's are; a change of anything here is a new EBB_RECORDING_VERSION. */
#ifndef EBB_TIME_RECORDING_FORMAT_H
#define EBB_TIME_RECORDING_FORMAT_H

#include "base/sizes.h"
#include "time/recording.h"

#define REC_MAGIC "\x89" "ebbrec\n" /* 8 bytes: not text, and broken by a conversion of line ends */
#define REC_BLOCK_MAGIC 0x4b4c4245u /* "EBLK" */

enum {
    REC_FLUSH_BYTES = EBB_RECORDING_BLOCK_BYTES,
    REC_FLUSH_MS = 100,
    /* Of a block before it was compressed: the largest event or section, its head, and a block of others before it. */
    REC_BLOCK_MAX_BYTES = EBB_EVENT_MAX_BYTES + (128 << 10),
};

typedef struct rec_prologue {
    char magic[8];
    uint32_t version;
    uint32_t nbytes; /* sizeof(rec_prologue) */
    uint64_t reserved;
    uint64_t checksum; /* XXH64 of what is before it */
} rec_prologue;
_Static_assert(sizeof(rec_prologue) == 32, "the file's layout");

typedef enum rec_block_kind {
    REC_BLOCK_EVENTS = 1,
    REC_BLOCK_SECTION = 2,
    REC_BLOCK_CUT = 3, /* no payload: events from `first_event` on are void, none before is later than `first_timestamp` */
} rec_block_kind;

typedef enum rec_packing { REC_PLAIN = 0, REC_ZSTD = 1 } rec_packing;

typedef struct rec_head {
    uint32_t magic;
    uint8_t kind;          /* rec_block_kind */
    uint8_t packing;       /* rec_packing */
    uint16_t section;      /* SECTION: ebb_section_kind */
    uint32_t stored_nbytes;
    uint32_t raw_nbytes;   /* once unpacked */
    uint64_t first_event;  /* EVENTS, CUT */
    uint64_t first_timestamp;
    uint64_t last_timestamp; /* EVENTS */
    uint32_t n_events;       /* EVENTS: more than 0 */
    uint32_t head_checksum;  /* low half of the XXH64 of this head, taken with this field 0 */
    uint64_t checksum;       /* XXH64 of the stored bytes */
} rec_head;
_Static_assert(sizeof(rec_head) == 56, "the file's layout");
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "heads are written as they lie in memory");

/* The events of a block are a batch of event.h that counts from the head's first timestamp. */

void rec_add_varint(ebb_buf *buf, uint64_t value);

uint64_t rec_checksum(const void *bytes, size_t nbytes);
uint64_t rec_prologue_checksum(const rec_prologue *p);
uint32_t rec_head_checksum(const rec_head *head);

/* Whole reads at a place: the number of bytes is smaller only at the end of the file; -1 with errno. */
int64_t rec_read_at(int fd, void *bytes, size_t nbytes, uint64_t offset);

/* Fails if something other than a regular file is there; nothing being there is fine. */
ebb_status rec_check_replaceable(const char *path, ebb_error *err) EBB_MUST_CHECK;

#endif
