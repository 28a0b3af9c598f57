/* What the stand-in for CUDA's driver and the tests' programs agree on. */
#ifndef FAKE_CUDA_H
#define FAKE_CUDA_H

struct stream;
typedef int sync_function(struct stream *stream);

enum { NOT_READY = 600, NOT_FOUND = 500, PER_THREAD = 2 };
#define BYTES_PER_S 1e9  /* of a copy */
#define LAUNCH_NS 100000 /* that a launch takes */
#define QUERY_NS 2000    /* that it takes to ask whether a stream has ended */
#define LOAD_NS 20000000 /* that code takes to load */

#endif
