// The frame of the pages of mprof report and mprof diff: one template, one style, a script each.
#pragma once

#include "render/html_columns.h"
#include "render/page_parts.h"

#include <string>

namespace mprof {

struct PageContent {
    std::string version, title;
    std::string program, scale;  // in the bar at the top
    std::string head;            // markup
    std::string text;            // the text report
    Json data;                   // what the script draws
};

// 80 columns are what phones, mails and terminals have room for.
inline constexpr size_t page_text_width = 80;

std::string html_page(const PageContent &content, const PageParts &parts);

}  // namespace mprof
