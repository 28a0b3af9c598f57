// The pages as parser/render/html/page/join_page.py joined them from parser/render/html/page/ when
// mprof was built.
#pragma once

#include <string_view>

namespace mprof {

extern const std::string_view page_template;  // with {{names}} where html_page fills in
// What the pages of mprof report, diff, scale, place, archive and diff --results differ in. Hashes
// are as in a content security policy: sha256-...
struct PageParts {
    std::string_view style, style_hash, script, script_hash;
};
extern const PageParts report_page_parts, diff_page_parts, scale_page_parts, place_page_parts,
    archive_page_parts, results_page_parts;

}  // namespace mprof
