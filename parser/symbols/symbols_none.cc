// The parser was built without a library that reads debug data: places stay module+offset.
#include "symbols/module_symbols.h"

namespace mprof {
namespace {

class NoSymbols final : public ModuleSymbols {
public:
    std::vector<SymbolFrame> frames_at(uint64_t /*address*/) override { return {}; }
    std::string problem() const override
    {
        return "cannot be looked at: this mprof was built without libdw";
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

}  // namespace mprof
