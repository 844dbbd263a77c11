// SPDX-License-Identifier: Apache-2.0
#include "client/poison.h"

#include <algorithm>
#include <cstring>

namespace assay {
namespace {

/// Calls `visit(arena offset, page offset, length)` for the parts of a range that lie within one
/// page each, until it returns false.
template <class Visit>
void ForEachPage(std::uint64_t offset_bytes, std::uint64_t size_bytes, Visit visit) {
  const std::uint64_t end = offset_bytes + size_bytes;
  while (offset_bytes < end) {
    const std::uint64_t within = offset_bytes % wire::kPageBytes;
    const std::uint64_t length = std::min(wire::kPageBytes - within, end - offset_bytes);
    if (!visit(offset_bytes, within, length)) {
      return;
    }
    offset_bytes += length;
  }
}

}  // namespace

std::uint64_t NextRandom(std::uint64_t* state) {
  std::uint64_t z = (*state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

Poison::Poison(std::uint64_t seed) {
  for (std::size_t i = 0; i < page_.size(); i += sizeof(std::uint64_t)) {
    const std::uint64_t random = NextRandom(&seed);
    std::memcpy(page_.data() + i, &random, sizeof random);
  }
}

void Poison::Fill(std::byte* arena, std::uint64_t offset_bytes, std::uint64_t size_bytes) const {
  ForEachPage(offset_bytes, size_bytes,
              [&](std::uint64_t offset, std::uint64_t within, std::uint64_t length) {
                std::memcpy(arena + offset, page_.data() + within, length);
                return true;
              });
}

std::optional<std::uint64_t> Poison::FirstChange(const std::byte* arena, std::uint64_t offset_bytes,
                                                 std::uint64_t size_bytes) const {
  std::optional<std::uint64_t> first;
  ForEachPage(offset_bytes, size_bytes,
              [&](std::uint64_t offset, std::uint64_t within, std::uint64_t length) {
                const std::byte* want = page_.data() + within;
                const std::byte* got = arena + offset;
                if (std::memcmp(got, want, length) == 0) {
                  return true;
                }
                // A hostile host may change the bytes while they are read: then the end of the
                // range is as good an answer as any.
                const std::byte* at = std::mismatch(got, got + length, want).first;
                first = offset + static_cast<std::uint64_t>(at - got);
                return false;
              });
  return first;
}

}  // namespace assay
