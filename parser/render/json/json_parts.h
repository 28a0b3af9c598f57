// What the JSON documents of a report and of a comparison share.
#pragma once

#include "render/json/row_json.h"

#include <string>

namespace mprof {

inline Json or_null(const std::string &text)
{
    return text.empty() ? Json(nullptr) : Json(text);
}
template <class T>
Json or_null(const std::optional<T> &value)
{
    return value ? Json(*value) : Json(nullptr);
}

// A whole document as text. Numbers are rounded to 12 digits, text that is not UTF-8 gets U+FFFD.
std::string json_text(Json document);

}  // namespace mprof
