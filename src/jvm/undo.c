#include "jvm/undo.h"

bool jvm_undo_on;

void jvm_undo_keep_(void *at, size_t nbytes) {}
void jvm_undo_alloc_(jvm_obj *o) {}
void jvm_undo_cut_(const char *why) {}
uint64_t jvm_undo_enter_context(jvm_thread *t) { return 0; }
void jvm_undo_leave_context(jvm_thread *t, uint64_t before) {}
void jvm_undo_set(uint64_t capacity) {}
jvm_undo_extent jvm_undo_get(void) { return (jvm_undo_extent){.oldest = UINT64_MAX}; }
void jvm_undo_choose(const char *const *patterns, size_t n, const char *first_method) {}
bool jvm_undo_rewind(uint64_t time, uint64_t place, jvm_thread **thread) { return false; }
