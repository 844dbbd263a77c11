// SPDX-License-Identifier: Apache-2.0
#include "cudart/runtime/lacking_libraries.h"

#include <algorithm>
#include <array>

namespace assay::gpu::runtime {
namespace {

constexpr std::string_view kDriver = "libcuda";

constexpr std::array kLibraries = std::to_array<LackingLibrary>({
    {.file = kDriver, .name = "driver API", .prefix = "cu"},
    {.file = "libcublas", .name = "cuBLAS", .prefix = "cublas"},
    {.file = "libcublasLt", .name = "cuBLAS", .prefix = "cublas"},
    {.file = "libcudnn", .name = "cuDNN", .prefix = "cudnn"},
    {.file = "libcufft", .name = "cuFFT", .prefix = "cufft"},
    {.file = "libcufftw", .name = "cuFFT", .prefix = "fftw"},
    {.file = "libcupti", .name = "CUPTI", .prefix = "cupti"},
    {.file = "libcurand", .name = "cuRAND host API", .prefix = "curand"},
    {.file = "libcusolver", .name = "cuSOLVER", .prefix = "cusolver"},
    {.file = "libcusolverMg", .name = "cuSOLVER", .prefix = "cusolver"},
    {.file = "libcusparse", .name = "cuSPARSE", .prefix = "cusparse"},
    {.file = "libcusparseLt", .name = "cuSPARSE", .prefix = "cusparse"},
    {.file = "libcutensor", .name = "cuTENSOR", .prefix = "cutensor"},
    {.file = "libnccl", .name = "NCCL", .prefix = "nccl"},
    {.file = "libnvidia-ml", .name = "NVML", .prefix = "nvml"},
    {.file = "libnvrtc", .name = "nvrtc", .prefix = "nvrtc"},
});

}  // namespace

const LackingLibrary* FindLackingLibrary(std::string_view file) {
  file.remove_prefix(file.rfind('/') + 1);  // 0 where there is none.
  const std::string_view stem = file.substr(0, file.find('.'));
  const auto* const found = std::ranges::find(kLibraries, stem, &LackingLibrary::file);
  return found == kLibraries.end() ? nullptr : found;
}

bool IsFunctionOf(const LackingLibrary& library, std::string_view function) {
  if (!function.starts_with(library.prefix)) {
    return false;
  }
  function.remove_prefix(library.prefix.size());
  const bool upper = !function.empty() && function.front() >= 'A' && function.front() <= 'Z';
  return library.file != kDriver || upper;
}

}  // namespace assay::gpu::runtime
