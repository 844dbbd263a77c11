// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_MACHINE_MACHINE_KERNELS_H_
#define ASSAY_MACHINE_MACHINE_KERNELS_H_

#include <cstddef>

namespace assay {

/// The loops whose speed is the limit of a machine, compiled for one instruction set.
struct MachineKernels {
  using Triad = void(float* __restrict c, const float* __restrict a, const float* __restrict b,
                     std::size_t count);
  Triad* triad_ordinary;
  /// Stores past the caches: the line written is not read first. `count` is a multiple of 16 and
  /// the arrays are aligned to 64 bytes.
  Triad* triad_streaming;
  /// `steps` steps of kFlopsPerFmaStep operations.
  float (*fma_chains)(std::size_t steps, float seed);
};
inline constexpr double kFlopsPerFmaStep = 12.0 * 16.0 * 2.0;

// Of a build for this machine alone.
namespace native {
extern const MachineKernels kKernels;
}
// Of a build for any (ASSAY_PORTABLE): x86-64-v3, and x86-64-v4.
namespace v3 {
extern const MachineKernels kKernels;
}
namespace v4 {
extern const MachineKernels kKernels;
}

}  // namespace assay

#endif  // ASSAY_MACHINE_MACHINE_KERNELS_H_
