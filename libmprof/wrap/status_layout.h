/* Where the MPI library keeps the number of received bytes in its MPI_Status: found out by asking
 * it to write known numbers. Compiled inside wrappers.c, once per ABI family.
 *
 * The standard does not say, the ABI documents differ, and asking with MPI_Get_elements at every
 * message costs more than all the rest of recording it. So status_layout is set only if exactly one
 * place holds every number that MPI_Status_set_elements_x wrote, below and above 2^32, cancelled
 * or not; else the library is asked every time. Called once, after MPI_Init.
 */
#ifndef MPROF_STATUS_LAYOUT_H
#define MPROF_STATUS_LAYOUT_H

#include <string.h>

#include "wrap/wrap.h"

enum { STATUS_PROBES = 6 };

static bool write_status_probes(MPI_Status probes[], const uint64_t bytes[])
{
    if (mpi_pmpi[FN_MPI_Status_set_elements_x] == NULL ||
        mpi_pmpi[FN_MPI_Status_set_cancelled] == NULL)
        return false;
    for (int i = 0; i < STATUS_PROBES; i++) {
        memset(&probes[i], i % 2 != 0 ? 0xff : 0, sizeof probes[i]);
        PMPI(MPI_Status_set_cancelled)(&probes[i], i % 3 == 2);
        PMPI(MPI_Status_set_elements_x)(&probes[i], MPI_BYTE, (MPI_Count)bytes[i]);
        if (ask_for_status_bytes(&probes[i]) != bytes[i])
            return false;
    }
    return true;
}

static bool is_status_layout(const MPI_Status probes[], const uint64_t bytes[], int word, int shift)
{
    for (int i = 0; i < STATUS_PROBES; i++)
        if (status_bytes_at(&probes[i], word, shift) != bytes[i])
            return false;
    return true;
}

static void learn_status_layout(void)
{
    static const uint64_t bytes[STATUS_PROBES] = {0,          0x12345678,   0x9abcdef0,
                                                  0x23456789, 0x3fedcba98u, 0x1234567654321};
    MPI_Status probes[STATUS_PROBES];
    int words = (int)(sizeof probes[0].words / sizeof probes[0].words[0]);
    int found = 0;
    status_layout.word = -1;
    if (!write_status_probes(probes, bytes))
        return;
    for (int word = 0; word + 1 < words; word++)
        for (int shift = 0; shift < 2; shift++)
            if (is_status_layout(probes, bytes, word, shift)) {
                found++;
                status_layout.word = word;
                status_layout.shift = shift;
            }
    if (found != 1)
        status_layout.word = -1;
}

#endif
