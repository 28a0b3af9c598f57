// The end of a job that was killed, noted in what it left: for run_and_report.cc. A rank that hung
// until then has written nothing for as long, so its record alone would end with the last call.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace mprof {

// Writes `end_ns`, by the time of day, into the live records in the profile (as
// mprof_run.stop_realtime_ns), if the ranks are known to have been there until then: all of them
// ran the command's own program on this machine. Else nothing is done. Nothing is said.
void note_end_of_job(const std::string &profile, const std::vector<std::string> &command,
                     uint64_t end_ns);

}  // namespace mprof
