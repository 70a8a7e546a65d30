/* mappings.c - reads /proc/PID/maps, line by line. */
#include "x86/mappings.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

x86_mappings x86_mappings_open(pid_t pid)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/maps", (int)pid);
    return (x86_mappings){.file = fopen(path, "re")};
}

/* LO-HI rwxp OFFSET DEVICE INODE NAME */
static bool parse(char *line, x86_mapping *m, const char **name)
{
    char how[5];
    int name_at = 0;
    line[strcspn(line, "\n")] = '\0';
    if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %*s %*s %*s %n", &m->lo, &m->hi, how, &name_at) < 3)
        return false;
    m->readable = how[0] == 'r';
    m->writable = how[1] == 'w';
    m->executable = how[2] == 'x';
    m->shared = how[3] == 's';
    *name = name_at ? line + name_at : "";
    return true;
}

bool x86_mappings_next(x86_mappings *all, x86_mapping *mapping, const char **name)
{
    while (all->file && getline(&all->line, &all->room, all->file) > 0)
        if (parse(all->line, mapping, name))
            return true;
    return false;
}

void x86_mappings_close(x86_mappings *all)
{
    if (all->file)
        fclose(all->file);
    free(all->line);
}
