// libFuzzer target: an ELF file. It is the program that mprof run --check looks at, and the module
// whose source lines are asked for.
#include "fuzz_input.h"

#include "check/loaded_objects.h"
#include "symbols/module_symbols.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const mprof_fuzz::InputFile file(mprof_fuzz::as_bytes(data, size));
    const auto object = mprof::read_elf_object(file.path());
    if (!object.ok())
        mprof_fuzz::expect_printable(describe(object.error()));
    const mprof::Deadline deadline{std::chrono::milliseconds(2000)};
    const auto symbols = mprof::open_module_symbols({file.path(), "", false}, {}, deadline);
    for (const uint64_t address : {0ULL, 0x10ULL, 0x1000ULL, 0x1130ULL, ~0ULL})
        symbols->frames_at(address);
    return 0;
}
