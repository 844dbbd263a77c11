// SPDX-License-Identifier: Apache-2.0
// Which instruction sets are linked, for the sources that define ArithmeticVariants and its like:
// a source each, so that a test's rig can link one group of handlers without the others.
#ifndef ASSAY_EMULATOR_OPS_BUILT_VARIANTS_H_
#define ASSAY_EMULATOR_OPS_BUILT_VARIANTS_H_

#include <algorithm>

#include "emulator/ops/variants.h"

// CMakeLists.txt defines ASSAY_GPU_HAS_<ISA>.
#if defined(ASSAY_GPU_HAS_AVX512)
#define ASSAY_GPU_IF_AVX512(X) X(avx512, Vectors::kAvx512)
#else
#define ASSAY_GPU_IF_AVX512(X)
#endif
#if defined(ASSAY_GPU_HAS_AVX2)
#define ASSAY_GPU_IF_AVX2(X) X(avx2, Vectors::kAvx2)
#else
#define ASSAY_GPU_IF_AVX2(X)
#endif

/// X(namespace, vectors) for each, the widest first.
#define ASSAY_GPU_EACH_ISA(X) ASSAY_GPU_IF_AVX512(X) ASSAY_GPU_IF_AVX2(X)

namespace assay::gpu {

/// Those of `built`, sorted by falling width, that `machine` can run.
inline std::span<const HandlerVariant> RunnableOf(std::span<const HandlerVariant> built,
                                                  Vectors machine) {
  const auto first = std::ranges::find_if(
      built, [&](const HandlerVariant& each) { return each.vectors <= machine; });
  return built.subspan(static_cast<std::size_t>(first - built.begin()));
}

}  // namespace assay::gpu

#endif  // ASSAY_EMULATOR_OPS_BUILT_VARIANTS_H_
