// What becomes smaller on the way: digits, columns of one value, columns of nothing.
#include "render/html/data/html_columns.h"

#include "read/printable_text.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>

namespace mprof {

Json page_value(double value, int digits)
{
    if (!std::isfinite(value))
        return nullptr;
    const double short_value = std::strtod(fmt::format("{:.{}g}", value, digits).c_str(), nullptr);
    // 5, not 5.0; but 1.23e+11, not 123000000000.
    const double shorter_than_exponent = std::pow(10, std::max(digits + 4, 8));
    if (std::abs(short_value) < shorter_than_exponent && short_value == std::floor(short_value))
        return static_cast<int64_t>(short_value);
    return short_value;
}

Json page_value(const std::string &text, int /*digits*/)
{
    return text.empty() ? Json(nullptr) : Json(printable_utf8(text));
}

size_t TextNumbers::number(const std::string &text)
{
    const auto [at, is_new] = numbers_.try_emplace(text, texts_.size());
    if (is_new)
        texts_.push_back(text);
    return at->second;
}

Json TextNumbers::json() const
{
    Json texts = Json::array();
    for (const std::string &text : texts_)
        texts.push_back(page_value(text));
    return texts;
}

void HtmlColumns::add(const std::string &name, Json values)
{
    const bool same = std::all_of(values.begin(), values.end(),
                                  [&](const Json &value) { return value == values.front(); });
    if (!same)
        columns_[name] = std::move(values);
    else if (!values.empty() && !values.front().is_null())
        columns_[name] = values.front();
}

}  // namespace mprof
