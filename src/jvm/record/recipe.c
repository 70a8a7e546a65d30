/* What has to be the same before the first event: written as the recording's "about" section, and checked. */
#include "jvm/record/internal.h"

#include "base/text.h"
#include "jvm/threads/thread.h"
#include "jvm/jvm.h"
#include "time/recording_about.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

jvm_recipe jvm_recipe_now;
pid_t jvm_recorded_pid, jvm_starter_pid;

enum { STACK_RESERVE = 256 * 1024, VERSION = 4 };
extern char **environ;

/* ---- the class library ---- */

static uint64_t mix(uint64_t h, uint64_t v) { return ((h ^ v) * 0x9e3779b97f4a7c15) ^ (h >> 29); }

static uint64_t hash_part(uint64_t h, int fd, off_t at, size_t nbytes)
{
    uint64_t words[512];
    while (nbytes > 0) {
        size_t want = nbytes < sizeof words ? nbytes : sizeof words;
        memset(words, 0, sizeof words);
        ssize_t n = pread(fd, words, want, at);
        if (n <= 0)
            break;
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            h = mix(h, words[i]);
        at += n;
        nbytes -= (size_t)n;
    }
    return h;
}

/* Of lib/modules: its size, the whole index, and a page of each megabyte. */
static uint64_t hash_image(void)
{
    enum { INDEX = 2 << 20, STEP = 1 << 20, PAGE = 4096 };
    char *path = ebb_asprintf("%s/lib/modules", jvm.home);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    free(path);
    struct stat st;
    uint64_t h = 0;
    if (fd < 0)
        return 0;
    if (fstat(fd, &st) == 0) {
        h = hash_part(mix(1, (uint64_t)st.st_size), fd, 0, INDEX);
        for (off_t at = INDEX; at < st.st_size; at += STEP)
            h = hash_part(h, fd, at, PAGE);
    }
    close(fd);
    return h;
}

/* ---- the C stack ---- */

/* What Java may use of the calling thread's C stack. */
static uint64_t usable_stack(void)
{
    size_t size;
    size_t left = (size_t)((char *)__builtin_frame_address(0) - (char *)jvm_own_c_stack(&size));
    return left < 2 * STACK_RESERVE ? STACK_RESERVE : (left - STACK_RESERVE) & ~(size_t)4095;
}

/* ---- writing ---- */

void jvm_record_options(const JavaVMOption *options, size_t n, bool ignore_unrecognized)
{
    if (jvm_history != JVM_RECORDING)
        return;
    for (size_t i = 0; i < n; i++)
        ebb_vec_push(&jvm_recipe_now.options, ebb_strdup(options[i].optionString));
    jvm_recipe_now.ignore_unrecognized = ignore_unrecognized;
}

void jvm_recipe_note(void)
{
    jvm_recipe *r = &jvm_recipe_now;
    jvm_recorded_pid = getpid();
    jvm_starter_pid = getppid();
    r->home = ebb_strdup(jvm.home);
    r->image_hash = hash_image();
    r->memory = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    r->c_stack = usable_stack();
}

static void add_fact(ebb_about *about, const char *name, const char *text)
{
    char *fact = ebb_asprintf("%s=%s", name, text);
    ebb_vec_push(&about->facts, fact);
}

static void add_number(ebb_about *about, const char *name, uint64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "%llu", (unsigned long long)value);
    add_fact(about, name, text);
}

ebb_status jvm_recipe_write(ebb_recorder *rec, ebb_error *err)
{
    const jvm_recipe *r = &jvm_recipe_now;
    char directory[4096];
    ebb_about about = {.machine = ebb_strdup("jvm"), .machine_version = VERSION, .began = time(NULL)};
    about.program = ebb_asprintf("%s/bin/java", jvm.home);
    about.directory = ebb_strdup(getcwd(directory, sizeof directory) != NULL ? directory : "");
    ebb_texts_read(&about.args, "/proc/self/cmdline");
    for (char **variable = environ; *variable != NULL; variable++)
        ebb_texts_push(&about.environment, *variable);
    add_fact(&about, "home", r->home);
    add_number(&about, "image", r->image_hash);
    add_number(&about, "memory", r->memory);
    add_number(&about, "stack", r->c_stack);
    add_number(&about, "pid", (uint64_t)jvm_recorded_pid);
    add_number(&about, "parent", (uint64_t)jvm_starter_pid);
    add_number(&about, "ignore-unrecognized", r->ignore_unrecognized);
    for (size_t i = 0; i < r->options.n; i++)
        add_fact(&about, "option", r->options.items[i]);
    ebb_status status = ebb_about_write(&about, rec, err);
    ebb_about_fini(&about);
    return status;
}

/* ---- reading ---- */

static uint64_t number_of(const ebb_about *about, const char *name)
{
    const char *text = ebb_about_fact(about, name);
    uint64_t value;
    return text != NULL && ebb_text_to_u64(text, &value) ? value : 0;
}

static void take_facts(const ebb_about *about)
{
    jvm_recipe *r = &jvm_recipe_now;
    static const char option[] = "option=";
    const char *home = ebb_about_fact(about, "home");
    r->home = ebb_strdup(home == NULL ? "" : home);
    r->image_hash = number_of(about, "image");
    r->memory = number_of(about, "memory");
    r->c_stack = number_of(about, "stack");
    r->ignore_unrecognized = number_of(about, "ignore-unrecognized") != 0;
    for (size_t i = 0; i < about->facts.n; i++)
        if (ebb_text_starts(about->facts.items[i], option))
            ebb_vec_push(&r->options, ebb_strdup(about->facts.items[i] + strlen(option)));
}

static ebb_status check(const ebb_about *about, const char *path, ebb_error *err)
{
    const jvm_recipe *r = &jvm_recipe_now;
    if (strcmp(about->machine, "jvm") != 0)
        return ebb_fail(err, EBB_UNSUPPORTED, "%s is a recording of a program that is not Java (%s).", path, about->machine);
    if (about->machine_version != VERSION)
        return ebb_fail(err, EBB_UNSUPPORTED, "%s was made by another version of ebb (%llu, this one reads %d).", path,
                        (unsigned long long)about->machine_version, VERSION);
    if (r->image_hash != hash_image())
        return ebb_fail(err, EBB_UNSUPPORTED, "%s was recorded with another JDK (%s); the one here is %s.", path, r->home, jvm.home);
    if (r->c_stack > usable_stack())
        return ebb_fail(err, EBB_UNSUPPORTED, "%s was recorded with a larger stack: start java with -Xss%lluk.", path,
                        (unsigned long long)(r->c_stack + 2 * STACK_RESERVE) / 1024);
    return EBB_OK;
}

ebb_status jvm_recipe_read(ebb_recording *in, const char *path, ebb_error *err)
{
    ebb_about about = {0};
    ebb_status status = ebb_about_read(in, &about, err);
    if (status == EBB_OK) {
        take_facts(&about);
        status = check(&about, path, err);
    }
    ebb_about_fini(&about);
    return status;
}
