/* probe - asks the symbol reader, for scripts that compare its answers with those of others.
 *
 *   probe FILE <<< "question argument"
 *
 * One question a line; answers end with a line "."  Questions:
 *   functions            every function with code: name, entry
 *   lines                every source line with a row that begins a statement: path, line
 *   break NAME           spots of a function: addr file line function
 *   breakline PATH LINE  spots of a line
 *   pc ADDR              line at an address: file line lo hi
 *   at ADDR              functions at an address, innermost first
 *   symbol ADDR          ELF symbol and offset
 *   whatis NAME          type of a variable or function;  ptype NAME: described
 *   struct NAME / type NAME   the type of that tag or name, described
 *   locals ADDR          variables in scope, innermost first
 *   complete PREFIX      names
 *   search KIND REGEX    KIND: f, v or t
 *   index                how many names there are, and how long the index took */
#include "symbols/symbols.h"
#include "symbols/index.h"
#include "symbols/lines.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static void print_type(sym_type *type, void (*print)(sym_type *, ebb_buf *))
{
    ebb_buf text = {0};
    print(type, &text);
    printf("%s\n", ebb_buf_text(&text));
    ebb_buf_fini(&text);
}

static void print_spots(ebb_status status, sym_spots *spots, const ebb_error *err)
{
    if (status != EBB_OK)
        printf("error %s\n", err->text);
    for (size_t i = 0; i < spots->n; i++)
        printf("0x%" PRIx64 " %s %u %s\n", spots->items[i].addr,
               spots->items[i].file_name ? spots->items[i].file_name : "-", spots->items[i].line,
               spots->items[i].function ? spots->items[i].function : "-");
    ebb_vec_fini(spots);
}

static void ask_functions(sym_table *table)
{
    sym_module *module = sym_table_module(table, 0);
    const sym_index *index = sym_module_index(module);
    for (size_t i = 0; i < index->entries.n; i++)
        if (index->entries.items[i].kind == SYM_ENTRY_FUNCTION ||
            index->entries.items[i].kind == SYM_ENTRY_INLINE)
            printf("%s\n", index->entries.items[i].name);
}

static void ask_lines(sym_table *table)
{
    sym_module *module = sym_table_module(table, 0);
    sym_units_read(module);
    for (size_t u = 0; u < module->units.n; u++) {
        sym_lines *lines = sym_unit_lines(module->units.items[u]);
        for (size_t s = 0; s < lines->sources.n; s++) {
            unsigned max = 0;
            for (size_t r = 0; r < lines->sources.items[s].rows.n; r++)
                if (lines->sources.items[s].rows.items[r].line > max)
                    max = lines->sources.items[s].rows.items[r].line;
            if (max)
                printf("%s %u\n", lines->sources.items[s].path, max);
        }
    }
}

static void ask_functions_at(sym_table *table, uint64_t addr)
{
    const sym_function *functions[32];
    size_t n = sym_functions_at(table, addr, functions, 32);
    for (size_t i = 0; i < n && i < 32; i++) {
        const sym_function_info *info = sym_function_get_info(functions[i]);
        printf("%s 0x%" PRIx64 " %s:%u %s:%u\n", info->name, info->lo,
               info->decl_file ? info->decl_file : "-", info->decl_line,
               info->is_inlined ? info->call_file : "-", info->call_line);
    }
}

static void ask_locals(sym_table *table, uint64_t addr)
{
    const sym_function *functions[32];
    size_t n = sym_functions_at(table, addr, functions, 32);
    for (size_t f = 0; f < n && f < 32; f++)
        for (const sym_block *b = sym_block_at(functions[f], addr); b; b = sym_block_parent(b)) {
            size_t n_variables;
            const sym_variable *const *v = sym_block_variables(b, &n_variables);
            printf("{\n");
            for (size_t i = 0; i < n_variables; i++) {
                const sym_variable_info *info = sym_variable_get_info(v[i]);
                if (info->is_declaration)
                    continue;
                ebb_buf text = {0};
                sym_type_declare(info->type, info->name, &text);
                printf("%s%s;\n",
                       info->is_parameter ? "param "
                       : info->is_static  ? "static "
                                          : "",
                       ebb_buf_text(&text));
                ebb_buf_fini(&text);
            }
        }
}

static void ask_type_of(sym_table *table, const char *name, void (*print)(sym_type *, ebb_buf *))
{
    const sym_variable *variable = sym_variable_find(table, NULL, name, 0);
    const sym_function *function = variable ? NULL : sym_function_find(table, name);
    if (variable)
        print_type(sym_variable_get_info(variable)->type, print);
    else if (function)
        print_type(sym_function_get_info(function)->type, print);
    else
        printf("error none\n");
}

static void describe(sym_type *type, ebb_buf *out)
{
    sym_type_describe(type, 0, out);
}

static void ask_type(sym_table *table, sym_type_kind kind, const char *name)
{
    sym_type *type = sym_type_find(table, kind, name, 0);
    if (type)
        print_type(type, describe);
    else
        printf("error none\n");
}

static void ask_index(sym_table *table)
{
    struct timespec a, b;
    clock_gettime(CLOCK_MONOTONIC, &a);
    size_t n = 0;
    for (size_t i = 0; i < sym_table_n_modules(table); i++)
        n += sym_module_index(sym_table_module(table, i))->entries.n;
    clock_gettime(CLOCK_MONOTONIC, &b);
    printf("%zu names in %.3f ms\n", n,
           (double)(b.tv_sec - a.tv_sec) * 1e3 + (double)(b.tv_nsec - a.tv_nsec) / 1e6);
}

static void print_listed(void *self, const sym_listed *listed)
{
    (void)self;
    if (listed->file)
        printf("%s:%u: ", listed->file, listed->line);
    printf("%s\n", listed->declaration);
}

static void answer(sym_table *table, char *line)
{
    ebb_error err = {0};
    char word[32] = "", *argument = strchr(line, ' ');
    sscanf(line, "%31s", word);
    argument = argument ? argument + 1 : line + strlen(line);
    uint64_t addr = strtoull(argument, NULL, 16), offset = 0;
    sym_spots spots = {0};
    if (strcmp(word, "functions") == 0) {
        ask_functions(table);
    } else if (strcmp(word, "lines") == 0) {
        ask_lines(table);
    } else if (strcmp(word, "break") == 0) {
        ebb_status status = sym_spots_of_function(table, NULL, argument, &spots, &err);
        print_spots(status, &spots, &err);
    } else if (strcmp(word, "breakline") == 0) {
        char *number = strrchr(argument, ' ');
        *number++ = '\0';
        ebb_status status =
            sym_spots_of_line(table, argument, (unsigned)atoi(number), &spots, &err);
        print_spots(status, &spots, &err);
    } else if (strcmp(word, "pc") == 0) {
        sym_line at;
        if (sym_line_at(table, addr, &at))
            printf("%s %u 0x%" PRIx64 " 0x%" PRIx64 "\n", at.name, at.line, at.lo, at.hi);
        else
            printf("none\n");
    } else if (strcmp(word, "at") == 0) {
        ask_functions_at(table, addr);
    } else if (strcmp(word, "symbol") == 0) {
        const char *name = sym_symbol_at(table, addr, &offset);
        printf("%s %" PRIu64 "\n", name ? name : "none", offset);
    } else if (strcmp(word, "whatis") == 0) {
        ask_type_of(table, argument, sym_type_print);
    } else if (strcmp(word, "ptype") == 0) {
        ask_type_of(table, argument, describe);
    } else if (strcmp(word, "struct") == 0) {
        ask_type(table, SYM_TYPE_STRUCT, argument);
    } else if (strcmp(word, "type") == 0) {
        ask_type(table, SYM_TYPE_TYPEDEF, argument);
    } else if (strcmp(word, "locals") == 0) {
        ask_locals(table, addr);
    } else if (strcmp(word, "complete") == 0) {
        sym_names names = {0};
        sym_complete(table, argument, 15, 50, &names);
        for (size_t i = 0; i < names.n; i++)
            printf("%s\n", names.items[i]);
        ebb_vec_fini(&names);
    } else if (strcmp(word, "search") == 0 && *argument) {
        sym_name_kind kind = *argument == 'f'   ? SYM_NAMES_FUNCTIONS
                             : *argument == 'v' ? SYM_NAMES_VARIABLES
                                                : SYM_NAMES_TYPES;
        size_t n_left_out;
        if (sym_search(table, argument + 2, kind, &(sym_searcher){NULL, print_listed, SIZE_MAX}, &n_left_out, &err) != EBB_OK)
            printf("error %s\n", err.text);
    } else if (strcmp(word, "index") == 0) {
        ask_index(table);
    } else {
        printf("error unknown question %s\n", word);
    }
    printf(".\n");
    fflush(stdout);
}

int main(int argc, char **argv)
{
    ebb_error err;
    sym_table *table = sym_table_new();
    for (int i = 1; i < argc; i++)
        if (sym_table_add(table, argv[i], 0, NULL, &err) != EBB_OK) {
            fprintf(stderr, "probe: %s\n", err.text);
            sym_table_free(table);
            return 1;
        }
    char *line = NULL;
    size_t cap = 0;
    while (getline(&line, &cap, stdin) > 0) {
        line[strcspn(line, "\n")] = '\0';
        answer(table, line);
    }
    free(line);
    for (size_t i = 0; i < sym_table_n_modules(table); i++)
        if (sym_module_warning(sym_table_module(table, i)))
            fprintf(stderr, "warning: %s\n", sym_module_warning(sym_table_module(table, i)));
    sym_table_free(table);
    return 0;
}
