// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "base/file.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/json_output.h"
#include "cli/review_batch.h"
#include "cli/review_key.h"
#include "cli/select_cells.h"
#include "cli/submission_draft.h"
#include "review/review_store.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

/// `fault` or `stale` and the like, as the number of findings of that kind.
std::ptrdiff_t CountOf(const ReviewFindings& findings, ReviewFinding::Kind kind) {
  return std::ranges::count(findings, kind, &ReviewFinding::kind);
}

/// Findings alone, without a summary: of `review collect` too.
void PrintFindings(const ReviewFindings& findings, const fs::path& root, Console& console) {
  for (const ReviewFinding& finding : findings) {
    const Errors one = RelativeTo(root, {finding.error});
    fmt::print(console.err, "assay: {}: {}\n", ToString(finding.kind), ToString(one.front()));
  }
}

nlohmann::json ToJson(const ReviewFindings& findings, const fs::path& root) {
  nlohmann::json list = nlohmann::json::array();
  for (const ReviewFinding& finding : findings) {
    const Errors one = RelativeTo(root, {finding.error});
    list.push_back({{"kind", ToString(finding.kind)},
                    {"where", one.front().where},
                    {"cause", one.front().cause},
                    {"remedy", one.front().remedy}});
  }
  return list;
}

/// Those in `files`; neighbours were read for their comparisons alone.
ReviewFindings FindingsIn(const std::vector<fs::path>& files, const ReviewFindings& findings) {
  std::set<std::string> names;
  for (const fs::path& file : files) {
    names.insert(file.lexically_normal().string());
  }
  ReviewFindings own;
  std::ranges::copy_if(findings, std::back_inserter(own), [&](const ReviewFinding& finding) {
    const std::string& where = finding.error.where;
    const std::size_t colon = where.rfind(".yaml:");
    return names.contains(colon == std::string::npos ? where : where.substr(0, colon + 5));
  });
  return own;
}

int ExitCodeOf(const ReviewFindings& findings) {
  return static_cast<int>(std::ranges::any_of(findings, IsInTheWay) ? ExitCode::kGateFailed
                                                                    : ExitCode::kDone);
}

int Show(std::size_t reviews, const ReviewFindings& findings, const fs::path& root,
         OutputFormat format, Console& console) {
  if (format == OutputFormat::kJson) {
    console.out << Dump({{"reviews", reviews}, {"findings", ToJson(findings, root)}});
    return ExitCodeOf(findings);
  }
  PrintFindings(findings, root, console);
  fmt::print(console.out, "reviews: {}, faults: {}, stale: {}, of own work: {}, flags: {}\n",
             reviews, CountOf(findings, ReviewFinding::Kind::kFault),
             CountOf(findings, ReviewFinding::Kind::kStale),
             CountOf(findings, ReviewFinding::Kind::kOwnWork),
             CountOf(findings, ReviewFinding::Kind::kFlag));
  return ExitCodeOf(findings);
}

/// The forms of a dossier.
Result<std::vector<fs::path>> FormsIn(const fs::path& folder) {
  ASSAY_ASSIGN_OR_RETURN(const auto paths, ListFiles(folder));
  std::vector<fs::path> forms;
  for (const fs::path& path : paths) {
    if (path.extension() == ".yaml") {
      forms.push_back(folder / path);
    }
  }
  if (forms.empty()) {
    return std::unexpected(Error{.kind = ErrorKind::kConfiguration,
                                 .where = folder.string(),
                                 .cause = "holds no filled-in form",
                                 .remedy = "name what assay review new wrote"});
  }
  return forms;
}

/// What collecting writes, by path.
Result<std::map<fs::path, std::string>> RecordsOf(const ReviewBatch& batch, const fs::path& root) {
  std::map<fs::path, std::string> records;
  for (const ReviewBatch::Group& group : batch.groups) {
    for (const Review& form : group.reviews) {
      const Review review = Unblinded(form, group.rules);
      const fs::path path =
          ReviewPath(root, review.reviewer.id, {review.submission, review.challenge});
      ASSAY_RETURN_IF_ERROR(CheckNoLinkOnTheWay(root, path));
      const std::string text = RenderReview(review);
      ASSAY_ASSIGN_OR_RETURN(const bool is_there, IsThere(path));
      if ((is_there && ReadFile(path) != text) || !records.emplace(path, text).second) {
        return std::unexpected(Error{.kind = ErrorKind::kConfiguration,
                                     .where = path.string(),
                                     .cause = "is there already, and says something else",
                                     .remedy = "remove it to review again"});
      }
    }
  }
  return records;
}

int Collect(const ReviewCollectOptions& options, const Workplace& place, Console& console) {
  const OutputFormat format = options.common.format;
  const auto fail = [&](const Errors& errors) { return Fail(console, format, place.root, errors); };
  const auto forms = FormsIn(options.folder);
  if (!forms) {
    return fail({forms.error()});
  }
  const auto reviews = ReadReviewsBeside(*forms);
  if (!reviews) {
    return fail(reviews.error());
  }
  const auto key = ReadReviewKey(place.root);
  const LoadedRepository loaded = LoadRepository(place.root, place.installation.sources);
  if (const Errors faults = ChallengeFaults(loaded); !faults.empty()) {
    return fail(faults);
  }
  const auto batch =
      key ? CheckBatch(loaded.repository, *key, *reviews) : std::unexpected(key.error());
  if (!batch) {
    return fail({batch.error()});
  }
  if (ExitCodeOf(batch->findings) != 0) {
    return Show(reviews->size(), batch->findings, place.root, format, console);
  }
  const auto records = RecordsOf(*batch, place.root);
  if (!records) {
    return fail({records.error()});
  }
  std::vector<std::string> written;
  for (const auto& [path, text] : *records) {
    if (const Status status = WriteFileAtomically(path, text); !status) {
      return fail({status.error()});
    }
    written.push_back(path.lexically_relative(place.root).string());
  }
  if (format == OutputFormat::kJson) {
    console.out << Dump({{"written", written}, {"findings", ToJson(batch->findings, place.root)}});
    return static_cast<int>(ExitCode::kDone);
  }
  PrintFindings(batch->findings, place.root, console);
  for (const std::string& path : written) {
    fmt::print(console.out, "wrote {}\n", path);
  }
  return static_cast<int>(ExitCode::kDone);
}

}  // namespace

int RunReviewCheck(const ReviewCheckOptions& options, Console& console) {
  const OutputFormat format = options.common.format;
  const auto place = WorkplaceOf(options.common);
  if (!place) {
    return Fail(console, format, {}, {place.error()});
  }
  const LoadedRepository loaded = LoadRepository(place->root, place->installation.sources);
  if (const Errors faults = ChallengeFaults(loaded); !faults.empty()) {
    return Fail(console, format, place->root, faults);
  }
  const auto reviews =
      options.files.empty() ? ReadRecords(place->root) : ReadReviewsBeside(options.files);
  if (!reviews) {
    return Fail(console, format, place->root, reviews.error());
  }
  const auto key = ReadReviewKey(place->root);
  const auto batch =
      key ? CheckBatch(loaded.repository, *key, *reviews) : std::unexpected(key.error());
  if (!batch) {
    return Fail(console, format, place->root, {batch.error()});
  }
  return options.files.empty()
             ? Show(reviews->size(), batch->findings, place->root, format, console)
             : Show(options.files.size(), FindingsIn(options.files, batch->findings), place->root,
                    format, console);
}

int RunReviewCollect(const ReviewCollectOptions& options, Console& console) {
  return InLockedWorkplace(options.common, console, [&](const Workplace& place) {
    return Collect(options, place, console);
  });
}

}  // namespace assay
