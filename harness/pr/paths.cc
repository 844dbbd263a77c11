// SPDX-License-Identifier: Apache-2.0
#include "pr/paths.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "report/words.h"

namespace assay {
namespace {

/// How many paths a refusal names.
constexpr std::size_t kPathsNamed = 10;

std::vector<std::string_view> Components(std::string_view path) {
  std::vector<std::string_view> components;
  for (std::size_t slash = path.find('/'); slash != std::string_view::npos;
       slash = path.find('/')) {
    components.push_back(path.substr(0, slash));
    path.remove_prefix(slash + 1);
  }
  components.push_back(path);
  return components;
}

}  // namespace

ChangedPath Classify(std::string_view path) {
  const std::vector<std::string_view> parts = Components(path);
  constexpr std::array<std::string_view, 3> kJudge = {"harness", "challenges", "reference"};
  if (parts.size() > 1 && std::ranges::find(kJudge, parts[0]) != kJudge.end()) {
    return {.kind = PathKind::kJudge, .cell = {}};
  }
  if (parts.size() > 1 && parts[0] == "reports") {
    return {.kind = PathKind::kEvidence, .cell = {}};
  }
  if (parts.size() < 3 || parts[0] != "submissions" || !IsId(parts[1])) {
    return {};
  }
  ChangedPath changed{.kind = PathKind::kModel, .cell = {std::string(parts[1]), ""}};
  if (parts.size() > 3 && IsId(parts[2])) {
    changed.kind = PathKind::kSubmission;
    changed.cell.challenge = parts[2];
  }
  return changed;
}

std::vector<std::string> RefusalsFor(const std::vector<std::string>& models,
                                     const std::vector<std::string>& outside,
                                     const std::string& only_model) {
  std::vector<std::string> refusals;
  if (!outside.empty()) {
    refusals.push_back(
        fmt::format("it changes what is in no model's folder: {}", FirstOf(outside, kPathsNamed)));
  }
  std::vector<std::string> others;
  std::ranges::copy_if(models, std::back_inserter(others), [&](const std::string& model) {
    return !only_model.empty() && model != only_model;
  });
  if (!others.empty()) {
    refusals.push_back(fmt::format("it changes the folder of another model than {}: {}", only_model,
                                   FirstOf(others, kPathsNamed)));
  } else if (models.size() > 1) {
    refusals.push_back(fmt::format("it changes the folders of {} models: {}", models.size(),
                                   FirstOf(models, kPathsNamed)));
  }
  return refusals;
}

}  // namespace assay
