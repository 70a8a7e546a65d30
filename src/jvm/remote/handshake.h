/* handshake.h - two ebbs prove to each other that they know the same token, without telling it.
 *
 *     far -> near   who it is, the fingerprint of its messages, a challenge
 *     near -> far   who it is, a challenge, the keyed hash (HMAC-SHA256) of both challenges
 *     far -> near   a verdict, and the keyed hash of the verdict and both challenges
 *
 * HS1  nothing is learnt from a failure but that it failed: of a wrong token and of bytes that are no handshake the far side says
 *      the same, after a while; to one that never comes to its end it says nothing (listen.h);
 * HS2  the far side reads a fixed number of bytes from whoever did not prove anything;
 * HS3  what is overheard proves nothing another time: each side chose a challenge. */
#ifndef EBB_JVM_REMOTE_HANDSHAKE_H
#define EBB_JVM_REMOTE_HANDSHAKE_H

#include "base/error.h"

#include <stdint.h>

enum { JVM_TOKEN_MIN = 16 }; /* characters: fewer can be guessed */

typedef enum jvm_verdict { JVM_VERDICT_YES = 'Y', JVM_VERDICT_BUSY = 'B', JVM_VERDICT_NO = 'N' } jvm_verdict;

enum { JVM_CHALLENGE_SIZE = 32 };
typedef struct jvm_handshake {
    const char *token;
    uint8_t far[JVM_CHALLENGE_SIZE], near[JVM_CHALLENGE_SIZE];
} jvm_handshake;

/* `where` is for the error's text only. */
ebb_status jvm_handshake_near(int fd, const char *token, const char *where, ebb_error *err) EBB_MUST_CHECK;

/* False: nothing was proved. */
bool jvm_handshake_far(int fd, const char *token, jvm_handshake *h);
bool jvm_handshake_answer(int fd, const jvm_handshake *h, jvm_verdict verdict);

#endif
