// SPDX-License-Identifier: Apache-2.0
#include "report/lookup.h"

#include <fmt/format.h>

#include <set>
#include <string>

#include "report/plain_text.h"

namespace assay {
namespace {

Error NotThere(std::string cause, std::string remedy) {
  return Error{.kind = ErrorKind::kConfiguration,
               .where = "",
               .cause = std::move(cause),
               .remedy = std::move(remedy)};
}

}  // namespace

Result<std::size_t> FindCriterionIndex(const ChallengeView& challenge, std::string_view id) {
  std::vector<std::string_view> known;
  for (std::size_t i = 0; i < challenge.rubric.criteria.size(); ++i) {
    if (challenge.rubric.criteria[i].id == id) {
      return i;
    }
    known.push_back(challenge.rubric.criteria[i].id);
  }
  return std::unexpected(
      NotThere(fmt::format("{} has no criterion \"{}\"", challenge.spec.id, PlainLine(id)),
               fmt::format("choose of: {}", fmt::join(known, ", "))));
}

Status CheckModels(const std::vector<Evidence>& cells, std::string_view a, std::string_view b) {
  std::set<std::string> known;
  for (const Evidence& cell : cells) {
    known.insert(PlainLine(cell.model));
  }
  for (const std::string_view model : {a, b}) {
    if (!known.contains(std::string(model))) {
      return std::unexpected(
          NotThere(fmt::format("there is no evidence of a model \"{}\"", PlainLine(model)),
                   fmt::format("grade it first, or choose of: {}", fmt::join(known, ", "))));
    }
  }
  if (a == b) {
    return std::unexpected(
        NotThere(fmt::format("\"{}\" is compared with itself", a), "name two models"));
  }
  return {};
}

}  // namespace assay
