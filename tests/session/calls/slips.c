/* slips.c - makes a system call past the translator: finds its own function in translated code, and changes it there. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* A pattern that is copied as it is; its last instruction has the length of `syscall`. */
__attribute__((noinline)) long marked(void)
{
    long result;
    __asm__ volatile("mov $0x5eb0b5eb, %%eax; mov $39, %%eax; xchg %%ax, %%ax" : "=a"(result) : : "rcx", "r11");
    return result;
}

static const unsigned char pattern[] = {0xb8, 0xeb, 0xb5, 0xb0, 0x5e, 0xb8, 39, 0, 0, 0, 0x66, 0x90};

static int change(unsigned char *lo, unsigned char *hi)
{
    for (unsigned char *at = lo; at + sizeof pattern <= hi; at++)
        if (memcmp(at, pattern, sizeof pattern) == 0) {
            memcpy(at + sizeof pattern - 2, "\x0f\x05", 2);
            return 1;
        }
    return 0;
}

int main(void)
{
    char line[512];
    int n = 0;
    marked();
    FILE *maps = fopen("/proc/self/maps", "r");
    while (fgets(line, sizeof line, maps)) {
        unsigned long lo, hi;
        char protection[8];
        if (sscanf(line, "%lx-%lx %7s", &lo, &hi, protection) == 3 && strncmp(protection, "rwx", 3) == 0)
            n += change((unsigned char *)lo, (unsigned char *)hi);
    }
    printf("changed %d\n", n);
    fflush(stdout);
    printf("returned %d\n", marked() == getpid());
    return 0;
}
