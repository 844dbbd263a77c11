// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CLIENT_POISON_H_
#define ASSAY_CLIENT_POISON_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "wire/protocol.h"

namespace assay {

/// Random bytes that fill outputs and slack before a call: an output that was not written is
/// wrong, and slack that was written shows. One page of them, repeated: what byte belongs at an
/// offset depends on the offset alone. Not a secret from the host, which can read them; they find
/// mistakes, and make stale results useless.
class Poison {
 public:
  explicit Poison(std::uint64_t seed);

  /// Writes arena[offset, offset + size).
  void Fill(std::byte* arena, std::uint64_t offset_bytes, std::uint64_t size_bytes) const;
  /// Offset in the arena of the first byte of [offset, offset + size) that is not poison any more.
  [[nodiscard]] std::optional<std::uint64_t> FirstChange(const std::byte* arena,
                                                         std::uint64_t offset_bytes,
                                                         std::uint64_t size_bytes) const;

 private:
  std::array<std::byte, wire::kPageBytes> page_;
};

/// The next of a stream of well-mixed numbers (splitmix64).
[[nodiscard]] std::uint64_t NextRandom(std::uint64_t* state);

}  // namespace assay

#endif  // ASSAY_CLIENT_POISON_H_
