/* elfcheck.c - reads the headers of the file and says what is wrong with it. */
#include "x86/elfcheck.h"
#include "x86/native.h"
#include "base/mem.h"
#include "base/text.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *machine_name(unsigned code)
{
    switch (code) {
    case EM_386: return "32-bit x86";
    case EM_ARM: return "32-bit ARM";
    case EM_AARCH64: return "64-bit ARM";
    case EM_RISCV: return "RISC-V";
    case EM_PPC64: return "PowerPC";
    case EM_S390: return "S/390";
    case EM_MIPS: return "MIPS";
    default: return "another kind of machine";
    }
}

/* "#!/usr/bin/python3 -u" -> the interpreter's name without its path. */
static ebb_status refuse_script(const char *head, const char *name, ebb_error *err)
{
    char line[128];
    size_t n = strcspn(head + 2, "\n");
    snprintf(line, sizeof line, "%.*s", (int)(n < 120 ? n : 120), head + 2);
    char *interpreter = (char *)ebb_text_skip_space(line);
    char *end = interpreter + strcspn(interpreter, " \t\r");
    const char *rest = ebb_text_skip_space(end);
    bool by_env = end - interpreter >= 4 && strncmp(end - 4, "/env", 4) == 0 && *rest != '\0';
    *end = '\0';
    if (by_env) {
        interpreter = (char *)rest;
        interpreter[strcspn(interpreter, " \t\r")] = '\0';
    }
    if (*interpreter == '\0')
        return ebb_fail(err, EBB_BAD_FILE, "%s is a script that names no interpreter", name);
    return ebb_fail(err, EBB_BAD_FILE, "%s is a script for %s, not a native program; debug its interpreter: ebb run %s %s",
                    name, ebb_path_base(interpreter), interpreter, name);
}

static ebb_status check_segments(int fd, const Elf64_Ehdr *eh, off_t size, const char *name, ebb_error *err)
{
    if (eh->e_phentsize != sizeof(Elf64_Phdr) || eh->e_phnum == 0 || eh->e_phoff > (uint64_t)size ||
        (uint64_t)eh->e_phnum * sizeof(Elf64_Phdr) > (uint64_t)size - eh->e_phoff)
        return ebb_fail(err, EBB_BAD_FILE, "%s is a broken ELF file: its program headers are not inside it", name);
    bool has_code = false;
    for (unsigned i = 0; i < eh->e_phnum; i++) {
        Elf64_Phdr ph;
        if (pread(fd, &ph, sizeof ph, (off_t)(eh->e_phoff + i * sizeof ph)) != sizeof ph)
            return ebb_fail_errno(err, "can't read %s", name);
        if (ph.p_type != PT_LOAD && ph.p_type != PT_INTERP)
            continue;
        if (ph.p_offset > (uint64_t)size || ph.p_filesz > (uint64_t)size - ph.p_offset)
            return ebb_fail(err, EBB_BAD_FILE, "%s is a broken ELF file: it is shorter than its segments say", name);
        has_code |= ph.p_type == PT_LOAD && (ph.p_flags & PF_X) && eh->e_entry - ph.p_vaddr < ph.p_memsz;
    }
    if (eh->e_entry == 0)
        return ebb_fail(err, EBB_BAD_FILE, "%s is a shared library, not a program: it has no entry point", name);
    if (!has_code)
        return ebb_fail(err, EBB_BAD_FILE, "%s is a broken ELF file: its entry point is not in its code", name);
    return EBB_OK;
}

static ebb_status check_header(int fd, const char *name, ebb_error *err)
{
    union {
        Elf64_Ehdr eh;
        char text[256];
    } head;
    memset(&head, 0, sizeof head);
    struct stat st;
    ssize_t n = pread(fd, head.text, sizeof head.text - 1, 0);
    if (n < 0 || fstat(fd, &st) != 0)
        return ebb_fail_errno(err, "can't read %s", name);
    if (n >= 2 && memcmp(head.text, "#!", 2) == 0)
        return refuse_script(head.text, name, err);
    if (n < SELFMAG || memcmp(head.text, ELFMAG, SELFMAG) != 0)
        return ebb_fail(err, EBB_BAD_FILE, "%s is not a program (no ELF file)%s", name, n == 0 ? ": it is empty" : "");
    if (n < (ssize_t)sizeof head.eh)
        return ebb_fail(err, EBB_BAD_FILE, "%s is a broken ELF file: its header is cut off", name);
    const Elf64_Ehdr *eh = &head.eh;
    if (eh->e_ident[EI_CLASS] == ELFCLASS32)
        return ebb_fail(err, EBB_UNSUPPORTED, "%s is a 32-bit program; ebb debugs 64-bit x86 programs only", name);
    if (eh->e_ident[EI_CLASS] != ELFCLASS64 || eh->e_ident[EI_VERSION] != EV_CURRENT)
        return ebb_fail(err, EBB_BAD_FILE, "%s is a broken ELF file: its identification makes no sense", name);
    if (eh->e_ident[EI_DATA] != ELFDATA2LSB || eh->e_machine != EM_X86_64)
        return ebb_fail(err, EBB_UNSUPPORTED, "%s is a program for %s; ebb debugs 64-bit x86 programs only", name,
                        machine_name(eh->e_ident[EI_DATA] == ELFDATA2LSB ? eh->e_machine : __builtin_bswap16(eh->e_machine)));
    if (eh->e_type == ET_CORE)
        return ebb_fail(err, EBB_UNSUPPORTED, "%s is a core dump, not a program", name);
    if (eh->e_type == ET_REL)
        return ebb_fail(err, EBB_BAD_FILE, "%s is an object file that has not been linked yet", name);
    if (eh->e_type != ET_EXEC && eh->e_type != ET_DYN)
        return ebb_fail(err, EBB_BAD_FILE, "%s is a broken ELF file: it is neither program nor library", name);
    return check_segments(fd, eh, st.st_size, name, err);
}

ebb_status x86_elf_check(const char *path, const char *name, ebb_error *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return ebb_fail_errno(err, "can't read %s", name);
    ebb_status status = check_header(fd, name, err);
    close(fd);
    return status;
}

/* As the shell does it; an executable file is preferred to one that isn't. */
static char *search_path(const char *program)
{
    const char *dirs = getenv("PATH");
    char *not_executable = NULL;
    if (!dirs)
        dirs = "/usr/local/bin:/usr/bin:/bin";
    for (const char *dir = dirs;; dir++) {
        size_t n = strcspn(dir, ":");
        char *path = n ? ebb_asprintf("%.*s/%s", (int)n, dir, program) : ebb_asprintf("./%s", program);
        struct stat st;
        bool is_file = stat(path, &st) == 0 && S_ISREG(st.st_mode);
        if (is_file && access(path, X_OK) == 0) {
            free(not_executable);
            return path;
        }
        if (is_file && !not_executable)
            not_executable = path;
        else
            free(path);
        dir += n;
        if (*dir == '\0')
            return not_executable;
    }
}

static ebb_status check_file(const char *path, ebb_error *err)
{
    struct stat st;
    if (stat(path, &st) != 0) {
        if (errno == ENOENT || errno == ENOTDIR)
            return ebb_fail(err, EBB_NOT_FOUND, "%s: there is no such file", path);
        return ebb_fail_errno(err, "%s", path);
    }
    if (S_ISDIR(st.st_mode))
        return ebb_fail(err, EBB_BAD_FILE, "%s is a directory, not a program", path);
    if (!S_ISREG(st.st_mode))
        return ebb_fail(err, EBB_BAD_FILE, "%s is not a regular file", path);
    ebb_status status = x86_elf_check(path, path, err);
    if (status != EBB_OK)
        return status;
    if (access(path, X_OK) != 0)
        return ebb_fail(err, EBB_BAD_FILE, "%s is not executable (chmod +x makes it so)", path);
    return EBB_OK;
}

ebb_status x86_native_check(const char *program, char **path, ebb_error *err)
{
    if (program[0] == '\0')
        return ebb_fail(err, EBB_BAD_INPUT, "the name of the program is empty");
    char *found = strchr(program, '/') ? ebb_strdup(program) : search_path(program);
    if (!found) {
        if (access(program, F_OK) == 0)
            return ebb_fail(err, EBB_NOT_FOUND, "%s is not in PATH; for the file in this directory write ./%s", program, program);
        return ebb_fail(err, EBB_NOT_FOUND, "%s: there is no such program in PATH", program);
    }
    ebb_status status = check_file(found, err);
    if (status == EBB_OK)
        *path = found;
    else
        free(found);
    return status;
}
