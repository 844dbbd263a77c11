// SPDX-License-Identifier: Apache-2.0
// Compiled once for each instruction set, which the build names in ASSAY_KERNELS. Nothing here may
// be an inline function with a name that others share: the linker would keep one of them.
#include "machine/machine_kernels.h"

#include <hwy/cache_control.h>
#include <hwy/highway.h>

namespace assay::ASSAY_KERNELS {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

void TriadOrdinary(float* __restrict c, const float* __restrict a, const float* __restrict b,
                   std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    c[i] = a[i] + 3.0F * b[i];
  }
}

void TriadStreaming(float* __restrict c, const float* __restrict a, const float* __restrict b,
                    std::size_t count) {
  const hn::ScalableTag<float> d;
  const auto factor = hn::Set(d, 3.0F);
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    hn::Stream(hn::MulAdd(factor, hn::Load(d, b + i), hn::Load(d, a + i)), d, c + i);
  }
  hwy::FlushStream();
}

using Vector = float __attribute__((vector_size(64)));

/// Twelve independent chains: latency four at two a cycle needs eight, and registers allow for
/// twelve with every vector width.
float FmaChains(std::size_t steps, float seed) {
  constexpr std::size_t kChains = 12;
  Vector chain[kChains];
  for (std::size_t i = 0; i < kChains; ++i) {
    chain[i] = Vector{} + (seed + static_cast<float>(i));
  }
  const Vector factor = Vector{} + 0.999F;
  const Vector addend = Vector{} + 0.001F;
  for (std::size_t step = 0; step < steps; ++step) {
#pragma GCC unroll 12
    for (std::size_t i = 0; i < kChains; ++i) {
      chain[i] = chain[i] * factor + addend;
    }
  }
  Vector sum = {};
  for (const Vector& one : chain) {
    sum += one;
  }
  return sum[0] + sum[15];
}

}  // namespace

const MachineKernels kKernels{
    .triad_ordinary = &TriadOrdinary, .triad_streaming = &TriadStreaming, .fma_chains = &FmaChains};

}  // namespace assay::ASSAY_KERNELS
