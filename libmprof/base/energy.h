/* What the packages and the memory of the node have taken in energy, from the kernel's powercap
 * files, where users may read them: most systems let root alone. Where there are none: from the
 * energy counters of the sockets in /sys/class/hwmon (amd_energy), else from the power of the whole
 * machine there (ACPI's power meter), as often as it was read.
 *
 * A counter begins at 0 again after some minutes of full load, so it must be read more often than
 * that: energy_look() at the ends of time bins. It does something only if ENERGY_INTERVAL_NS have
 * passed since the last reading, and nothing where there was nothing to read. Any thread. Nothing
 * here allocates or keeps a descriptor.
 */
#ifndef MPROF_ENERGY_H
#define MPROF_ENERGY_H

#include <stdbool.h>
#include <stdint.h>

#define ENERGY_FOLDER "/sys/class/powercap"
#define ENERGY_SENSORS "/sys/class/hwmon"
#define ENERGY_INTERVAL_NS 30000000000ull

/* Of the process: since this was first asked; UINT64_MAX = not known. */
uint64_t energy_now_uj(void);
void energy_look(void);

/* In a child with a record of its own (attach.c). */
void energy_forget(void);

/* ---- of the tests ---------------------------------------------------------------------------- */

enum { ENERGY_ZONES = 16 };
enum energy_kind { ENERGY_POWERCAP, ENERGY_COUNTER, ENERGY_POWER };

/* Zeros at first. */
struct energy_meter {
    uint32_t zones;
    bool has_begun;
    bool is_lost; /* too much time has passed between two readings: a counter may have wrapped twice
                   */
    uint64_t read_ns; /* when it was read last */
    uint64_t sum_uj;  /* since the first reading */
    struct energy_zone {
        uint8_t kind;      /* energy_kind */
        uint8_t package;   /* or the number of the chip */
        int16_t part;      /* of the package: its memory; -1 = the package itself; or the number of
                              the sensor */
        uint64_t last;     /* in uJ; of a power in uW */
        uint64_t range_uj; /* after which it begins at 0 again; 0 = it does not */
    } zone[ENERGY_ZONES];
};

/* Reads the counters if `force`, or if it is time. The folders are ENERGY_FOLDER and
 * ENERGY_SENSORS. */
void energy_update(struct energy_meter *meter, const char *folder, const char *sensors,
                   uint64_t now_ns, bool force);

/* Since the first reading; UINT64_MAX = not known. */
uint64_t energy_sum_uj(const struct energy_meter *meter);

#endif
