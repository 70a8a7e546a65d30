/* sessions.c - sessions of a small server: opened at login, looked up by number, closed at logout.
 *
 * It has a bug.  Ada asks for her own files and is refused: her session has the name of somebody else.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SESSIONS = 8 };

struct session {
    int number;
    char user[20];
    int requests;
};

static struct session *open_sessions[MAX_SESSIONS];
static struct session *privileged; /* the session that may see everything */
static int last_number;

static struct session *login(const char *user)
{
    for (int i = 0; i < MAX_SESSIONS; i++)
        if (!open_sessions[i]) {
            struct session *s = malloc(sizeof *s);
            s->number = ++last_number;
            s->requests = 0;
            snprintf(s->user, sizeof s->user, "%s", user);
            open_sessions[i] = s;
            return s;
        }
    return NULL;
}

static void logout(int number)
{
    for (int i = 0; i < MAX_SESSIONS; i++)
        if (open_sessions[i] && open_sessions[i]->number == number) {
            free(open_sessions[i]);
            open_sessions[i] = NULL;
        }
}

static void request(struct session *s, const char *path)
{
    s->requests++;
    printf("%s reads %s\n", s->user, path);
}

static void expire_idle(void)
{
    for (int i = 0; i < MAX_SESSIONS; i++)
        if (open_sessions[i] && open_sessions[i]->requests == 0)
            logout(open_sessions[i]->number);
}

int main(void)
{
    struct session *guest = login("guest");
    request(guest, "/index");
    privileged = login("ada");
    expire_idle();
    struct session *eve = login("eve");
    request(eve, "/news");
    request(guest, "/news");
    assert(strcmp(privileged->user, "ada") == 0);
    request(privileged, "/home/ada");
    return 0;
}
