// SPDX-License-Identifier: Apache-2.0
#include "grade/static_analysis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <sstream>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/text.h"
#include "build/cuda_tokens.h"
#include "build/staging.h"
#include "build/toolchain.h"
#include "evidence/derived.h"
#include "grade/device_functions.h"
#include "grade/duplication.h"
#include "grade/token_measures.h"
#include "grade/tool_output.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kClocPath = "/usr/bin/cloc";
constexpr std::string_view kClangTidyPath = "/usr/bin/clang-tidy-19";

// The most names and signs of a line on average: code at 100 columns has 7 to 13. And the most that
// it holds of literals.
constexpr int kTokensPerLine = 12;
constexpr std::size_t kLiteralBytesPerLine = 100;

// Threshold 0 makes both checks name every function with its measure; the measure is the reading.
constexpr std::string_view kClangTidyConfig =
    "{Checks: '-*,readability-function-cognitive-complexity,readability-function-size', "
    "CheckOptions: {"
    "readability-function-cognitive-complexity.Threshold: 0, "
    "readability-function-cognitive-complexity.DescribeBasicIncrements: false, "
    "readability-function-cognitive-complexity.IgnoreMacros: false, "
    "readability-function-size.LineThreshold: 0, "
    "readability-function-size.StatementThreshold: none}}";

// The copies that are read, and where the tools write.
struct Reading {
  fs::path tree;
  fs::path lines;  ///< For cloc, which knows neither literals nor header names: the code alone.
  fs::path challenge;
  fs::path scratch;
  std::vector<std::string> files;
  std::vector<std::string> implementation;  ///< Of these, what is compiled into a host.
  std::vector<std::string> sources;
  std::vector<std::string> headers;
  ToolSettings tools;
};

Mount ReadOnly(fs::path outside, fs::path inside) {
  return {.outside = std::move(outside), .inside = std::move(inside), .access = Access::kReadOnly};
}

Status RespellSuppressions(const fs::path& tree, const std::vector<std::string>& files) {
  for (const std::string& file : files) {
    ASSAY_ASSIGN_OR_RETURN(std::string text, ReadFile(tree / file));
    // Names in one piece first: a tool or we would not know one with an end of a line in it.
    const std::string respelt = WithoutSuppressions(WithWholeTokens(text));
    if (respelt != text) {
      ASSAY_RETURN_IF_ERROR(WriteFileAtomically(tree / file, respelt));
    }
  }
  return {};
}

Status CopyCodeAlone(const fs::path& from, const fs::path& to,
                     const std::vector<std::string>& files) {
  for (const std::string& file : files) {
    ASSAY_ASSIGN_OR_RETURN(const std::string text, ReadFile(from / file));
    std::error_code failure;
    fs::create_directories((to / file).parent_path(), failure);
    ASSAY_RETURN_IF_ERROR(WriteFileAtomically(to / file, CodeAlone(text)));
  }
  return {};
}

// The least lines that hold `text`: statements put together in one line are no less code, nor are
// instructions of assembly in one literal.
int LeastLines(const std::string& text) {
  return (CountTokens(text) + kTokensPerLine - 1) / kTokensPerLine +
         static_cast<int>(LiteralBytes(text) / kLiteralBytesPerLine);
}

// The lines of each file of the submission, of which cloc counted some in `tree`.
Result<LineCounts> WidenLines(const Reading& reading, const std::string& tree,
                              const LineCounts& counted) {
  LineCounts lines;
  for (const std::string& file : reading.files) {
    ASSAY_ASSIGN_OR_RETURN(const std::string text, ReadFile(reading.tree / file));
    const auto by_cloc = counted.find(fmt::format("{}/{}", tree, file));
    lines[file] = std::max(by_cloc == counted.end() ? 0 : by_cloc->second, LeastLines(text));
  }
  return lines;
}

/// By file, as the submission names it.
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
  const auto counted = text ? ParseLineCounts(*text) : std::nullopt;
  if (!counted) {
    return std::nullopt;
  }
  return WidenLines(reading, tree, *counted);
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

void KeepWorst(const FunctionMeasures& of_source, FunctionMeasures& worst) {
  worst.longest_lines = std::max(worst.longest_lines, of_source.longest_lines);
  worst.cognitive_complexity = std::max(worst.cognitive_complexity, of_source.cognitive_complexity);
}

// Sources that clang-tidy parsed add to `worst`; the others are returned. It parses no CUDA of the
// toolkit that submissions are built with.
Result<std::vector<std::string>> MeasureByClangTidy(const Reading& reading,
                                                    FunctionMeasures& worst) {
  ASSAY_ASSIGN_OR_RETURN(const auto definitions, DefinitionsOfGcc());
  std::vector<std::string> unparsed;
  std::vector<std::string> tried;
  std::vector<ToolStep> steps;
  for (const std::string& source : reading.sources) {
    if (IsCuda(source)) {
      unparsed.push_back(source);
    } else {
      tried.push_back(source);
      steps.push_back(ClangTidyStep(reading, source, definitions));
    }
  }
  ASSAY_ASSIGN_OR_RETURN(const auto runs, RunTools(reading.tools, steps));
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (runs[i].succeeded()) {
      KeepWorst(ParseFunctionMeasures(runs[i].output), worst);
    } else {
      unparsed.push_back(tried[i]);
    }
  }
  return unparsed;
}

// Every file is read by tokens too, and the worse counts: clang passes over weak functions and can
// be told from g++ in more ways than we can respell, tokens know statements that share a line. What
// no parser reads is read by tokens alone, and with it the headers, which may be of it alone.
Status MeasureFunctions(const Reading& reading, StaticEvidence& evidence) {
  FunctionMeasures worst;
  ASSAY_ASSIGN_OR_RETURN(const std::vector<std::string> unparsed,
                         MeasureByClangTidy(reading, worst));
  std::vector<std::string> by_tokens = unparsed;
  if (!unparsed.empty()) {
    by_tokens.insert(by_tokens.end(), reading.headers.begin(), reading.headers.end());
  }
  double tokens_parsed = 0;
  double tokens = 0;
  for (const auto* group : {&reading.sources, &reading.headers}) {
    for (const std::string& file : *group) {
      ASSAY_ASSIGN_OR_RETURN(const std::string text, ReadFile(reading.tree / file));
      const int tokens_of_file = CountTokens(text);
      tokens += tokens_of_file;
      if (std::ranges::find(by_tokens, file) == by_tokens.end()) {
        tokens_parsed += tokens_of_file;
      }
      KeepWorst(MeasureByTokens(text), worst);
    }
  }
  evidence.parsed_share = tokens > 0 ? tokens_parsed / tokens : 1;
  // Code that has no function was hidden from the reader, or is none.
  if (worst.longest_lines > 0) {
    evidence.longest_function_lines = worst.longest_lines;
    evidence.cognitive_complexity = worst.cognitive_complexity;
  }
  return {};
}

Result<std::vector<std::string>> ReadAll(const fs::path& tree,
                                         const std::vector<std::string>& files) {
  std::vector<std::string> texts;
  texts.reserve(files.size());
  for (const std::string& file : files) {
    ASSAY_ASSIGN_OR_RETURN(texts.emplace_back(), ReadFile(tree / file));
  }
  return texts;
}

// What needs no tool. Unused device functions are looked for where a file is CUDA.
Status FillByTokens(const Reading& reading, StaticEvidence& evidence) {
  ASSAY_ASSIGN_OR_RETURN(const auto implementation, ReadAll(reading.tree, reading.implementation));
  evidence.duplicated_share = DuplicatedShare(implementation);
  if (std::ranges::any_of(reading.files, IsCuda)) {
    ASSAY_ASSIGN_OR_RETURN(const auto texts, ReadAll(reading.tree, reading.files));
    evidence.unused_device_functions = static_cast<int>(UnusedDeviceFunctions(texts).size());
  }
  return {};
}

void FillLines(const LineCounts& lines, const Reading& reading, int warnings,
               StaticEvidence& evidence) {
  int total = 0;
  int of_implementation = 0;
  int largest = 0;
  for (const auto& [file, count] : lines) {
    total += count;
    if (std::ranges::find(reading.implementation, file) != reading.implementation.end()) {
      of_implementation += count;
      largest = std::max(largest, count);
    }
  }
  if (total > 0) {
    evidence.code_lines = total;
    evidence.source_code_lines = of_implementation;
    evidence.largest_file_share = static_cast<double>(largest) / std::max(of_implementation, 1);
    evidence.warnings_per_1000_lines = WarningsPer1000Lines(warnings, of_implementation);
  }
}

Status Fill(const Reading& reading, int warnings, StaticEvidence& evidence) {
  if (RequireTool(kClocPath)) {
    ASSAY_ASSIGN_OR_RETURN(const auto lines, CountLines(reading));
    FillLines(lines.value_or(LineCounts{}), reading, warnings, evidence);
  }
  if (RequireTool(kClangTidyPath)) {
    ASSAY_RETURN_IF_ERROR(MeasureFunctions(reading, evidence));
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
                        .files = AllFiles(submission),
                        .implementation = ImplementationFiles(submission),
                        .sources = submission.sources,
                        .headers = submission.headers,
                        .tools = tools};
  const std::vector<std::string>& files = reading.files;
  StaticEvidence evidence;
  evidence.files = static_cast<int>(files.size());
  ASSAY_RETURN_IF_ERROR(MakeEmptyFolder(reading.scratch));
  ASSAY_ASSIGN_OR_RETURN(const auto staged, Stage(submission.directory, files, reading.tree));
  if (!staged) {
    return evidence;
  }
  ASSAY_RETURN_IF_ERROR(StageTrusted(challenge_directory, {"interface.h"}, reading.challenge));
  ASSAY_RETURN_IF_ERROR(CopyCodeAlone(reading.tree, reading.lines, files));
  ASSAY_RETURN_IF_ERROR(RespellSuppressions(reading.tree, files));
  ASSAY_RETURN_IF_ERROR(FillByTokens(reading, evidence));
  ASSAY_RETURN_IF_ERROR(Fill(reading, warnings, evidence));
  return evidence;
}

}  // namespace assay
