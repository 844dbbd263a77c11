// SPDX-License-Identifier: Apache-2.0
#include "spec/nearest.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

#include "base/text.h"

namespace assay {
namespace {

// Longer words are no typing error of anything known; this also bounds the work.
constexpr std::size_t kLongestWord_bytes = 128;

// Fewest insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`
// (optimal string alignment), keeping three rows of its table.
std::size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::swap(before, last);
    std::swap(last, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({replaced, row[j - 1] + 1, last[j] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
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
