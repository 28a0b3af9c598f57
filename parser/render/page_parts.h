// The pages as parser/html/join_page.py joined them from parser/html/ when mprof was built.
#pragma once

#include <string_view>

namespace mprof {

extern const std::string_view page_template;  // with {{names}} where html_page fills in
// What the pages of mprof report and mprof diff differ in; hashes as in a content security policy:
// sha256-...
struct PageParts {
    std::string_view style, style_hash, script, script_hash;
};
extern const PageParts report_page_parts, diff_page_parts;

}  // namespace mprof
