// SPDX-License-Identifier: Apache-2.0
#include "cli/grade_preparation.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <map>
#include <set>
#include <string>
#include <utility>

#include "build/cuda_toolkit.h"
#include "cli/attestations.h"
#include "cli/seed.h"
#include "cli/select_cells.h"
#include "exec/evidence_store.h"
#include "exec/shard.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

Status CheckAllBuilt(const GradeServices& services, const Installation& installation,
                     const std::vector<CellId>& cells) {
  std::set<std::string> challenges;
  for (const CellId& cell : cells) {
    if (challenges.insert(cell.challenge).second) {
      ASSAY_RETURN_IF_ERROR(services.check_built(installation, cell.challenge));
    }
  }
  return {};
}

// Who names no cell asks for what can be graded here: not for challenges in CUDA where Assay was
// built without nvcc. Their evidence stays as it is.
std::vector<CellId> WithoutThoseThatLackNvcc(const GradeServices& services,
                                             const Installation& installation,
                                             std::vector<CellId> cells, Console& console) {
  std::map<std::string, bool> lacks;
  for (const CellId& cell : cells) {
    if (lacks.contains(cell.challenge)) {
      continue;
    }
    const bool lacks_it = services.lacks_nvcc_for(installation, cell.challenge);
    lacks[cell.challenge] = lacks_it;
    if (lacks_it) {
      fmt::print(console.err,
                 "assay: {} is left out: this build is without nvcc, which its suite needs; {}\n",
                 cell.challenge, HowToGetNvcc());
    }
  }
  std::erase_if(cells, [&](const CellId& cell) { return lacks.at(cell.challenge); });
  return cells;
}

// Before minutes are spent on the cells of `plan` that are to be graded.
Status CheckCanGrade(const GradeServices& services, const fs::path& root,
                     const std::vector<PlannedCell>& plan, InputReader& reader) {
  std::set<std::string> challenges;
  for (const PlannedCell& cell : plan) {
    if (cell.reason.empty()) {
      continue;
    }
    ASSAY_RETURN_IF_ERROR(CheckEvidenceWritable(root, IdOf(cell)));
    if (challenges.insert(cell.submission.challenge).second) {
      ASSAY_RETURN_IF_ERROR(services.check_stamp(reader, cell.submission.challenge));
    }
  }
  return {};
}

}  // namespace

Checked<Preparation> Prepare(const GradeOptions& options, const GradeServices& services,
                             const Workplace& place, const fs::path& out, Console& console) {
  const auto fail = [](Error error) { return std::unexpected(Errors{std::move(error)}); };
  LoadedRepository loaded = LoadRepository(place.root, place.installation.sources);
  auto cells = SelectCells(loaded, options.cells);
  if (!cells) {
    return std::unexpected(cells.error());
  }
  Preparation ready{.place = place,
                    .out = out,
                    .repository = std::move(loaded.repository),
                    .seed = options.seed.value_or(FreshSeed()),
                    .plan = {}};
  InputReader reader(services.input_places(place.installation));
  if (options.shard) {
    auto loads = LoadsOf(ready.repository, *cells, reader);
    if (!loads) {
      return fail(std::move(loads).error());
    }
    cells = CellsOfShard(*std::move(loads), *options.shard);
  }
  if (options.cells.empty()) {
    cells = WithoutThoseThatLackNvcc(services, place.installation, *std::move(cells), console);
  }
  if (auto built = CheckAllBuilt(services, place.installation, *cells); !built) {
    return fail(std::move(built).error());
  }
  const SandboxCapabilities capabilities = services.detect_capabilities();
  const auto level = ChooseLevel(capabilities, options.sandbox, options.required_sandbox);
  if (!level) {
    return fail(level.error());
  }
  if (options.attesting == Attesting::kOn && *level == SandboxLevel::kNone) {
    return fail({.kind = ErrorKind::kSandbox,
                 .where = {},
                 .cause = "--attest at sandbox level none: a submission could read the key",
                 .remedy = "grade in a sandbox; assay doctor says what this machine lacks"});
  }
  ready.level = *level;
  ready.obstacle = capabilities.obstacle;
  if (ready.level != SandboxLevel::kFull) {
    fmt::print(console.err, "assay: the sandbox is at level {}, not full{}{}\n",
               ToString(ready.level),
               capabilities.next_level.empty() ? "" : "; for more: ", capabilities.next_level);
  }
  const auto environment = services.describe_environment(ready.level, ready.seed);
  if (!environment) {
    return fail(environment.error());
  }
  auto plan = PlanCells(ready.repository, *cells, reader, *environment, options.reuse, options.seed,
                        out == place.root ? fs::path() : out);
  if (!plan) {
    return fail(plan.error());
  }
  if (auto trusted = DistrustUnsigned(options.attesting, place.root, out, *plan); !trusted) {
    return fail(std::move(trusted).error());
  }
  if (auto can = CheckCanGrade(services, out, *plan, reader); !can) {
    return fail(std::move(can).error());
  }
  ready.plan = std::move(*plan);
  return ready;
}

Errors CheckMachine(const GradeOptions& options, const GradeServices& services,
                    const Preparation& ready, Console& console) {
  std::vector<const SubmissionSpec*> submissions;
  for (const PlannedCell& cell : ready.plan) {
    if (!cell.reason.empty()) {
      submissions.push_back(&cell.submission);
    }
  }
  if (submissions.empty()) {
    return {};
  }
  if (auto room = CheckRoomToGrade(StateDirectory(ready.out), services.free_bytes); !room) {
    return {std::move(room).error()};
  }
  const BaselineCheckSettings settings{
      .root = ready.out, .installation = ready.place.installation, .level = ready.level};
  const auto say = [&](const std::string& challenge) {
    if (options.progress == ProgressStyle::kShown) {
      fmt::print(console.err, "checking this machine: compiling the baseline of {}\n", challenge);
    }
  };
  Errors errors;
  for (const auto& check :
       services.check_baselines(settings, BaselinesFor(ready.repository, submissions), say)) {
    if (!check) {
      errors.push_back(check.error());
    }
  }
  return errors;
}

}  // namespace assay
