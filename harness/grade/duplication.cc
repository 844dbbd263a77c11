// SPDX-License-Identifier: Apache-2.0
#include "grade/duplication.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "build/cuda_tokens.h"

namespace assay {
namespace {

/// A token by a number of its own; between two sources one that is nowhere else, so that no copy
/// spans both.
std::vector<std::uint32_t> NumberedTokens(std::span<const std::string> sources) {
  std::unordered_map<std::string_view, std::uint32_t> numbers;
  std::vector<std::uint32_t> tokens;
  std::uint32_t next = 0;
  for (const std::string& source : sources) {
    for (const CudaToken& token : CudaTokens(source)) {
      if (token.kind != CudaToken::Kind::kDirectiveEnd) {
        const auto [place, is_new] = numbers.try_emplace(token.text, next);
        next += is_new ? 1 : 0;
        tokens.push_back(place->second);
      }
    }
    tokens.push_back(next++);
  }
  return tokens;
}

/// Hashes of all runs of kLeastCopied_tokens tokens, each from the one before.
std::vector<std::uint64_t> HashesOfRuns(const std::vector<std::uint32_t>& tokens) {
  constexpr std::uint64_t kBase = 0x9E37'79B9'7F4A'7C15;
  std::vector<std::uint64_t> hashes;
  std::uint64_t highest = 1;
  for (std::size_t i = 1; i < kLeastCopied_tokens; ++i) {
    highest *= kBase;
  }
  std::uint64_t hash = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (i >= kLeastCopied_tokens) {
      hash -= highest * (tokens[i - kLeastCopied_tokens] + 1);
    }
    hash = hash * kBase + tokens[i] + 1;
    if (i + 1 >= kLeastCopied_tokens) {
      hashes.push_back(hash);
    }
  }
  return hashes;
}

bool SameRun(const std::vector<std::uint32_t>& tokens, std::size_t a, std::size_t b) {
  const auto at = [&](std::size_t i) { return tokens.begin() + static_cast<std::ptrdiff_t>(i); };
  return std::equal(at(a), at(a + kLeastCopied_tokens), at(b));
}

}  // namespace

double DuplicatedShare(std::span<const std::string> sources) {
  const std::vector<std::uint32_t> tokens = NumberedTokens(sources);
  const std::vector<std::uint64_t> hashes = HashesOfRuns(tokens);
  std::unordered_map<std::uint64_t, std::size_t> first;
  std::size_t copied = 0;
  std::size_t counted_to = 0;  // What lies before is counted.
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    const auto [place, is_new] = first.try_emplace(hashes[i], i);
    // A run that overlaps its first place is a pattern, as of a table, and no copy.
    if (!is_new && place->second + kLeastCopied_tokens <= i && SameRun(tokens, place->second, i)) {
      const std::size_t end = i + kLeastCopied_tokens;
      copied += end - std::max(i, counted_to);
      counted_to = end;
    }
  }
  const std::size_t all = tokens.size() - sources.size();
  return all == 0 ? 0 : static_cast<double>(copied) / static_cast<double>(all);
}

}  // namespace assay
