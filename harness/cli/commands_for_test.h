// SPDX-License-Identifier: Apache-2.0
// What the tests of commands that grade, and of those that read what was graded, share.
#ifndef ASSAY_CLI_COMMANDS_FOR_TEST_H_
#define ASSAY_CLI_COMMANDS_FOR_TEST_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "cli/commands.h"
#include "cli/fake_grade_services.h"
#include "report/report.h"
#include "spec/temporary_repository.h"

namespace assay {

/// Runs commands on a small repository; the grader is ours.
class CommandsTest : public ::testing::Test {
 protected:
  CommandsTest() {
    files_.Write("reference/adder/oracle.cc", "// oracle\n");
    files_.Write("harness/host/host.cc", "// host\n");
    files_.Write("build/inputs/adder.sources", "harness/host/host.cc\nreference/adder/oracle.cc\n");
    common_.root = files_.root();
    services_ = FakeGradeServices(files_.root());
    services_.detect_capabilities = [this] { return capabilities_; };
    services_.free_bytes = [this](const std::filesystem::path&) -> Result<std::uint64_t> {
      return free_bytes_;
    };
    services_.check_baselines = [this](const BaselineCheckSettings& settings,
                                       const std::vector<BaselineToCheck>& baselines,
                                       const BaselineCheckStarted& started) {
      checked_levels_.push_back(settings.level);
      return CheckBaselines(baselines, started);
    };
    services_.grade_cell = [this](const CellRequest& request, ProgressSink&) {
      requests_.push_back(request);
      return Grade(request);
    };
    capabilities_.level = SandboxLevel::kFull;
  }

  std::vector<Result<BaselineCheck>> CheckBaselines(const std::vector<BaselineToCheck>& baselines,
                                                    const BaselineCheckStarted& started) {
    std::vector<Result<BaselineCheck>> checks;
    for (const BaselineToCheck& baseline : baselines) {
      started(baseline.challenge.id);
      checks.push_back(baseline_);
    }
    return checks;
  }

  virtual Result<Evidence> Grade(const CellRequest& request) {
    return EvidenceOf(
        request, request.submission.model == "right" ? Verdict::kAccepted : Verdict::kWrongAnswer);
  }

  int RunGrade(GradeOptions options = {}) {
    options.common = common_;
    return Run([&] { return assay::RunGrade(options, services_, console_); });
  }
  int RunReport(ReportMode mode) {
    return Run([&] { return assay::RunReport({.common = common_, .mode = mode}, console_); });
  }

  /// A file that `assay report` wrote, with that text behind its first line.
  static std::string Generated(std::string_view text) {
    return std::string(kReportMark) + " from evidence. -->\n" + std::string(text);
  }
  [[nodiscard]] std::string Content(const std::string& path) const {
    return ReadFile(files_.root() / path).value_or("(cannot be read)");
  }

  template <class Function>
  int Run(Function function) {
    out_.str("");
    err_.str("");
    requests_.clear();
    checked_levels_.clear();
    return function();
  }

  TemporaryRepository files_;
  CommonOptions common_;
  SandboxCapabilities capabilities_;
  GradeServices services_;
  std::vector<CellRequest> requests_;
  std::uint64_t free_bytes_ = kRoomToGrade_bytes;
  Result<BaselineCheck> baseline_;
  std::vector<SandboxLevel> checked_levels_;
  std::ostringstream out_;
  std::ostringstream err_;
  Console console_{.out = out_, .err = err_};
};

}  // namespace assay

#endif  // ASSAY_CLI_COMMANDS_FOR_TEST_H_
