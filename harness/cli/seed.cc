// SPDX-License-Identifier: Apache-2.0
#include "cli/seed.h"

#include <charconv>
#include <memory>
#include <random>
#include <system_error>

namespace assay {

std::optional<std::uint64_t> ParseSeed(std::string_view word) {
  std::uint64_t seed = 0;
  const char* const begin = std::to_address(word.begin());
  const char* const end = std::to_address(word.end());
  const auto [stop, failure] = std::from_chars(begin, end, seed);
  const bool is_seed = !word.empty() && failure == std::errc() && stop == end;
  return is_seed && seed <= kLargestSeed ? std::optional(seed) : std::nullopt;
}

std::uint64_t FreshSeed() {
  std::random_device device;
  return ((std::uint64_t{device()} << 32U) | device()) & kLargestSeed;
}

}  // namespace assay
