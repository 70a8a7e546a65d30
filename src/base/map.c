/* Open addressing over indices into a dense array of entries, which keeps insertion order (MP2). */
#include "base/map.h"
#include "base/mem.h"
#include "base/sizes.h"

#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

typedef struct slot_entry {
    char *text;
    uint64_t number; /* the key itself, or the hash of `text` */
    void *value;
    bool live;
} slot_entry;

struct ebb_map {
    EBB_VEC(slot_entry) entries;
    uint32_t *slots; /* entry index + 1; 0 is empty */
    size_t n_slots;  /* a power of two, or 0 */
    size_t n_live;
};

typedef struct key {
    const char *text; /* NULL for a number key */
    size_t nbytes;
    uint64_t number;
} key;

static key text_key(const char *text, size_t nbytes)
{
    return (key){text, nbytes, XXH3_64bits(text, nbytes)};
}

static key number_key(uint64_t number)
{
    return (key){NULL, 0, number};
}

static size_t home_slot(const ebb_map *map, uint64_t number)
{
    uint64_t mixed = number * 0x9e3779b97f4a7c15u;
    return (size_t)(mixed ^ mixed >> 32) & (map->n_slots - 1);
}

static bool entry_matches(const slot_entry *entry, key k)
{
    if (entry->number != k.number)
        return false;
    if (!k.text)
        return true;
    return strncmp(entry->text, k.text, k.nbytes) == 0 && entry->text[k.nbytes] == '\0';
}

/* Dead entries stay in the chain until the next rehash, so that probing goes past them. */
static slot_entry *find(const ebb_map *map, key k)
{
    if (!map->n_slots)
        return NULL;
    for (size_t s = home_slot(map, k.number); map->slots[s]; s = (s + 1) & (map->n_slots - 1)) {
        slot_entry *entry = &map->entries.items[map->slots[s] - 1];
        if (entry->live && entry_matches(entry, k))
            return entry;
    }
    return NULL;
}

static void drop_dead_entries(ebb_map *map)
{
    size_t kept = 0;
    for (size_t i = 0; i < map->entries.n; i++)
        if (map->entries.items[i].live)
            map->entries.items[kept++] = map->entries.items[i];
    map->entries.n = kept;
}

static void put_in_slot(ebb_map *map, size_t index)
{
    size_t s = home_slot(map, map->entries.items[index].number);
    while (map->slots[s])
        s = (s + 1) & (map->n_slots - 1);
    map->slots[s] = (uint32_t)index + 1;
}

static void rehash(ebb_map *map)
{
    drop_dead_entries(map);
    size_t wanted = EBB_MAP_FIRST;
    while (wanted < (map->entries.n + 1) * 2)
        wanted *= 2;
    free(map->slots);
    map->slots = ebb_zalloc(wanted * sizeof *map->slots);
    map->n_slots = wanted;
    for (size_t i = 0; i < map->entries.n; i++)
        put_in_slot(map, i);
}

static void set(ebb_map *map, key k, void *value)
{
    slot_entry *old = find(map, k);
    if (old) {
        old->value = value;
        return;
    }
    if ((map->entries.n + 1) * 4 > map->n_slots * 3)
        rehash(map);
    slot_entry entry = {
        .text = k.text ? ebb_strndup(k.text, k.nbytes) : NULL,
        .number = k.number,
        .value = value,
        .live = true,
    };
    ebb_vec_push(&map->entries, entry);
    put_in_slot(map, map->entries.n - 1);
    map->n_live++;
}

static bool remove_key(ebb_map *map, key k)
{
    slot_entry *entry = find(map, k);
    if (!entry)
        return false;
    free(entry->text);
    *entry = (slot_entry){0};
    map->n_live--;
    return true;
}

static void *get(const ebb_map *map, key k)
{
    slot_entry *entry = find(map, k);
    return entry ? entry->value : NULL;
}

ebb_map *ebb_map_new(void)
{
    return EBB_NEW(ebb_map);
}

void ebb_map_free(ebb_map *map)
{
    if (!map)
        return;
    for (size_t i = 0; i < map->entries.n; i++)
        free(map->entries.items[i].text);
    ebb_vec_fini(&map->entries);
    free(map->slots);
    free(map);
}

size_t ebb_map_count(const ebb_map *map)
{
    return map->n_live;
}

void ebb_map_set(ebb_map *map, const char *k, void *value)
{
    set(map, text_key(k, strlen(k)), value);
}

void *ebb_map_get(const ebb_map *map, const char *k)
{
    return get(map, text_key(k, strlen(k)));
}

void *ebb_map_getn(const ebb_map *map, const char *k, size_t key_nbytes)
{
    return get(map, text_key(k, key_nbytes));
}

bool ebb_map_remove(ebb_map *map, const char *k)
{
    return remove_key(map, text_key(k, strlen(k)));
}

void ebb_map_set_u64(ebb_map *map, uint64_t k, void *value)
{
    set(map, number_key(k), value);
}

void *ebb_map_get_u64(const ebb_map *map, uint64_t k)
{
    return get(map, number_key(k));
}

bool ebb_map_remove_u64(ebb_map *map, uint64_t k)
{
    return remove_key(map, number_key(k));
}

bool ebb_map_next(const ebb_map *map, size_t *at, ebb_map_entry *out)
{
    while (*at < map->entries.n) {
        const slot_entry *entry = &map->entries.items[(*at)++];
        if (entry->live) {
            *out = (ebb_map_entry){entry->text, entry->number, entry->value};
            return true;
        }
    }
    return false;
}
