// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CUDART_FATBIN_BYTES_H_
#define ASSAY_CUDART_FATBIN_BYTES_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>

namespace assay::gpu {

/// The little-endian value at `offset` of `bytes`, wherever it is aligned; 0 where `bytes` ends
/// before it does.
template <class T>
  requires std::is_integral_v<T>
[[nodiscard]] T ReadAt(std::span<const std::byte> bytes, std::uint64_t offset) {
  T value = 0;
  if (offset <= bytes.size() && bytes.size() - offset >= sizeof(T)) {
    std::memcpy(&value, bytes.data() + offset, sizeof(T));
  }
  return value;
}

/// `size` bytes at `offset`; nothing when `bytes` does not have them.
[[nodiscard]] inline std::optional<std::span<const std::byte>> Slice(
    std::span<const std::byte> bytes, std::uint64_t offset, std::uint64_t size) {
  if (offset > bytes.size() || bytes.size() - offset < size) {
    return std::nullopt;
  }
  return bytes.subspan(offset, size);
}

/// The text at `offset` up to its zero, or up to the end of `bytes`.
[[nodiscard]] inline std::string_view TextAt(std::span<const std::byte> bytes,
                                             std::uint64_t offset) {
  if (offset >= bytes.size()) {
    return {};
  }
  // char may alias the bytes of any object.
  const auto* const text = reinterpret_cast<const char*>(bytes.data()) + offset;
  return {text, ::strnlen(text, bytes.size() - offset)};
}

}  // namespace assay::gpu

#endif  // ASSAY_CUDART_FATBIN_BYTES_H_
