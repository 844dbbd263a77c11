// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CLIENT_FRAMES_H_
#define ASSAY_CLIENT_FRAMES_H_

#include <cstddef>
#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <vector>

#include "client/host.h"
#include "client/invocation.h"
#include "wire/protocol.h"

namespace assay {

/// The messages of a host, checked. Each function takes a private copy of exactly as many bytes as
/// the frame says it has, believes none of them, and returns plain values or what is malformed.
/// Pure; safe for any input.
template <class T>
using Parsed = std::expected<T, std::string>;

/// Version, number of operations, names (1 to 63 of `a-z A-Z 0-9 _`, distinct), parameters; the
/// first is assay_nop.
[[nodiscard]] Parsed<std::vector<OperationInfo>> ParseHello(std::span<const std::byte> frame);

/// A tensor that a host says it saved, somewhere in the save area.
struct SavedRange {
  std::string name;
  std::uint64_t offset_bytes = 0;
  std::uint64_t size_bytes = 0;
};
struct ReturnInfo {
  int status = 0;
  std::vector<SavedRange> saved;  ///< Inside the area, within the limits, not overlapping.
};
/// `area_bytes`: size of the save area; 0 when the operation may not save.
[[nodiscard]] Parsed<ReturnInfo> ParseReturn(std::span<const std::byte> frame,
                                             const SaveLimits& limits, std::uint64_t area_bytes);

struct UpcallInfo {
  std::uint32_t id = 0;
  std::vector<wire::UpcallBuffer> inputs;  ///< Inside the area.
  std::vector<wire::UpcallBuffer> outputs;
};
[[nodiscard]] Parsed<UpcallInfo> ParseUpcall(std::span<const std::byte> frame,
                                             std::uint64_t area_bytes);

/// The size of a message to the device, which is at most wire::kDeviceMessageBytes.
[[nodiscard]] Parsed<std::uint64_t> ParseDeviceCall(std::span<const std::byte> frame);

}  // namespace assay

#endif  // ASSAY_CLIENT_FRAMES_H_
