// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_GPU_SERVER_TESTHOSTS_SUBMISSION_H_
#define ASSAY_GPU_SERVER_TESTHOSTS_SUBMISSION_H_

#include <cstddef>
#include <cstdint>

struct CUstream_st;

// What the CUDA submission of these tests does. Each function returns the first cudaError_t that it
// got.

extern "C" {

/// sum[i] = a[i] + b[i].
int vector_add(const float* a, const float* b, float* sum, std::uint64_t count);
/// *total = the sum of `values`, by a tree in shared memory and one atomic addition a block.
int vector_total(const float* values, std::uint64_t count, float* total);
/// As vector_add, on a thread of its own.
int vector_add_on_a_thread(const float* a, const float* b, float* sum, std::uint64_t count);
/// As vector_add, with a kernel that also reads one element past the end of `a`.
int vector_add_off_by_one(const float* a, const float* b, float* sum, std::uint64_t count);
/// Whether a static constructor got device memory, which is 0.
int allocated_at_start();
/// Each of `count` threads prints a line.
int print_much(std::uint32_t count);

/// sum[i] = a[i] + b[i] in device memory that is the caller's, on a stream, without waiting.
int vector_add_on_stream(const float* a, const float* b, float* sum, std::uint64_t count,
                         CUstream_st* stream);
/// The same on a stream of its own, which nothing is ordered behind.
int vector_add_on_side_stream(const float* a, const float* b, float* sum, std::uint64_t count,
                              CUstream_st* stream);
/// The same on the stream, without the last element.
int vector_add_all_but_one(const float* a, const float* b, float* sum, std::uint64_t count,
                           CUstream_st* stream);
/// Calls a function that the emulated GPU lacks.
int make_texture();

// What no grader should fall over.

/// Reads device memory as if it were the host's.
int dereference_on_host(float* value);
int allocate(std::uint64_t size_bytes);
/// Allocates until it fails; how often it did not.
int allocate_without_end(std::uint64_t size_bytes, std::uint32_t* count);
/// One kernel that never ends.
int run_forever();
/// Short kernels without end.
int launch_forever();
/// Device memory that nobody frees.
int leak(std::uint64_t size_bytes);
/// Asks for device memory on a thread, once the test has the reply.
int launch_late();
/// What launch_late got; 0 while it got nothing.
int late_error();
/// Sends random bytes where the runtime's messages go, until the process ends.
int send_garbage(std::uint64_t seed);

/// Calls `act` on a thread once the test has the reply (GoAhead in client/testhosts/control.h), and
/// then says "acted".
void act_after_the_reply(void (*act)());
}

#endif  // ASSAY_GPU_SERVER_TESTHOSTS_SUBMISSION_H_
