// SPDX-License-Identifier: Apache-2.0
#include "cli/challenge_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "spec/nearest.h"

namespace assay {
namespace {

bool IsOf(const Error& fault, const std::string& challenge) {
  return fault.where.starts_with("challenges/" + challenge + "/");
}

}  // namespace

Checked<std::vector<const ChallengeSpec*>> SelectChallenges(const LoadedRepository& loaded,
                                                            const std::vector<std::string>& words) {
  const auto is_named = [&words](const std::string& id) {
    return words.empty() || std::ranges::find(words, id) != words.end();
  };
  Errors errors;
  for (const Error& fault : loaded.faults) {
    if (fault.where.starts_with("challenges/") &&
        (words.empty() ||
         std::ranges::any_of(words, [&](const std::string& word) { return IsOf(fault, word); }))) {
      errors.push_back(fault);
    }
  }
  std::vector<const ChallengeSpec*> selected;
  for (const ChallengeSpec& challenge : loaded.repository.challenges) {
    if (is_named(challenge.id)) {
      selected.push_back(&challenge);
    }
  }
  for (const std::string& word : words) {
    const bool at_fault =
        std::ranges::any_of(errors, [&](const Error& fault) { return IsOf(fault, word); });
    if (FindChallenge(loaded.repository, word) == nullptr && !at_fault) {
      errors.push_back({.kind = ErrorKind::kConfiguration,
                        .where = {},
                        .cause = fmt::format("there is no challenge \"{}\"", word),
                        .remedy = SuggestOneOf(
                            word, NamesOf(loaded.repository.challenges, &ChallengeSpec::id))});
    }
  }
  if (!errors.empty()) {
    return std::unexpected(std::move(errors));
  }
  return selected;
}

}  // namespace assay
