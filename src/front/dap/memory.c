/* memory.c - bytes and code. */
#include "front/dap/dap.h"

#include "front/serve/base64.h"
#include "session/data.h"

#include <string.h>

enum { MAX_BYTES = 1 << 20, PAGE_SIZE = 4096 };

static ebb_status reference_in(dap_request *r, uint64_t *address, ebb_error *err)
{
    const char *reference;
    EBB_TRY(dap_need_text(r->args, "memoryReference", &reference, err));
    EBB_TRY(dap_address_in(reference, address, err));
    *address += (uint64_t)dap_number(r->args, "offset", 0);
    return EBB_OK;
}

/* How many bytes from there on can be read: page by page, since it is all or nothing. */
static size_t read_some(dap *d, uint64_t address, uint8_t *bytes, size_t wanted)
{
    const expr_world *world = ses_world(d->session);
    size_t n = 0;
    while (n < wanted) {
        size_t piece = PAGE_SIZE - (size_t)((address + n) % PAGE_SIZE);
        if (piece > wanted - n)
            piece = wanted - n;
        if (world->read(world->self, address + n, bytes + n, piece, NULL) != EBB_OK)
            break;
        n += piece;
    }
    return n;
}

ebb_status dap_do_read_memory(dap *d, dap_request *r, ebb_error *err)
{
    uint64_t address;
    json_int_t count = dap_number(r->args, "count", 0);
    if (!dap_has_addresses(d))
        return ebb_fail(err, EBB_UNSUPPORTED, "The memory of a Java program has no addresses.");
    EBB_TRY(reference_in(r, &address, err));
    if (count < 0 || count > MAX_BYTES)
        return ebb_fail(err, EBB_BAD_INPUT, "At most %d bytes are read at once.", MAX_BYTES);
    uint8_t *bytes = ebb_alloc((size_t)count + 1);
    size_t n = read_some(d, address, bytes, (size_t)count);
    char *text = front_base64(bytes, n);
    cli_json_address(dap_body(r), "address", address);
    cli_json_text(r->body, "data", text);
    if (n < (size_t)count)
        json_object_set_new(r->body, "unreadableBytes", json_integer(count - (json_int_t)n));
    free(text);
    free(bytes);
    return EBB_OK;
}

ebb_status dap_do_write_memory(dap *d, dap_request *r, ebb_error *err)
{
    uint64_t address;
    const char *data;
    size_t n;
    const expr_world *world = ses_world(d->session);
    if (!dap_has_addresses(d))
        return ebb_fail(err, EBB_UNSUPPORTED, "The memory of a Java program has no addresses.");
    EBB_TRY(reference_in(r, &address, err));
    EBB_TRY(dap_need_text(r->args, "data", &data, err));
    uint8_t *bytes = front_base64_decode(data, &n);
    if (!bytes)
        return ebb_fail(err, EBB_BAD_INPUT, "The bytes to write are not base64.");
    ebb_status status = world->write(world->self, address, bytes, n, err);
    free(bytes);
    EBB_TRY(status);
    json_object_set_new(dap_body(r), "bytesWritten", json_integer((json_int_t)n));
    dap_answer(d, r);
    dap_invalidate(d);
    return EBB_OK;
}

/* ---- code ------------------------------------------------------------------------------------------ */

static json_t *instruction(dap *d, const ses_code_line *line)
{
    json_t *object = json_object();
    if (line->place)
        cli_json_text(object, "address", line->place);
    else
        cli_json_address(object, "address", line->addr);
    cli_json_text(object, "instruction", line->text);
    cli_json_text(object, "instructionBytes", line->bytes);
    cli_json_text(object, "symbol", line->symbol);
    if (line->file) {
        json_object_set_new(object, "location", dap_source(d, line->file, NULL));
        json_object_set_new(object, "line", json_integer(dap_line_out(d, line->line)));
    }
    return object;
}

/* Where there is no code: the client counts on as many as it asked for. */
static json_t *no_instruction(uint64_t address)
{
    json_t *object = json_pack("{s:s, s:s}", "instruction", "??", "presentationHint", "invalid");
    cli_json_address(object, "address", address);
    return object;
}

/* An address for each of them, before or after the code that there is. */
static uint64_t beyond(const ses_code_lines *lines, json_int_t i)
{
    if (lines->n == 0)
        return (uint64_t)i;
    return i < 0 ? lines->items[0].addr + (uint64_t)i : lines->items[lines->n - 1].addr + 16 + (uint64_t)i - lines->n;
}

static bool is_at(const ses_code_line *line, const char *reference, uint64_t address)
{
    return line->place ? strcmp(line->place, reference) == 0 : line->addr == address;
}

static size_t index_of(const ses_code_lines *lines, const char *reference, uint64_t address)
{
    for (size_t i = 0; i < lines->n; i++)
        if (is_at(&lines->items[i], reference, address))
            return i;
    return lines->n;
}

/* The function around the reference; if it is in none, what begins there. */
static ebb_status code_around(dap *d, dap_request *r, const char *reference, uint64_t address, ses_code_lines *lines, ebb_error *err)
{
    const char *function;
    const char *where = dap_has_addresses(d) ? ebb_arena_printf(&r->arena, "0x%llx", (unsigned long long)address) : reference;
    if (ses_disassemble(d->session, &r->arena, where, &function, lines, NULL) == EBB_OK && index_of(lines, reference, address) < lines->n)
        return EBB_OK;
    ebb_vec_fini(lines);
    if (!dap_has_addresses(d))
        return ebb_fail(err, EBB_NOT_FOUND, "There is no code at \"%.100s\".", reference);
    return ses_disassemble(d->session, &r->arena, ebb_arena_printf(&r->arena, "0x%llx,+%d", (unsigned long long)address, 16), &function, lines, err);
}

/* Code after the function, as far as the count asks for it. */
static void extend(dap *d, dap_request *r, size_t wanted, ses_code_lines *lines)
{
    const char *function;
    while (dap_has_addresses(d) && lines->n && lines->n < wanted) {
        size_t before = lines->n;
        unsigned long long last = lines->items[before - 1].addr;
        char *range = ebb_arena_printf(&r->arena, "0x%llx,+%zu", last, 8 * (wanted - before) + 16);
        ses_code_lines more = {0};
        if (ses_disassemble(d->session, &r->arena, range, &function, &more, NULL) != EBB_OK && more.n < 2)
            more.n = 0;
        for (size_t i = 1; i < more.n; i++) /* the first is the last one again */
            ebb_vec_push(lines, more.items[i]);
        ebb_vec_fini(&more);
        if (lines->n == before)
            return;
    }
}

ebb_status dap_do_disassemble(dap *d, dap_request *r, ebb_error *err)
{
    enum { MOST = 10000 };
    const char *reference;
    uint64_t address = 0;
    json_int_t offset = dap_number(r->args, "instructionOffset", 0), count = dap_number(r->args, "instructionCount", 0);
    if (count < 0 || count > MOST || offset < -MOST || offset > MOST)
        return ebb_fail(err, EBB_BAD_INPUT, "At most %d instructions are shown at once.", MOST);
    EBB_TRY(dap_need_text(r->args, "memoryReference", &reference, err));
    if (dap_has_addresses(d))
        EBB_TRY(reference_in(r, &address, err));
    ses_code_lines lines = {0};
    EBB_TRY(code_around(d, r, reference, address, &lines, err));
    json_int_t first = (json_int_t)index_of(&lines, reference, address) + offset;
    if (first + count > 0)
        extend(d, r, (size_t)(first + count), &lines);
    json_t *list = dap_list(r, "instructions");
    for (json_int_t i = first; i < first + count; i++)
        json_array_append_new(list, i >= 0 && (uint64_t)i < lines.n ? instruction(d, &lines.items[i]) : no_instruction(beyond(&lines, i)));
    ebb_vec_fini(&lines);
    return EBB_OK;
}
