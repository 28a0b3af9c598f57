// By zlib, which has the same polynomial as mprof_crc32; a unit test holds them equal. Making a
// context of zstd takes longer than a small section: each thread keeps one.
#include "read/file_coding.h"

#include <fmt/format.h>
#include <memory>
#include <stdexcept>
#include <zlib.h>
#include <zstd.h>

namespace mprof {

std::optional<std::string> decompress(std::span<const std::byte> stored,
                                      std::span<std::byte> content,
                                      std::span<const std::byte> dictionary)
{
    thread_local const std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> context(
        ZSTD_createDCtx(), ZSTD_freeDCtx);
    const size_t got =
        ZSTD_decompress_usingDict(context.get(), content.data(), content.size(), stored.data(),
                                  stored.size(), dictionary.data(), dictionary.size());
    if (ZSTD_isError(got) != 0)
        return ZSTD_getErrorName(got);
    if (got != content.size())
        return fmt::format("{} bytes", got);
    return std::nullopt;
}

std::vector<std::byte> decompress_begin(std::span<const std::byte> stored, size_t most)
{
    const std::unique_ptr<ZSTD_DStream, decltype(&ZSTD_freeDStream)> stream(ZSTD_createDStream(),
                                                                            ZSTD_freeDStream);
    std::vector<std::byte> content(most);
    ZSTD_inBuffer from = {stored.data(), stored.size(), 0};
    ZSTD_outBuffer to = {content.data(), content.size(), 0};
    for (size_t left = 1, before = SIZE_MAX; left != 0 && to.pos < to.size && to.pos != before;) {
        before = from.pos < from.size ? SIZE_MAX : to.pos;
        left = ZSTD_decompressStream(stream.get(), &to, &from);
        if (ZSTD_isError(left) != 0)
            break;
    }
    content.resize(to.pos);
    return content;
}

std::vector<std::byte> compress(std::span<const std::byte> content)
{
    constexpr int level = 6;  // beyond, blocks of rank files hardly become smaller
    thread_local const std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context(
        ZSTD_createCCtx(), ZSTD_freeCCtx);
    std::vector<std::byte> stored(ZSTD_compressBound(content.size()));
    const size_t bytes = ZSTD_compressCCtx(context.get(), stored.data(), stored.size(),
                                           content.data(), content.size(), level);
    if (ZSTD_isError(bytes) != 0)
        throw std::runtime_error(ZSTD_getErrorName(bytes));
    stored.resize(bytes);
    return stored;
}

uint32_t file_checksum(std::span<const std::byte> bytes)
{
    const auto *data = reinterpret_cast<const Bytef *>(bytes.data());
    return static_cast<uint32_t>(crc32_z(0, data, bytes.size()));
}

}  // namespace mprof
