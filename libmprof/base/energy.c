/* Reading energy (energy.h). Zones are intel-rapl:0, intel-rapl:1 ... for packages, on AMD's
 * processors, too, and intel-rapl:0:0 ... for parts of a package, of which only its memory ("dram")
 * is not in the package's own counter. */
#include "base/energy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/lock.h"
#include "base/own_file.h"

enum { PACKAGES = 8, PARTS = 4, PACKAGE_ITSELF = -1 };
#define MOST_WATT 1000 /* of a zone */

static size_t read_line(const char *folder, int package, int part, const char *name, char *line,
                        size_t capacity)
{
    char path[512];
    if (part == PACKAGE_ITSELF)
        snprintf(path, sizeof path, "%s/intel-rapl:%d/%s", folder, package, name);
    else
        snprintf(path, sizeof path, "%s/intel-rapl:%d:%d/%s", folder, package, part, name);
    return system_line_read(path, line, capacity);
}

static bool read_number(const char *folder, int package, int part, const char *name,
                        uint64_t *number)
{
    char line[64];
    if (read_line(folder, package, part, name, line, sizeof line) == 0)
        return false;
    *number = strtoull(line, NULL, 10);
    return true;
}

static void add_zone(struct energy_meter *meter, const char *folder, int package, int part)
{
    char name[64];
    uint64_t now_uj;
    uint64_t range_uj = 0;
    if (meter->zones == ENERGY_ZONES ||
        read_line(folder, package, part, "name", name, sizeof name) == 0 ||
        strncmp(name, part == PACKAGE_ITSELF ? "package" : "dram", 4) != 0 ||
        !read_number(folder, package, part, "energy_uj", &now_uj))
        return;
    read_number(folder, package, part, "max_energy_range_uj", &range_uj);
    const uint32_t i = meter->zones++;
    meter->zone[i].package = (uint8_t)package;
    meter->zone[i].part = (int8_t)part;
    meter->zone[i].last_uj = now_uj;
    meter->zone[i].range_uj = range_uj;
}

static void begin(struct energy_meter *meter, const char *folder)
{
    meter->has_begun = true;
    for (int package = 0; package < PACKAGES; package++)
        for (int part = PACKAGE_ITSELF; part < PARTS; part++)
            add_zone(meter, folder, package, part);
}

void energy_update(struct energy_meter *meter, const char *folder, uint64_t now_ns, bool force)
{
    const uint64_t passed_ns = now_ns - meter->read_ns;
    if (meter->has_begun && (meter->zones == 0 || (!force && passed_ns < ENERGY_INTERVAL_NS)))
        return;
    meter->read_ns = now_ns;
    if (!meter->has_begun) {
        begin(meter, folder);
        return;
    }
    for (uint32_t i = 0; i < meter->zones; i++) {
        uint64_t now_uj;
        const uint64_t last_uj = meter->zone[i].last_uj;
        const uint64_t range_uj = meter->zone[i].range_uj;
        if (!read_number(folder, meter->zone[i].package, meter->zone[i].part, "energy_uj",
                         &now_uj) ||
            passed_ns / 1000 * MOST_WATT > range_uj) {
            meter->is_lost = true;
            return;
        }
        meter->sum_uj += now_uj >= last_uj ? now_uj - last_uj : now_uj + range_uj - last_uj;
        meter->zone[i].last_uj = now_uj;
    }
}

uint64_t energy_sum_uj(const struct energy_meter *meter)
{
    return meter->zones == 0 || meter->is_lost ? UINT64_MAX : meter->sum_uj;
}

static struct {
    struct lock lock;
    struct energy_meter meter;
} own;

uint64_t energy_now_uj(void)
{
    if (!lock_take(&own.lock))
        return UINT64_MAX;
    energy_update(&own.meter, ENERGY_FOLDER, clock_monotonic_ns(), true);
    const uint64_t sum_uj = energy_sum_uj(&own.meter);
    lock_give(&own.lock);
    return sum_uj;
}

void energy_look(void)
{
    if (__atomic_load_n(&own.meter.zones, __ATOMIC_RELAXED) == 0 || !lock_try(&own.lock))
        return;
    energy_update(&own.meter, ENERGY_FOLDER, clock_monotonic_ns(), false);
    lock_give(&own.lock);
}

void energy_forget(void)
{
    memset(&own, 0, sizeof own);
}
