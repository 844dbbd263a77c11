// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CUDART_FATBIN_UNPACK_H_
#define ASSAY_CUDART_FATBIN_UNPACK_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace assay::gpu {

/// The `unpacked_bytes` that a zstd frame holds. Nothing when it is damaged or holds another
/// number. Memory grows with what comes out, not with what is promised.
[[nodiscard]] std::optional<std::vector<std::byte>> UnpackZstd(std::span<const std::byte> packed,
                                                               std::uint64_t unpacked_bytes);

/// The same of one LZ4 block.
[[nodiscard]] std::optional<std::vector<std::byte>> UnpackLz4(std::span<const std::byte> packed,
                                                              std::uint64_t unpacked_bytes);

}  // namespace assay::gpu

#endif  // ASSAY_CUDART_FATBIN_UNPACK_H_
