// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_GPU_SUITE_TESTHOSTS_SCALE_H_
#define ASSAY_GPU_SUITE_TESTHOSTS_SCALE_H_

#include <cstddef>
#include <cstdint>

struct CUstream_st;

extern "C" {

/// y[r][i] = 2 x[r][i] for rows of `columns`, `stride` apart in x and dense in y, in device memory.
/// `mode` is a Mode: how to get that wrong. Returns 0, 2 for Mode::kRefuses, or 4 after a CUDA
/// error.
int scale_rows(std::size_t rows, std::size_t columns, const float* x, std::size_t stride, float* y,
               float* workspace, std::int32_t mode, CUstream_st* stream);
}

enum class Mode : std::int32_t {
  kRight = 0,
  kWrong,
  kLeavesLast,
  kRace,  ///< Two warps write one word of shared memory.
  kReadsPastEnd,
  kReadsGap,        ///< Between rows, and what is there counts for nothing.
  kReadsOutput,     ///< Before it is written.
  kReadsWorkspace,  ///< Which nobody has written.
  kWritesInput,     ///< And in vain: the output is right.
  kWritesGap,
  kUnsupported,  ///< A kernel with an instruction that the emulated GPU lacks.
  kEndless,
  kOutOfMemory,
  kSideStream,    ///< Work on a stream that nobody waits for.
  kDereferences,  ///< A device pointer, on the host.
  kRefuses,
  kTraps,
  kTwice,  ///< Launches the kernel twice.
  kFreesInput,
  kKeeps,             ///< 4,096 bytes of device memory.
  kJoinedSideStream,  ///< Its stream waits for another, which has not waited for it.
  kAsksStream,        ///< Takes a stream that has work for one that failed.
  kTexture,           ///< Asks for a function that the emulated runtime lacks, and gives up.
};

#endif  // ASSAY_GPU_SUITE_TESTHOSTS_SCALE_H_
