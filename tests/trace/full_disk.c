/* Preloaded: the disk of a rank's events file has FULL_DISK_BYTES for it, and what it shall leave
 * to others. Used by run_events.py. Nothing else of the process is changed. */
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

int fstatvfs(int file, struct statvfs *disk)
{
    struct stat facts;
    const char *text = getenv("FULL_DISK_BYTES");
    const long long most = text != NULL ? atoll(text) : 0;
    if (fstat(file, &facts) != 0)
        return -1;
    const long long left = most - facts.st_size;
    *disk = (struct statvfs){.f_bsize = 4096, .f_frsize = 4096, .f_blocks = 1 << 20};
    disk->f_bavail = (64 << 20) / 4096 + (left > 0 ? (fsblkcnt_t)left / 4096 : 0);
    return 0;
}
