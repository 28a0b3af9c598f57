// Only what the page has: its call sites are those with most time, which come first.
#include "analyse/places/source_rows.h"

#include "report/number_text.h"
#include "symbols/source_lines.h"

#include <algorithm>

namespace mprof {
namespace {

constexpr size_t most_places = 1000;

template <class Rows>
void add_places(const Rows &rows, SourceFiles &files)
{
    for (size_t i = 0; i < std::min(most_places, rows.size()); i++)
        if (const Frame &site = rows[i].site; !site.is_jit())
            files.add(site.file, site.line, site.module);
}

}  // namespace

void add_source_rows(const SymbolOptions &options, Report &report)
{
    SourceFiles files(options.sysroot, seconds_of_iso(report.run.start));
    add_places(report.callsites, files);
    add_places(report.hot_lines, files);
    report.sources.emplace();
    for (const auto &[name, file] : files.files())
        report.sources->push_back({file.file, file.problem, file.lines});
}

}  // namespace mprof
