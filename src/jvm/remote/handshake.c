/* handshake.c - both sides send a challenge, and answer with a keyed hash of both. */
#include "jvm/remote/handshake.h"

#include "jvm/remote/parcel.h"
#include "jvm/wire/wire.h"

#include <errno.h>
#include <nettle/hmac.h>
#include <nettle/memops.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>

enum { NAME_SIZE = 8, PROOF_SIZE = SHA256_DIGEST_SIZE };

static const char far_name[NAME_SIZE + 1] = "ebb-far1", near_name[NAME_SIZE + 1] = "ebb-nea1";

typedef struct greeting { /* bytes only: as they travel */
    char name[NAME_SIZE];
    uint8_t fingerprint[8], challenge[JVM_CHALLENGE_SIZE];
} greeting;
typedef struct claim {
    char name[NAME_SIZE];
    uint8_t challenge[JVM_CHALLENGE_SIZE], proof[PROOF_SIZE];
} claim;
typedef struct answer {
    uint8_t verdict, proof[PROOF_SIZE];
} answer;
_Static_assert(sizeof(greeting) == 48 && sizeof(claim) == 72 && sizeof(answer) == 33, "nothing between the bytes");

static bool send_bytes(int fd, const void *bytes, size_t n)
{
    return send(fd, bytes, n, MSG_NOSIGNAL) == (ssize_t)n; /* so few that they fit, or the other side is gone */
}

/* ---- proofs ---- */

static bool make_challenge(uint8_t challenge[JVM_CHALLENGE_SIZE])
{
    return getrandom(challenge, JVM_CHALLENGE_SIZE, 0) == JVM_CHALLENGE_SIZE;
}

/* `who` keeps one side's proof from being the other's. */
static void prove(const jvm_handshake *h, uint8_t who, uint8_t proof[PROOF_SIZE])
{
    struct hmac_sha256_ctx hash;
    hmac_sha256_set_key(&hash, strlen(h->token), (const uint8_t *)h->token);
    hmac_sha256_update(&hash, sizeof who, &who);
    hmac_sha256_update(&hash, sizeof h->far, h->far);
    hmac_sha256_update(&hash, sizeof h->near, h->near);
    hmac_sha256_digest(&hash, PROOF_SIZE, proof);
}

static bool is_proved(const jvm_handshake *h, uint8_t who, const uint8_t proof[PROOF_SIZE])
{
    uint8_t right[PROOF_SIZE];
    prove(h, who, right);
    return memeql_sec(right, proof, sizeof right);
}

static void put_fingerprint(uint8_t out[8])
{
    uint64_t fingerprint = jvm_wire_fingerprint();
    for (size_t i = 0; i < 8; i++)
        out[i] = (uint8_t)(fingerprint >> 8 * i);
}

enum { WHO_NEAR = 'n' }; /* the far side's proofs are for its verdicts */

/* ---- the two sides ---- */

ebb_status jvm_handshake_near(int fd, const char *token, const char *where, ebb_error *err)
{
    jvm_handshake h = {.token = token};
    greeting g;
    uint8_t fingerprint[8];
    if (!jvm_parcel_read(fd, &g, sizeof g) || memcmp(g.name, far_name, NAME_SIZE) != 0)
        return ebb_fail(err, EBB_BAD_FILE, "No ebb answers at %.100s.", where);
    put_fingerprint(fingerprint);
    if (memcmp(g.fingerprint, fingerprint, sizeof fingerprint) != 0)
        return ebb_fail(err, EBB_UNSUPPORTED, "The ebb at %.100s is another version: both sides must be the same.", where);
    memcpy(h.far, g.challenge, sizeof h.far);
    if (!make_challenge(h.near))
        return ebb_fail_errno(err, "no random numbers");
    claim c;
    answer a;
    memcpy(c.name, near_name, NAME_SIZE);
    memcpy(c.challenge, h.near, sizeof h.near);
    prove(&h, WHO_NEAR, c.proof);
    if (!send_bytes(fd, &c, sizeof c) || !jvm_parcel_read(fd, &a, sizeof a))
        return ebb_fail(err, EBB_GONE, "The ebb at %.100s hung up.", where);
    if (a.verdict == JVM_VERDICT_NO)
        return ebb_fail(err, EBB_BAD_INPUT, "The ebb at %.100s does not accept this token.", where);
    if (!is_proved(&h, a.verdict, a.proof))
        return ebb_fail(err, EBB_BAD_INPUT, "Who answers at %.100s does not know the token.", where);
    if (a.verdict != JVM_VERDICT_YES)
        return ebb_fail(err, EBB_UNAVAILABLE, "The ebb at %.100s is talking to another ebb: one at a time.", where);
    return EBB_OK;
}

bool jvm_handshake_far(int fd, const char *token, jvm_handshake *h)
{
    greeting g;
    claim c;
    *h = (jvm_handshake){.token = token};
    if (!make_challenge(h->far))
        return false;
    memcpy(g.name, far_name, NAME_SIZE);
    put_fingerprint(g.fingerprint);
    memcpy(g.challenge, h->far, sizeof h->far);
    if (!send_bytes(fd, &g, sizeof g) || !jvm_parcel_read(fd, &c, sizeof c)) /* HS2 */
        return false;
    memcpy(h->near, c.challenge, sizeof h->near);
    return memcmp(c.name, near_name, NAME_SIZE) == 0 && is_proved(h, WHO_NEAR, c.proof);
}

bool jvm_handshake_answer(int fd, const jvm_handshake *h, jvm_verdict verdict)
{
    answer a = {.verdict = (uint8_t)verdict};
    if (verdict != JVM_VERDICT_NO)
        prove(h, a.verdict, a.proof);
    return send_bytes(fd, &a, sizeof a);
}
