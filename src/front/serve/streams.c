/* streams.c - see streams.h. */
#include "front/serve/streams.h"

#include <fcntl.h>
#include <stdlib.h>
#include <termios.h>
#include <unistd.h>

/* A terminal that changes nothing of what is written to it; false: there is none to be had. */
static bool open_terminal(int *reads, int *writes)
{
    struct termios modes;
    char name[64];
    *reads = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (*reads < 0 || grantpt(*reads) != 0 || unlockpt(*reads) != 0 || ptsname_r(*reads, name, sizeof name) != 0)
        return false;
    *writes = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (*writes < 0 || tcgetattr(*writes, &modes) != 0)
        return false;
    cfmakeraw(&modes);
    return tcsetattr(*writes, TCSANOW, &modes) == 0;
}

static bool open_pipe(int *reads, int *writes)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    *reads = ends[0];
    *writes = ends[1];
    return true;
}

/* Becomes a standard stream, which children inherit. */
static bool install(int fd, int standard)
{
    bool done = fd >= 0 && dup2(fd, standard) == standard;
    if (fd >= 0 && fd != standard)
        close(fd);
    return done;
}

static bool keep(front_streams *s, int connection)
{
    s->in = connection >= 0 ? connection : fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
    s->out = connection >= 0 ? connection : fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    s->complaints = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
    return s->in >= 0 && s->out >= 0 && s->complaints >= 0;
}

ebb_status front_streams_take(int connection, front_streams *out, ebb_error *err)
{
    int writes = -1, complains = -1;
    bool fine = keep(out, connection);
    fine = fine && (open_terminal(&out->stdout_, &writes) || open_pipe(&out->stdout_, &writes));
    fine = fine && open_pipe(&out->stderr_, &complains);
    fine = fine && install(open("/dev/null", O_RDONLY), STDIN_FILENO) && install(writes, STDOUT_FILENO) && install(complains, STDERR_FILENO);
    return fine ? EBB_OK : ebb_fail_errno(err, "can't set up standard input and output");
}
