/* jvm_debuggee.c - starts the fixture with its recording in a file without a name; everything that waits has a limit. */
#include "jvm_debuggee.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char output_path[64];

machine *dbg_start_with(const char *main_class, const char *kind, const char *argument, bool records, const char *recording,
                        const char *replay)
{
    char altjvm[512], classes[512];
    snprintf(altjvm, sizeof altjvm, "-XXaltjvm=%s", getenv("EBB_JVM_DIR"));
    snprintf(classes, sizeof classes, "%s/%s", getenv("JAVA_FIXTURES"), kind);
    char *args[] = {"java", altjvm, "-cp", classes, (char *)main_class, (char *)argument, NULL};
    jvm_remote_launch how = {.args = args, .records = records, .recording = recording, .replay = replay};
    machine *m = NULL;
    snprintf(output_path, sizeof output_path, "/tmp/jvm_remote_test.%d", (int)getpid());
    int saved = dup(1), out = open(output_path, O_CREAT | O_TRUNC | O_WRONLY, 0600);
    fflush(stdout);
    dup2(out, 1);
    ebb_error err;
    ebb_status status = jvm_remote_start(&how, &m, &err);
    dup2(saved, 1);
    close(saved);
    close(out);
    if (status != EBB_OK)
        fail_msg("start: %s", err.text);
    return m;
}

machine *dbg_start(const char *main_class, const char *kind, const char *argument)
{
    return dbg_start_with(main_class, kind, argument, false, NULL, NULL);
}

machine *dbg_start_recorded(const char *main_class, const char *kind, const char *argument)
{
    return dbg_start_with(main_class, kind, argument, true, NULL, NULL);
}

char *dbg_output(void)
{
    ebb_buf text = {0};
    char bytes[256];
    int fd = open(output_path, O_RDONLY);
    for (ssize_t n; (n = read(fd, bytes, sizeof bytes)) > 0;)
        ebb_buf_add(&text, bytes, (size_t)n);
    close(fd);
    unlink(output_path);
    return text.n == 0 ? ebb_strdup("") : ebb_buf_take(&text);
}

machine_stop dbg_resume(machine *m, machine_request request)
{
    machine_stop stop = {0};
    assert_ok(m->ops->resume(m, &request, &stop, err));
    return stop;
}

machine_stop dbg_run(machine *m)
{
    return dbg_resume(m, (machine_request){.move = MACHINE_RUN});
}

static machine *interrupted;

static void on_alarm(int signo)
{
    interrupted->ops->interrupt(interrupted);
}

void dbg_interrupt_after(machine *m, unsigned ms)
{
    interrupted = m;
    signal(SIGALRM, on_alarm);
    ualarm(ms * 1000, 0);
}

machine_stop dbg_step(machine *m, machine_tid tid, machine_place lo, machine_place hi, bool over_calls)
{
    return dbg_resume(m, (machine_request){.move = MACHINE_STEP, .thread = tid, .lo = lo, .hi = hi, .over_calls = over_calls});
}

machine_stop dbg_run_to_class(machine *m, const char *name)
{
    assert_ok(jvm_remote_want_classes(m, &name, 1, err));
    machine_stop stop = dbg_run(m);
    assert_int_equal(stop.kind, MACHINE_STOP_MODULES);
    assert_ok(jvm_remote_want_classes(m, NULL, 0, err));
    return stop;
}

unsigned dbg_line_of(const char *main_class, const char *mark)
{
    char path[512], line[512], wanted[64];
    snprintf(path, sizeof path, "%s/%s.java", getenv("JAVA_SOURCES"), main_class);
    snprintf(wanted, sizeof wanted, "// @%s\n", mark);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    unsigned n = 0, found = 0;
    while (fgets(line, sizeof line, f) != NULL) {
        n++;
        if (strstr(line, wanted) != NULL)
            found = n;
    }
    fclose(f);
    if (found == 0)
        fail_msg("no mark %s", mark);
    return found;
}

java_class_id dbg_class(machine *m, const char *name)
{
    java_class_ids ids = {0};
    assert_ok(jvm_remote_classes_named(m, name, &ids, err));
    assert_int_equal(ids.n, 1);
    java_class_id id = ids.items[0];
    ebb_vec_fini(&ids);
    return id;
}

const java_method *dbg_method(machine *m, const char *cls, const char *name)
{
    const java_class *c;
    assert_ok(jvm_remote_class(m, dbg_class(m, cls), &c, err));
    for (size_t i = 0; i < c->n_methods; i++)
        if (strcmp(c->methods[i].name, name) == 0)
            return &c->methods[i];
    fail_msg("no method %s.%s", cls, name);
    return NULL;
}

machine_place dbg_line_place(machine *m, const char *cls, unsigned line)
{
    const java_class *c;
    assert_ok(jvm_remote_class(m, dbg_class(m, cls), &c, err));
    for (size_t i = 0; i < c->n_methods; i++) {
        const java_code *code;
        assert_ok(jvm_remote_code(m, c->methods[i].id, &code, err));
        for (size_t k = 0; k < code->n_lines; k++)
            if (code->lines[k].line == line)
                return c->methods[i].id | code->lines[k].bci;
    }
    fail_msg("no code for line %u", line);
    return 0;
}

unsigned dbg_line(machine *m, machine_place place)
{
    const java_code *code;
    unsigned line = 0;
    assert_ok(jvm_remote_code(m, java_place_method(place), &code, err));
    for (size_t k = 0; k < code->n_lines && code->lines[k].bci <= java_place_bci(place); k++)
        line = code->lines[k].line;
    return line;
}

const char *dbg_method_name(machine *m, machine_place place)
{
    const java_class *c;
    assert_ok(jvm_remote_class(m, java_place_class(place), &c, err));
    return c->methods[place >> 16 & 0xffff].name;
}

machine_point_id dbg_break(machine *m, machine_place place)
{
    machine_point p = {.kind = MACHINE_POINT_EXEC, .addr = place};
    machine_point_id id;
    assert_ok(m->ops->point_set(m, &p, &id, err));
    return id;
}

machine_point_id dbg_break_mark(machine *m, const char *cls, const char *mark)
{
    char file[64];
    snprintf(file, sizeof file, "%.*s", (int)strcspn(cls, "$"), cls);
    return dbg_break(m, dbg_line_place(m, cls, dbg_line_of(file, mark)));
}

java_field_id dbg_field(machine *m, const char *cls, const char *name)
{
    const java_class *c;
    assert_ok(jvm_remote_class(m, dbg_class(m, cls), &c, err));
    for (size_t i = 0; i < c->n_fields; i++)
        if (strcmp(c->fields[i].name, name) == 0)
            return c->fields[i].id;
    fail_msg("no field %s.%s", cls, name);
    return 0;
}

int64_t dbg_int_local(machine *m, machine_tid tid, unsigned level, unsigned slot)
{
    java_word w;
    assert_ok(jvm_remote_local_get(m, (java_local_at){tid, level, slot}, 'I', &w, err));
    return w.i;
}
