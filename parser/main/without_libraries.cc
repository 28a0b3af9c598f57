// What mprof says and does where a library was not there when it was built: a block for each, in
// place of the file that uses the library. parser/CMakeLists.txt says which are compiled.
//
//   MPROF_WITHOUT_LIBDW      symbols/symbols_libdw.cc, stacks/walk_libdw.cc
//   MPROF_WITHOUT_PROTOZERO  trace/perfetto_sink.cc
//   MPROF_WITHOUT_OTF2       trace/otf2_sink.cc
//   MPROF_WITHOUT_SCOTCH     place/divide_scotch.cc
//   MPROF_WITHOUT_HWLOC      place/topology_hwloc.cc
//   MPROF_WITHOUT_SQLITE     archive/sqlite_database.cc
#include "archive/database.h"
#include "place/order_search.h"
#include "place/read_order.h"
#include "stacks/walk_stack.h"
#include "symbols/module_symbols.h"
#include "trace/trace_sink.h"

#include "mprof/format/library_names.h"

namespace mprof {

#ifdef MPROF_WITHOUT_LIBDW

// Places stay module+offset.
namespace {

class NoSymbols final : public ModuleSymbols {
public:
    std::vector<SymbolFrame> frames_at(uint64_t /*address*/) override { return {}; }
    std::string problem() const override
    {
        return "cannot be looked at: this mprof was built without " MPROF_LIBRARY_ELFUTILS;
    }
};

}  // namespace

std::unique_ptr<ModuleSymbols> open_module_symbols(const ModuleIdentity & /*module*/,
                                                   const SymbolOptions & /*options*/,
                                                   const Deadline & /*deadline*/)
{
    return std::make_unique<NoSymbols>();
}

std::string compiler_name(const ModuleIdentity & /*module*/, const SymbolOptions & /*options*/)
{
    return "";
}

// No stacks of running threads.
std::unique_ptr<StackWalker> open_stack_walker(int /*process*/)
{
    return nullptr;
}

bool can_walk_stacks()
{
    return false;
}

#endif

#ifdef MPROF_WITHOUT_PROTOZERO

std::string perfetto_problem()
{
    return "this mprof was built without " MPROF_LIBRARY_PROTOZERO ", so it writes no .pftrace";
}

std::unique_ptr<TraceSink> perfetto_sink(WriteBytes /*write*/)
{
    return nullptr;
}

#endif

#ifdef MPROF_WITHOUT_OTF2

std::string otf2_problem()
{
    return "this mprof was built without " MPROF_LIBRARY_OTF2 "; -o FILE.pftrace works";
}

std::unique_ptr<TraceSink> otf2_sink(const std::string & /*folder*/)
{
    return nullptr;
}

#endif

#ifdef MPROF_WITHOUT_SCOTCH

// Groups are filled in the order of the ranks.
bool can_divide()
{
    return false;
}

Groups divide_roughly(const CommGraph & /*graph*/, const std::vector<uint32_t> &room,
                      uint32_t /*seed*/)
{
    Groups groups;
    for (uint32_t group = 0; group < room.size(); group++)
        groups.insert(groups.end(), room[group], group);
    return groups;
}

#endif

#ifdef MPROF_WITHOUT_HWLOC

bool can_read_topology()
{
    return false;
}

std::variant<std::vector<NodeCore>, std::string> cores_of_node(const std::string & /*words*/,
                                                               bool /*is_file*/)
{
    return "this mprof was built without " MPROF_LIBRARY_HWLOC;
}

#endif

#ifdef MPROF_WITHOUT_SQLITE

std::unique_ptr<Database> open_sqlite(const std::string & /*path*/, bool /*make*/,
                                      std::string &problem)
{
    problem = "this mprof was built without " MPROF_LIBRARY_SQLITE
              ". An archive on a PostgreSQL server works: postgresql://HOST/NAME";
    return nullptr;
}

#endif

}  // namespace mprof
