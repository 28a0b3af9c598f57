// Shows a page in the user's browser.
#pragma once

#include <string>

namespace mprof {

// Opens the file in $BROWSER, or by xdg-open where there is a display. Else, or if that fails, a
// line on standard error says where the page is.
void open_page(const std::string &path);

}  // namespace mprof
