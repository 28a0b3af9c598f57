/* The program forbids itself system calls (seccomp), and may let the kernel end it for them. Nobody
 * can ask for that without such a call. So libmprof stands before prctl(), by which a filter is
 * installed, or prepared (PR_SET_NO_NEW_PRIVS, without which only root may install one). Afterwards
 * libmprof opens nothing any more (base/system_file.h). Any thread. */
#include <stdarg.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/system_file.h"

__attribute__((visibility("default"))) int prctl(int option, ...)
{
    enum { WORDS = 4 };
    unsigned long words[WORDS];
    va_list arguments;
    va_start(arguments, option);
    for (int i = 0; i < WORDS; i++) /* as glibc does it, however many there are */
        words[i] = va_arg(arguments, unsigned long);
    va_end(arguments);
    if (option == PR_SET_NO_NEW_PRIVS || option == PR_SET_SECCOMP)
        system_close();
    return (int)syscall(SYS_prctl, (long)option, words[0], words[1], words[2], words[3]);
}
