/* calc.c - a calculator for formulas with variables: a lexer, a parser that makes a tree, an
 * optimiser that folds constants, and an evaluator.
 *
 * It has a bug.  The optimised formula does not give what the plain one gives, and only for some
 * formulas.  Find the node of the tree that the optimiser got wrong.
 */
#include <ctype.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum node_kind { NUMBER, VARIABLE, UNARY, BINARY, CALL } node_kind;

typedef struct node node;

struct node {
    node_kind kind;
    unsigned depth : 12;
    unsigned is_constant : 1;
    unsigned id : 19;
    union {
        double number;
        char name[8];
        struct {
            char op;
            node *left, *right;
        } binary;
        struct {
            char op;
            node *operand;
        } unary;
        struct {
            const struct function *function;
            node *args[2];
            short n_args;
        } call;
    } u;
};

struct function {
    const char *name;
    int n_args;
    union {
        double (*one)(double);
        double (*two)(double, double);
    } code;
};

struct variable {
    char name[8];
    double value;
};

typedef struct parser {
    const char *text, *at;
    jmp_buf failed;
    char message[64];
    node *nodes[256];
    int n_nodes;
} parser;

static struct variable variables[8];
static int n_variables;
static long evaluations;

static double square(double x)
{
    return x * x;
}

static double mean(double x, double y)
{
    return (x + y) / 2;
}

static const struct function functions[] = {
    {"sqrt", 1, {.one = sqrt}},
    {"square", 1, {.one = square}},
    {"mean", 2, {.two = mean}},
    {"hypot", 2, {.two = hypot}},
};

static void fail(parser *p, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(p->message, sizeof p->message, format, args);
    va_end(args);
    longjmp(p->failed, 1);
}

static node *new_node(parser *p, node_kind kind)
{
    if (p->n_nodes == 256)
        fail(p, "the formula is too long");
    node *n = calloc(1, sizeof *n);
    if (!n)
        abort();
    n->kind = kind;
    n->id = (unsigned)p->n_nodes;
    n->depth = 1;
    p->nodes[p->n_nodes++] = n;
    return n;
}

static char peek(parser *p)
{
    while (isspace((unsigned char)*p->at))
        p->at++;
    return *p->at;
}

static int accept(parser *p, char c)
{
    if (peek(p) != c)
        return 0;
    p->at++;
    return 1;
}

static unsigned deeper(const node *a, const node *b)
{
    unsigned most = a->depth;
    if (b && b->depth > most)
        most = b->depth;
    return most + 1;
}

static node *parse_sum(parser *p);

static size_t parse_name(parser *p, char *name, size_t size)
{
    size_t n = 0;
    while (isalnum((unsigned char)*p->at)) {
        if (n + 1 < size)
            name[n++] = *p->at;
        p->at++;
    }
    name[n] = '\0';
    return n;
}

static node *parse_call(parser *p, const char *name)
{
    const struct function *found = NULL;
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++)
        if (strcmp(functions[i].name, name) == 0)
            found = &functions[i];
    if (!found)
        fail(p, "no function '%s'", name);
    node *n = new_node(p, CALL);
    n->u.call.function = found;
    do {
        if (n->u.call.n_args == found->n_args)
            fail(p, "too many arguments for '%s'", name);
        node *arg = parse_sum(p);
        n->u.call.args[n->u.call.n_args++] = arg;
        n->depth = deeper(arg, n);
    } while (accept(p, ','));
    if (n->u.call.n_args < found->n_args)
        fail(p, "too few arguments for '%s'", name);
    if (!accept(p, ')'))
        fail(p, "missing )");
    return n;
}

static node *parse_atom(parser *p)
{
    char c = peek(p);
    if (isdigit((unsigned char)c) || c == '.') {
        node *n = new_node(p, NUMBER);
        char *end;
        n->u.number = strtod(p->at, &end);
        n->is_constant = 1;
        p->at = end;
        return n;
    }
    if (isalpha((unsigned char)c)) {
        char name[8];
        parse_name(p, name, sizeof name);
        if (accept(p, '('))
            return parse_call(p, name);
        node *n = new_node(p, VARIABLE);
        memcpy(n->u.name, name, sizeof name);
        return n;
    }
    if (accept(p, '(')) {
        node *n = parse_sum(p);
        if (!accept(p, ')'))
            fail(p, "missing )");
        return n;
    }
    if (accept(p, '-')) {
        node *n = new_node(p, UNARY);
        n->u.unary.op = '-';
        n->u.unary.operand = parse_atom(p);
        n->depth = deeper(n->u.unary.operand, NULL);
        return n;
    }
    fail(p, "unexpected '%c' at %d", c ? c : '$', (int)(p->at - p->text));
    return NULL;
}

static node *parse_binary(parser *p, const char *operators, node *(*operand)(parser *))
{
    node *left = operand(p);
    while (peek(p) && strchr(operators, peek(p))) {
        node *n = new_node(p, BINARY);
        n->u.binary.op = *p->at++;
        n->u.binary.left = left;
        n->u.binary.right = operand(p);
        n->depth = deeper(left, n->u.binary.right);
        left = n;
    }
    return left;
}

static node *parse_power(parser *p)
{
    return parse_binary(p, "^", parse_atom);
}

static node *parse_product(parser *p)
{
    return parse_binary(p, "*/", parse_power);
}

static node *parse_sum(parser *p)
{
    return parse_binary(p, "+-", parse_product);
}

static double apply(char op, double a, double b)
{
    switch (op) {
    case '+': return a + b;
    case '-': return a - b;
    case '*': return a * b;
    case '/': return a / b;
    case '^': return pow(a, b);
    }
    return NAN;
}

static double lookup(const char *name)
{
    for (int i = 0; i < n_variables; i++)
        if (strcmp(variables[i].name, name) == 0)
            return variables[i].value;
    return NAN;
}

static double evaluate(const node *n)
{
    evaluations++;
    switch (n->kind) {
    case NUMBER: return n->u.number;
    case VARIABLE: return lookup(n->u.name);
    case UNARY: return -evaluate(n->u.unary.operand);
    case BINARY: {
        double left = evaluate(n->u.binary.left);
        double right = evaluate(n->u.binary.right);
        return apply(n->u.binary.op, left, right);
    }
    case CALL: {
        double first = evaluate(n->u.call.args[0]);
        if (n->u.call.n_args == 1)
            return n->u.call.function->code.one(first);
        return n->u.call.function->code.two(first, evaluate(n->u.call.args[1]));
    }
    }
    return NAN;
}

static void become_number(node *n, double value)
{
    n->kind = NUMBER;
    n->is_constant = 1;
    n->u.number = value;
}

static void optimise(node *n)
{
    switch (n->kind) {
    case UNARY:
        optimise(n->u.unary.operand);
        if (n->u.unary.operand->is_constant)
            become_number(n, -n->u.unary.operand->u.number);
        break;
    case BINARY: {
        node *left = n->u.binary.left, *right = n->u.binary.right;
        optimise(left);
        optimise(right);
        if (left->is_constant && right->is_constant)
            become_number(n, apply(n->u.binary.op, left->u.number, right->u.number));
        /* The bug: 0 + x is x, but 0 - x is not. */
        else if (strchr("+-", n->u.binary.op) && left->is_constant && left->u.number == 0)
            *n = *right;
        else if (strchr("+-", n->u.binary.op) && right->is_constant && right->u.number == 0)
            *n = *left;
        break;
    }
    case CALL:
        for (int i = 0; i < n->u.call.n_args; i++)
            optimise(n->u.call.args[i]);
        break;
    default: break;
    }
}

static void set_variable(const char *name, double value)
{
    struct variable *v = &variables[n_variables++];
    snprintf(v->name, sizeof v->name, "%s", name);
    v->value = value;
}

static int calculate(const char *text)
{
    parser p = {.text = text, .at = text};
    int failed = setjmp(p.failed);
    if (failed) {
        printf("%-28s error: %s\n", text, p.message);
    } else {
        node *tree = parse_sum(&p);
        if (peek(&p))
            fail(&p, "unexpected '%c' at %d", *p.at, (int)(p.at - p.text));
        double plain = evaluate(tree);
        optimise(tree);
        double optimised = evaluate(tree);
        printf("%-28s %.6g%s\n", text, plain, plain == optimised ? "" : "  (optimised: differs!)");
        failed = plain != optimised;
    }
    for (int i = 0; i < p.n_nodes; i++)
        free(p.nodes[i]);
    return failed;
}

int main(void)
{
    static const char *const formulas[] = {
        "1 + 2 * 3",
        "square(x) + y ^ 2",
        "mean(hypot(3, 4), x * 10)",
        "(1 - 1) - x",
        "-(2 ^ 0.5) / 0",
        "sqrt(2",
        "2 $ 2",
    };
    set_variable("x", 1.5);
    set_variable("y", -0.25);
    int wrong = 0;
    for (size_t i = 0; i < sizeof formulas / sizeof formulas[0]; i++)
        wrong += calculate(formulas[i]);
    printf("%d of %zu went wrong, %ld evaluations\n", wrong, sizeof formulas / sizeof formulas[0], evaluations);
    return wrong != 0;
}
