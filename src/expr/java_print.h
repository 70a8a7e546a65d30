/* java_print.h - what the parts of Java's printer share.
 *
 * JP1  nothing is called (JE3): a collection that is known is read by its insides, everything else is shown by its fields;
 * JP2  what can't be read inside of a larger value is shown in its place; at the top it is an error;
 * JP3  it ends: an object inside of itself is named, not shown again; depth, elements and text are limited.  Everything hangs
 *      together in a Java heap, so when a value has filled some screens, objects deep inside of it are left out, unless the depth
 *      is unlimited;
 * JP4  it can be read: in the fields of an object, other objects are only named, as a graph would be shown over and over
 *      otherwise; strings, boxes, records and collections are shown there. */
#ifndef EBB_EXPR_JAVA_PRINT_H
#define EBB_EXPR_JAVA_PRINT_H

#include "expr/java_eval.h"

enum { JAVA_MAX_OPEN = 100, JAVA_MAX_ELEMENTS = 1 << 20, JAVA_MAX_OUTPUT_NBYTES = 4 << 20, JAVA_ENOUGH_NBYTES = 10000, JAVA_DEEP = 3 };

typedef struct java_printer {
    java_ev ev;
    const expr_format *format;
    ebb_buf *out;
    uint64_t open[JAVA_MAX_OPEN]; /* the objects around the one being printed */
    unsigned depth;               /* how many */
    size_t start;                 /* of the value's text in `out` */
    unsigned n_plain;             /* how many of them are shown by their fields */
} java_printer;

/* java_print.c */
ebb_status java_print_value(java_printer *printer, const java_value *value) EBB_MUST_CHECK;
/* The same for a part of something: JP2. */
void java_print_part(java_printer *printer, const java_value *value);
/* Point@1a2b: the class and the identity hash, or, if nobody asked for that yet, the address. */
void java_print_identity(java_printer *printer, const java_type *type, uint64_t ref);
/* A field of an object by name; EBB_NOT_FOUND. */
ebb_status java_print_get(java_printer *printer, uint64_t ref, const char *field, java_value *out) EBB_MUST_CHECK;
size_t java_print_limit(const java_printer *printer);
bool java_print_is_full(const java_printer *printer);
/* A quick answer, since there may be a million values to print: false for Object and for classes outside of the library, in no table of ours. */
bool java_print_may_be_known(const java_printer *printer, const java_type *type);

/* java_print_scalar.c */
void java_print_primitive(java_printer *printer, const java_value *value);
void java_print_text(java_printer *printer, const char *text, bool more_follows);
ebb_status java_print_string(java_printer *printer, uint64_t ref) EBB_MUST_CHECK;

/* java_print_object.c: objects that are more than their fields: boxes, enums, classes, exceptions, ...  False: it is none. */
ebb_status java_print_known(java_printer *printer, const java_type *type, uint64_t ref, bool *is_known) EBB_MUST_CHECK;

/* java_print_number.c: numbers that are objects, as their toString writes them. */
ebb_status java_print_big_integer(java_printer *printer, const java_type *type, uint64_t ref) EBB_MUST_CHECK;
ebb_status java_print_big_decimal(java_printer *printer, const java_type *type, uint64_t ref) EBB_MUST_CHECK;
ebb_status java_print_uuid(java_printer *printer, const java_type *type, uint64_t ref) EBB_MUST_CHECK;

/* java_print_time.c: java.time, as its toString writes it. */
ebb_status java_print_local_date(java_printer *printer, const java_type *type, uint64_t ref) EBB_MUST_CHECK;
ebb_status java_print_local_time(java_printer *printer, const java_type *type, uint64_t ref) EBB_MUST_CHECK;
ebb_status java_print_local_date_time(java_printer *printer, const java_type *type, uint64_t ref) EBB_MUST_CHECK;
ebb_status java_print_offset_date_time(java_printer *printer, const java_type *type, uint64_t ref) EBB_MUST_CHECK;
ebb_status java_print_zoned_date_time(java_printer *printer, const java_type *type, uint64_t ref) EBB_MUST_CHECK;
ebb_status java_print_zone(java_printer *printer, const java_type *type, uint64_t ref) EBB_MUST_CHECK;
ebb_status java_print_instant(java_printer *printer, const java_type *type, uint64_t ref) EBB_MUST_CHECK;
ebb_status java_print_date(java_printer *printer, const java_type *type, uint64_t ref) EBB_MUST_CHECK;
ebb_status java_print_duration(java_printer *printer, const java_type *type, uint64_t ref) EBB_MUST_CHECK;
ebb_status java_print_period(java_printer *printer, const java_type *type, uint64_t ref) EBB_MUST_CHECK;
ebb_status java_print_year(java_printer *printer, const java_type *type, uint64_t ref) EBB_MUST_CHECK;
ebb_status java_print_year_month(java_printer *printer, const java_type *type, uint64_t ref) EBB_MUST_CHECK;
ebb_status java_print_month_day(java_printer *printer, const java_type *type, uint64_t ref) EBB_MUST_CHECK;

/* java_collection.c */
ebb_status java_print_collection(java_printer *printer, const java_type *type, uint64_t ref, bool *is_known) EBB_MUST_CHECK;

#endif
