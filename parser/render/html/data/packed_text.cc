// Deflate, and not zstd: a page can read it with little code (html/page/inflate.js).
#include "render/html/data/packed_text.h"

#include <new>
#include <vector>

#define ZLIB_CONST  // else zlib would ask for input that it may change
#include <zlib.h>

namespace mprof {
namespace {

// Without a header of zlib or gzip: "deflate-raw".
std::vector<uint8_t> deflated(std::string_view text)
{
    z_stream stream = {};
    if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, -MAX_WBITS, MAX_MEM_LEVEL,
                     Z_DEFAULT_STRATEGY) != Z_OK)
        throw std::bad_alloc();
    std::vector<uint8_t> bytes(deflateBound(&stream, text.size()));
    stream.next_in = reinterpret_cast<const Bytef *>(text.data());
    stream.avail_in = static_cast<uInt>(text.size());
    stream.next_out = bytes.data();
    stream.avail_out = static_cast<uInt>(bytes.size());
    deflate(&stream, Z_FINISH);
    deflateEnd(&stream);
    bytes.resize(stream.total_out);
    return bytes;
}

}  // namespace

std::string base64(std::span<const uint8_t> bytes)
{
    static constexpr std::string_view digits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    for (size_t i = 0; i < bytes.size(); i += 3) {
        uint32_t group = 0;
        for (size_t k = 0; k < 3; k++)
            group = group << 8U | (i + k < bytes.size() ? bytes[i + k] : 0U);
        for (size_t k = 0; k < 4; k++)
            text += i + k <= bytes.size() ? digits[group >> (18U - 6U * k) & 63U] : '=';
    }
    return text;
}

std::string packed_text(std::string_view text)
{
    return base64(deflated(text));
}

}  // namespace mprof
