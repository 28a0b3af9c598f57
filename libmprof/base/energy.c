/* Reading energy (energy.h). Zones are intel-rapl:0, intel-rapl:1 ... for packages, also on AMD's
 * processors, and intel-rapl:0:0 ... for parts of a package, of which only its memory ("dram") is
 * not in the package's own counter. */
#include "base/energy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/lock.h"
#include "base/own_file.h"

enum { PACKAGES = 8, PARTS = 4, PACKAGE_ITSELF = -1, CHIPS = 32, SENSORS = 300 };
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

/* "energy%d_input" and the like of a chip. */
static size_t read_sensor_line(const char *sensors, int chip, const char *name, int sensor,
                               char *line, size_t capacity)
{
    char path[512];
    const int used = snprintf(path, sizeof path, "%s/hwmon%d/", sensors, chip);
    if (used <= 0 || used >= (int)sizeof path)
        return 0;
    const char *number = strchr(name, '#');
    snprintf(path + used, sizeof path - (size_t)used, "%.*s%.0d%s",
             number == NULL ? (int)strlen(name) : (int)(number - name), name,
             number == NULL ? 0 : sensor, number == NULL ? "" : number + 1);
    return system_line_read(path, line, capacity);
}

static bool read_sensor(const char *sensors, int chip, const char *name, int sensor,
                        uint64_t *number)
{
    char line[64];
    if (read_sensor_line(sensors, chip, name, sensor, line, sizeof line) == 0)
        return false;
    *number = strtoull(line, NULL, 10);
    return true;
}

static bool read_zone(const char *folder, const char *sensors, const struct energy_zone *zone,
                      uint64_t *number)
{
    if (zone->kind == ENERGY_POWERCAP)
        return read_number(folder, zone->package, zone->part, "energy_uj", number);
    if (zone->kind == ENERGY_COUNTER)
        return read_sensor(sensors, zone->package, "energy#_input", zone->part, number);
    return read_sensor(sensors, zone->package, "power#_average", zone->part, number) ||
           read_sensor(sensors, zone->package, "power#_input", zone->part, number);
}

static void keep_zone(struct energy_meter *meter, const char *folder, const char *sensors,
                      struct energy_zone zone)
{
    if (meter->zones < ENERGY_ZONES && read_zone(folder, sensors, &zone, &zone.last))
        meter->zone[meter->zones++] = zone;
}

static void add_package(struct energy_meter *meter, const char *folder, int package, int part)
{
    char name[64];
    struct energy_zone zone = {
        .kind = ENERGY_POWERCAP, .package = (uint8_t)package, .part = (int16_t)part};
    if (read_line(folder, package, part, "name", name, sizeof name) == 0 ||
        strncmp(name, part == PACKAGE_ITSELF ? "package" : "dram", 4) != 0)
        return;
    read_number(folder, package, part, "max_energy_range_uj", &zone.range_uj);
    keep_zone(meter, folder, NULL, zone);
}

/* A counter for each core, and then one for each socket, which has them. */
static void add_sockets(struct energy_meter *meter, const char *sensors, int chip)
{
    char label[64];
    for (int sensor = 1; sensor < SENSORS; sensor++) {
        if (read_sensor_line(sensors, chip, "energy#_label", sensor, label, sizeof label) == 0)
            return;
        if (strncmp(label, "Esocket", 7) == 0)
            keep_zone(meter, NULL, sensors,
                      (struct energy_zone){.kind = ENERGY_COUNTER,
                                           .package = (uint8_t)chip,
                                           .part = (int16_t)sensor});
    }
}

static void add_chips(struct energy_meter *meter, const char *sensors, const char *wanted,
                      enum energy_kind kind)
{
    char name[64];
    for (int chip = 0; chip < CHIPS; chip++) {
        if (read_sensor_line(sensors, chip, "name", 0, name, sizeof name) == 0 ||
            strcmp(name, wanted) != 0)
            continue;
        if (kind == ENERGY_COUNTER)
            add_sockets(meter, sensors, chip);
        else
            keep_zone(
                meter, NULL, sensors,
                (struct energy_zone){.kind = (uint8_t)kind, .package = (uint8_t)chip, .part = 1});
    }
}

/* The first of the three kinds that can be read: they have the same energy in them. */
static void begin(struct energy_meter *meter, const char *folder, const char *sensors)
{
    meter->has_begun = true;
    for (int package = 0; package < PACKAGES; package++)
        for (int part = PACKAGE_ITSELF; part < PARTS; part++)
            add_package(meter, folder, package, part);
    if (meter->zones == 0)
        add_chips(meter, sensors, "amd_energy", ENERGY_COUNTER);
    if (meter->zones == 0)
        add_chips(meter, sensors, "power_meter", ENERGY_POWER);
}

/* What a zone has taken since it was read last; false = it is not known. */
static bool zone_grew(const struct energy_zone *zone, uint64_t now, uint64_t passed_ns,
                      uint64_t *grown_uj)
{
    const uint64_t passed_us = passed_ns / 1000;
    if (zone->kind == ENERGY_POWER) { /* in the middle between both readings */
        *grown_uj = scale_uint64(now / 2 + zone->last / 2, passed_us, 1000000);
        return true;
    }
    const bool has_wrapped = now < zone->last;
    *grown_uj = has_wrapped ? now + zone->range_uj - zone->last : now - zone->last;
    return zone->range_uj == 0 ? !has_wrapped && zone->kind == ENERGY_COUNTER
                               : passed_us * MOST_WATT <= zone->range_uj;
}

void energy_update(struct energy_meter *meter, const char *folder, const char *sensors,
                   uint64_t now_ns, bool force)
{
    const uint64_t passed_ns = now_ns - meter->read_ns;
    if (meter->has_begun && (meter->zones == 0 || (!force && passed_ns < ENERGY_INTERVAL_NS)))
        return;
    meter->read_ns = now_ns;
    if (!meter->has_begun) {
        begin(meter, folder, sensors);
        return;
    }
    for (uint32_t i = 0; i < meter->zones; i++) {
        uint64_t now;
        uint64_t grown_uj;
        if (!read_zone(folder, sensors, &meter->zone[i], &now) ||
            !zone_grew(&meter->zone[i], now, passed_ns, &grown_uj)) {
            meter->is_lost = true;
            return;
        }
        meter->sum_uj += grown_uj;
        meter->zone[i].last = now;
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
    energy_update(&own.meter, ENERGY_FOLDER, ENERGY_SENSORS, clock_monotonic_ns(), true);
    const uint64_t sum_uj = energy_sum_uj(&own.meter);
    lock_give(&own.lock);
    return sum_uj;
}

void energy_look(void)
{
    if (__atomic_load_n(&own.meter.zones, __ATOMIC_RELAXED) == 0 || !lock_try(&own.lock))
        return;
    energy_update(&own.meter, ENERGY_FOLDER, ENERGY_SENSORS, clock_monotonic_ns(), false);
    lock_give(&own.lock);
}

void energy_forget(void)
{
    memset(&own, 0, sizeof own);
}
