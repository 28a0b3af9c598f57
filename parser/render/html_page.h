// The frame of the pages of mprof report and mprof diff: one template, one style, a script each.
#pragma once

#include "render/html_columns.h"

#include <string>
#include <string_view>

namespace mprof {

struct PageContent {
    std::string version, title;
    std::string program, scale;                               // in the bar at the top
    std::string head;                                         // markup
    std::string text;                                         // the text report
    Json data;                                                // what the script draws
    std::string_view style, style_hash, script, script_hash;  // page_parts.h
};

// 80 columns are what phones, mails and terminals have room for.
inline constexpr size_t page_text_width = 80;

std::string html_page(const PageContent &content);

}  // namespace mprof
