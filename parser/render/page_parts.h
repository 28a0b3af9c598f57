// The page as parser/html/join_page.py joined it from parser/html/ when mprof was built.
#pragma once

#include <string_view>

namespace mprof {

extern const std::string_view page_template;  // with {{names}} where render_html fills in
extern const std::string_view page_style;
extern const std::string_view page_script;
extern const std::string_view page_style_hash;  // as in a content security policy: sha256-...
extern const std::string_view page_script_hash;

}  // namespace mprof
