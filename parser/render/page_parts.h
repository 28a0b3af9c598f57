// The pages as parser/html/join_page.py joined them from parser/html/ when mprof was built.
#pragma once

#include <string_view>

namespace mprof {

extern const std::string_view page_template;  // with {{names}} where html_page fills in
extern const std::string_view page_style;
extern const std::string_view page_diff_style;
extern const std::string_view page_script;       // of mprof report
extern const std::string_view page_diff_script;  // of mprof diff
extern const std::string_view page_style_hash;   // as in a content security policy: sha256-...
extern const std::string_view page_diff_style_hash;
extern const std::string_view page_script_hash;
extern const std::string_view page_diff_script_hash;

}  // namespace mprof
