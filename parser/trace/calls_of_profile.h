// The trace of a profile: its single calls, or else the last calls of ranks that did not end.
#pragma once

#include "merge/profile.h"
#include "merge/profile_files.h"
#include "symbols/symbol_lookup.h"
#include "trace/trace.h"

namespace mprof {

// The trace does not refer to the profile.
Trace trace_of_profile(const Profile &profile, const ProfileEvents &events, SymbolLookup &symbols);

}  // namespace mprof
