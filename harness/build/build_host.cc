// SPDX-License-Identifier: Apache-2.0
#include "build/build_host.h"

#include <fmt/format.h>

#include <chrono>
#include <expected>
#include <utility>

#include "base/file.h"
#include "build/compile.h"
#include "build/diagnostics.h"
#include "build/entry_points.h"
#include "build/patching.h"
#include "build/staging.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

BuildOutcome Refused(std::string diagnostics) {
  BuildOutcome outcome;
  outcome.diagnostics = std::move(diagnostics);
  return outcome;
}

// The public headers of the host, of the wire and of device streams: all that an adapter may
// include.
Result<std::vector<std::string>> HostHeaders(const fs::path& harness) {
  std::vector<std::string> headers;
  for (const std::string_view layer : {"host", "wire", "gpu/adapter"}) {
    ASSAY_ASSIGN_OR_RETURN(const std::vector<fs::path> files, ListFiles(harness / layer));
    for (const fs::path& file : files) {
      if (file.extension() == ".h") {
        headers.push_back((fs::path(layer) / file).string());
      }
    }
  }
  return headers;
}

// One try at building `tree`: the submission as handed in, or as repaired. Everything it makes lies
// in `folder`, which is its own.
class Attempt {
 public:
  Attempt(const BuildInputs& inputs, BuildFlavor flavor, const SubmissionSpec& tree,
          fs::path folder)
      : inputs_(inputs), flavor_(flavor), tree_(tree), folder_(std::move(folder)) {}

  Result<BuildOutcome> Run() {
    ASSAY_ASSIGN_OR_RETURN(const auto staged,
                           Stage(tree_.directory, ImplementationFiles(tree_), Implementation()));
    if (!staged) {
      return Refused(staged.error().reason);
    }
    ASSAY_RETURN_IF_ERROR(RespellSilencing());
    ASSAY_RETURN_IF_ERROR(StageTrustedFiles());
    ASSAY_ASSIGN_OR_RETURN(const std::vector<CompileStep> steps, Steps());
    ASSAY_ASSIGN_OR_RETURN(BuildOutcome outcome, Compile(steps));
    if (outcome.verdict == Verdict::kAccepted) {
      ASSAY_RETURN_IF_ERROR(Link(ObjectOf(steps.back()), outcome));
    }
    return outcome;
  }

 private:
  [[nodiscard]] fs::path Implementation() const { return folder_ / "implementation"; }

  // Warnings are counted: what hides them is one.
  Status RespellSilencing() {
    for (const std::string& file : ImplementationFiles(tree_)) {
      const fs::path path = Implementation() / file;
      ASSAY_ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
      if (const std::string respelt = WithoutSilencing(text); respelt != text) {
        ASSAY_RETURN_IF_ERROR(WriteFileAtomically(path, respelt));
      }
    }
    return {};
  }

  // Copies, so that the sandbox is shown no folder with more in it than the compiler may see.
  Status StageTrustedFiles() {
    const fs::path& challenge = inputs_.challenge_directory;
    ASSAY_RETURN_IF_ERROR(StageTrusted(challenge, {"interface.h"}, folder_ / "challenge"));
    ASSAY_RETURN_IF_ERROR(
        StageTrusted(challenge, {"interface.h", "adapter.cc"}, folder_ / "adapter"));
    ASSAY_ASSIGN_OR_RETURN(const auto headers, HostHeaders(inputs_.harness_directory));
    return StageTrusted(inputs_.harness_directory, headers, folder_ / "harness");
  }

  // The sources of the submission, in their order, then the adapter.
  Result<std::vector<CompileStep>> Steps() {
    std::vector<CompileStep> steps;
    steps.reserve(tree_.sources.size() + 1);
    for (const std::string& source : tree_.sources) {
      steps.push_back(Step(ReadOnly(Implementation(), "/submission"), source,
                           ReadOnly(folder_ / "challenge", "/challenge")));
      if (UsesCuda(tree_)) {
        steps.back().cuda = inputs_.cuda;
      }
    }
    steps.push_back(Step(ReadOnly(folder_ / "adapter", "/challenge"), "adapter.cc",
                         ReadOnly(folder_ / "harness", "/harness")));
    for (std::size_t i = 0; i < steps.size(); ++i) {
      // A folder for each: no compilation can touch what another made.
      steps[i].output_directory = folder_ / fmt::format("object-{}", i);
      ASSAY_RETURN_IF_ERROR(MakeEmptyFolder(steps[i].output_directory));
    }
    return steps;
  }

  static Mount ReadOnly(fs::path outside, fs::path inside) {
    return {
        .outside = std::move(outside), .inside = std::move(inside), .access = Access::kReadOnly};
  }

  [[nodiscard]] CompileStep Step(Mount root, const std::string& source, Mount headers) const {
    return {.compiler = inputs_.compiler,
            .root = std::move(root),
            .source = source,
            .headers = {std::move(headers)},
            .defines = {},
            .options = {},
            .cuda = {},
            .output_directory = {}};
  }

  // The first compilation that failed makes the diagnostics.
  Result<BuildOutcome> Compile(const std::vector<CompileStep>& steps) {
    std::vector<ToolStep> tools;
    tools.reserve(steps.size());
    for (const CompileStep& step : steps) {
      tools.push_back(ToCompileTool(step, flavor_, inputs_.tools.level));
    }
    ASSAY_ASSIGN_OR_RETURN(const std::vector<SandboxedRun> runs, RunTools(inputs_.tools, tools));
    if (!runs.back().succeeded()) {
      // The adapter sees nothing of the submission: this is our failure.
      return std::unexpected(
          Error{.kind = ErrorKind::kJudge,
                .where = (inputs_.challenge_directory / "adapter.cc").string(),
                .cause = DescribeFailure(inputs_.tools, tools.back(), runs.back()),
                .remedy = "make the adapter compile against host/adapter.h"});
    }
    BuildOutcome outcome;
    outcome.verdict = Verdict::kAccepted;
    std::vector<std::string> outputs;
    for (std::size_t i = 0; i + 1 < runs.size(); ++i) {
      outputs.push_back(runs[i].output);
      outcome.objects.push_back({.source = steps[i].source, .path = ObjectOf(steps[i])});
      if (!runs[i].succeeded() && outcome.verdict == Verdict::kAccepted) {
        outcome.verdict = Verdict::kCompileError;
        outcome.failed_step = tools[i].what;
        outcome.diagnostics = DescribeFailure(inputs_.tools, tools[i], runs[i]);
      }
    }
    outcome.warnings = CountWarnings(outputs);
    return outcome;
  }

  Status Link(const fs::path& adapter, BuildOutcome& outcome) {
    LinkStep link{.compiler = inputs_.compiler,
                  .objects = {adapter},
                  .whole_libraries = {inputs_.host_library},
                  .libraries = {},
                  .options = {},
                  .output_directory = folder_ / "host"};
    if (UsesCuda(tree_)) {
      link.whole_libraries.push_back(inputs_.cuda_host_library);
      link.options = {"-lfmt", "-lzstd", "-llz4"};  // What the CUDA runtime needs.
    }
    for (const ObjectFile& object : outcome.objects) {
      link.objects.push_back(object.path);
    }
    ASSAY_RETURN_IF_ERROR(MakeEmptyFolder(link.output_directory));
    const ToolStep tool = ToLinkTool(link, flavor_, inputs_.tools.level, "linking");
    ASSAY_ASSIGN_OR_RETURN(const std::vector<SandboxedRun> runs, RunTools(inputs_.tools, {tool}));
    if (runs.front().succeeded()) {
      outcome.host_executable = ProgramOf(link);
      return LookForEntryPoints(outcome);
    }
    outcome.verdict = Verdict::kCompileError;
    outcome.failed_step = tool.what;
    outcome.diagnostics = DescribeFailure(inputs_.tools, tool, runs.front());
    return {};
  }

  Status LookForEntryPoints(BuildOutcome& outcome) const {
    constexpr std::size_t kLargestHost_bytes = std::size_t{1} << 30;
    ASSAY_ASSIGN_OR_RETURN(const std::string host,
                           ReadFile(outcome.host_executable, kLargestHost_bytes));
    MissingEntryPoints missing = FindMissing(inputs_.required_entry_points, DefinedSymbols(host));
    outcome.diagnostics = std::move(missing.description);
    if (missing.all) {
      outcome.verdict = Verdict::kCompileError;
      outcome.failed_step = "linking";
      outcome.host_executable.clear();
    }
    return {};
  }

  const BuildInputs& inputs_;
  BuildFlavor flavor_;
  const SubmissionSpec& tree_;
  fs::path folder_;
};

// A second attempt with the patch. `first` stays the outcome, with a note, unless the repair works.
Result<BuildOutcome> Repaired(const BuildInputs& inputs, BuildFlavor flavor, BuildOutcome first,
                              const fs::path& folder) {
  const PatchSpec& patch = *inputs.submission.patch;
  ASSAY_ASSIGN_OR_RETURN(const auto patched,
                         ApplyPatch(first.built, inputs.tools, folder / "patched"));
  if (!patched) {
    first.diagnostics += fmt::format("\n{} does not apply: {}", patch.file, patched.error().reason);
    return first;
  }
  ASSAY_ASSIGN_OR_RETURN(BuildOutcome second,
                         Attempt(inputs, flavor, *patched, folder / "repaired").Run());
  if (second.verdict != Verdict::kAccepted) {
    first.diagnostics += fmt::format("\nWith {}: {}", patch.file, second.diagnostics);
    return first;
  }
  second.built = *patched;
  second.repair =
      Repair{.patch = patch.file, .reason = patch.reason, .diagnostics = first.diagnostics};
  return second;
}

}  // namespace

BuildEvidence ToEvidence(const BuildOutcome& outcome) {
  return {.verdict = outcome.verdict,
          .diagnostics = outcome.diagnostics,
          .warnings = outcome.warnings,
          .seconds = outcome.seconds};
}

Result<BuildOutcome> BuildHost(const BuildInputs& inputs, BuildFlavor flavor) {
  const auto start = std::chrono::steady_clock::now();
  ASSAY_RETURN_IF_ERROR(RequireTool(inputs.compiler));
  if (UsesCuda(inputs.submission)) {
    ASSAY_RETURN_IF_ERROR(RequireCuda(inputs.cuda));
  }
  const fs::path folder = inputs.output_directory / ToString(flavor);
  ASSAY_RETURN_IF_ERROR(MakeEmptyFolder(folder));
  SubmissionSpec tree = inputs.submission;
  tree.directory = folder / "submission";
  // The patch file travels along, for ApplyPatch reads it from the tree it repairs.
  std::vector<std::string> files = AllFiles(inputs.submission);
  if (inputs.submission.patch) {
    files.push_back(inputs.submission.patch->file);
  }
  ASSAY_ASSIGN_OR_RETURN(const auto staged,
                         Stage(inputs.submission.directory, files, tree.directory));
  BuildOutcome outcome;
  if (!staged) {
    outcome = Refused(staged.error().reason);
    outcome.built = std::move(tree);
  } else {
    ASSAY_ASSIGN_OR_RETURN(outcome, Attempt(inputs, flavor, tree, folder / "as-handed-in").Run());
    outcome.built = std::move(tree);
    if (outcome.verdict == Verdict::kCompileError && inputs.submission.patch) {
      ASSAY_ASSIGN_OR_RETURN(outcome, Repaired(inputs, flavor, std::move(outcome), folder));
    }
  }
  outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return outcome;
}

}  // namespace assay
