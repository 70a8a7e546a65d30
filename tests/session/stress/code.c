/* Code that is written while it runs, in every way that Linux has.  Prints sums that are the same in every run. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

enum { PAGE = 4096, RWX = PROT_READ | PROT_WRITE | PROT_EXEC };
typedef int function(void);

/* mov eax, n; ret */
static void write_function(uint8_t *at, int n)
{
    uint8_t code[6] = {0xb8, (uint8_t)n, (uint8_t)(n >> 8), (uint8_t)(n >> 16), (uint8_t)(n >> 24), 0xc3};
    memcpy(at, code, sizeof code);
}

static int call(const uint8_t *at)
{
    return ((function *)at)();
}

static uint8_t *map(int protection, int flags, int fd)
{
    uint8_t *p = mmap(NULL, PAGE, protection, flags, fd, 0);
    if (p == MAP_FAILED)
        exit(3);
    return p;
}

static long in_place(void)
{
    uint8_t *code = map(RWX, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    long sum = 0;
    for (int i = 0; i < 20000; i++) {
        write_function(code + i % 7 * 64, i);
        sum += call(code + i % 7 * 64) * (i % 3);
    }
    return sum;
}

static long two_mappings(void)
{
    int fd = memfd_create("code", 0);
    if (ftruncate(fd, PAGE))
        return -1;
    uint8_t *writable = map(PROT_READ | PROT_WRITE, MAP_SHARED, fd), *code = map(PROT_READ | PROT_EXEC, MAP_SHARED, fd);
    long sum = 0;
    for (int i = 0; i < 5000; i++) {
        write_function(writable + i % 5 * 32, i);
        sum += call(code + i % 5 * 32);
    }
    return sum;
}

/* One thread writes, the other one calls; who is next is told by a word. */
static atomic_int turn;
static uint8_t *shared_code, *shared_data;

static void *write_by_turns(void *unused)
{
    for (int i = 0; i < 300; i++) {
        while (atomic_load(&turn) != 2 * i)
            sched_yield();
        write_function(shared_data, i * 11);
        atomic_store(&turn, 2 * i + 1);
    }
    return NULL;
}

static long by_turns(int with_two_mappings)
{
    int fd = memfd_create("code", 0);
    if (ftruncate(fd, PAGE))
        return -1;
    shared_data = map(with_two_mappings ? PROT_READ | PROT_WRITE : RWX, MAP_SHARED, fd);
    shared_code = with_two_mappings ? map(PROT_READ | PROT_EXEC, MAP_SHARED, fd) : shared_data;
    atomic_store(&turn, 0);
    pthread_t writer;
    pthread_create(&writer, NULL, write_by_turns, NULL);
    long sum = 0;
    for (int i = 0; i < 300; i++) {
        while (atomic_load(&turn) != 2 * i + 1)
            sched_yield();
        sum += call(shared_code);
        atomic_store(&turn, 2 * i + 2);
    }
    pthread_join(writer, NULL);
    return sum;
}

/* Nobody waits: a loop runs until another thread has changed its code, one aligned word at a time. */
static void *end_loop(void *at)
{
    usleep(20000);
    uint64_t ret = 0x90909090909090c3;
    atomic_store((_Atomic uint64_t *)at, ret);
    return NULL;
}

static long from_outside(void)
{
    for (int i = 0; i < 10; i++) {
        uint8_t *code = map(RWX, MAP_PRIVATE | MAP_ANONYMOUS, -1);
        uint8_t loop[16] = {0xff, 0xc0, 0x90, 0x90, 0x90, 0x90, 0xeb, 0xf8, 0xc3}; /* inc eax; nops; jmp to the beginning; ret */
        memcpy(code, loop, sizeof loop);
        pthread_t writer;
        pthread_create(&writer, NULL, end_loop, code);
        call(code);
        pthread_join(writer, NULL);
        munmap(code, PAGE);
    }
    return 10;
}

static long by_protection(void)
{
    uint8_t *code = map(PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    long sum = 0;
    for (int i = 0; i < 1000; i++) {
        mprotect(code, PAGE, PROT_READ | PROT_WRITE);
        write_function(code, i);
        mprotect(code, PAGE, PROT_READ | PROT_EXEC);
        sum += call(code) + call(code);
    }
    return sum;
}

static long by_mapping_again(void)
{
    uint8_t *at = map(RWX, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    long sum = 0;
    for (int i = 0; i < 500; i++) {
        if (i % 2)
            munmap(at, PAGE);
        mmap(at, PAGE, RWX, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
        write_function(at, i);
        mprotect(at, PAGE, PROT_READ | PROT_EXEC);
        sum += call(at);
    }
    return sum;
}

static long by_moving(void)
{
    uint8_t *a = map(RWX, MAP_PRIVATE | MAP_ANONYMOUS, -1), *b = map(RWX, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    long sum = 0;
    for (int i = 0; i < 200; i++) {
        write_function(a, i);
        mprotect(a, PAGE, PROT_READ | PROT_EXEC);
        sum += call(a);
        mremap(a, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, b);
        sum += call(b) * 2;
        a = mmap(a, PAGE, RWX, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    }
    return sum;
}

/* The kernel writes: by read, by process_vm_writev, and past all protection. */
static long by_the_kernel(void)
{
    uint8_t *code = map(RWX, MAP_PRIVATE | MAP_ANONYMOUS, -1), *locked = map(RWX, MAP_PRIVATE | MAP_ANONYMOUS, -1), made[6];
    int pipes[2], mem = open("/proc/self/mem", O_RDWR);
    long sum = 0;
    if (pipe(pipes) || mem < 0)
        return -1;
    write_function(locked, 0);
    mprotect(locked, PAGE, PROT_READ | PROT_EXEC);
    for (int i = 0; i < 300; i++) {
        write_function(made, i);
        if (write(pipes[1], made, 6) != 6 || read(pipes[0], code, 6) != 6)
            return -2;
        sum += call(code);
        write_function(made, 2 * i);
        struct iovec from = {made, 6}, to = {code, 6};
        process_vm_writev(getpid(), &from, 1, &to, 1, 0);
        sum += call(code);
        write_function(made, 3 * i);
        if (pwrite(mem, made, 6, (off_t)locked) != 6)
            return -3;
        sum += call(locked);
    }
    return sum;
}

static long by_libraries(char **libraries)
{
    long sum = 0;
    for (int i = 0; i < 150; i++) {
        void *a = dlopen(libraries[i % 2], RTLD_NOW | RTLD_LOCAL), *b = i % 3 ? dlopen(libraries[(i + 1) % 2], RTLD_LAZY | RTLD_LOCAL) : NULL;
        if (!a)
            return -1;
        sum += ((int (*)(int))dlsym(a, "answer"))(i);
        if (b)
            sum += ((int (*)(int))dlsym(b, "answer"))(i), dlclose(b);
        dlclose(a);
    }
    return sum;
}

int main(int argc, char **argv)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    printf("in place %ld\n", in_place());
    printf("two mappings %ld\n", two_mappings());
    printf("by turns %ld\n", by_turns(0));
    printf("by turns, two mappings %ld\n", by_turns(1));
    printf("from outside %ld\n", from_outside());
    printf("by protection %ld\n", by_protection());
    printf("by mapping again %ld\n", by_mapping_again());
    printf("by moving %ld\n", by_moving());
    printf("by the kernel %ld\n", by_the_kernel());
    if (argc > 2)
        printf("by libraries %ld\n", by_libraries(argv + 1));
    return 0;
}
