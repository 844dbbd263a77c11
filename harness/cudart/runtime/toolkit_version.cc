// SPDX-License-Identifier: Apache-2.0
#include "cudart/runtime/toolkit_version.h"

#include <fmt/format.h>

#include <charconv>

#include "cudart/fatbin/fat_binary.h"

namespace assay::gpu::runtime {

std::string ToString(ToolkitVersion version) {
  return fmt::format("{}.{}", version.major, version.minor);
}

std::optional<ToolkitVersion> ReadToolkitVersion(std::string_view text) {
  ToolkitVersion version;
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  auto read = std::from_chars(begin, end, version.major);
  if (read.ec == std::errc() && read.ptr != end && *read.ptr == '.') {
    read = std::from_chars(read.ptr + 1, end, version.minor);
  }
  return read.ec == std::errc() && read.ptr == end ? std::optional(version) : std::nullopt;
}

std::optional<ToolkitVersion> ToolkitOf(const void* data) {
  const auto ptx = HighestPtxVersion(data);
  if (!ptx) {
    return std::nullopt;
  }
  // PTX 7.0 came with CUDA 11.0, 8.0 with 12.0, 9.0 with 13.0, and most minors alike; 8.6 skipped
  // one (PTX ISA, "Release Notes").
  constexpr int kAhead = 4;
  auto minor = static_cast<int>(ptx->minor);
  if (ptx->major == 8 && minor > 5) {
    ++minor;
  }
  return ToolkitVersion{.major = static_cast<int>(ptx->major) + kAhead, .minor = minor};
}

}  // namespace assay::gpu::runtime
