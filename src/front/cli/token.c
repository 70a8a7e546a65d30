/* token.c - it is read from a file, asked for at the terminal, or made anew. */
#include "front/cli/token.h"

#include "base/mem.h"
#include "base/text.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

enum { TOKEN_BYTES = 20, LINE_SIZE = 512 };

/* The first line, without blanks at its end; NULL: there is none. */
static char *read_line(FILE *from)
{
    char line[LINE_SIZE];
    char *token = fgets(line, sizeof line, from) ? ebb_strdup(ebb_text_rtrim(line)) : NULL;
    explicit_bzero(line, sizeof line);
    return token;
}

static ebb_status read_file(const char *path, char **token, ebb_error *err)
{
    struct stat st;
    FILE *file = fopen(path, "re");
    if (!file)
        return ebb_fail_errno(err, "%.200s", path);
    bool is_private = fstat(fileno(file), &st) == 0 && (st.st_mode & (S_IRWXG | S_IRWXO)) == 0;
    *token = is_private ? read_line(file) : NULL;
    fclose(file);
    if (!is_private)
        return ebb_fail(err, EBB_BAD_FILE, "%.200s is not private, so what it says is no secret: chmod 600 it.", path);
    return *token ? EBB_OK : ebb_fail(err, EBB_BAD_FILE, "%.200s is empty: its first line should be the token.", path);
}

ebb_status cli_token_given(const char *file, char **token, ebb_error *err)
{
    char *in_environment = getenv("EBB_TOKEN");
    *token = in_environment && !file ? ebb_strdup(in_environment) : NULL;
    if (in_environment)
        explicit_bzero(in_environment, strlen(in_environment)); /* /proc shows what was there at the start */
    unsetenv("EBB_TOKEN");
    return file ? read_file(file, token, err) : EBB_OK;
}

ebb_status cli_token_new(char **token, ebb_error *err)
{
    uint8_t bytes[TOKEN_BYTES];
    char text[2 * TOKEN_BYTES + 1];
    if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes)
        return ebb_fail_errno(err, "no random numbers for a token");
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(text + 2 * i, 3, "%02x", bytes[i]);
    *token = ebb_strdup(text);
    return EBB_OK;
}

ebb_status cli_token_ask(const char *where, char **token, ebb_error *err)
{
    struct termios was, silent;
    FILE *terminal = isatty(STDIN_FILENO) ? fopen("/dev/tty", "r+e") : NULL;
    if (!terminal || tcgetattr(fileno(terminal), &was) != 0) {
        if (terminal)
            fclose(terminal);
        return ebb_fail(err, EBB_BAD_INPUT, "No token: put the one that the listening ebb showed into EBB_TOKEN, or say --token-file FILE.");
    }
    silent = was;
    silent.c_lflag &= ~(tcflag_t)ECHO;
    fprintf(terminal, "Token of the ebb at %s: ", where);
    fflush(terminal);
    tcsetattr(fileno(terminal), TCSAFLUSH, &silent);
    *token = read_line(terminal);
    tcsetattr(fileno(terminal), TCSAFLUSH, &was);
    fputs("\n", terminal);
    fclose(terminal);
    return *token ? EBB_OK : ebb_fail(err, EBB_BAD_INPUT, "No token.");
}
