// SPDX-License-Identifier: Apache-2.0
#include "exec/shard.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <string>
#include <system_error>
#include <tuple>
#include <utility>

#include "build/cuda_toolkit.h"
#include "exec/evidence_store.h"
#include "exec/input_changes.h"

namespace assay {
namespace {

// What a cell may take (the budgets of a CPU and of a CUDA cell on two cores).
constexpr double kCpuCell_s = 90;
constexpr double kCudaCell_s = 120;
// Reading, its own tests, starting hosts: what no field of evidence has.
constexpr double kEveryCell_s = 5;

constexpr double kLongestCell_s = 3600;

constexpr std::size_t kMostShards = 10'000;

std::optional<std::size_t> Number(std::string_view text) {
  std::size_t number = 0;
  const auto [stop, failure] = std::from_chars(text.begin(), text.end(), number);
  return failure == std::errc() && stop == text.end() ? std::optional(number) : std::nullopt;
}

double SecondsOf(const SuiteEvidence& suite) {
  double seconds = 0;
  for (const CaseEvidence& one : suite.cases) {
    seconds += one.seconds;
  }
  return seconds;
}

double SecondsOf(const std::vector<WorkloadEvidence>& workloads) {
  double nanoseconds = 0;
  for (const WorkloadEvidence& workload : workloads) {
    for (const TimeBlock& block : workload.blocks) {
      for (const TimePair& pair : block.pairs) {
        nanoseconds +=
            static_cast<double>(pair.submission_ns) + static_cast<double>(pair.baseline_ns);
      }
    }
  }
  return nanoseconds * 1e-9;
}

// The mean seconds of a challenge's cells that were graded.
class ChallengeMeans {
 public:
  void Add(const std::string& challenge, double seconds) {
    sums_[challenge].first += seconds;
    sums_[challenge].second += 1;
  }
  [[nodiscard]] std::optional<double> Of(const std::string& challenge) const {
    const auto found = sums_.find(challenge);
    return found == sums_.end() ? std::nullopt
                                : std::optional(found->second.first / found->second.second);
  }

 private:
  std::map<std::string, std::pair<double, double>> sums_;  ///< Sum and count.
};

}  // namespace

std::optional<Shard> ParseShard(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) {
    return std::nullopt;
  }
  const auto number = Number(text.substr(0, slash));
  const auto count = Number(text.substr(slash + 1));
  if (!number || !count || *number == 0 || *number > *count || *count > kMostShards) {
    return std::nullopt;
  }
  return Shard{.number = *number, .count = *count};
}

double SecondsOf(const Evidence& evidence) {
  const double seconds = kEveryCell_s + evidence.release.seconds + evidence.sanitized.seconds +
                         SecondsOf(evidence.suite) + SecondsOf(evidence.sanitized_suite) +
                         SecondsOf(evidence.bench.workloads) + SecondsOf(evidence.bench.controls);
  // A file may say anything, and what is no number cannot be sorted.
  return std::isfinite(seconds) ? std::clamp(seconds, kEveryCell_s, kLongestCell_s)
                                : kLongestCell_s;
}

Result<std::vector<CellLoad>> LoadsOf(const Repository& repository,
                                      const std::vector<CellId>& cells, InputReader& reader) {
  std::vector<CellLoad> loads;
  std::vector<std::size_t> unknown;
  ChallengeMeans means;
  for (const CellId& id : cells) {
    CellLoad load{.cell = id};
    const auto evidence = LoadEvidence(repository.root, id);
    if (evidence && *evidence && (*evidence)->verdict != Verdict::kJudgeError) {
      ASSAY_ASSIGN_OR_RETURN(const CellInputs inputs,
                             reader.Read(repository.root, *FindSubmission(repository, id)));
      load.seconds = SecondsOf(**evidence);
      load.evidence = ToDigests(inputs) == (*evidence)->digests ? CellLoad::Evidence::kHolds
                                                                : CellLoad::Evidence::kStale;
      means.Add(id.challenge, load.seconds);
    } else {
      unknown.push_back(loads.size());
    }
    loads.push_back(std::move(load));
  }
  for (const std::size_t i : unknown) {
    const SubmissionSpec& submission = *FindSubmission(repository, loads[i].cell);
    loads[i].seconds =
        means.Of(submission.challenge).value_or(NeedsNvcc(submission) ? kCudaCell_s : kCpuCell_s);
  }
  return loads;
}

std::vector<CellId> CellsOfShard(std::vector<CellLoad> loads, const Shard& shard) {
  std::ranges::sort(loads, [](const CellLoad& a, const CellLoad& b) {
    return std::tuple(a.evidence == CellLoad::Evidence::kHolds, -a.seconds, a.cell) <
           std::tuple(b.evidence == CellLoad::Evidence::kHolds, -b.seconds, b.cell);
  });
  std::vector<double> work(shard.count, 0);
  std::vector<CellId> cells;
  for (const CellLoad& load : loads) {
    const auto least = std::ranges::min_element(work);
    *least += load.seconds;
    if (least - work.begin() == static_cast<std::ptrdiff_t>(shard.number) - 1) {
      cells.push_back(load.cell);
    }
  }
  std::ranges::sort(cells);
  return cells;
}

}  // namespace assay
