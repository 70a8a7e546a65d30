/* map.h - hash maps from text or 64-bit numbers to pointers.
 *
 * MP1  a text key is copied in; values are the caller's and never freed here;
 * MP2  iteration is in order of insertion, removed entries skipped: results never depend on hashes. */
#ifndef EBB_BASE_MAP_H
#define EBB_BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct ebb_map ebb_map;

ebb_map *ebb_map_new(void);
void ebb_map_free(ebb_map *map); /* NULL is fine */
size_t ebb_map_count(const ebb_map *map);

/* A map is used with text keys or with number keys, not both. */
void ebb_map_set(ebb_map *map, const char *key, void *value); /* replaces an older value */
void *ebb_map_get(const ebb_map *map, const char *key);       /* NULL when absent */
void *ebb_map_getn(const ebb_map *map, const char *key, size_t key_nbytes);
bool ebb_map_remove(ebb_map *map, const char *key);

void ebb_map_set_u64(ebb_map *map, uint64_t key, void *value);
void *ebb_map_get_u64(const ebb_map *map, uint64_t key);
bool ebb_map_remove_u64(ebb_map *map, uint64_t key);

/* for (size_t at = 0; ebb_map_next(map, &at, &entry);) ... ; the map must not change meanwhile. */
typedef struct ebb_map_entry {
    const char *text; /* NULL in a number map */
    uint64_t number;
    void *value;
} ebb_map_entry;
bool ebb_map_next(const ebb_map *map, size_t *at, ebb_map_entry *entry);

#endif
