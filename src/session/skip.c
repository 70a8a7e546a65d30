/* skip.c - see skip.h. */
#include "session/skip.h"
#include "session/state.h"

#include <fnmatch.h>
#include <regex.h>
#include <string.h>

static void drop(ses_skip *skip)
{
    free(skip->file);
    free(skip->function);
}

static ebb_status check_regex(const char *text, ebb_error *err)
{
    regex_t regex;
    char why[100];
    int failed = regcomp(&regex, text, REG_NOSUB);
    if (!failed) {
        regfree(&regex);
        return EBB_OK;
    }
    regerror(failed, &regex, why, sizeof why);
    return ebb_fail(err, EBB_BAD_INPUT, "regexp: %s", why);
}

ebb_status ses_skip_add(session *s, const ses_skip *wish, int *number, ebb_error *err)
{
    if (wish->function && wish->function_is_regex)
        EBB_TRY(check_regex(wish->function, err));
    ses_skip skip = *wish;
    skip.number = *number = ++s->last_skip_number;
    skip.is_enabled = true;
    skip.file = wish->file ? ebb_strdup(wish->file) : NULL;
    skip.function = wish->function ? ebb_strdup(wish->function) : NULL;
    ebb_vec_push(&s->skips, skip);
    return EBB_OK;
}

size_t ses_skip_count(const session *s)
{
    return s->skips.n;
}

const ses_skip *ses_skip_at(const session *s, size_t i)
{
    return &s->skips.items[i];
}

ebb_status ses_skip_alter(session *s, int number, ses_skip_change change, ebb_error *err)
{
    bool found = number == 0;
    for (size_t i = s->skips.n; i-- > 0;) {
        ses_skip *skip = &s->skips.items[i];
        if (number && skip->number != number)
            continue;
        found = true;
        skip->is_enabled = change == SES_SKIP_ENABLE;
        if (change == SES_SKIP_DELETE) {
            drop(skip);
            ebb_vec_remove(&s->skips, i);
        }
    }
    return found ? EBB_OK : ebb_fail(err, EBB_NOT_FOUND, "No skiplist entries found with number %d.", number);
}

void ses_skip_fini(session *s)
{
    for (size_t i = 0; i < s->skips.n; i++)
        drop(&s->skips.items[i]);
    ebb_vec_fini(&s->skips);
}

/* ---- fitting ---------------------------------------------------------------------------------- */

static bool ends_with_parts(const char *path, const char *end)
{
    size_t n = strlen(path), m = strlen(end);
    return m <= n && strcmp(path + n - m, end) == 0 && (m == n || *end == '/' || path[n - m - 1] == '/');
}

static bool file_fits(const ses_skip *skip, const char *file)
{
    if (!file)
        return false;
    if (!skip->file_is_pattern)
        return ends_with_parts(file, skip->file);
    return fnmatch(skip->file, strchr(skip->file, '/') ? file : ebb_path_base(file), 0) == 0;
}

static bool regex_fits(const char *text, const char *name)
{
    regex_t regex;
    if (regcomp(&regex, text, REG_NOSUB) != 0)
        return false;
    bool fits = regexec(&regex, name, 0, NULL, 0) == 0;
    regfree(&regex);
    return fits;
}

/* "total" is every function of that name, "shop::total" the one of shop. */
static bool function_fits(const ses_skip *skip, const char *name)
{
    if (!name)
        return false;
    if (skip->function_is_regex)
        return regex_fits(skip->function, name);
    size_t n = strlen(name), m = strlen(skip->function);
    return m <= n && strcmp(name + n - m, skip->function) == 0 && (m == n || (n - m >= 2 && strncmp(name + n - m - 2, "::", 2) == 0));
}

bool ses_skip_fits(session *s, const char *function, const char *full_name, const char *file)
{
    for (size_t i = 0; i < s->skips.n; i++) {
        const ses_skip *skip = &s->skips.items[i];
        if (skip->is_enabled && (!skip->file || file_fits(skip, file)) && (!skip->function || function_fits(skip, strchr(skip->function, '(') ? full_name : function)))
            return true;
    }
    return false;
}
