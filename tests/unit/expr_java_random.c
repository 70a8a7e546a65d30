/* expr_java_random.c - src/expr's half of expr_java_random.py: each line of input is an expression, each line of output its static
 * type and its value as that script's Java half writes it. */
#include "expr/java_text.h"
#include "expr_java_fake.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add_variables(fake_java *fake)
{
    fake_java_local(fake, "Z", "z", FAKE_INT(1));
    fake_java_local(fake, "B", "b", FAKE_INT(-128));
    fake_java_local(fake, "C", "c", FAKE_INT('x'));
    fake_java_local(fake, "S", "s", FAKE_INT(-32768));
    fake_java_local(fake, "I", "i", FAKE_INT(INT32_MIN));
    fake_java_local(fake, "I", "k", FAKE_INT(12345));
    fake_java_local(fake, "J", "j", FAKE_INT(-1234567890123456789));
    fake_java_local(fake, "F", "f", FAKE_REAL(3.14159274f));
    fake_java_local(fake, "D", "d", FAKE_REAL(-1e100));
    fake_java_local(fake, "D", "nan", FAKE_REAL(__builtin_nan("")));
    fake_java_local(fake, "Ljava/lang/Integer;", "bi", FAKE_REF(fake_java_box(fake, 'I', FAKE_INT(42))));
    fake_java_local(fake, "Ljava/lang/Double;", "bd", FAKE_REF(fake_java_box(fake, 'D', FAKE_REAL(0.1))));
    fake_java_local(fake, "Ljava/lang/Character;", "bc", FAKE_REF(fake_java_box(fake, 'C', FAKE_INT(0x20ac))));
    fake_java_local(fake, "Ljava/lang/Boolean;", "bz", FAKE_REF(fake_java_box(fake, 'Z', FAKE_INT(0))));
    fake_java_local(fake, "Ljava/lang/String;", "t", FAKE_REF(fake_java_string(fake, "text")));
    fake_java_local(fake, "Ljava/lang/String;", "n", FAKE_REF(0));
    fake_java_local(fake, "Ljava/lang/Object;", "o", FAKE_REF(fake_java_box(fake, 'J', FAKE_INT(77))));
    uint64_t array = fake_java_array(fake, "[I", 3);
    for (uint32_t i = 0; i < 3; i++)
        fake_java_set_element(fake, array, i, FAKE_INT(7 * (int)i - 7));
    fake_java_local(fake, "[I", "a", FAKE_REF(array));
}

static void print_units(const char *text)
{
    while (*text) {
        uint32_t code = java_text_next(&text);
        if (code >= 0x20 && code < 0x7f)
            putchar((int)code);
        else if (code < 0x10000)
            printf("\\u%04x", code);
        else
            printf("\\u%04x\\u%04x", 0xd800 + ((code - 0x10000) >> 10), 0xdc00 + ((code - 0x10000) & 0x3ff));
    }
}

static void print_value(fake_java *fake, const java_value *value)
{
    ebb_buf text = {0};
    char code = *fake->world.type_descriptor(fake, value->type);
    if (code == 'C')
        ebb_buf_addf(&text, "%" PRId64, value->i);
    else if (code == 'F')
        java_text_add_float(&text, (float)value->d);
    else if (code == 'D')
        java_text_add_double(&text, value->d);
    else if (code == 'Z')
        ebb_buf_adds(&text, value->i ? "true" : "false");
    else if (code != 'L')
        ebb_buf_addf(&text, "%" PRId64, value->i);
    else if (value->text)
        ebb_buf_adds(&text, value->text);
    else if (value->ref == 0)
        ebb_buf_adds(&text, "null");
    else if (fake->objects[(value->ref - 0x1000) / 16].text)
        ebb_buf_adds(&text, fake->objects[(value->ref - 0x1000) / 16].text);
    else
        ebb_buf_adds(&text, "?");
    print_units(ebb_buf_text(&text));
    ebb_buf_fini(&text);
}

/* Java's half can't tell a box from what it holds. */
static void open_box(fake_java *fake, java_value *value)
{
    const java_member *fields;
    size_t n = fake->world.fields(fake, value->type, &fields);
    if (value->ref && n == 1 && strcmp(fields[0].name, "value") == 0)
        (void)!fake->world.field_get(fake, value->ref, &fields[0], value, NULL);
}

int main(void)
{
    static char line[1 << 16];
    while (fgets(line, sizeof line, stdin)) {
        fake_java *fake = calloc(1, sizeof *fake);
        const expr_node *tree;
        java_value value;
        line[strcspn(line, "\n")] = '\0';
        fake_java_init(fake);
        add_variables(fake);
        ebb_status status = expr_java_parse(&fake->arena, line, &tree, &fake->err);
        if (!status)
            status = expr_java_eval(&fake->arena, &fake->world, tree, &value, &fake->err);
        if (!status)
            open_box(fake, &value);
        if (status) {
            printf("! %s\n", fake->err.text);
        } else {
            printf("%s ", fake->world.type_name(fake, value.type));
            print_value(fake, &value);
            putchar('\n');
        }
        fake_java_fini(fake);
        free(fake);
    }
    return 0;
}
