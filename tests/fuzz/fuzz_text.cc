// libFuzzer target: texts of any kind. They are printed, read as names of functions, and taken
// apart as parts of a command line.
#include "fuzz_input.h"

#include "diff/comparison.h"
#include "main/preload.h"
#include "read/printable_text.h"
#include "symbols/module_symbols.h"

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const std::string text(reinterpret_cast<const char *>(data), size);
    mprof_fuzz::expect_printable(mprof::printable_ascii(text));
    for (const char c : mprof::printable_utf8(text))
        if ((c >= 0 && c < ' ') || c == 0x7f)
            std::abort();
    mprof::readable_name(text);
    mprof::parse_percent(text);
    mprof::parse_limits(text);
    mprof::split_runs(text);
    const size_t half = size / 2;
    mprof::preload_variables(text.substr(0, half), text.substr(half), text);
    return 0;
}
