/* kernel_writes.c - memory that the kernel, or another thread on its behalf, fills: io_uring and userfaultfd. */
#include <errno.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SHOW(call) do { errno = 0; long result_ = (long)(call); printf("%s: %ld %d\n", #call, result_, errno); } while (0)

static void ring(void)
{
    struct io_uring_params p = {0};
    int r = syscall(SYS_io_uring_setup, 4, &p), zero = open("/proc/self/exe", O_RDONLY);
    if (r < 0) {
        printf("no ring: %d\n", errno);
        return;
    }
    char *sq = mmap(NULL, p.sq_off.array + 4 * p.sq_entries, PROT_READ | PROT_WRITE, MAP_SHARED, r, IORING_OFF_SQ_RING);
    char *cq = mmap(NULL, p.cq_off.cqes + p.cq_entries * sizeof(struct io_uring_cqe), PROT_READ | PROT_WRITE, MAP_SHARED, r, IORING_OFF_CQ_RING);
    struct io_uring_sqe *sqes = mmap(NULL, p.sq_entries * sizeof *sqes, PROT_READ | PROT_WRITE, MAP_SHARED, r, IORING_OFF_SQES);
    char bytes[5] = {0};
    sqes[0] = (struct io_uring_sqe){.opcode = IORING_OP_READ, .flags = IOSQE_ASYNC, .fd = zero, .addr = (uintptr_t)bytes, .len = 4, .user_data = 77};
    ((unsigned *)(sq + p.sq_off.array))[0] = 0;
    __atomic_store_n((unsigned *)(sq + p.sq_off.tail), 1, __ATOMIC_RELEASE);
    SHOW(syscall(SYS_io_uring_enter, r, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0));
    struct io_uring_cqe *done = (struct io_uring_cqe *)(cq + p.cq_off.cqes);
    SHOW(done->res);
    SHOW(done->user_data);
    SHOW(memcmp(bytes, "\177ELF", 4));
}

static int faults, pages_served;

static void *serve(void *nothing)
{
    char page[4096];
    struct uffd_msg m;
    struct pollfd p = {faults, POLLIN};
    while (poll(&p, 1, -1) == 1 && read(faults, &m, sizeof m) == sizeof m) {
        memset(page, 'a' + pages_served++, sizeof page);
        struct uffdio_copy copy = {.dst = m.arg.pagefault.address & ~4095ull, .src = (uintptr_t)page, .len = 4096};
        ioctl(faults, UFFDIO_COPY, &copy);
    }
    return NULL;
}

static void fault_handler(void)
{
    struct uffdio_api api = {.api = UFFD_API};
    faults = syscall(SYS_userfaultfd, O_CLOEXEC);
    if (faults < 0 || ioctl(faults, UFFDIO_API, &api) != 0) {
        printf("no faults: %d\n", errno);
        return;
    }
    char *memory = mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct uffdio_register range = {.range = {(uintptr_t)memory, 3 * 4096}, .mode = UFFDIO_REGISTER_MODE_MISSING};
    SHOW(ioctl(faults, UFFDIO_REGISTER, &range));
    pthread_t t;
    pthread_create(&t, NULL, serve, NULL);
    printf("%c %c\n", memory[4096], memory[5]);
    SHOW(write(open("/dev/null", O_WRONLY), memory + 8192, 1)); /* nothing is read */
    int pipes[2];
    pipe(pipes);
    SHOW(write(pipes[1], memory + 8192, 1)); /* the kernel itself faults */
    printf("%c\n", memory[8192]);
}

int main(void)
{
    setvbuf(stdout, NULL, _IONBF, 0);
    ring();
    fault_handler();
    return 0;
}
