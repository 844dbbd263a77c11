// SPDX-License-Identifier: Apache-2.0
#include "grade/static_analysis.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/text.h"
#include "build/staging.h"
#include "build/toolchain.h"
#include "evidence/derived.h"
#include "grade/cuda_tokens.h"
#include "grade/device_functions.h"
#include "grade/tool_output.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kClocPath = "/usr/bin/cloc";
constexpr std::string_view kClangTidyPath = "/usr/bin/clang-tidy-19";

// Threshold 0 makes both checks name every function with its measure; the measure is the reading.
constexpr std::string_view kClangTidyConfig =
    "{Checks: '-*,readability-function-cognitive-complexity,readability-function-size', "
    "CheckOptions: {"
    "readability-function-cognitive-complexity.Threshold: 0, "
    "readability-function-cognitive-complexity.DescribeBasicIncrements: false, "
    "readability-function-cognitive-complexity.IgnoreMacros: true, "
    "readability-function-size.LineThreshold: 0, "
    "readability-function-size.StatementThreshold: none}}";

// The copies that are read, and where the tools write.
struct Reading {
  fs::path tree;
  fs::path lines;  ///< For cloc, which takes "/*" in a literal for a comment: without literals.
  fs::path challenge;
  fs::path scratch;
  std::vector<std::string> sources;
  ToolSettings tools;
};

Mount ReadOnly(fs::path outside, fs::path inside) {
  return {.outside = std::move(outside), .inside = std::move(inside), .access = Access::kReadOnly};
}

Status RespellSuppressions(const fs::path& tree, const std::vector<std::string>& files) {
  for (const std::string& file : files) {
    ASSAY_ASSIGN_OR_RETURN(std::string text, ReadFile(tree / file));
    const std::string respelt = WithoutSuppressions(text);
    if (respelt != text) {
      ASSAY_RETURN_IF_ERROR(WriteFileAtomically(tree / file, respelt));
    }
  }
  return {};
}

Status CopyWithoutLiterals(const fs::path& from, const fs::path& to,
                           const std::vector<std::string>& files) {
  for (const std::string& file : files) {
    ASSAY_ASSIGN_OR_RETURN(const std::string text, ReadFile(from / file));
    std::error_code failure;
    fs::create_directories((to / file).parent_path(), failure);
    ASSAY_RETURN_IF_ERROR(WriteFileAtomically(to / file, WithoutLiterals(text)));
  }
  return {};
}

Result<std::optional<LineCounts>> CountLines(const Reading& reading) {
  const std::string report = "cloc.json";
  ToolStep step{
      .what = "counting lines", .argv = {}, .mounts = {}, .output_directory = reading.scratch};
  const std::string tree = Show(step, reading.tools.level, ReadOnly(reading.lines, "/submission"));
  step.argv = {std::string(kClocPath),
               "--json",
               "--by-file",
               "--quiet",
               "--skip-uniqueness",
               "--report-file=" + ShowOutput(step, reading.tools.level, report),
               tree};
  ASSAY_ASSIGN_OR_RETURN(const auto runs, RunTools(reading.tools, {step}));
  if (!runs.front().succeeded()) {
    return std::nullopt;
  }
  // A report that is not there means that cloc found nothing it knows: nothing was counted.
  const auto text = ReadFile(reading.scratch / report);
  return text ? ParseLineCounts(*text) : std::nullopt;
}

// The version of g++ under the names that WithoutSuppressions gives it: clang calls itself g++ 4.2,
// which a source can ask for. Not by -fgnuc-version, with which it cannot read the C library's
// headers.
Result<std::vector<std::string>> DefinitionsOfGcc() {
  ASSAY_ASSIGN_OR_RETURN(const std::string said, CompilerVersion());
  std::istringstream version(said.substr(said.rfind(' ') + 1));
  std::vector<std::string> definitions = {"-DX_has_builtin(name)=1"};
  std::string number;
  for (const char* name : {"X_GNUC__", "X_GNUC_MINOR__", "X_GNUC_PATCHLEVEL__"}) {
    std::getline(version, number, '.');
    definitions.push_back(fmt::format("-D{}={}", name, number));
  }
  definitions.emplace_back("-DX_GNUG__=X_GNUC__");
  return definitions;
}

ToolStep ClangTidyStep(const Reading& reading, const std::string& source,
                       const std::vector<std::string>& definitions) {
  ToolStep step{
      .what = "reading " + source, .argv = {}, .mounts = {}, .output_directory = reading.scratch};
  const SandboxLevel level = reading.tools.level;
  const std::string tree = Show(step, level, ReadOnly(reading.tree, "/submission"));
  const std::string challenge = Show(step, level, ReadOnly(reading.challenge, "/challenge"));
  // --system-headers: a pragma must not hide a header from being measured.
  step.argv = {std::string(kClangTidyPath),
               "--quiet",
               "--config=" + std::string(kClangTidyConfig),
               "--header-filter=^" + tree + "/",
               "--system-headers",
               tree + "/" + source,
               "--",
               "-x",
               "c++",
               "-I" + challenge,
               "-I" + tree,
               "-w"};
  step.argv.insert(step.argv.end(), definitions.begin(), definitions.end());
  const auto& flags = CompilerFlags(BuildFlavor::kRelease);
  step.argv.insert(step.argv.end(), flags.begin(), flags.end());
  return step;
}

bool IsCuda(std::string_view file) { return file.ends_with(".cu") || file.ends_with(".cuh"); }

// clang-tidy 19 parses no CUDA of the toolkit that submissions are built with, and half of the
// functions say nothing about the longest.
Result<std::optional<FunctionMeasures>> MeasureFunctions(const Reading& reading) {
  if (std::ranges::any_of(reading.sources, IsCuda)) {
    return std::nullopt;
  }
  std::vector<ToolStep> steps;
  steps.reserve(reading.sources.size());
  ASSAY_ASSIGN_OR_RETURN(const auto definitions, DefinitionsOfGcc());
  for (const std::string& source : reading.sources) {
    steps.push_back(ClangTidyStep(reading, source, definitions));
  }
  ASSAY_ASSIGN_OR_RETURN(const auto runs, RunTools(reading.tools, steps));
  FunctionMeasures worst;
  for (const SandboxedRun& run : runs) {
    if (!run.succeeded()) {
      return std::nullopt;
    }
    const FunctionMeasures of_source = ParseFunctionMeasures(run.output);
    worst.longest_lines = std::max(worst.longest_lines, of_source.longest_lines);
    worst.cognitive_complexity =
        std::max(worst.cognitive_complexity, of_source.cognitive_complexity);
  }
  // Code that has no function was hidden from the reader, or is none.
  return worst.longest_lines > 0 ? std::optional(worst) : std::nullopt;
}

// Nothing where no file is CUDA.
Result<std::optional<int>> CountUnusedDeviceFunctions(const fs::path& tree,
                                                      const std::vector<std::string>& files) {
  if (std::ranges::none_of(files, IsCuda)) {
    return std::nullopt;
  }
  std::vector<std::string> texts;
  texts.reserve(files.size());
  for (const std::string& file : files) {
    ASSAY_ASSIGN_OR_RETURN(texts.emplace_back(), ReadFile(tree / file));
  }
  return static_cast<int>(UnusedDeviceFunctions(texts).size());
}

Status Fill(const Reading& reading, int warnings, StaticEvidence& evidence) {
  if (RequireTool(kClocPath)) {
    ASSAY_ASSIGN_OR_RETURN(const auto lines, CountLines(reading));
    if (lines && lines->total > 0) {
      evidence.code_lines = lines->total;
      evidence.largest_file_share = static_cast<double>(lines->largest_file) / lines->total;
      evidence.warnings_per_1000_lines = WarningsPer1000Lines(warnings, lines->total);
    }
  }
  if (RequireTool(kClangTidyPath)) {
    ASSAY_ASSIGN_OR_RETURN(const auto functions, MeasureFunctions(reading));
    if (functions) {
      evidence.longest_function_lines = functions->longest_lines;
      evidence.cognitive_complexity = functions->cognitive_complexity;
    }
  }
  return {};
}

}  // namespace

Result<StaticEvidence> AnalyseSources(const SubmissionSpec& submission,
                                      const fs::path& challenge_directory, int warnings,
                                      const fs::path& output_directory, const ToolSettings& tools) {
  const fs::path folder = output_directory / "reading";
  const Reading reading{.tree = folder / "submission",
                        .lines = folder / "lines",
                        .challenge = folder / "challenge",
                        .scratch = folder / "scratch",
                        .sources = submission.sources,
                        .tools = tools};
  const std::vector<std::string> files = AllFiles(submission);
  StaticEvidence evidence;
  evidence.files = static_cast<int>(files.size());
  ASSAY_RETURN_IF_ERROR(MakeEmptyFolder(reading.scratch));
  ASSAY_ASSIGN_OR_RETURN(const auto staged, Stage(submission.directory, files, reading.tree));
  if (!staged) {
    return evidence;
  }
  ASSAY_RETURN_IF_ERROR(StageTrusted(challenge_directory, {"interface.h"}, reading.challenge));
  ASSAY_RETURN_IF_ERROR(CopyWithoutLiterals(reading.tree, reading.lines, files));
  ASSAY_RETURN_IF_ERROR(RespellSuppressions(reading.tree, files));
  ASSAY_ASSIGN_OR_RETURN(evidence.unused_device_functions,
                         CountUnusedDeviceFunctions(reading.tree, files));
  ASSAY_RETURN_IF_ERROR(Fill(reading, warnings, evidence));
  return evidence;
}

}  // namespace assay
