// SPDX-License-Identifier: Apache-2.0
#include "spec/nearest.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "base/text.h"

namespace assay {
namespace {

// Longer words are no typing error of anything known; this also bounds the work.
constexpr std::size_t kLongestWord_bytes = 128;

// Levenshtein's distance, one row of its table at a time.
std::size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::optional<std::string> Nearest(std::string_view word, const std::vector<std::string>& known) {
  if (word.size() > kLongestWord_bytes) {
    return std::nullopt;
  }
  std::optional<std::string> nearest;
  std::size_t fewest = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string& candidate : known) {
    const std::size_t edits = EditDistance(word, candidate);
    if (edits < fewest) {
      fewest = edits;
      nearest = candidate;
    }
  }
  return nearest;
}

std::string SuggestOneOf(std::string_view word, const std::vector<std::string>& known) {
  if (const auto nearest = Nearest(word, known)) {
    return fmt::format("did you mean \"{}\"?", *nearest);
  }
  return known.empty() ? "there is none yet" : "choose one of " + Join(known, ", ");
}

}  // namespace assay
