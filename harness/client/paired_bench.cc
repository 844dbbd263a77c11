// SPDX-License-Identifier: Apache-2.0
#include "client/paired_bench.h"

#include <fmt/format.h>

#include <set>
#include <utility>

namespace assay {
namespace {

std::vector<WorkloadDescription>& Registry() {
  static std::vector<WorkloadDescription> registry;
  return registry;
}

}  // namespace

bool RegisterWorkload(WorkloadDescription description) {
  Registry().push_back(std::move(description));
  return true;
}

Result<std::vector<WorkloadDescription>> RegisteredWorkloads() {
  std::set<std::string> names;
  for (const WorkloadDescription& workload : Registry()) {
    if (!names.insert(workload.name).second || !workload.make ||
        workload.name.find_first_of(" \n") != std::string::npos) {
      return std::unexpected(Error{
          .kind = ErrorKind::kJudge,
          .where = "",
          .cause = fmt::format("workload \"{}\" is registered twice, has a space in its name, or "
                               "cannot be made",
                               workload.name),
          .remedy = "correct its RegisterWorkload"});
    }
  }
  return Registry();
}

}  // namespace assay
