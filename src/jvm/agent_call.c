/* agent_call.c - what ebb has the machine do: calls, new objects, and copies of the process to do them in. */
#include "jvm/agent_internal.h"

static ebb_status not_yet(ebb_error *err)
{
    return ebb_fail(err, EBB_UNSUPPORTED, "Calling methods of the program is not possible yet.");
}

ebb_status agent_serve_invoke(const jvm_wire_call *q, jvm_wire_called *a, ebb_arena *arena, ebb_error *err) { return not_yet(err); }
ebb_status agent_serve_new_string(const jvm_wire_name *q, jvm_wire_number *a, ebb_arena *arena, ebb_error *err) { return not_yet(err); }
ebb_status agent_serve_load_class(const jvm_wire_load *q, jvm_wire_number *a, ebb_arena *arena, ebb_error *err) { return not_yet(err); }
ebb_status agent_serve_new_object(const jvm_wire_number *q, jvm_wire_number *a, ebb_arena *arena, ebb_error *err) { return not_yet(err); }
ebb_status agent_serve_new_array(const jvm_wire_new_array *q, jvm_wire_number *a, ebb_arena *arena, ebb_error *err) { return not_yet(err); }
ebb_status agent_serve_scratch(const jvm_wire_nothing *q, jvm_wire_number *a, ebb_arena *arena, ebb_error *err) { return not_yet(err); }
ebb_status agent_serve_reap(const jvm_wire_number *q, jvm_wire_nothing *a, ebb_arena *arena, ebb_error *err) { return not_yet(err); }
