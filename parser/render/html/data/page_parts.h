// The pages as parser/render/html/page/join_page.py joined them from parser/render/html/page/ when
// mprof was built.
#pragma once

#include <string_view>

namespace mprof {

extern const std::string_view page_template;  // with {{names}} where html_page fills in
// The script that unpacks that of a page. Hashes are as in a content security policy: sha256-...
extern const std::string_view page_start, page_start_hash;
// What the pages of mprof report, diff, scale, place, archive and diff --results differ in. The
// script is packed (packed_text.h), its hash is that of its text.
struct PageParts {
    std::string_view style, style_hash, script, script_hash;
};
extern const PageParts report_page_parts, diff_page_parts, scale_page_parts, place_page_parts,
    archive_page_parts, results_page_parts;

}  // namespace mprof
