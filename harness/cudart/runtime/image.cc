// SPDX-License-Identifier: Apache-2.0
#include "cudart/runtime/image.h"

#include <cstdint>
#include <cstring>
#include <vector>

#include "cudart/fatbin/cubin.h"
#include "cudart/fatbin/fat_binary.h"
#include "cudart/runtime/cuda_types.h"

namespace assay::gpu::runtime {
namespace {

/// What nvcc puts into `.nvFatBinSegment` and registers.
struct Wrapper {
  std::uint32_t magic;
  std::uint32_t version;
  const void* data;
  const void* name;
};
constexpr std::uint32_t kWrapperMagic = 0x466243B1;

std::uint32_t MagicOf(const void* data) {
  std::uint32_t magic = 0;
  std::memcpy(&magic, data, sizeof magic);
  return magic;
}

DeviceError InvalidImage(const Error& error) {
  return {.code = cudaErrorInvalidKernelImage, .detail = ToString(error)};
}

DeviceResult<FatBinary> ReadRegistered(const void* registered) {
  if (registered == nullptr) {
    return std::unexpected(
        DeviceError{.code = cudaErrorInvalidKernelImage, .detail = "a null fat binary"});
  }
  auto binary = ReadFatBinary(FatBinaryData(registered));
  if (!binary) {
    return std::unexpected(InvalidImage(binary.error()));
  }
  return *std::move(binary);
}

/// Of all kernels that SASS is at hand for. Of several, those for the highest arch that
/// this GPU runs, since that is what a GPU would load.
std::vector<MachineCode> MachineCodeOf(const FatBinary& binary, std::uint32_t compute_capability) {
  const FatEntry* best = nullptr;
  for (const FatEntry& entry : binary.entries) {
    const bool runs = entry.arch <= compute_capability;
    if (entry.kind == FatEntry::Kind::kElf &&
        (best == nullptr ||
         (runs && (best->arch > compute_capability || entry.arch > best->arch)))) {
      best = &entry;
    }
  }
  std::vector<MachineCode> code;
  if (best != nullptr) {
    if (const auto resources = ReadCubin(best->elf)) {
      for (const auto& [kernel, of_kernel] : *resources) {
        code.push_back({.kernel = kernel,
                        .registers = of_kernel.registers,
                        .local_bytes = of_kernel.local_bytes});
      }
    }
  }
  return code;
}

DeviceResult<Image> FromFatBinary(const FatBinary& binary, int compute_capability) {
  const auto arch = static_cast<std::uint32_t>(compute_capability);
  const auto chosen = ChoosePtx(binary, arch);
  if (!chosen) {
    return std::unexpected(
        DeviceError{.code = cudaErrorNoKernelImageForDevice, .detail = ToString(chosen.error())});
  }
  return Image{.ptx = (*chosen)->ptx,
               .arch = static_cast<int>((*chosen)->arch),
               .machine_code = MachineCodeOf(binary, arch)};
}

}  // namespace

const void* FatBinaryData(const void* registered) {
  if (registered != nullptr && MagicOf(registered) == kWrapperMagic) {
    return static_cast<const Wrapper*>(registered)->data;
  }
  return registered;
}

DeviceResult<Image> ReadImage(const Binary& binary, int compute_capability) {
  const auto read = ReadRegistered(binary.wrapper);
  if (!read) {
    return std::unexpected(read.error());
  }
  return FromFatBinary(*read, compute_capability);
}

}  // namespace assay::gpu::runtime
