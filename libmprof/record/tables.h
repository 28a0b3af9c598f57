/* The two hash tables of a recorder, for recorder.c, which opens them. Both lie in the arena, probe
 * linearly, double while the arena has room, and fold detail when it has not. */
#ifndef MPROF_TABLES_H
#define MPROF_TABLES_H

#include "recorder.h"

bool entry_table_open(struct recorder *recorder, size_t reserve_bytes);
bool partner_table_open(struct recorder *recorder);

#endif
