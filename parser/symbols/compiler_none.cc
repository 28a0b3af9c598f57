// Instead of compiler_name.cc where elfutils was not there when mprof was built.
#include "symbols/compiler_name.h"

namespace mprof {

std::string compiler_name(const ModuleIdentity & /*module*/, const SymbolOptions & /*options*/)
{
    return "";
}

}  // namespace mprof
