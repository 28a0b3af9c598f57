// By zlib, which has the same polynomial. A unit test holds it equal to mprof_crc32.
#include "read/file_checksum.h"

#include <zlib.h>

namespace mprof {

uint32_t file_checksum(std::span<const std::byte> bytes)
{
    const auto *data = reinterpret_cast<const Bytef *>(bytes.data());
    return static_cast<uint32_t>(crc32_z(0, data, bytes.size()));
}

}  // namespace mprof
