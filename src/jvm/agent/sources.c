/* sources.c - what the program's own classes were compiled from: told at its end, after which nobody can ask. */
#include "jvm/agent/internal.h"

#include "base/map.h"
#include "jvm/classes/loader.h"
#include "jvm/jvm.h"

#include <string.h>

typedef struct source_list {
    ebb_arena *arena;
    ebb_map *seen;
    EBB_VEC(jvm_wire_name) found;
} source_list;

/* The class's package as folders, and the file. */
static void note(jvm_class *cls, void *arg)
{
    source_list *list = arg;
    if (cls->source_file == NULL || agent_is_library(cls))
        return;
    const char *slash = strrchr(cls->name->text, '/');
    size_t n = slash == NULL ? 0 : (size_t)(slash + 1 - cls->name->text);
    char *path = ebb_arena_printf(list->arena, "%.*s%s", (int)n, cls->name->text, cls->source_file->text);
    if (ebb_map_get(list->seen, path) != NULL)
        return;
    ebb_map_set(list->seen, path, path);
    ebb_vec_push(&list->found, (jvm_wire_name){path});
}

void agent_list_sources(ebb_arena *arena, jvm_wire_end *out)
{
    source_list list = {.arena = arena, .seen = ebb_map_new()};
    jvm_each_class(note, &list);
    out->sources.items = EBB_ARENA_ARRAY(arena, jvm_wire_name, list.found.n + 1);
    out->sources.n = list.found.n;
    if (list.found.n > 0)
        memcpy(out->sources.items, list.found.items, list.found.n * sizeof *list.found.items);
    ebb_vec_fini(&list.found);
    ebb_map_free(list.seen);
}
