// SPDX-License-Identifier: Apache-2.0
#include "emulator/memory/written_bits.h"

#include <sys/mman.h>

#include <vector>

namespace assay::gpu {
namespace {

constexpr std::uint64_t kPageBytes = 4096;

void SetBit(std::byte* bits, std::uint64_t bit) {
  bits[bit / 8] |= static_cast<std::byte>(1U << (bit % 8));
}

}  // namespace

void SetBits(std::byte* bits, std::uint64_t first, std::uint64_t count) {
  std::uint64_t bit = first;
  const std::uint64_t end = first + count;
  for (; bit < end && bit % 8 != 0; ++bit) {
    SetBit(bits, bit);
  }
  if (end / 8 > bit / 8) {
    std::memset(bits + bit / 8, 0xff, end / 8 - bit / 8);
    bit = end / 8 * 8;
  }
  for (; bit < end; ++bit) {
    SetBit(bits, bit);
  }
}

void ClearBits(std::byte* bits, std::uint64_t first, std::uint64_t count) {
  std::uint64_t byte = first / 8;
  const std::uint64_t end = byte + count / 8;
  const std::uint64_t first_page = (byte + kPageBytes - 1) / kPageBytes * kPageBytes;
  const std::uint64_t end_page = end / kPageBytes * kPageBytes;
  if (first_page < end_page) {
    std::memset(bits + byte, 0, first_page - byte);
    madvise(bits + first_page, end_page - first_page, MADV_DONTNEED);
    byte = end_page;
  }
  std::memset(bits + byte, 0, end - byte);
}

void CopyBits(std::byte* bits, std::uint64_t to, std::uint64_t from, std::uint64_t count) {
  const bool aligned = from % 8 == 0 && to % 8 == 0;
  const std::uint64_t whole = aligned ? count / 8 * 8 : 0;
  // Read before the whole bytes move, which may be to where these are.
  std::vector<bool> rest(count - whole);
  for (std::uint64_t i = 0; i < rest.size(); ++i) {
    const std::uint64_t bit = from + whole + i;
    rest[i] = ((static_cast<unsigned>(bits[bit / 8]) >> (bit % 8)) & 1U) != 0;
  }
  if (whole > 0) {
    std::memmove(bits + to / 8, bits + from / 8, whole / 8);
  }
  for (std::uint64_t i = 0; i < rest.size(); ++i) {
    const std::uint64_t at = to + whole + i;
    const auto bit = static_cast<std::byte>(1U << (at % 8));
    std::byte& byte = bits[at / 8];
    byte = rest[i] ? byte | bit : byte & ~bit;
  }
}

}  // namespace assay::gpu
