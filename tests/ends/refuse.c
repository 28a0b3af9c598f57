/* Starts a program to which the kernel refuses some system calls, as sandboxes and containers do.
 * Used by run_limits.py.
 *
 * refuse ERROR CALL,CALL,... COMMAND...: each named call fails with ERROR (EPERM, ENOSYS, EDQUOT,
 * ENOSPC), in COMMAND and in all that it starts. The status is 125 if that cannot be set up. */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { CANNOT = 125, MOST_CALLS = 32 };

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#else
#define ARCHITECTURE 0
#endif

struct named {
    const char *name;
    int number;
};

static const struct named errors[] = {
    {"EPERM", EPERM}, {"ENOSYS", ENOSYS}, {"EDQUOT", EDQUOT}, {"ENOSPC", ENOSPC}};
static const struct named calls[] = {
    {"clock_gettime", SYS_clock_gettime},
    {"fallocate", SYS_fallocate},
    {"getcpu", SYS_getcpu},
    {"getdents64", SYS_getdents64},
    {"getrandom", SYS_getrandom},
    {"getrusage", SYS_getrusage},
    {"perf_event_open", SYS_perf_event_open},
    {"prlimit64", SYS_prlimit64},
    {"process_vm_readv", SYS_process_vm_readv},
    {"pwrite64", SYS_pwrite64},
    {"readlinkat", SYS_readlinkat},
    {"renameat", SYS_renameat},
    {"renameat2", SYS_renameat2},
    {"sched_getaffinity", SYS_sched_getaffinity},
    {"symlinkat", SYS_symlinkat},
    {"sysinfo", SYS_sysinfo},
    {"uname", SYS_uname},
#ifdef SYS_mkdir /* not on newer architectures */
    {"mkdir", SYS_mkdir},
    {"readlink", SYS_readlink},
    {"rename", SYS_rename},
    {"unlink", SYS_unlink},
#endif
    {"mkdirat", SYS_mkdirat},
    {"unlinkat", SYS_unlinkat},
};

/* The number of that name, or -1. */
static int find(const struct named *table, size_t rows, const char *name)
{
    for (size_t i = 0; i < rows; i++)
        if (strcmp(table[i].name, name) == 0)
            return table[i].number;
    return -1;
}

/* Calls of another architecture, and those that are not named, go through. */
static int install(int error, const int *numbers, size_t count)
{
    struct sock_filter code[2 * MOST_CALLS + 4] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
    };
    unsigned short length = 4;
    for (size_t i = 0; i < count; i++) {
        code[length++] =
            (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)numbers[i], 0, 1);
        code[length++] = (struct sock_filter)BPF_STMT(
            BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ((unsigned)error & SECCOMP_RET_DATA));
    }
    code[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    const struct sock_fprog filter = {length, code};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return -1;
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
}

int main(int argc, char **argv)
{
    int numbers[MOST_CALLS];
    size_t count = 0;
    if (argc < 4) {
        fprintf(stderr, "usage: refuse ERROR CALL,CALL,... COMMAND...\n");
        return CANNOT;
    }
    const int error = find(errors, sizeof errors / sizeof errors[0], argv[1]);
    for (char *name = strtok(argv[2], ","); name != NULL; name = strtok(NULL, ",")) {
        const int number = find(calls, sizeof calls / sizeof calls[0], name);
        if (number < 0 || count == MOST_CALLS) {
            fprintf(stderr, "refuse: %s is not in its table\n", name);
            return CANNOT;
        }
        numbers[count++] = number;
    }
    if (error < 0 || install(error, numbers, count) != 0) {
        fprintf(stderr, "refuse: cannot have %s refused: %s\n", argv[1], strerror(errno));
        return CANNOT;
    }
    execvp(argv[3], argv + 3);
    fprintf(stderr, "refuse: cannot start %s: %s\n", argv[3], strerror(errno));
    return CANNOT;
}
