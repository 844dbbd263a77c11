// SPDX-License-Identifier: Apache-2.0
#include "cli/challenge_of_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "base/file.h"
#include "base/text.h"
#include "spec/nearest.h"
#include "spec/submission_spec.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

const ChallengeSpec* Find(const std::vector<ChallengeSpec>& challenges, const std::string& id) {
  const auto found = std::ranges::find(challenges, id, &ChallengeSpec::id);
  return found == challenges.end() ? nullptr : &*found;
}

// What lies in the folder, as one text. Where it cannot be read, reading the submission says why.
std::string TextOf(const fs::path& folder) {
  std::string text;
  for (const fs::path& file :
       ListFiles(folder, kLargestSubmission_files).value_or(std::vector<fs::path>())) {
    if (text.size() < kLargestSubmission_bytes) {
      text += ReadFile(folder / file, kLargestSource_bytes).value_or("");
    }
  }
  return text;
}

std::ptrdiff_t CountNamed(const ChallengeSpec& challenge, const std::string& text) {
  return std::ranges::count_if(challenge.entry_points, [&](const EntryPoint& entry_point) {
    return text.find(entry_point.name) != std::string::npos;
  });
}

// Null where two are named as often, or none is.
const ChallengeSpec* MostNamed(const std::vector<ChallengeSpec>& challenges,
                               const std::string& text) {
  const ChallengeSpec* best = nullptr;
  std::ptrdiff_t most = 0;
  for (const ChallengeSpec& challenge : challenges) {
    const std::ptrdiff_t named = CountNamed(challenge, text);
    if (named > most) {
      best = &challenge;
      most = named;
    } else if (named == most) {
      best = nullptr;
    }
  }
  return best;
}

}  // namespace

Result<ChallengeSpec> ChallengeOfFolder(const fs::path& folder,
                                        const std::vector<ChallengeSpec>& challenges,
                                        const std::optional<std::string>& named) {
  const std::vector<std::string> ids = NamesOf(challenges, &ChallengeSpec::id);
  if (named) {
    if (const ChallengeSpec* const found = Find(challenges, *named)) {
      return *found;
    }
    return std::unexpected(Error{.kind = ErrorKind::kConfiguration,
                                 .where = "--challenge",
                                 .cause = fmt::format("there is no challenge \"{}\"", *named),
                                 .remedy = SuggestOneOf(*named, ids)});
  }
  if (const ChallengeSpec* const found = Find(challenges, folder.filename().string())) {
    return *found;
  }
  if (const ChallengeSpec* const found = MostNamed(challenges, TextOf(folder))) {
    return *found;
  }
  return std::unexpected(
      Error{.kind = ErrorKind::kConfiguration,
            .where = folder.string(),
            .cause = "is not called after a challenge, and its files do not say which it answers",
            .remedy = "say it with --challenge: " + Join(ids, ", ")});
}

}  // namespace assay
