// SPDX-License-Identifier: Apache-2.0
// For tests of commands that grade: a machine on which all is well, and evidence without grading.
#ifndef ASSAY_CLI_FAKE_GRADE_SERVICES_H_
#define ASSAY_CLI_FAKE_GRADE_SERVICES_H_

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "cli/commands.h"
#include "evidence/cell_verdict.h"

namespace assay {

/// The sandbox is at level full, there is room, each baseline compiles, and Assay was built from
/// `root`, with its lists of inputs in build/inputs. Who grades, a test says itself.
inline GradeServices FakeGradeServices(const std::filesystem::path& root) {
  GradeServices services;
  services.detect_capabilities = [] {
    SandboxCapabilities capabilities;
    capabilities.level = SandboxLevel::kFull;
    return capabilities;
  };
  services.describe_environment = [](SandboxLevel level,
                                     std::uint64_t seed) -> Result<Environment> {
    Environment environment;
    environment.sandbox_level = ToString(level);
    environment.seed = seed;
    return environment;
  };
  services.check_built = [](const Installation&, std::string_view) { return Status(); };
  services.lacks_nvcc_for = [](const Installation&, std::string_view) { return false; };
  services.input_places = [root](const Installation&) {
    return InputPlaces{.folder = root / "build/inputs", .sources = root};
  };
  services.check_stamp = [](InputReader&, const std::string&) { return Status(); };
  services.free_bytes = [](const std::filesystem::path&) -> Result<std::uint64_t> {
    return kRoomToGrade_bytes;
  };
  services.check_baselines = [](const BaselineCheckSettings& /*settings*/,
                                const std::vector<BaselineToCheck>& baselines,
                                const BaselineCheckStarted& /*started*/) {
    return std::vector<Result<BaselineCheck>>(baselines.size());
  };
  return services;
}

/// What grading a cell whose only case, Sum.Small, ended with `verdict` would leave.
inline Evidence EvidenceOf(const CellRequest& request, Verdict verdict) {
  Evidence evidence;
  evidence.model = request.submission.model;
  evidence.challenge = request.challenge.id;
  evidence.model_name = request.model.name;
  evidence.digests = request.digests;
  evidence.environment.sandbox_level = ToString(request.level);
  evidence.environment.seed = request.seed;
  evidence.release.verdict = Verdict::kAccepted;
  CaseEvidence& sum = evidence.suite.cases.emplace_back();
  sum.name = "Sum.Small";
  sum.tags = {"sum"};
  sum.verdict = verdict;
  sum.detail = verdict == Verdict::kAccepted ? "" : "sum[0] is off";
  const CellVerdict decided = DecideVerdict(evidence);
  evidence.verdict = decided.verdict;
  evidence.verdict_detail = decided.detail;
  evidence.statics.code_lines = 100;
  return evidence;
}

}  // namespace assay

#endif  // ASSAY_CLI_FAKE_GRADE_SERVICES_H_
