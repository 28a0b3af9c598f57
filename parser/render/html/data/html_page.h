// The frame of all pages: one template, one style, a script each; and these parts, as join_page.py
// made them when mprof was built.
#pragma once

#include "render/html/data/html_columns.h"

#include <string>
#include <string_view>

namespace mprof {

// The pages as parser/render/html/page/join_page.py joined them from parser/render/html/page/ when
// mprof was built.
extern const std::string_view page_template;  // with {{names}} where html_page fills in
// What the pages of mprof report, diff, scale, place, archive and diff --results differ in. Hashes
// are as in a content security policy: sha256-...
struct PageParts {
    std::string_view style, style_hash, script, script_hash;
};
extern const PageParts report_page_parts, diff_page_parts, scale_page_parts, place_page_parts,
    archive_page_parts, results_page_parts;

// The frame of the pages of mprof report and mprof diff: one template, one style, a script each.
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
