/* typed.c - the file is written anew as a whole, and renamed over the old one. */
#include "front/cli/typed.h"

#include "base/text.h"
#include "front/cli/output.h"
#include "session/settings.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct cli_typed {
    cli *c;
    History *lines;
    char *path; /* NULL: nowhere to keep it */
    char *last; /* the newest line, so that it isn't entered twice in a row */
};

char *cli_home_file(const char *variable, const char *fallback, const char *name)
{
    const char *base = getenv(variable);
    if (base && *base == '/')
        return ebb_asprintf("%s/ebb/%s", base, name);
    const char *home = getenv("HOME");
    if (!home || *home != '/')
        return NULL;
    return ebb_asprintf("%s/%s/ebb/%s", home, fallback, name);
}

static int size_of(cli *c)
{
    unsigned size = cli_setting_count(c, "history size", 1000);
    return size == 0 || size > 100000 ? 100000 : (int)size;
}

/* `set history filename`, else the usual place. */
static char *history_path(cli *c)
{
    ebb_buf name = {0};
    if (ses_setting_show(c->session, "history filename", &name, NULL) == EBB_OK && name.n)
        return ebb_buf_take(&name);
    ebb_buf_fini(&name);
    return cli_home_file("XDG_STATE_HOME", ".local/state", "history");
}

cli_typed *cli_typed_new(cli *c)
{
    cli_typed *h = EBB_NEW(cli_typed);
    HistEvent event;
    h->c = c;
    h->lines = history_init();
    h->path = history_path(c);
    if (!h->lines)
        return h;
    history(h->lines, &event, H_SETSIZE, size_of(c));
    if (h->path)
        history(h->lines, &event, H_LOAD, h->path);
    return h;
}

void cli_typed_add(cli_typed *h, const char *line)
{
    HistEvent event;
    if (!h->lines || ebb_text_is_blank(line) || (h->last && strcmp(h->last, line) == 0))
        return;
    history(h->lines, &event, H_ENTER, line);
    free(h->last);
    h->last = ebb_strdup(line);
}

History *cli_typed_of_editor(cli_typed *h)
{
    return h->lines;
}

void cli_typed_list(cli_typed *h, size_t at_most, ebb_buf *out)
{
    HistEvent event;
    size_t n = 0;
    if (!h->lines || history(h->lines, &event, H_FIRST) != 0)
        return;
    while (++n < at_most && history(h->lines, &event, H_NEXT) == 0)
        ;
    for (int more = history(h->lines, &event, H_CURR); more == 0;
         more = history(h->lines, &event, H_PREV))
        ebb_buf_addf(out, "%5d  %s\n", event.num, event.str);
}

/* Makes the folders that the file stands in. */
static bool make_folders(const char *path)
{
    char *folder = ebb_strdup(path);
    bool made = true;
    for (char *slash = strchr(folder + 1, '/'); slash && made; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        made = mkdir(folder, 0700) == 0 || errno == EEXIST;
        *slash = '/';
    }
    free(folder);
    return made;
}

/* Written beside the old one and moved over it: a full disk costs the new lines, not the old ones. */
static bool save(cli_typed *h)
{
    char *beside = ebb_asprintf("%s.%d", h->path, (int)getpid());
    HistEvent event;
    bool saved = make_folders(h->path) &&
                 history(h->lines, &event, H_SETSIZE, size_of(h->c)) >= 0 &&
                 history(h->lines, &event, H_SAVE, beside) >= 0 && rename(beside, h->path) == 0;
    if (!saved)
        unlink(beside);
    free(beside);
    return saved;
}

void cli_typed_free(cli_typed *h)
{
    if (!h)
        return;
    if (h->lines && h->path && cli_setting_on(h->c, "history save", true) && !save(h))
        cli_emit_warning(h->c, "warning: the history can't be kept in %s", h->path);
    if (h->lines)
        history_end(h->lines);
    free(h->path);
    free(h->last);
    free(h);
}
