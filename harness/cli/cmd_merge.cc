// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ostream.h>

#include <nlohmann/json.hpp>
#include <string_view>

#include "cli/change_log.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/json_output.h"
#include "cli/select_cells.h"
#include "exec/evidence_store.h"
#include "exec/input_changes.h"
#include "exec/merge.h"
#include "report/plain_text.h"

namespace assay {
namespace {

std::string_view ToString(MergedCell::Action action) {
  switch (action) {
    case MergedCell::Action::kTaken:
      return "taken";
    case MergedCell::Action::kSame:
      return "same";
    case MergedCell::Action::kLeftOut:
      break;
  }
  return "left_out";
}

nlohmann::json ToJson(const MergePlan& plan) {
  nlohmann::json cells = nlohmann::json::array();
  for (const MergedCell& cell : plan.cells) {
    cells.push_back({{"model", cell.cell.model},
                     {"challenge", cell.cell.challenge},
                     {"action", ToString(cell.action)},
                     {"verdict", assay::ToString(cell.verdict)},
                     {"folder", cell.folder.string()},
                     {"signature", assay::ToString(cell.attestation.state)},
                     {"signer", cell.attestation.signer}});
  }
  return {{"cells", cells}, {"errors", nlohmann::json::array()}};
}

void Print(const MergePlan& plan, Console& console) {
  std::size_t taken = 0;
  for (const MergedCell& cell : plan.cells) {
    const std::string name = assay::ToString(cell.cell);
    switch (cell.action) {
      case MergedCell::Action::kTaken:
        ++taken;
        fmt::print(console.out, "took {}: {}, {}, from {}\n", name, assay::ToString(cell.verdict),
                   PlainLine(assay::ToString(cell.attestation)), cell.folder.string());
        break;
      case MergedCell::Action::kSame:
        fmt::print(console.out, "{} is here already\n", name);
        break;
      case MergedCell::Action::kLeftOut:
        fmt::print(console.out, "left out {}: a judge_error, and evidence that holds is here\n",
                   name);
        break;
    }
  }
  fmt::print(console.out, "{} of {} cells taken{}\n", taken, plan.cells.size(),
             taken == 0 ? "" : "; assay report renders them");
}

/// What evidence that came brings with it: inputs that none is left of go, and the log says what
/// was published otherwise.
Status Follow(const std::filesystem::path& root, const Repository& repository,
              const std::vector<Evidence>& before) {
  ASSAY_ASSIGN_OR_RETURN(const StoredEvidence after, LoadAllEvidence(root));
  // Of evidence that does not hold, nobody knows which inputs it names.
  if (after.unsound.empty()) {
    ASSAY_RETURN_IF_ERROR(RemoveUnusedInputs(root, after.cells));
  }
  ASSAY_ASSIGN_OR_RETURN(const Challenges challenges, ReadViews(repository));
  const auto logged = LogChanges(root, before, after.cells, challenges);
  return logged ? Status() : std::unexpected(logged.error());
}

int MergeInto(const Workplace& place, const MergeOptions& options, const GradeServices& services,
              Console& console) {
  const OutputFormat format = options.common.format;
  const LoadedRepository loaded = LoadRepository(place.root, place.installation.sources);
  InputReader reader(services.input_places(place.installation));
  const auto plan = PlanMerge(loaded.repository, reader, options.folders, options.is_unsigned);
  if (!plan) {
    const int exit_code = Fail(console, format, place.root, plan.error());
    if (format == OutputFormat::kText) {
      console.err << "assay: nothing was merged\n";
    }
    return ExitCodeAfterInterrupt(exit_code);
  }
  const auto before = LoadAllEvidence(place.root);
  if (!before) {
    return Fail(console, format, place.root, {before.error()});
  }
  Errors errors;
  if (const Status done = CarryOut(place.root, *plan); !done) {
    errors.push_back(done.error());
  }
  // Also after a failure half-way: the next merge would take what came for published.
  if (const Status followed = Follow(place.root, loaded.repository, before->cells); !followed) {
    errors.push_back(followed.error());
  }
  if (!errors.empty()) {
    return ExitCodeAfterInterrupt(Fail(console, format, place.root, errors));
  }
  if (format == OutputFormat::kJson) {
    console.out << Dump(ToJson(*plan));
  } else {
    Print(*plan, console);
  }
  return static_cast<int>(ExitCode::kDone);
}

}  // namespace

int RunMerge(const MergeOptions& options, const GradeServices& services, Console& console) {
  return InLockedWorkplace(options.common, console, [&](const Workplace& place) {
    return MergeInto(place, options, services, console);
  });
}

}  // namespace assay
