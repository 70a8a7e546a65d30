/* plugin.cc - a plugin of GCC that compiles timestamps into programs.
 *
 * The pass runs after GCC has optimised a function and before it becomes instructions.  So what was inlined, unrolled
 * or made vectors of counts as what it has become, and optimisations are not hindered.  The counter ticks
 *   - at the entry of a function, and before it returns or calls another for the last time (a tail call),
 *   - at each edge that goes back: loops, backward gotos, computed gotos,
 *   - where setjmp returns, and where an exception is caught.
 * A function that calls nothing does not tick when it returns: it can't be active twice, so its places and those of its caller
 * are told apart by the entry's tick.
 *
 * The counter is a variable of the thread (runtime.c).  A tick adds one and, where that gives zero, executes a breakpoint instruction, at
 * which a debugger stops; nobody has to save registers for that.  The other way to say it: the counter is the
 * number of ticks until the stop, below zero.
 *
 * A loop, or a nest of loops, that calls nothing keeps the counter in a register, r14: it is read before the loop and written where the
 * loop is left, and nowhere else: the handler of a signal begins with the same count, whether the loop was stopped or not.  Everywhere else the counter is in memory, so code that is called back from
 * libraries, that longjmp jumps over, or that an exception leaves, needs nothing special.  As long as it is in the register, __ebb_frame is the
 * stack pointer of the function that has the loop, else 0: so at each instruction a debugger knows where the count is.  A loop in the handler of a signal that came
 * in such a loop leaves in __ebb_outer what it found there, and puts it back at its end.
 *
 * Which functions: all, but for those with __attribute__((no_timestamp)), and as the plugin's arguments say:
 * -fplugin-arg-ebb_timestamp-only=GLOB[,GLOB...] and -not=GLOB[,GLOB...], over names of functions and of source files.
 * What the loader calls to choose the code of a function (ifunc) does not count either, nor what that calls. */
#include "gcc-plugin.h"

#include "tree.h"
#include "tree-pass.h"
#include "context.h"
#include "function.h"
#include "basic-block.h"
#include "gimple.h"
#include "gimple-iterator.h"
#include "gimple-ssa.h"
#include "gimplify.h"
#include "gimplify-me.h"
#include "tree-into-ssa.h"
#include "ssa.h"
#include "tree-cfg.h"
#include "tree-ssa-operands.h"
#include "cfgloop.h"
#include "cfganal.h"
#include "cfghooks.h"
#include "stringpool.h"
#include "attribs.h"
#include "options.h"
#include "diagnostic-core.h"
#include "except.h"
#include "tree-eh.h"
#include "cgraph.h"
#include "varasm.h"
#include "target.h"
#include "output.h"
#include "hard-reg-set.h"
#include "predict.h"

#include <fnmatch.h>
#include <set>
#include <string>
#include <vector>

int plugin_is_GPL_compatible;

namespace {

/* ---- which functions ---- */

std::vector<std::string> only, except;

void split(std::vector<std::string> &into, const char *list)
{
    std::string text(list ? list : "");
    for (size_t at = 0; at < text.size();) {
        size_t end = text.find(',', at);
        end = end == std::string::npos ? text.size() : end;
        if (end > at)
            into.push_back(text.substr(at, end - at));
        at = end + 1;
    }
}

bool fits(const std::vector<std::string> &globs, tree function)
{
    const char *name = IDENTIFIER_POINTER(DECL_NAME(function));
    const char *file = LOCATION_FILE(DECL_SOURCE_LOCATION(function));
    for (const std::string &glob : globs)
        if (fnmatch(glob.c_str(), name, 0) == 0 || (file && fnmatch(glob.c_str(), file, 0) == 0))
            return true;
    return false;
}

bool has_attribute(tree function, const char *name)
{
    return lookup_attribute(name, DECL_ATTRIBUTES(function)) != NULL_TREE;
}

/* What the loader calls to choose the code of a function (ifunc, target_clones): in a static program, before there are variables of threads. */
bool is_resolver(cgraph_node *node)
{
    ipa_ref *ref;
    FOR_EACH_ALIAS(node, ref)
        if (ref->referring->ifunc_resolver || has_attribute(ref->referring->decl, "ifunc"))
            return true;
    return false;
}

void note_with_callees(cgraph_node *node, std::set<tree> &functions)
{
    if (!functions.insert(node->decl).second)
        return;
    for (cgraph_edge *e = node->callees; e; e = e->next_callee)
        note_with_callees(e->callee->ultimate_alias_target(), functions);
}

std::set<tree> called_by_loader;

void find_called_by_loader()
{
    cgraph_node *node;
    FOR_EACH_DEFINED_FUNCTION(node)
        if (is_resolver(node))
            note_with_callees(node, called_by_loader);
}

bool is_chosen(tree function)
{
    if (called_by_loader.count(function))
        return false;
    if (has_attribute(function, "no_timestamp") || has_attribute(function, "naked") || has_attribute(function, "interrupt"))
        return false;
    if (!DECL_NAME(function))
        return false;
    return (only.empty() || fits(only, function)) && !fits(except, function);
}

tree take_attribute(tree *, tree, tree, int, bool *)
{
    return NULL_TREE;
}

struct attribute_spec no_timestamp = {"no_timestamp", 0, 0, true, false, false, false, take_attribute, NULL};

void register_attributes(void *, void *)
{
    register_attribute(&no_timestamp);
}

/* ---- the counter ---- */

/* extern __thread long NAME; */
tree runtime_variable(const char *name)
{
    tree decl = build_decl(UNKNOWN_LOCATION, VAR_DECL, get_identifier(name), long_integer_type_node);
    TREE_PUBLIC(decl) = 1;
    DECL_EXTERNAL(decl) = 1;
    DECL_ARTIFICIAL(decl) = 1;
    DECL_IGNORED_P(decl) = 1;
    TREE_USED(decl) = 1;
    /* In a program the counter has a fixed place after the thread's pointer; in a library one that is told when it is loaded. */
    set_decl_tls_model(decl, flag_shlib ? TLS_MODEL_INITIAL_EXEC : TLS_MODEL_LOCAL_EXEC);
    varpool_node::finalize_decl(decl);
    return decl;
}

tree counter_decl()
{
    static tree decl = runtime_variable("__ebb_counter");
    return decl;
}

tree frame_decl()
{
    static tree decl = runtime_variable("__ebb_frame");
    return decl;
}

tree outer_decl()
{
    static tree decl = runtime_variable("__ebb_outer");
    return decl;
}

/* Instructions that GCC does not look into, and their operands. */
struct instructions {
    vec<tree, va_gc> *outputs = NULL, *inputs = NULL;

    static void add(vec<tree, va_gc> *&to, const char *constraint, tree operand)
    {
        tree word = build_tree_list(NULL_TREE, build_string(strlen(constraint) + 1, constraint));
        vec_safe_push(to, build_tree_list(word, operand));
    }

    instructions &writes(const char *constraint, tree operand)
    {
        add(outputs, constraint, operand);
        return *this;
    }

    instructions &reads(const char *constraint, tree operand)
    {
        add(inputs, constraint, operand);
        return *this;
    }

    gasm *build(const char *text, bool is_volatile = true)
    {
        gasm *statement = gimple_build_asm_vec(text, inputs, outputs, NULL, NULL);
        gimple_asm_set_volatile(statement, is_volatile);
        return statement;
    }
};

/* The block after `last`, which ends its block, is executed only if `value` is zero: `stop`, a breakpoint instruction. */
void make_brake(gimple *last, tree value, gimple *stop, location_t place)
{
    edge rest = split_block(gimple_bb(last), last);
    basic_block here = rest->src, after = rest->dest;
    gimple_stmt_iterator at = gsi_last_bb(here);
    gcond *cond = gimple_build_cond(EQ_EXPR, value, build_zero_cst(TREE_TYPE(value)), NULL_TREE, NULL_TREE);
    gsi_insert_after(&at, cond, GSI_NEW_STMT);
    basic_block brake = create_empty_bb(here);
    add_bb_to_loop(brake, here->loop_father);
    brake->count = profile_count::zero();
    rest->flags = (rest->flags & ~EDGE_FALLTHRU) | EDGE_FALSE_VALUE;
    rest->probability = profile_probability::always();
    edge taken = make_edge(here, brake, EDGE_TRUE_VALUE);
    taken->probability = profile_probability::never();
    make_single_succ_edge(brake, after, EDGE_FALLTHRU);
    gimple_stmt_iterator in_brake = gsi_last_bb(brake);
    if (optimize) /* the block is moved away: without a line it would have that of another function; no breakpoint is put there for it */
        gimple_set_location(stop, place);
    gsi_insert_after(&in_brake, stop, GSI_NEW_STMT);
    if (dom_info_available_p(CDI_DOMINATORS)) {
        set_immediate_dominator(CDI_DOMINATORS, brake, here);
        set_immediate_dominator(CDI_DOMINATORS, after, here);
    }
}

/* Ticks whose test is still to be made: blocks are split when all of them are in their places. */
struct tick {
    gimple *statement;
    tree zero;             /* one if the counter has become zero */
    location_t place;      /* in the source */
};
std::vector<tick> ticks;

/* One instruction adds to the counter and leaves the flags, of which `zero` is made. */
gimple *note_tick(gasm *statement, tree zero, location_t place)
{
    SSA_NAME_DEF_STMT(zero) = statement;
    ticks.push_back({statement, zero, place});
    return statement;
}

gimple *new_tick(location_t place)
{
    tree counter = counter_decl(), zero = make_ssa_name(integer_type_node);
    gasm *add = instructions().writes("=m", counter).writes("=@ccz", zero).reads("m", counter).build("addq\t$1, %0");
    return note_tick(add, zero, place);
}

/* ---- where ---- */

/* Something that may call, or that must find the counter in memory. */
bool may_leave(gimple *statement)
{
    if (gimple_code(statement) == GIMPLE_ASM)
        return gimple_asm_clobbers_memory_p(as_a<gasm *>(statement));
    return is_gimple_call(statement) && !gimple_call_internal_p(statement);
}

bool block_may_leave(basic_block block)
{
    for (gimple_stmt_iterator at = gsi_start_bb(block); !gsi_end_p(at); gsi_next(&at))
        if (may_leave(gsi_stmt(at)))
            return true;
    return false;
}

bool function_calls(function *fun)
{
    basic_block block;
    FOR_EACH_BB_FN(block, fun)
        for (gimple_stmt_iterator at = gsi_start_bb(block); !gsi_end_p(at); gsi_next(&at))
            if (is_gimple_call(gsi_stmt(at)) && !gimple_call_internal_p(gsi_stmt(at)))
                return true;
    return false;
}

void tick_before(gimple *statement)
{
    gimple_stmt_iterator at = gsi_for_stmt(statement);
    gsi_insert_before(&at, new_tick(gimple_location(statement)), GSI_SAME_STMT);
}

/* The tail call that a return comes after, or NULL. */
gimple *tail_call_before(basic_block block)
{
    for (gimple_stmt_iterator at = gsi_last_bb(block); !gsi_end_p(at); gsi_prev(&at)) {
        gimple *statement = gsi_stmt(at);
        if (is_gimple_call(statement) && gimple_call_tail_p(as_a<gcall *>(statement)))
            return statement;
    }
    return NULL;
}

/* The tail call may stand in a block before the one that returns. */
gimple *tail_call_of(basic_block block)
{
    for (int i = 0; i < 4; i++) {
        gimple *call = tail_call_before(block);
        if (call || !single_pred_p(block) || single_pred(block)->index < NUM_FIXED_BLOCKS)
            return call;
        block = single_pred(block);
    }
    return NULL;
}

/* After the marks that say where the first statement begins: those at the beginning of a block that was split off get lost. */
void tick_at_entry(function *fun)
{
    basic_block first = single_succ(ENTRY_BLOCK_PTR_FOR_FN(fun));
    gimple_stmt_iterator at = gsi_after_labels(first);
    while (single_pred_p(first) && !gsi_end_p(at) && is_gimple_debug(gsi_stmt(at)))
        gsi_next(&at);
    gimple *tick = new_tick(fun->function_start_locus);
    if (!single_pred_p(first)) {
        gsi_insert_on_edge(single_succ_edge(ENTRY_BLOCK_PTR_FOR_FN(fun)), tick);
    } else if (!gsi_end_p(at)) {
        gsi_insert_before(&at, tick, GSI_SAME_STMT);
    } else {
        at = gsi_last_bb(first);
        gsi_insert_after(&at, tick, GSI_NEW_STMT);
    }
}

void tick_at_exits(function *fun)
{
    edge e;
    edge_iterator i;
    basic_block block;
    FOR_EACH_BB_FN(block, fun)
        for (gimple_stmt_iterator at = gsi_start_bb(block); !gsi_end_p(at); gsi_next(&at))
            if (is_gimple_call(gsi_stmt(at)) && gimple_call_tail_p(as_a<gcall *>(gsi_stmt(at))))
                tick_before(gsi_stmt(at));
    FOR_EACH_EDGE(e, i, EXIT_BLOCK_PTR_FOR_FN(fun)->preds) {
        gimple *last = last_stmt(e->src);
        if (last && gimple_code(last) == GIMPLE_RETURN && !tail_call_of(e->src))
            tick_before(last);
    }
}

bool is_entered_abnormally(basic_block block)
{
    edge e;
    edge_iterator i;
    FOR_EACH_EDGE(e, i, block->preds)
        if (e->flags & (EDGE_EH | EDGE_ABNORMAL_CALL))
            return true;
    return false;
}

/* setjmp returns to the statement after it, again and again. */
bool comes_after_setjmp(basic_block block)
{
    edge e;
    edge_iterator i;
    FOR_EACH_EDGE(e, i, block->preds) {
        gimple *last = e->src->index >= NUM_FIXED_BLOCKS ? last_stmt(e->src) : NULL;
        if (last && is_gimple_call(last) && (gimple_call_flags(last) & ECF_RETURNS_TWICE))
            return true;
    }
    return false;
}

/* Also out of a loop that counts in a register, from the handler of a signal: what it counted is lost. */
void tick_where_others_jump_to(function *fun)
{
    basic_block block;
    FOR_EACH_BB_FN(block, fun)
        if (is_entered_abnormally(block) || comes_after_setjmp(block)) {
            gimple_stmt_iterator at = gsi_after_labels(block);
            gsi_insert_before(&at, instructions().writes("=m", frame_decl()).build("movq\t$0, %0"), GSI_SAME_STMT);
            gsi_insert_before(&at, new_tick(gsi_end_p(at) ? UNKNOWN_LOCATION : gimple_location(gsi_stmt(at))), GSI_SAME_STMT);
        }
}

/* ---- loops ---- */

bool loop_may_leave(loop_p loop)
{
    basic_block *blocks = get_loop_body(loop);
    bool leaves = false;
    for (unsigned i = 0; i < loop->num_nodes; i++)
        leaves = leaves || block_may_leave(blocks[i]) || is_entered_abnormally(blocks[i]);
    free(blocks);
    return leaves;
}

/* Functions save it for their callers, and GCC means nothing else by it: r15 is for calls of the large model, r13 and r10 for the stack. */
const char REGISTER[] = "r14";

/* In assembly code, or for the whole program. */
bool names_register(gimple *statement)
{
    if (gimple_code(statement) != GIMPLE_ASM)
        return false;
    gasm *code = as_a<gasm *>(statement);
    for (unsigned i = 0; i < gimple_asm_nclobbers(code); i++)
        if (decode_reg_name(TREE_STRING_POINTER(TREE_VALUE(gimple_asm_clobber_op(code, i)))) == decode_reg_name(REGISTER))
            return true;
    return false;
}

bool is_register_free(function *fun)
{
    basic_block block;
    tree variable;
    unsigned i;
    if (fixed_regs[decode_reg_name(REGISTER)])
        return false;
    FOR_EACH_LOCAL_DECL(fun, i, variable)
        if (VAR_P(variable) && DECL_HARD_REGISTER(variable))
            return false;
    FOR_EACH_BB_FN(block, fun)
        for (gimple_stmt_iterator at = gsi_start_bb(block); !gsi_end_p(at); gsi_next(&at))
            if (names_register(gsi_stmt(at)))
                return false;
    return true;
}

/* Its counter can be in a register: nothing in it needs memory, and code can be put on the ways in and out. */
bool can_count_in_register(loop_p loop)
{
    if (!loop->latch || loop_may_leave(loop) || (loop_preheader_edge(loop)->flags & EDGE_COMPLEX))
        return false;
    bool ok = true;
    for (edge e : get_loop_exit_edges(loop))
        ok = ok && !(e->flags & EDGE_COMPLEX);
    for (auto inner : loops_list(cfun, 0))
        if (inner == loop || flow_loop_nested_p(loop, inner))
            ok = ok && inner->latch && !(loop_latch_edge(inner)->flags & EDGE_COMPLEX);
    return ok;
}

/* register long __ebb_count asm("r14"); it is in use only from where a loop begins to where it ends. */
tree new_register_variable(function *fun)
{
    tree variable = build_decl(UNKNOWN_LOCATION, VAR_DECL, get_identifier("__ebb_count"), long_integer_type_node);
    DECL_CONTEXT(variable) = fun->decl;
    DECL_ARTIFICIAL(variable) = 1;
    DECL_IGNORED_P(variable) = 1;
    TREE_USED(variable) = 1;
    DECL_REGISTER(variable) = 1;
    DECL_HARD_REGISTER(variable) = 1;
    set_user_assembler_name(variable, REGISTER);
    add_local_decl(fun, variable);
    return variable;
}

/* The count is in both places when __ebb_frame changes.  It is read once more then: a debugger that stopped the program between the two and set the counter
 * did not know of the register.  `outer`: what __ebb_frame was. */
gimple *take_counter(tree variable, tree outer)
{
    gasm *take = instructions().writes("=&r", variable).writes("=&r", outer).writes("=m", frame_decl()).writes("=m", outer_decl()).reads("m", counter_decl())
        .reads("m", frame_decl()).build("movq\t%5, %1\n\tmovq\t%1, %3\n\tmovq\t%4, %0\n\tmovq\t%%rsp, %2\n\tmovq\t%4, %0");
    SSA_NAME_DEF_STMT(outer) = take;
    return take;
}

gimple *hand_in(tree variable, tree outer)
{
    return instructions().writes("=m", counter_decl()).writes("=m", frame_decl()).reads("r", variable).reads("r", outer).build("movq\t%2, %0\n\tmovq\t%3, %1");
}

/* The source line of an edge that goes back: of what comes before it, or after it. */
location_t place_of(edge e)
{
    gimple *last = last_stmt(e->src);
    location_t place = e->goto_locus;
    if (place == UNKNOWN_LOCATION && last)
        place = gimple_location(last);
    for (gimple_stmt_iterator at = gsi_start_bb(e->dest); place == UNKNOWN_LOCATION && !gsi_end_p(at); gsi_next(&at))
        place = gimple_location(gsi_stmt(at));
    return place != UNKNOWN_LOCATION ? place : cfun->function_start_locus;
}

void tick_in_register(edge latch, tree variable)
{
    tree zero = make_ssa_name(integer_type_node);
    gasm *add = instructions().writes("=r", variable).writes("=@ccz", zero).reads("0", variable).build("addq\t$1, %0", false);
    gsi_insert_on_edge(latch, note_tick(add, zero, place_of(latch)));
}

void count_in_register(loop_p loop, tree variable, std::vector<edge> &done)
{
    tree outer = make_ssa_name(long_integer_type_node);
    gsi_insert_on_edge(loop_preheader_edge(loop), take_counter(variable, outer));
    for (edge e : get_loop_exit_edges(loop))
        gsi_insert_on_edge(e, hand_in(variable, outer));
    for (auto inner : loops_list(cfun, 0))
        if (inner == loop || flow_loop_nested_p(loop, inner)) {
            tick_in_register(loop_latch_edge(inner), variable);
            done.push_back(loop_latch_edge(inner));
        }
}

void tick_on_edge(edge e)
{
    if (e->flags & EDGE_COMPLEX) {
        gimple *last = last_stmt(e->src);
        if (last && stmt_ends_bb_p(last))
            tick_before(last);
        return;
    }
    gsi_insert_on_edge(e, new_tick(place_of(e)));
}

bool contains(const std::vector<edge> &edges, edge e)
{
    for (edge one : edges)
        if (one == e)
            return true;
    return false;
}

/* Edges back that are no computed goto of a block that has ticked for another one. */
void tick_at_other_edges_back(function *fun, const std::vector<edge> &done)
{
    basic_block block;
    edge e;
    edge_iterator i;
    mark_dfs_back_edges();
    FOR_EACH_BB_FN(block, fun) {
        bool has_ticked = false;
        FOR_EACH_EDGE(e, i, block->succs)
            if ((e->flags & EDGE_DFS_BACK) && !contains(done, e) && !(has_ticked && (e->flags & EDGE_COMPLEX))) {
                has_ticked = has_ticked || (e->flags & EDGE_COMPLEX);
                tick_on_edge(e);
            }
    }
}

void tick_in_loops(function *fun)
{
    std::vector<edge> done;
    tree variable = NULL_TREE;
    loop_optimizer_init(LOOPS_NORMAL);
    bool is_free = optimize && is_register_free(fun);
    for (auto loop : loops_list(fun, 0)) {
        bool outer_has = loop_outer(loop) && loop_outer(loop)->num != 0 && can_count_in_register(loop_outer(loop));
        if (!is_free || outer_has || !can_count_in_register(loop))
            continue;
        if (!variable)
            variable = new_register_variable(fun);
        count_in_register(loop, variable, done);
    }
    tick_at_other_edges_back(fun, done);
}

/* ---- the pass ---- */

/* make_brake tests for zero, so the flag is turned round. */
void make_brakes()
{
    for (const tick &t : ticks) {
        gimple_stmt_iterator at = gsi_for_stmt(t.statement);
        tree other = make_ssa_name(integer_type_node);
        gimple *flip = gimple_build_assign(other, BIT_XOR_EXPR, t.zero, integer_one_node);
        gsi_insert_after(&at, flip, GSI_NEW_STMT);
        make_brake(flip, other, instructions().build("int3"), t.place);
    }
    ticks.clear();
}

const pass_data unit_data = {SIMPLE_IPA_PASS, "ebb_unit", OPTGROUP_NONE, TV_NONE, 0, 0, 0, 0, 0};

/* Before the first function is compiled: later, GCC has dropped the calls of those that are done. */
struct unit_pass : simple_ipa_opt_pass {
    unit_pass() : simple_ipa_opt_pass(unit_data, g)
    {
    }

    unsigned execute(function *) final override
    {
        find_called_by_loader();
        return 0;
    }
};

const pass_data timestamp_data = {GIMPLE_PASS, "ebb_timestamp", OPTGROUP_NONE, TV_NONE, PROP_cfg | PROP_ssa, 0, 0, 0, 0};

struct timestamp_pass : gimple_opt_pass {
    timestamp_pass() : gimple_opt_pass(timestamp_data, g)
    {
    }

    bool gate(function *fun) final override
    {
        return is_chosen(fun->decl);
    }

    unsigned execute(function *fun) final override
    {
        bool calls = function_calls(fun);
        tick_in_loops(fun);
        tick_where_others_jump_to(fun);
        if (calls)
            tick_at_exits(fun);
        tick_at_entry(fun);
        gsi_commit_edge_inserts();
        loop_optimizer_finalize();
        free_dominance_info(CDI_DOMINATORS);
        free_dominance_info(CDI_POST_DOMINATORS);
        make_brakes();
        return TODO_update_ssa | TODO_cleanup_cfg;
    }
};

/* A tick makes a second branch of a small loop.  One that lies in two lines of the cache of decoded instructions then takes up to twice as long,
 * which is luck: of a plain loop that is seldom so. */
void align_hot_loops()
{
    if (optimize >= 2 && !optimize_size && !str_align_loops && flag_align_loops)
        str_align_loops = "64";
}

} // namespace

int plugin_init(struct plugin_name_args *info, struct plugin_gcc_version *version)
{
    if (strncmp(version->basever, EBB_GCC_VERSION ".", sizeof EBB_GCC_VERSION) != 0) {
        error("this plugin was built for GCC %s, not for %s", EBB_GCC_VERSION, version->basever);
        return 1;
    }
    for (int i = 0; i < info->argc; i++) {
        if (strcmp(info->argv[i].key, "only") == 0)
            split(only, info->argv[i].value);
        else if (strcmp(info->argv[i].key, "not") == 0)
            split(except, info->argv[i].value);
    }
    align_hot_loops();
    struct register_pass_info unit = {new unit_pass, "simdclone", 1, PASS_POS_INSERT_AFTER};
    struct register_pass_info pass = {new timestamp_pass, "optimized", 1, PASS_POS_INSERT_AFTER};
    register_callback(info->base_name, PLUGIN_PASS_MANAGER_SETUP, NULL, &unit);
    register_callback(info->base_name, PLUGIN_PASS_MANAGER_SETUP, NULL, &pass);
    register_callback(info->base_name, PLUGIN_ATTRIBUTES, register_attributes, NULL);
    return 0;
}
