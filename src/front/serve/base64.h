/* base64.h - bytes in text, as protocols in JSON carry them. */
#ifndef EBB_FRONT_SERVE_BASE64_H
#define EBB_FRONT_SERVE_BASE64_H

#include <stddef.h>
#include <stdint.h>

char *front_base64(const uint8_t *bytes, size_t nbytes);           /* caller frees */
uint8_t *front_base64_decode(const char *text, size_t *nbytes);    /* caller frees; NULL: it isn't base64 */

#endif
