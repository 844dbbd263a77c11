// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ostream.h>

#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/json_output.h"
#include "exec/evidence_store.h"
#include "spec/repository.h"

namespace assay {

int RunCheck(const CheckOptions& options, Console& console) {
  const OutputFormat format = options.common.format;
  const auto place = WorkplaceOf(options.common);
  if (!place) {
    return Fail(console, format, {}, {place.error()});
  }
  LoadedRepository loaded = LoadRepository(place->root, place->installation.sources);
  const StoredEvidence stored = LoadAllEvidence(place->root);
  loaded.faults.insert(loaded.faults.end(), stored.faults.begin(), stored.faults.end());
  if (!loaded.faults.empty()) {
    const int exit_code = Fail(console, format, place->root, loaded.faults);
    if (format == OutputFormat::kText) {
      fmt::print(console.err, "{} fault{} found\n", loaded.faults.size(),
                 loaded.faults.size() == 1 ? "" : "s");
    }
    return exit_code;
  }
  const Repository& repository = loaded.repository;
  if (format == OutputFormat::kJson) {
    console.out << Dump({{"errors", nlohmann::json::array()}});
  } else {
    fmt::print(console.out,
               "No faults; challenges: {}, models: {}, submissions: {}, cells graded: {}\n",
               repository.challenges.size(), repository.models.size(),
               repository.submissions.size(), stored.cells.size());
  }
  return static_cast<int>(ExitCode::kDone);
}

}  // namespace assay
