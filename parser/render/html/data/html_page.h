// The frame of the pages of mprof report and mprof diff: one template, one style, a script each.
#pragma once

#include "render/html/data/html_columns.h"
#include "render/html/data/page_parts.h"

#include <string>

namespace mprof {

struct PageContent {
    std::string version, title;
    std::string program, scale;  // in the bar at the top
    std::string head;            // markup
    std::string text;            // the text report
    Json data;                   // what the script draws
    std::string document;        // what the JSON button saves; "": it would be too large
    std::string json_command;    // that writes the document instead
};

// A page has room for a document that is so large when it is packed: some 500 to 1,000 ranks.
inline constexpr size_t most_document_bytes = 300'000;
// So many rows of ranks and of pairs of them are more than that, and take long to write.
inline constexpr size_t most_document_rows = 16'000;

// 80 columns are what phones, mails and terminals have room for.
inline constexpr size_t page_text_width = 80;

std::string html_page(const PageContent &content, const PageParts &parts);

}  // namespace mprof
