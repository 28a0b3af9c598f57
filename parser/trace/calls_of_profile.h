// The trace of a profile: the last calls of ranks that did not end, or all that their files hold.
#pragma once

#include "merge/profile.h"
#include "symbols/symbol_lookup.h"
#include "trace/trace.h"

namespace mprof {

// The trace does not refer to the profile.
Trace trace_of_profile(const Profile &profile, SymbolLookup &symbols);

}  // namespace mprof
