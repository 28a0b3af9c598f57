// When memory that is free goes back to the system. The C library keeps it for later, in pieces
// that are too small for what a large run needs next.
#pragma once

namespace mprof {

// From now on, each piece of a megabyte or more goes back as soon as it is free. What a block of
// ranks is decompressed into leaves no holes between what is kept then. The C library would stop
// doing so after the first block.
void give_large_memory_back();

// Once: all pages that are free.
void give_free_memory_back();

}  // namespace mprof
