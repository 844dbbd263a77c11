// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CUDART_RUNTIME_TOOLKIT_VERSION_H_
#define ASSAY_CUDART_RUNTIME_TOOLKIT_VERSION_H_

#include <compare>
#include <optional>
#include <string>
#include <string_view>

namespace assay::gpu::runtime {

/// A CUDA toolkit: 11.8 is {11, 8}.
struct ToolkitVersion {
  int major = 0;
  int minor = 0;
  auto operator<=>(const ToolkitVersion&) const = default;
};
/// `11.8`
[[nodiscard]] std::string ToString(ToolkitVersion version);
/// Of `11.8`; `13` is 13.0. Nothing for other text.
[[nodiscard]] std::optional<ToolkitVersion> ReadToolkitVersion(std::string_view text);

/// The toolkit whose nvcc wrote a fat binary that a program registers: by the PTX version in it,
/// which is 7.8 from 11.8, 8.x from 12 and 9.x from 13. PTX 8.5 is of 12.5 and of 12.6. Nothing for
/// one without PTX. `data` as HighestPtxVersion has it.
[[nodiscard]] std::optional<ToolkitVersion> ToolkitOf(const void* data);

}  // namespace assay::gpu::runtime

#endif  // ASSAY_CUDART_RUNTIME_TOOLKIT_VERSION_H_
