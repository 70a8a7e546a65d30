/* Java's expressions: what they mean, what they change and call, and how values are shown. */
#include "unit.h"
#include "expr_java_fake.h"

#include <stdlib.h>
#include <string.h>

/* What a test looks at: expressions and the text that `print` shows. */
typedef struct expectation {
    const char *expression, *text;
} expectation;

static void check_all(fake_java *fake, const expectation *all, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const char *text = fake_java_print(fake, all[i].expression);
        if (strcmp(text, all[i].text) != 0)
            fail_msg("print %s\n  shows  %s\n  not    %s", all[i].expression, text, all[i].text);
    }
}

#define CHECK(fake, ...)                                                                                                          \
    do {                                                                                                                          \
        static const expectation all_[] = {__VA_ARGS__};                                                                          \
        check_all(fake, all_, sizeof all_ / sizeof *all_);                                                                        \
    } while (0)

static uint64_t point(fake_java *fake, int x, int y)
{
    uint64_t ref = fake_java_new(fake, "Lgeo/Point;");
    fake_java_set(fake, ref, "x", FAKE_INT(x));
    fake_java_set(fake, ref, "y", FAKE_INT(y));
    return ref;
}

static void add_collections(fake_java *fake)
{
    fake_java_class(fake, "class java.util.AbstractList", "I modCount", "");
    fake_java_class(fake, "class java.util.ArrayList extends java.util.AbstractList", "[Ljava/lang/Object; elementData | I size",
                    "get(I)Ljava/lang/Object; | add(Ljava/lang/Object;)Z | add(ILjava/lang/Object;)V | remove(I)Ljava/lang/Object; | remove(Ljava/lang/Object;)Z");
    fake_java_class(fake, "class java.util.HashMap$Node", "Ljava/lang/Object; key | Ljava/lang/Object; value | Ljava/util/HashMap$Node; next", "");
    fake_java_class(fake, "class java.util.HashMap", "[Ljava/util/HashMap$Node; table | I size", "");
    fake_java_class(fake, "class java.util.HashSet", "Ljava/util/HashMap; map", "");
    fake_java_class(fake, "class java.util.ArrayDeque", "[Ljava/lang/Object; elements | I head | I tail", "");
}

static uint64_t list(fake_java *fake, uint32_t capacity, const uint64_t *refs, uint32_t n)
{
    uint64_t ref = fake_java_new(fake, "Ljava/util/ArrayList;"), data = fake_java_array(fake, "[Ljava/lang/Object;", capacity);
    for (uint32_t i = 0; i < n; i++)
        fake_java_set_element(fake, data, i, FAKE_REF(refs[i]));
    fake_java_set(fake, ref, "elementData", FAKE_REF(data));
    fake_java_set(fake, ref, "size", FAKE_INT(n));
    return ref;
}

static uint64_t integer(fake_java *fake, int number)
{
    return fake_java_box(fake, 'I', FAKE_INT(number));
}

/* A frame in Outer.Inner.run, whose instance stands in an Outer; a captured variable; statics; shapes; a list. */
static int set_up(void **state)
{
    fake_java *fake = calloc(1, sizeof *fake);
    fake_java_init(fake);
    *state = fake;
    add_collections(fake);
    fake_java_class(fake, "interface geo.Shape", "static I SIDES", "abstract area()D | name()Ljava/lang/String;");
    fake_java_class(fake, "class geo.Base implements geo.Shape", "I x | private I secret", "<init>()V | name()Ljava/lang/String; | area()D");
    fake_java_class(fake, "class geo.Point extends geo.Base", "I x | I y | static I count | Lgeo/Point; next",
                    "<init>(II)V | <init>(Lgeo/Point;)V | area()D | static of(I)Lgeo/Point; | move(Lgeo/Point;)V");
    fake_java_class(fake, "class Outer", "I width | static Ljava/lang/String; TITLE | Lgeo/Shape; shape", "grow(I)V | static help()I | <init>()V");
    fake_java_class(fake, "class Outer$Inner extends geo.Base implements java.lang.Runnable",
                    "I depth | synthetic LOuter; this$0 | synthetic I val$captured", "run()V | synthetic <init>(LOuter;I)V | name()Ljava/lang/String;");
    fake_java_class(fake, "class Outer$Nested", "static I level", "");
    fake_java_class(fake, "class other.Twin", "", "");
    fake_java_class(fake, "class more.Twin", "", "");
    fake_java_class(fake, "class geo.Color extends java.lang.Enum", "static Lgeo/Color; RED", "");
    fake_java_class(fake, "class geo.Pair extends java.lang.Record", "Ljava/lang/Object; left | I right", "");
    fake_java_class(fake, "class Calls", "",
                    "static f(I)I | static f(J)J | static f(D)D | static f(Ljava/lang/Object;)Ljava/lang/Object; | static g(Ljava/lang/Integer;)V | "
                    "static g(Ljava/lang/Object;)V | varargs static h([I)V | varargs static h(Ljava/lang/String;[Ljava/lang/Object;)V | "
                    "static p(Ljava/lang/Object;Ljava/lang/String;)V | static p(Ljava/lang/String;Ljava/lang/Object;)V | static q(S)V | "
                    "static r(Ljava/lang/CharSequence;)V | static r(Ljava/lang/String;)V | static u(J)V | static u(Ljava/lang/Integer;)V | static v(Lgeo/Point;)V");
    uint64_t outer = fake_java_new(fake, "LOuter;"), inner = fake_java_new(fake, "LOuter$Inner;"), first = point(fake, 3, 4), second = point(fake, 5, 6);
    fake_java_set(fake, outer, "width", FAKE_INT(10));
    fake_java_set(fake, outer, "shape", FAKE_REF(second));
    fake_java_set(fake, inner, "depth", FAKE_INT(2));
    fake_java_set(fake, inner, "x", FAKE_INT(99));
    fake_java_set(fake, inner, "this$0", FAKE_REF(outer));
    fake_java_set(fake, inner, "val$captured", FAKE_INT(1234));
    fake_java_set(fake, first, "next", FAKE_REF(second));
    fake_java_set_static(fake, "LOuter;", "TITLE", FAKE_REF(fake_java_string(fake, "a title")));
    fake_java_set_static(fake, "Lgeo/Point;", "count", FAKE_INT(17));
    fake_java_set_static(fake, "Lgeo/Shape;", "SIDES", FAKE_INT(4));
    fake_java_set_static(fake, "LOuter$Nested;", "level", FAKE_INT(8));
    uint64_t red = fake_java_new(fake, "Lgeo/Color;");
    fake_java_set(fake, red, "name", FAKE_REF(fake_java_string(fake, "RED")));
    fake_java_set_static(fake, "Lgeo/Color;", "RED", FAKE_REF(red));
    fake->this_ = inner;
    fake->scope = fake_java_type(fake, "LOuter$Inner;");
    fake_java_local(fake, "I", "i", FAKE_INT(5));
    fake_java_local(fake, "B", "b", FAKE_INT(-3));
    fake_java_local(fake, "C", "c", FAKE_INT('x'));
    fake_java_local(fake, "J", "j", FAKE_INT(1L << 40));
    fake_java_local(fake, "D", "d", FAKE_REAL(2.5));
    fake_java_local(fake, "Z", "z", FAKE_INT(1));
    fake_java_local(fake, "Lgeo/Point;", "p", FAKE_REF(first));
    fake_java_local(fake, "Lgeo/Shape;", "shape2", FAKE_REF(second));
    fake_java_local(fake, "Lgeo/Point;", "nothing", FAKE_REF(0));
    fake_java_local(fake, "Ljava/lang/Object;", "o", FAKE_REF(first));
    fake_java_local(fake, "Ljava/lang/Object;", "os", FAKE_REF(fake_java_string(fake, "hidden")));
    fake_java_local(fake, "Ljava/lang/String;", "s", FAKE_REF(fake_java_string(fake, "hello")));
    fake_java_local(fake, "Ljava/lang/Integer;", "boxed", FAKE_REF(integer(fake, 42)));
    fake_java_local(fake, "Ljava/lang/Object;", "ob", FAKE_REF(integer(fake, 7)));
    uint64_t numbers = fake_java_array(fake, "[I", 4), shapes = fake_java_array(fake, "[Lgeo/Point;", 2);
    for (uint32_t i = 0; i < 4; i++)
        fake_java_set_element(fake, numbers, i, FAKE_INT((int)(i * i)));
    fake_java_set_element(fake, shapes, 0, FAKE_REF(first));
    fake_java_local(fake, "[I", "numbers", FAKE_REF(numbers));
    fake_java_local(fake, "[Lgeo/Shape;", "shapes", FAKE_REF(shapes));
    fake_java_local(fake, "Ljava/util/ArrayList;", "names",
                    FAKE_REF(list(fake, 10, (uint64_t[]){fake_java_string(fake, "a"), integer(fake, 2), 0, first}, 4)));
    return 0;
}

static int tear_down(void **state)
{
    fake_java_fini(*state);
    free(*state);
    return 0;
}

static void literals(void **state)
{
    CHECK(*state, {"1_000", "1000"}, {"0x7f", "127"}, {"0b101", "5"}, {"017", "15"}, {"0xffffffff", "-1"}, {"0xffffffffL", "4294967295"}, {"-2147483648", "-2147483648"},
          {"2147483648", "! integer number too large: 2147483648"}, {"-(2147483648)", "! integer number too large: 2147483648"}, {"1 - 2147483648", "! integer number too large: 2147483648"},
          {"-9223372036854775808L", "-9223372036854775808"}, {"08", "! Invalid number \"08\"."}, {"1_", "! Invalid number \"1_\"."}, {"0x", "! Invalid number \"0x\"."}, {"1.5f", "1.5"},
          {"1e400", "! floating-point number too large"}, {"1e-400", "! floating-point number too small"}, {"0e1000", "0.0"}, {"'a'", "'a'"}, {"'\\n'", "'\\n'"}, {"'\\u0041'", "'A'"},
          {"'\\uuu0041'", "'A'"}, {"'\\''", "'\\''"}, {"'\"'", "'\"'"}, {"'ab'", "! unclosed character literal"}, {"''", "! empty character literal"}, {"'\\q'", "! illegal escape character"},
          {"\"a\\tb\\\"c\"", "\"a\\tb\\\"c\""}, {"\"\\0z\"", "\"\\u0000z\""}, {"\"abc", "! unclosed string literal"}, {"\"\\ud83d\\ude00\"", "\"\xf0\x9f\x98\x80\""}, {"\"\\ud83d\"", "\"\\ud83d\""},
          {"\"\\ud83d\" + \"\\ude00\"", "\"\xf0\x9f\x98\x80\""}, {"\"\"\"\n  one\n    two\\\n   three  \n  \"\"\"", "\"one\\n  two three\\n\""}, {"\"\"\"x\"\"\"", "! illegal text block open delimiter sequence, missing line terminator"},
          {"null", "null"}, {"true", "true"}, {"!true", "false"}, {"1e7", "1.0E7"}, {"100f", "100.0"}, {"0.001", "0.001"}, {"1e-4", "1.0E-4"}, {"2e-3f", "0.002"});
}

static void syntax(void **state)
{
    CHECK(*state, {"", "! A syntax error in expression, near `'."}, {"1 +", "! A syntax error in expression, near `'."}, {"(1", "! A syntax error in expression, near `'."}, {"1)", "! Junk after end of expression."},
          {"x -> x + 1", "! A lambda can only be an argument or be cast: (Runnable) () -> f()."}, {"String::length", "! A method reference can only be an argument or be cast: (Runnable) this::f."},
          {"() -> 5", "! A lambda can only be an argument or be cast: (Runnable) () -> f()."}, {"(x, int y) -> 5", "! A lambda can only be an argument or be cast: (Runnable) () -> f()."}, {"x -> { return x; }", "! A lambda can only be an argument or be cast: (Runnable) () -> f()."},
          {"x -> { int y = x; return y; }", "! A lambda's body can be one expression only: x -> x + 1, or { return x + 1; }."}, {"x -> {}", "! A lambda's body can be one expression only: x -> x + 1, or { return x + 1; }."},
          {"(x, ) -> 5", "! A syntax error in expression, near `) -> 5'."}, {"(3) -> 5", "! A syntax error in expression, near `3) -> 5'."}, {"x ->", "! A syntax error in expression, near `'."}, {"int[]::", "! A syntax error in expression, near `'."}, {"String::3", "! A syntax error in expression, near `3'."},
          {"int[]::new", "! A method reference can only be an argument or be cast: (Runnable) this::f."}, {"java.util.List<String>::size", "! A method reference can only be an argument or be cast: (Runnable) this::f."}, {"(String) x -> 5", "! incompatible types: String is not a functional interface"}, {"i;", "! A syntax error in expression, near `;'."}, {"i-->5", "false"}, {"i++", "4"}, {"&i", "! A syntax error in expression, near `&i'."}, {"*p", "! A syntax error in expression, near `*p'."}, {"sizeof(i)", "! There is no method named sizeof in Outer$Inner."},
          {"i, i", "! A syntax error in expression, near `, i'."}, {"super", "! A syntax error in expression, near `'."}, {"new int", "! A syntax error in expression, near `'."}, {"new int[]", "! A syntax error in expression, near `'."},
          {"new int[2]{1}", "! A syntax error in expression, near `{1}'."}, {"p.", "! A syntax error in expression, near `'."}, {"instanceof", "! A syntax error in expression, near `instanceof'."}, {"i # 3", "! Invalid character '#' in expression."},
          {"p.new X()", "! A syntax error in expression, near `new X()'."}, {"(i) + 1", "6"}, {"(i) - 1", "4"}, {"(int) - 1", "-1"}, {"(int) +i", "5"}, {"(byte) 300 + 1", "45"}, {"(i < 3)", "false"}, {"i < 6 == z", "true"},
          {"1 << 2 + 1", "8"}, {"-8 >>> 28", "15"}, {"-8 >> 1", "-4"}, {"-1L >>> 60", "15"}, {"1 << 33", "2"}, {"z ? 1 : z ? 2 : 3", "1"}, {"7 & 3 | 8 ^ 1", "11"}, {"!z || i == 5 && d > 2", "true"},
          {"f(", "! A syntax error in expression, near `'."}, {"f(1,)", "! A syntax error in expression, near `)'."}, {"int", "! Attempt to use a type name as an expression"}, {"geo.Point", "! Attempt to use a type name as an expression"});
}

static void names(void **state)
{
    CHECK(*state, {"i", "5"}, {"depth", "2"}, {"x", "99"}, {"captured", "1234"}, {"width", "10"}, {"TITLE", "\"a title\""}, {"this.depth", "2"}, {"Outer.this.width", "10"}, {"Inner.this.depth", "2"}, {"secret", "0"},
          {"SIDES", "4"}, {"Point.count", "17"}, {"geo.Point.count", "17"}, {"p.count", "17"}, {"nothing.count", "17"}, {"Outer.Nested.level", "8"}, {"Outer.TITLE", "\"a title\""}, {"geo.Shape.SIDES", "4"},
          {"super.x", "99"}, {"p.x", "3"}, {"((Base) p).x", "0"}, {"p.next.y", "6"}, {"shape2.y", "6"}, {"o.y", "4"}, {"((geo.Point) o).y", "4"}, {"numbers.length", "4"}, {"numbers[3]", "9"}, {"shapes[0].y", "4"}, {"numbers[i - 4]", "1"}, {"numbers['\\2']", "4"},
          {"unknown", "! No symbol \"unknown\" in current context."}, {"un.known", "! No symbol \"un\" in current context."}, {"p.z", "! There is no field named z in geo.Point."}, {"Point.y", "! non-static variable y cannot be referenced from a static context"},
          {"Point.z", "! There is no field named z in geo.Point."}, {"nothing.x", "! Cannot read field \"x\" because \"nothing\" is null"}, {"p.next.next.x", "! Cannot read field \"x\" because \"p.next.next\" is null"},
          {"shapes[1].y", "! Cannot read field \"y\" because \"shapes[1]\" is null"}, {"numbers[4]", "! Index 4 out of bounds for length 4"}, {"numbers[-1]", "! Index -1 out of bounds for length 4"}, {"numbers[j]", "! incompatible types: possible lossy conversion from long to int"},
          {"i[0]", "! array required, but int found"}, {"i.x", "! int cannot be dereferenced"}, {"Twin.x", "! other.Twin and more.Twin are both called Twin."}, {"String.this", "! not an enclosing class: String"}, {"Outer.class", "class Outer"}, {"int.class", "int"},
          {"geo.Shape.class", "interface geo.Shape"}, {"int[].class", "class int[]"}, {"geo.Point[][].class", "class geo.Point[][]"}, {"nosuch.class", "! No class named nosuch is loaded."});
}

static void static_frames(void **state)
{
    fake_java *fake = *state;
    fake->this_ = 0;
    fake->scope = fake_java_type(fake, "LOuter$Nested;");
    CHECK(fake, {"this", "! non-static variable this cannot be referenced from a static context"}, {"level", "8"}, {"TITLE", "\"a title\""}, {"width", "! non-static variable width cannot be referenced from a static context"},
          {"grow(1)", "! non-static method grow cannot be referenced from a static context"}, {"help()", "0"});
    fake->scope = NULL;
    CHECK(fake, {"level", "! No symbol \"level\" here, where no method is under way; a static field is CLASS.FIELD."}, {"help()", "! No symbol \"help\" here, where no method is under way; a static field is CLASS.FIELD."}, {"Outer.help()", "0"});
}

static void operators(void **state)
{
    CHECK(*state, {"2147483647 + 1", "-2147483648"}, {"2147483647 + 1L", "2147483648"}, {"7 / 2", "3"}, {"-7 / 2", "-3"}, {"-7 % 3", "-1"}, {"7 / 2.0", "3.5"}, {"-5.5 % 3", "-2.5"}, {"1 / 0", "! java.lang.ArithmeticException: / by zero"},
          {"1 % 0", "! java.lang.ArithmeticException: / by zero"}, {"1 / 0.0", "Infinity"}, {"0.0 / 0", "NaN"}, {"-2147483648 / -1", "-2147483648"}, {"'a' + 1", "98"}, {"(char) ('a' + 1)", "'b'"}, {"(int) 3.9e10", "2147483647"}, {"(byte) 200", "-56"},
          {"(int) (0.0 / 0)", "0"}, {"1.0f / 3", "0.33333334"}, {"0.1 + 0.2", "0.30000000000000004"}, {"~5", "-6"}, {"-b", "3"}, {"b + b", "-6"}, {"z & false", "false"}, {"z ^ true", "false"}, {"boxed + 1", "43"}, {"ob + 1", "8"}, {"ob == 7", "true"},
          {"boxed * 2.0", "84.0"}, {"-boxed", "-42"}, {"boxed == 42", "true"}, {"z + 1", "! bad operand types for binary operator '+': boolean and int"}, {"!i", "! bad operand type int for unary operator '!'"},
          {"~d", "! bad operand type double for unary operator '~'"}, {"p + 1", "! bad operand types for binary operator '+': Point and int"}, {"d << 1", "! bad operand types for binary operator '<<': double and int"},
          {"i && z", "! incompatible types: int cannot be converted to boolean"}, {"z || 5", "! incompatible types: int cannot be converted to boolean"}, {"i ? 1 : 2", "! incompatible types: int cannot be converted to boolean"},
          {"nothing != null && nothing.x > 3", "false"}, {"nothing == null || nothing.x > 3", "true"}, {"p == o", "true"}, {"p != null", "true"}, {"p == nothing", "false"}, {"z ? 1 : 2.5", "1.0"}, {"z ? 'a' : 1", "'a'"}, {"z ? 'a' : i", "97"},
          {"z ? b : 1", "-3"}, {"z ? null : 3", "null"}, {"z ? boxed : 1.0", "42.0"}, {"p instanceof Shape", "true"}, {"o instanceof geo.Base", "true"}, {"o instanceof String", "false"}, {"null instanceof String", "false"}, {"names instanceof java.util.AbstractList", "true"},
          {"numbers instanceof int[]", "true"}, {"shapes instanceof Object[]", "true"}, {"p instanceof String", "! incompatible types: Point cannot be converted to String"}, {"i instanceof Integer", "! unexpected type: instanceof wants a reference and a class"},
          {"(String) o", "! class geo.Point cannot be cast to class java.lang.String"}, {"(String) p", "! incompatible types: Point cannot be converted to String"}, {"(int) ob", "7"}, {"(long) ob", "! class java.lang.Integer cannot be cast to class java.lang.Long"},
          {"(long) boxed", "42"}, {"(byte) boxed", "! incompatible types: Integer cannot be converted to byte"}, {"(boolean) 1", "! incompatible types: int cannot be converted to boolean"}, {"(int) \"x\"", "! incompatible types: String cannot be converted to int"},
          {"(java.util.ArrayList<String>) names == names", "true"}, {"(Comparable<java.util.HashMap<String, int[]>>) os == os", "true"}, {"(Object[]) shapes == shapes", "true"});
}

static void text(void **state)
{
    fake_java *fake = *state;
    CHECK(fake, {"\"n = \" + i", "\"n = 5\""}, {"1 + 2 + \"x\" + 1 + 2", "\"3x12\""}, {"s + null", "\"hellonull\""}, {"s + c + z + d + 1f", "\"helloxtrue2.51.0\""}, {"\"\" + boxed", "\"42\""}, {"os + 1", "\"hidden1\""}, {"\"p: \" + p", "\"p: <Point>\""},
          {"\"\" + nothing", "\"null\""}, {"s.length()", "5"}, {"\"four\".length()", "4"}, {"os.length()", "6"}, {"s == \"hello\"", "true"}, {"s == \"other\"", "false"}, {"\"a\" + \"b\" == \"ab\"", "true"}, {"\"x\" - 1", "! bad operand types for binary operator '-': String and int"});
    assert_string_equal(fake_java_print(fake, "\"n = \" + i"), "\"n = 5\"");
    assert_int_equal(fake->n_scratch, 0); /* JE2: nothing was called */
    assert_string_equal(fake_java_print(fake, "\"p: \" + p + p"), "\"p: <Point><Point>\"");
    assert_int_equal(fake->n_scratch, 1);
    fake->can_call = false;
    assert_string_equal(fake_java_print(fake, "\"p: \" + p"), "! Nothing can be called here.");
}

static void assignment(void **state)
{
    fake_java *fake = *state;
    CHECK(fake, {"i = 7", "7"}, {"i", "7"}, {"i += 2.9", "9"}, {"i++", "9"}, {"++i", "11"}, {"i--", "11"}, {"i <<= 1", "20"}, {"i >>>= 1", "10"}, {"b = 5", "5"}, {"b = 200", "! incompatible types: possible lossy conversion from int to byte"},
          {"b = i", "! incompatible types: possible lossy conversion from int to byte"}, {"b += i", "15"}, {"b += 1000", "-9"}, {"c = 65", "'A'"}, {"c++", "'A'"}, {"c", "'B'"}, {"j = i", "10"}, {"d = 1", "1.0"}, {"d /= 4", "0.25"}, {"z = 1", "! incompatible types: int cannot be converted to boolean"},
          {"z = false", "false"}, {"s = \"new\"", "\"new\""}, {"s", "\"new\""}, {"s += 1", "\"new1\""}, {"s = p", "! incompatible types: Point cannot be converted to String"}, {"s = os", "\"hidden\""}, {"p.x = 30", "30"}, {"p.x", "30"}, {"p.x *= p.y", "120"}, {"width = 11", "11"},
          {"Outer.this.width", "11"}, {"Point.count--", "17"}, {"p.count", "16"}, {"numbers[2] = 77", "77"}, {"numbers[2] %= 10", "7"}, {"numbers", "{0, 1, 7, 9}"}, {"shapes[1] = p.next", "Point@2 {x (Base) = 0, secret = 0, x = 5, y = 6, next = null}"}, {"shapes[1] == p.next", "true"},
          {"shapes[0] = this", "! java.lang.ArrayStoreException: Outer$Inner"}, {"p = null", "null"}, {"p", "null"}, {"5 = 3", "! unexpected type: a variable is required on the left of an assignment"}, {"i + 1 = 3", "! unexpected type: a variable is required on the left of an assignment"},
          {"this = null", "! unexpected type: a variable is required on the left of an assignment"}, {"boxed = 5", "5"}, {"boxed++", "5"}, {"boxed", "6"}, {"boxed = 5L", "! incompatible types: long cannot be converted to Integer"}, {"boxed = null", "null"}, {"boxed + 1", "! Cannot take the value out of a Integer that is null"});
    fake_java_print(fake, "i = 3");
    assert_int_equal(fake->n_scratch, 0); /* JE2 */
}

static void dollars(void **state)
{
    fake_java *fake = *state;
    CHECK(fake, {"$v", "void"}, {"$v + 1", "! bad operand types for binary operator '+': void and int"}, {"$v = i + 1", "6"}, {"$v", "6"}, {"$v *= 2", "12"}, {"$v++", "12"}, {"$v", "13"}, {"$t = \"a\" + $v", "\"a13\""}, {"$t + 1", "\"a131\""}, {"$p = p", "Point@1 {x (Base) = 0, secret = 0, x = 3, y = 4, next = Point@2}"},
          {"$p.x", "3"}, {"$p.x = 8", "8"}, {"p.x", "8"}, {"$", "! History has not yet reached $0."}, {"$99999999999999999999", "! History has not yet reached $99999999999999999999."});
    fake->history[fake->n_history++] = (java_value){.type = fake_java_type(fake, "I"), .i = 11};
    fake->history[fake->n_history++] = (java_value){.type = fake_java_type(fake, "I"), .i = 22};
    CHECK(fake, {"$", "22"}, {"$$", "11"}, {"$1", "11"}, {"$2 + $$2", "! History has not yet reached $2."}, {"$1 = 3", "! unexpected type: a variable is required on the left of an assignment"});
}

/* An expression and the methods that it called. */
static void check_calls(fake_java *fake, const char *expression, const char *calls)
{
    const char *shown = fake_java_print(fake, expression);
    if (strcmp(ebb_buf_text(&fake->calls), calls) != 0)
        fail_msg("%s (%s)\n  called %s\n  not    %s", expression, shown, ebb_buf_text(&fake->calls), calls);
}

static void overloads(void **state)
{
    static const char *const pairs[][2] = {
        {"Calls.f(1)", "Calls.f(I)I"}, {"Calls.f('x')", "Calls.f(I)I"}, {"Calls.f(b)", "Calls.f(I)I"}, {"Calls.f(1L)", "Calls.f(J)J"}, {"Calls.f(1f)", "Calls.f(D)D"}, {"Calls.f(s)", "Calls.f(Ljava/lang/Object;)Ljava/lang/Object;"},
        {"Calls.f(boxed)", "Calls.f(Ljava/lang/Object;)Ljava/lang/Object;"}, {"Calls.g(5)", "java.lang.Integer.valueOf(I)Ljava/lang/Integer; Calls.g(Ljava/lang/Integer;)V"}, {"Calls.g(boxed)", "Calls.g(Ljava/lang/Integer;)V"},
        {"Calls.g(5L)", "java.lang.Long.valueOf(J)Ljava/lang/Long; Calls.g(Ljava/lang/Object;)V"}, {"Calls.h()", "Calls.h([I)V"}, {"Calls.h(1, 2, 3)", "Calls.h([I)V"}, {"Calls.h(numbers)", "Calls.h([I)V"}, {"Calls.h(s, s, p)", "Calls.h(Ljava/lang/String;[Ljava/lang/Object;)V"},
        {"Calls.h(\"%d\", 5)", "java.lang.Integer.valueOf(I)Ljava/lang/Integer; Calls.h(Ljava/lang/String;[Ljava/lang/Object;)V"}, {"Calls.r(s)", "Calls.r(Ljava/lang/String;)V"}, {"Calls.r(null)", "Calls.r(Ljava/lang/String;)V"}, {"Calls.u(5)", "Calls.u(J)V"},
        {"Calls.u(boxed)", "Calls.u(Ljava/lang/Integer;)V"}, {"Calls.v(o)", "Calls.v(Lgeo/Point;)V"}, {"Calls.v(shapes[0])", "Calls.v(Lgeo/Point;)V"}, {"p.area()", "geo.Point.area()D"}, {"shape2.area()", "geo.Shape.area()D"}, {"o.area()", "geo.Point.area()D"},
        {"p.hashCode()", "java.lang.Object.hashCode()I"}, {"shape2.hashCode()", "java.lang.Object.hashCode()I"}, {"numbers.hashCode()", "java.lang.Object.hashCode()I"}, {"name()", "Outer$Inner.name()Ljava/lang/String;"}, {"super.name()", "!geo.Base.name()Ljava/lang/String;"},
        {"Shape.super.name()", "!geo.Shape.name()Ljava/lang/String;"}, {"grow(3)", "Outer.grow(I)V"}, {"Outer.this.grow(3)", "Outer.grow(I)V"}, {"help()", "Outer.help()I"}, {"names.get(0)", "java.util.ArrayList.get(I)Ljava/lang/Object;"},
        {"names.remove(0)", "java.util.ArrayList.remove(I)Ljava/lang/Object;"}, {"names.remove(boxed)", "java.util.ArrayList.remove(Ljava/lang/Object;)Z"}, {"new Point(1, 2)", "!geo.Point.<init>(II)V"}, {"new geo.Point(p)", "!geo.Point.<init>(Lgeo/Point;)V"},
        {"Point.of(1).move(p)", "geo.Point.of(I)Lgeo/Point;"}, {"z || Calls.f(1) == 0", ""}, {"z ? 1 : Calls.f(1)", ""}, {"p.<String>area()", "geo.Point.area()D"}, {"new int[]{Calls.f(1), 2}[0]", "Calls.f(I)I"}, {"new Inner(3)", "!Outer$Inner.<init>(LOuter;I)V"},
        {"names.add(i + s)", "java.util.ArrayList.add(Ljava/lang/Object;)Z"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        check_calls(*state, pairs[i][0], pairs[i][1]);
    CHECK(*state, {"Calls.p(s, s)", "! reference to p is ambiguous: p(Object, String) and p(String, Object) match"}, {"Calls.q(1)", "! no method q(int) in Calls; there is q(short)"}, {"Calls.nope()", "! There is no method named nope in Calls."},
          {"nothing.area()", "! Cannot invoke \"area()\" because \"nothing\" is null"}, {"i.foo()", "! int cannot be dereferenced"}, {"new Shape()", "! Shape is abstract; cannot be instantiated"}, {"new Point(1)", "! no constructor Point(int) in Point; there are Point(int, int), Point(Point)"},
          {"grow(1) + 1", "! bad operand types for binary operator '+': void and int"}, {"grow(1)", "void"}, {"Calls.f(grow(1))", "! 'void' type not allowed here"}, {"un.known(1)", "! No symbol \"un\" in current context."}, {"(i)(3)", "! No class named i is loaded."}, {"p.x()", "! There is no method named x in geo.Point."});
}

static void new_arrays(void **state)
{
    CHECK(*state, {"new int[3]", "{0, 0, 0}"}, {"new int[]{1, 2, 3}", "{1, 2, 3}"}, {"new int[2][3]", "{{0, 0, 0}, {0, 0, 0}}"}, {"new int[2][]", "{null, null}"}, {"new String[]{\"a\", null}", "{\"a\", null}"}, {"new byte[]{1, -2}", "{1, -2}"}, {"new byte[]{i}", "! incompatible types: possible lossy conversion from int to byte"},
          {"new int[][]{{1}, {2, 3}}[1][0]", "2"}, {"new int[0].length", "0"}, {"new int[-1]", "! java.lang.NegativeArraySizeException: -1"}, {"new int[12]", "{0 <repeats 12 times>}"}, {"new int[]{{1}}", "! illegal initializer for int"}, {"new double[]{1, 'a'}", "{1.0, 97.0}"}, {"new int[30000][1]", "! java.lang.OutOfMemoryError: Java heap space"});
}

static void places(void **state)
{
    static const struct {
        const char *expression;
        enum java_place_kind kind; /* NONE: it is none */
    } cases[] = {{"i", JAVA_PLACE_LOCAL}, {"p.x", JAVA_PLACE_FIELD}, {"width", JAVA_PLACE_FIELD}, {"Point.count", JAVA_PLACE_STATIC}, {"numbers[2]", JAVA_PLACE_ELEMENT}, {"i + 1", JAVA_PLACE_NONE}, {"$v", JAVA_PLACE_NONE}, {"i++", JAVA_PLACE_NONE}, {"numbers[i = 1]", JAVA_PLACE_NONE}, {"p.area()", JAVA_PLACE_NONE}, {"this", JAVA_PLACE_NONE}, {"5", JAVA_PLACE_NONE}};
    fake_java *fake = *state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const expr_node *tree;
        java_value place;
        assert_int_equal(expr_java_parse(&fake->arena, cases[k].expression, &tree, &fake->err), EBB_OK);
        ebb_status status = expr_java_place(&fake->arena, &fake->world, tree, &place, &fake->err);
        if (cases[k].kind == JAVA_PLACE_NONE)
            assert_int_equal(status, EBB_UNSUPPORTED);
        else
            assert_int_equal(status ? JAVA_PLACE_NONE : place.place, cases[k].kind);
    }
    CHECK(fake, {"i", "5"});
    assert_string_equal(ebb_buf_text(&fake->calls), "");
}

static void types(void **state)
{
    static const char *const pairs[][2] = {{"i", "int"}, {"i + 1L", "long"}, {"i / 0", "int"}, {"b + b", "int"}, {"p", "geo.Point"}, {"nothing.next.next.x", "int"}, {"Point", "type geo.Point"}, {"int[]", "type int[]"}, {"geo.Point[]", "type geo.Point[]"}, {"s + 1", "java.lang.String"}, {"p.area()", "double"},
        {"names.get(0)", "java.lang.Object"}, {"new Point(1, 2)", "geo.Point"}, {"new int[3][]", "int[][]"}, {"i = 3", "int"}, {"z ? p : shape2", "geo.Shape"}, {"Outer.class", "java.lang.Class"}, {"this", "Outer$Inner"}, {"grow(1)", "void"}, {"null", "<null>"}, {"numbers[100]", "int"}, {"Outer.Nested", "type Outer$Nested"}, {"java.lang", "! No symbol \"java\" in current context."}};
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++) {
        const char *text = fake_java_whatis(*state, pairs[k][0]);
        if (strcmp(text, pairs[k][1]) != 0)
            fail_msg("whatis %s is %s, not %s", pairs[k][0], text, pairs[k][1]);
    }
    CHECK(*state, {"i", "5"});
}

static void prefixes(void **state)
{
    fake_java *fake = *state;
    const expr_node *tree;
    const char *rest;
    assert_int_equal(expr_java_parse_prefix(&fake->arena, "i + 1, 2", &tree, &rest, &fake->err), EBB_OK);
    assert_string_equal(rest, ", 2");
    assert_int_equal(expr_java_parse_prefix(&fake->arena, "p.x if i > 3", &tree, &rest, &fake->err), EBB_OK);
    assert_string_equal(rest, "if i > 3");
}

/* ---- printing ------------------------------------------------------------------------------------------------ */

static void formats(void **state)
{
    CHECK(*state, {"/x i", "0x5"}, {"/x b", "0xfd"}, {"/d c", "120"}, {"/c i", "5 '\\u0005'"}, {"/c 'x'", "120 'x'"}, {"/t i", "101"}, {"/o 8", "010"}, {"/u b", "253"}, {"/z i", "0x00000005"}, {"/x numbers", "{0x0, 0x1, 0x4, 0x9}"}, {"/x d", "0x4004000000000000"}, {"/f 1065353216", "1.0"}, {"/x -1L", "0xffffffffffffffff"},
          {"/x boxed", "0x2a"}, {"/x s", "\"hello\""}, {"/i i", "! Format letter \"i\" is meaningless in \"print\" command."}, {"/x p.next", "Point@2 {x (Base) = 0x0, secret = 0x0, x = 0x5, y = 0x6, next = null}"});
}

static void objects(void **state)
{
    fake_java *fake = *state;
    uint64_t pair = fake_java_new(fake, "Lgeo/Pair;"), loop = point(fake, 1, 1), thrown = fake_java_new(fake, "Ljava/lang/Throwable;");
    fake_java_set(fake, pair, "left", FAKE_REF(fake_java_string(fake, "l")));
    fake_java_set(fake, pair, "right", FAKE_INT(9));
    fake_java_set(fake, loop, "next", FAKE_REF(loop));
    fake_java_set(fake, thrown, "detailMessage", FAKE_REF(fake_java_string(fake, "boom")));
    fake_java_set(fake, thrown, "cause", FAKE_REF(thrown));
    fake_java_local(fake, "Ljava/lang/Object;", "pair", FAKE_REF(pair));
    fake_java_local(fake, "Ljava/lang/Object;", "loop", FAKE_REF(loop));
    fake_java_local(fake, "Ljava/lang/Object;", "thrown", FAKE_REF(thrown));
    CHECK(fake, {"p", "Point@1 {x (Base) = 0, secret = 0, x = 3, y = 4, next = Point@2}"}, {"geo.Color.RED", "RED"}, {"pair", "Pair[left=\"l\", right=9]"}, {"/r pair", "Pair@1 {left = \"l\", right = 9}"},
          {"loop", "Point@3 {x (Base) = 0, secret = 0, x = 1, y = 1, next = <cycle: Point@3>}"}, {"thrown", "java.lang.Throwable: \"boom\""}, {"boxed", "42"}, {"/r boxed", "Integer@1 {value = 42}"}, {"names", "[\"a\", 2, null, Point@1 {x (Base) = 0, secret = 0, x = 3, y = 4, next = Point@2}]"},
          {"this", "Outer.Inner@1 {x = 99, secret = 0, depth = 2, this$0 = Outer@1, val$captured = 1234}"});
}

static void limits(void **state)
{
    fake_java *fake = *state;
    uint64_t big = fake_java_array(fake, "[I", 300), long_list[300];
    for (uint32_t i = 0; i < 300; i++) {
        fake_java_set_element(fake, big, i, FAKE_INT((int)i));
        long_list[i] = integer(fake, (int)i);
    }
    fake_java_local(fake, "[I", "big", FAKE_REF(big));
    fake_java_local(fake, "Ljava/util/ArrayList;", "many", FAKE_REF(list(fake, 300, long_list, 300)));
    fake->format.elements_limit = 4;
    CHECK(fake, {"big", "{0, 1, 2, 3...}"}, {"s", "\"hell\"..."}, {"many", "[0, 1, 2, 3...]"}, {"\"literals are whole\"", "\"literals are whole\""}, {"numbers", "{0, 1, 4, 9}"});
    fake->format = expr_format_default();
    CHECK(fake, {"many.size", "300"}, {"big.length", "300"});
    fake->format.depth_limit = 1;
    CHECK(fake, {"p.next", "Point@2 {x (Base) = 0, secret = 0, x = 5, y = 6, next = null}"}, {"names", "[\"a\", {...}, null, {...}]"});
    fake->format = expr_format_default();
    /* Everything hangs together: each of 12 rows of points holds the next row twenty times. */
    uint64_t row = 0;
    for (int depth = 0; depth < 12; depth++) {
        uint64_t next = fake_java_array(fake, "[Ljava/lang/Object;", 20);
        for (uint32_t i = 0; i < 20; i++) {
            uint64_t pair = fake_java_new(fake, "Lgeo/Pair;");
            fake_java_set(fake, pair, "left", FAKE_REF(row));
            fake_java_set_element(fake, next, i, FAKE_REF(pair));
        }
        row = next;
    }
    fake_java_local(fake, "[Ljava/lang/Object;", "web", FAKE_REF(row));
    size_t n = strlen(fake_java_print(fake, "web"));
    assert_true(n > 10000 && n < 40000);
    fake->format.pretty = true;
    CHECK(fake, {"p.next", "Point@2 {\n  x (Base) = 0,\n  secret = 0,\n  x = 5,\n  y = 6,\n  next = null\n}"});
    fake->format = expr_format_default();
    fake->format.array_indexes = true;
    CHECK(fake, {"numbers", "{[0] = 0, [1] = 1, [2] = 4, [3] = 9}"});
}

static uint64_t node(fake_java *fake, uint64_t key, uint64_t value, uint64_t next)
{
    uint64_t ref = fake_java_new(fake, "Ljava/util/HashMap$Node;");
    fake_java_set(fake, ref, "key", FAKE_REF(key));
    fake_java_set(fake, ref, "value", FAKE_REF(value));
    fake_java_set(fake, ref, "next", FAKE_REF(next));
    return ref;
}

static void collections(void **state)
{
    fake_java *fake = *state;
    uint64_t map = fake_java_new(fake, "Ljava/util/HashMap;"), table = fake_java_array(fake, "[Ljava/util/HashMap$Node;", 8);
    uint64_t set = fake_java_new(fake, "Ljava/util/HashSet;"), deque = fake_java_new(fake, "Ljava/util/ArrayDeque;"), ring = fake_java_array(fake, "[Ljava/lang/Object;", 4);
    uint64_t one = integer(fake, 1), two = integer(fake, 2), empty = fake_java_new(fake, "Ljava/util/HashMap;"), itself = list(fake, 2, NULL, 0);
    fake_java_set_element(fake, table, 2, FAKE_REF(node(fake, fake_java_string(fake, "k"), one, node(fake, two, map, 0))));
    fake_java_set(fake, map, "table", FAKE_REF(table));
    fake_java_set(fake, set, "map", FAKE_REF(map));
    fake_java_set(fake, deque, "elements", FAKE_REF(ring));
    fake_java_set_element(fake, ring, 3, FAKE_REF(one));
    fake_java_set_element(fake, ring, 0, FAKE_REF(two));
    fake_java_set(fake, deque, "head", FAKE_INT(3));
    fake_java_set(fake, deque, "tail", FAKE_INT(1));
    fake_java_set(fake, itself, "size", FAKE_INT(5000000)); /* more than the array has */
    fake_java_local(fake, "Ljava/lang/Object;", "map", FAKE_REF(map));
    fake_java_local(fake, "Ljava/lang/Object;", "set", FAKE_REF(set));
    fake_java_local(fake, "Ljava/lang/Object;", "deque", FAKE_REF(deque));
    fake_java_local(fake, "Ljava/lang/Object;", "empty", FAKE_REF(empty));
    fake_java_local(fake, "Ljava/lang/Object;", "itself", FAKE_REF(itself));
    CHECK(fake, {"set", "[\"k\", 2]"}, {"deque", "[1, 2]"}, {"empty", "{}"}, {"itself", "[null, null]"}, {"map.table[2]", "\"k\"=1"});
    const char *shown = fake_java_print(fake, "map");
    assert_true(strncmp(shown, "{\"k\"=1, 2=<cycle: HashMap@", 26) == 0);
}

static void broken(void **state)
{
    fake_java *fake = *state;
    fake_java_class(fake, "class java.util.TreeMap", "I other", "");
    fake_java_local(fake, "Ljava/lang/Object;", "strange", FAKE_REF(fake_java_new(fake, "Ljava/util/TreeMap;")));
    CHECK(fake, {"strange", "TreeMap@1 {other = 0}"});
    fake_java_local(fake, "Ljava/lang/Object;", "wild", FAKE_REF(0xdead));
    uint64_t holder = point(fake, 1, 2);
    fake_java_set(fake, holder, "next", FAKE_REF(0xbeef));
    fake_java_local(fake, "Lgeo/Point;", "holder", FAKE_REF(holder));
    CHECK(fake, {"wild", "! There is no object at 0xdead."}, {"holder.next.x", "! There is no object at 0xbeef."});
    const char *shown = fake_java_print(fake, "holder");
    assert_non_null(strstr(shown, "next = <error: There is no object at 0xbeef.>}"));
}

static void describe(void **state)
{
    fake_java *fake = *state;
    ebb_buf out = {0};
    assert_int_equal(expr_java_describe(&fake->arena, &fake->world, fake_java_type(fake, "Lgeo/Point;"), &out, &fake->err), EBB_OK);
    assert_string_equal(ebb_buf_text(&out), "class geo.Point extends Base {\n    int x;\n    int y;\n    static int count;\n    Point next;\n\n    Point(int, int);\n    Point(Point);\n    double area();\n    static Point of(int);\n    void move(Point);\n}");
    ebb_buf_truncate(&out, 0);
    assert_int_equal(expr_java_describe(&fake->arena, &fake->world, fake_java_type(fake, "LOuter$Inner;"), &out, &fake->err), EBB_OK);
    assert_string_equal(ebb_buf_text(&out), "class Outer$Inner extends Base implements Runnable {\n    int depth;\n\n    void run();\n    String name();\n}");
    ebb_buf_fini(&out);
}

static void brief(void **state)
{
    static const char *const pairs[][2] = {{"i", "5"}, {"s", "\"hello\""}, {"p", "Point@1"}, {"numbers", "int[4]"}, {"new int[2][3]", "int[2][]"}, {"boxed", "42"}, {"nothing", "null"}, {"names", "ArrayList@1"}, {"geo.Color.RED", "RED"}};
    fake_java *fake = *state;
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++) {
        const expr_node *tree;
        java_value value;
        ebb_buf out = {0};
        assert_int_equal(expr_java_parse(&fake->arena, pairs[k][0], &tree, &fake->err), EBB_OK);
        assert_int_equal(expr_java_eval(&fake->arena, &fake->world, tree, &value, &fake->err), EBB_OK);
        assert_int_equal(expr_java_print_brief(&fake->arena, &fake->world, &fake->format, &value, &out, &fake->err), EBB_OK);
        assert_string_equal(ebb_buf_text(&out), pairs[k][1]);
        ebb_buf_fini(&out);
    }
}

static void deep_texts(void **state)
{
    fake_java *fake = *state;
    static const char *const openings[] = {"(", "-", "(int)", "f(", "new int[", "i + (", "z ? ", "numbers[", "new int[]{", "!", "(Comparable<", "p.", "i instanceof "};
    for (size_t k = 0; k < sizeof openings / sizeof *openings; k++) {
        ebb_buf text = {0};
        for (int n = 0; n < 20000; n++)
            ebb_buf_adds(&text, openings[k]);
        ebb_buf_adds(&text, "1");
        assert_true(strncmp(fake_java_print(fake, ebb_buf_text(&text)), "! ", 2) == 0);
        ebb_buf_fini(&text);
    }
    ebb_buf sum = {0};
    for (int n = 0; n < 20000; n++)
        ebb_buf_adds(&sum, "1+");
    ebb_buf_adds(&sum, "1");
    assert_string_equal(fake_java_print(fake, ebb_buf_text(&sum)), "20001");
    ebb_buf_fini(&sum);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(literals), TEST(syntax), TEST(names), TEST(static_frames), TEST(operators), TEST(text), TEST(assignment), TEST(dollars), TEST(overloads),
        TEST(new_arrays), TEST(places), TEST(types), TEST(prefixes), TEST(formats), TEST(objects), TEST(limits), TEST(collections), TEST(broken), TEST(describe), TEST(brief), TEST(deep_texts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
