// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CUDART_FATBIN_CUBIN_H_
#define ASSAY_CUDART_FATBIN_CUBIN_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "base/error.h"

namespace assay::gpu {

/// What ptxas gave a kernel on the machine that the cubin is for.
struct CubinResources {
  std::uint32_t registers = 0;            ///< Of a thread, as `ptxas -v` says.
  std::uint64_t static_shared_bytes = 0;  ///< Of a block, without dynamic shared memory.
  std::uint64_t constant_bytes = 0;       ///< Bank 0: the kernel's parameters and what precedes.
  std::uint32_t local_bytes = 0;          ///< Stack frame of a thread.
};

/// By the mangled name of each kernel (and device function that was not inlined).
using ResourcesByKernel = std::map<std::string, CubinResources, std::less<>>;

/// Reads the sections of a cubin, an ELF file of 64 bits: registers are an attribute in `.nv.info`
/// and, before sm_90, also the upper byte of sh_info of `.text.<kernel>`. Pure and thread-safe; an
/// error for what is no such file. Source: cubins of nvcc 13.0 compared with `ptxas -v`.
[[nodiscard]] Result<ResourcesByKernel> ReadCubin(std::span<const std::byte> elf);

}  // namespace assay::gpu

#endif  // ASSAY_CUDART_FATBIN_CUBIN_H_
