// SPDX-License-Identifier: Apache-2.0
#include "gpu/ops/ops.h"

namespace assay::gpu {

#define ASSAY_GPU_DECLARE_SELECTORS(isa)                          \
  namespace isa {                                                 \
  Handlers SelectArithmetic(const ptx::Instruction& instruction); \
  Handlers SelectMemory(const ptx::Instruction& instruction);     \
  Handlers SelectWarp(const ptx::Instruction& instruction);       \
  }

#if defined(__x86_64__)
ASSAY_GPU_DECLARE_SELECTORS(avx2)
ASSAY_GPU_DECLARE_SELECTORS(avx512)
#else
ASSAY_GPU_DECLARE_SELECTORS(portable)
#endif

namespace {

using Selector = Handlers (*)(const ptx::Instruction& instruction);

Handlers FirstOf(const ptx::Instruction& instruction, Selector arithmetic, Selector memory,
                 Selector warp) {
  for (const Selector select : {arithmetic, memory, warp}) {
    const Handlers handlers = select(instruction);
    if (handlers.full != nullptr) {
      return handlers;
    }
  }
  return {};
}

}  // namespace

Handlers SelectHandlers(const ptx::Instruction& instruction) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("x86-64-v4") != 0) {
    return FirstOf(instruction, avx512::SelectArithmetic, avx512::SelectMemory, avx512::SelectWarp);
  }
  if (__builtin_cpu_supports("x86-64-v3") != 0) {
    return FirstOf(instruction, avx2::SelectArithmetic, avx2::SelectMemory, avx2::SelectWarp);
  }
  return {};
#else
  return FirstOf(instruction, portable::SelectArithmetic, portable::SelectMemory,
                 portable::SelectWarp);
#endif
}

}  // namespace assay::gpu
