// The classes of the verdict that are about threads of OpenMP: rows of verdict_rules.cc.
#pragma once

#include "verdict/verdict_rules.h"

namespace mprof {

ClassRule rule_of_own_threads();
ClassRule rule_of_uneven_threads();
ClassRule rule_of_threads_in_turn();
ClassRule rule_of_lacking_tasks();
ClassRule rule_of_many_regions();
ClassRule rule_of_serial_part();

}  // namespace mprof
