/* recording_read.h - a recording that is open for reading: private to the files that read it. */
#ifndef EBB_TIME_RECORDING_READ_H
#define EBB_TIME_RECORDING_READ_H

#include "base/mem.h"
#include "time/recording_format.h"

/* Where the payload of a block lies. */
typedef struct rec_stored {
    uint64_t offset;
    uint32_t stored_nbytes, raw_nbytes;
    uint8_t packing;
    uint64_t checksum;
} rec_stored;

typedef struct rec_block {
    rec_stored stored;
    uint64_t first_event, n_events; /* those that a later cut left */
    uint64_t first_timestamp, last_timestamp;
} rec_block;

typedef struct rec_section {
    rec_stored stored;
    uint16_t kind;
} rec_section;

struct ebb_recording {
    int fd;
    uint64_t good_nbytes; /* indexed so far; ends at the end of a block */
    uint64_t file_nbytes;
    const char *damage;   /* what stands at good_nbytes, if that isn't the end; static text */

    EBB_VEC(rec_block) blocks; /* without gaps: each begins with the number at which the one before ends */
    EBB_VEC(rec_section) sections;

    /* The reader's place. */
    uint64_t next_number;
    size_t loaded_block; /* whose events are in `loaded`; SIZE_MAX: none */
    ebb_buf loaded;
    size_t loaded_at;        /* offset of event `loaded_number` in it */
    uint64_t loaded_number;
    uint64_t loaded_timestamp; /* of the event before that one; for the first: the block's first */
};

/* The payload, unpacked, as the contents of `out`. */
ebb_status rec_load(ebb_recording *r, const rec_stored *stored, ebb_buf *out, ebb_error *err) EBB_MUST_CHECK;
void rec_forget_loaded(ebb_recording *r);

#endif
