// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_SPEC_NEAREST_H_
#define ASSAY_SPEC_NEAREST_H_

#include <algorithm>
#include <functional>
#include <iterator>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

/// The one of `known` that `word` most likely meant: the fewest edits, and no more of them than a
/// third of its length. The first of several; nothing when none is near.
[[nodiscard]] std::optional<std::string> Nearest(std::string_view word,
                                                 const std::vector<std::string>& known);

/// What `name` gives of each of `things`: the list for SuggestOneOf.
template <std::ranges::sized_range Things, class Projection>
[[nodiscard]] std::vector<std::string> NamesOf(const Things& things, Projection name) {
  std::vector<std::string> names;
  names.reserve(std::ranges::size(things));
  std::ranges::transform(things, std::back_inserter(names),
                         [&](const auto& thing) { return std::string(std::invoke(name, thing)); });
  return names;
}

/// A remedy: `did you mean "x"?`, or else `choose one of a, b, c`.
[[nodiscard]] std::string SuggestOneOf(std::string_view word,
                                       const std::vector<std::string>& known);

}  // namespace assay

#endif  // ASSAY_SPEC_NEAREST_H_
