// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CLI_SEED_H_
#define ASSAY_CLI_SEED_H_

#include <cstdint>
#include <optional>
#include <string_view>

namespace assay {

/// Seeds stand in evidence, which JavaScript and jq read: there a number has 53 bits.
inline constexpr std::uint64_t kLargestSeed = (std::uint64_t{1} << 53U) - 1;

/// What a seed must be, for people.
inline constexpr std::string_view kSeedRule = "a seed is a whole number from 0 to 2^53 - 1";

/// A whole number of at most kLargestSeed and nothing else; or nothing.
[[nodiscard]] std::optional<std::uint64_t> ParseSeed(std::string_view word);

/// From the kernel's generator: nobody can prepare for the inputs. At most kLargestSeed.
[[nodiscard]] std::uint64_t FreshSeed();

}  // namespace assay

#endif  // ASSAY_CLI_SEED_H_
