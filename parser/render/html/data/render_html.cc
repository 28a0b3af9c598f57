#include "render/html/data/render_html.h"

#include "render/html/data/html_data.h"
#include "render/html/data/html_head.h"
#include "render/html/data/html_page.h"
#include "render/json/render_json.h"
#include "render/text/render_text.h"

namespace mprof {

std::string render_html(const Report &report)
{
    PageContent content;
    content.version = report.version;
    content.title = page_title(report);
    content.program = program_label(report.run);
    content.scale = scale_label(report.run);
    content.head = html_head(report);
    content.text = render_text(report, page_text_width);
    content.data = html_data(report);
    if (report.ranks.size() + report.matrix.size() <= most_document_rows)
        content.document = render_json(report);
    content.json_command = "mprof report FOLDER --json FILE";
    return html_page(content, report_page_parts);
}

}  // namespace mprof
