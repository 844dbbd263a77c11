// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CLIENT_MAIN_TEST_SUPPORT_H_
#define ASSAY_CLIENT_MAIN_TEST_SUPPORT_H_

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/temporary.h"
#include "base/text.h"
#include "evidence/json.h"
#include "process/run.h"

namespace assay {

/// One run of testhosts/scale_suite.cc or scale_bench.cc as a process of its own, as a grader runs
/// it.
struct ProgramRun {
  int exit_code = -1;
  std::string output;
  std::string errors;
  bool has_results = false;
  RunResults results;

  /// The case or workload of that name; a test failure and an empty one if there is none.
  template <class T>
  static T Named(const std::vector<T>& all, const std::string& name) {
    for (const T& one : all) {
      if (one.name == name) {
        return one;
      }
    }
    ADD_FAILURE() << "no result for " << name;
    return {};
  }
  [[nodiscard]] CaseEvidence Case(const std::string& name) const {
    return Named(results.suite.cases, name);
  }
  [[nodiscard]] WorkloadEvidence WorkloadNamed(const std::string& name) const {
    return Named(results.bench.workloads, name);
  }
};

/// The host of that mode of testhosts/scale_host.cc.
inline std::string ScaleHost(const std::string& mode) {
  return std::string(ASSAY_TESTHOSTS) + "/scale" + mode;
}

inline ProgramRun RunProgram(const std::string& program, std::vector<std::string> arguments) {
  ProgramRun run;
  const auto folder = TemporaryDirectory::Create(testing::TempDir(), "client");
  if (!folder) {
    ADD_FAILURE() << ToString(folder.error());
    return run;
  }
  const std::filesystem::path file = folder->path() / "results.json";
  arguments.insert(arguments.begin(), std::string(ASSAY_TESTHOSTS) + "/" + program);
  arguments.push_back("--assay_results=" + file.string());
  const auto result = RunToCompletion({.argv = arguments,
                                       .environment = {},
                                       .working_directory = {},
                                       .input = "",
                                       .time_limit = std::chrono::minutes(2),
                                       .on_output = {}});
  if (!result) {
    ADD_FAILURE() << ToString(result.error());
    return run;
  }
  run.exit_code = result->exit.code_or_signal;
  run.output = result->output;
  run.errors = result->errors;
  const auto json = ReadFile(file);
  if (json) {
    auto results = RunResultsFromJson(*json, file.string());
    if (!results) {
      ADD_FAILURE() << ToString(results.error());
      return run;
    }
    run.has_results = true;
    run.results = *std::move(results);
  }
  return run;
}

}  // namespace assay

#endif  // ASSAY_CLIENT_MAIN_TEST_SUPPORT_H_
