// libFuzzer target: a merged file, or that of a node. The first byte chooses between two uses of
// the input: as it is, or as the content of a block. In the second case everything around it is
// right.
#include "fuzz_input.h"

#include "merge/folder_reader.h"
#include "merge/merged_file.h"
#include "mprof/format/format.h"

#include <cstring>
#include <zstd.h>

namespace {

using Bytes = std::vector<std::byte>;

template <class Record>
void append(Bytes &bytes, const Record &record)
{
    const auto *begin = reinterpret_cast<const std::byte *>(&record);
    bytes.insert(bytes.end(), begin, begin + sizeof record);
}

Bytes around(std::span<const std::byte> content, uint32_t members)
{
    Bytes stored(ZSTD_compressBound(content.size()));
    stored.resize(ZSTD_compress(stored.data(), stored.size(), content.data(), content.size(), 1));
    mprof_merged_header header = {};
    std::memcpy(header.magic, MPROF_MERGED_MAGIC, MPROF_MAGIC_BYTES);
    header.major = MPROF_FORMAT_MAJOR;
    header.minor = MPROF_FORMAT_MINOR;
    header.block_count = 1;
    while (stored.size() % 8 != 0)
        stored.push_back(std::byte{0});
    header.directory_offset = sizeof header + stored.size();
    header.file_bytes = header.directory_offset + sizeof(mprof_merged_block);
    mprof_merged_block block = {};
    block.offset = sizeof header;
    block.stored_bytes = stored.size();
    block.content_bytes = content.size();
    block.members = members;
    block.checksum = mprof_crc32(stored.data(), stored.size());
    header.directory_checksum = mprof_crc32(&block, sizeof block);
    header.header_checksum = mprof_crc32(&header, sizeof header);
    Bytes file;
    append(file, header);
    file.insert(file.end(), stored.begin(), stored.end());
    append(file, block);
    return file;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    const auto content = mprof_fuzz::as_bytes(data + 1, size - 1);
    const bool as_it_is = data[0] == 0;
    const mprof_fuzz::InputFile file(as_it_is ? Bytes(content.begin(), content.end())
                                              : around(content, data[0] % 16));
    const auto profile = mprof::read_profile(file.path(), false);
    if (!profile.ok())
        mprof_fuzz::expect_printable(describe(profile.error()));
    return 0;
}
