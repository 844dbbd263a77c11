// SPDX-License-Identifier: Apache-2.0
#include "cli/command_line.h"

#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <span>
#include <sstream>
#include <system_error>
#include <utility>

#include "base/text.h"
#include "cli/cmd_cuda_arguments.h"
#include "cli/exit_code.h"

namespace assay {
namespace {

constexpr const char* kDescription =
    "Grades the code that language models write: builds submissions in a sandbox, tests them\n"
    "against an oracle, times them against a baseline, and renders scoreboards and matchups.";

constexpr const char* kExamples =
    "Examples:\n"
    "  assay grade                                  grade what changed, then show the scoreboard\n"
    "  assay grade glm-5                            all submissions of one model\n"
    "  assay grade glm-5/layernorm_backward --force --seed 7\n"
    "  assay explain glm-5/layernorm_backward       where did its points go?\n"
    "  assay compare glm-5 qwen3.6-27b              two models, row by row\n"
    "  assay check && assay report --check          what CI runs\n"
    "  assay doctor                                 what can this machine do?\n"
    "  assay cuda run prog.cu                       a CUDA program on a machine without a GPU\n\n";

constexpr const char* kGradeExamples =
    "Examples:\n"
    "  assay grade                         every submission whose evidence no longer holds\n"
    "  assay grade glm-5 qwen3.6-27b       those of two models\n"
    "  assay grade glm-5/layernorm_backward --force\n"
    "                                      one cell, whether or not its evidence holds\n"
    "  assay grade --seed 7                inputs from this seed; two such runs agree\n"
    "  assay grade --require-sandbox=full  end with 4 rather than grade with less\n"
    "  assay grade --json --no-progress    for scripts\n\n"
    "Evidence goes to reports/evidence/, reports to reports/. Evidence holds while the machine, "
    "the\n"
    "compiler, the sandbox level and every file that can change it are the same; assay list says\n"
    "which file is not.";

constexpr const char* kReportExamples =
    "Examples:\n"
    "  assay report           render reports/ from reports/evidence/; grades nothing\n"
    "  assay report --check   write nothing; end with 1 when a report is missing, was edited,\n"
    "                         or is stale, or a submission changed after it was graded";

constexpr const char* kCompareExamples =
    "Example:\n"
    "  assay compare glm-5 qwen3.6-27b   the matchup that reports/matchups/ holds";

constexpr const char* kExplainExamples =
    "Examples:\n"
    "  assay explain glm-5/layernorm_backward\n"
    "                          each point lost, most first, and the evidence behind it\n"
    "  assay explain glm-5/layernorm_backward edge_cases\n"
    "                          one criterion with every case it rests on";

constexpr const char* kCheckExamples =
    "Example:\n"
    "  assay check   read every challenge.yaml, rubric.yaml, model.yaml and submission.yaml\n"
    "                and show all that is wrong, with file, line, cause and remedy";

constexpr const char* kDoctorExamples =
    "Examples:\n"
    "  assay doctor                          tools, sandbox, whether baselines compile, memory\n"
    "                                        bandwidth, clock, round trip\n"
    "  assay doctor --require-sandbox=full   end with 4 when this machine has less";

constexpr const char* kListExamples =
    "Examples:\n"
    "  assay list          challenges, models and cells; for each cell whether its evidence still\n"
    "                      holds, or which file changed\n"
    "  assay list --json   the same for scripts, with every such file";

constexpr const char* kSignaturesExamples =
    "Examples:\n"
    "  assay signatures                       run the suite on each mutant whose signature no\n"
    "                                         longer holds, three times; write what it fails\n"
    "  assay signatures layernorm_backward --force\n"
    "                                         one challenge, every mutant\n"
    "  assay signatures --check               run nothing; end with 1 when a suite or a mutant\n"
    "                                         changed since, and name it\n\n"
    "Signatures go to reference/<challenge>/signatures.json. Reports say by them which known bug "
    "a\n"
    "failing submission is like. scripts/signatures builds the mutants first.";

constexpr const char* kCudaExamples =
    "Example:\n"
    "  assay cuda run prog.cu   compile it with nvcc, run it on the emulated GPU, check it\n"
    "  assay cuda run --help    all of it";

constexpr const char* kCudaRunExamples =
    "Examples:\n"
    "  assay cuda run prog.cu                     run it, then show counters and findings\n"
    "  assay cuda run -O3 -std=c++17 -Iinclude a.cu b.cu -- --size 1024 out.bin\n"
    "                                             flags for nvcc, arguments for the program\n"
    "  assay cuda run --gpu=a100 --lines prog.cu  on another GPU; each source line's traffic\n"
    "  assay cuda run --schedule=random --seed=7 --perturb prog.cu\n"
    "                                             is the result a matter of luck?\n"
    "  assay cuda run --error-exitcode=1 --json=report.json prog.cu\n"
    "                                             for CI\n\n"
    "What starts with - and is not listed above goes to nvcc. The program keeps standard input,\n"
    "standard output and its exit code. On the error stream follow, for each kernel, its counters\n"
    "in the terms of Nsight Compute (times are modelled, never measured), then what memcheck,\n"
    "racecheck, initcheck and synccheck found, in the words of compute-sanitizer. The file may\n"
    "also be an executable that is linked with libassay_cudart.so already.\n\n"
    "nvcc is needed and a GPU is not: scripts/setup --cuda installs it.\n\n"
    "Exit codes: the program's, 128 + N when signal N ended it, the value of --error-exitcode\n"
    "when there are findings; 2 when there is nothing to run: a missing file, no nvcc, sources\n"
    "that do not compile.";

// The variables that CLI11 writes to while it parses.
struct Raw {
  std::string root;
  bool json = false;
  bool force = false;
  bool no_progress = false;
  bool require_accepted = false;
  bool check = false;
  bool wait = false;
  std::vector<std::string> cells;
  std::optional<std::string> seed;
  std::optional<std::string> sandbox;
  std::optional<std::string> require_sandbox;
  std::string first;
  std::string second;
  std::optional<std::string> criterion;
  // cuda run
  std::string gpu = "h100";
  std::string schedule = "ascending";
  bool no_checks = false;
  bool perturb = false;
  bool lines = false;
  unsigned workers = 0;
  std::optional<std::uint64_t> limit;
  std::optional<int> error_exit_code;
  std::optional<std::string> json_target;
};

std::optional<SandboxLevel> Level(const std::optional<std::string>& word) {
  return word ? SandboxLevelFromString(*word) : std::nullopt;
}

// CLI11 would take -1 for 2^64 - 1.
std::optional<std::uint64_t> Seed(const std::optional<std::string>& word) {
  std::uint64_t seed = 0;
  if (!word || word->empty()) {
    return std::nullopt;
  }
  const char* const end = word->data() + word->size();
  const auto [stop, failure] = std::from_chars(word->data(), end, seed);
  return failure == std::errc() && stop == end ? std::optional(seed) : std::nullopt;
}

// Builds the parser over `raw` and turns what it read into options.
class CommandLineParser {
 public:
  CommandLineParser() : app_(kDescription, "assay") {
    app_.set_version_flag("--version", "assay " ASSAY_VERSION);
    app_.set_help_all_flag("--help-all", "Help of all commands");
    app_.footer(kExamples + std::string(kExitCodeHelp));
    app_.require_subcommand(1);
    app_.fallthrough();
    app_.get_formatter()->column_width(30);
    app_.add_option("--root", raw_.root, "The repository (default: found from here upwards)")
        ->type_name("DIR");
    app_.add_flag("--json", raw_.json, "Results as JSON on standard output");
    AddGrade();
    AddReport();
    AddCompare();
    AddExplain();
    AddCommand("check", "Check every file that people write", kCheckExamples);
    CLI::App& doctor = AddCommand("doctor", "Say what this machine has and can", kDoctorExamples);
    AddLevel(doctor, "--require-sandbox", raw_.require_sandbox, "Fail below this level");
    AddCommand("list", "List challenges, models and cells", kListExamples);
    AddSignatures();
    AddCuda();
  }

  std::expected<CommandOptions, NoCommand> Parse(std::vector<std::string> arguments) {
    TakeOutCudaArguments(arguments);
    try {
      std::ranges::reverse(arguments);  // CLI11 takes them last first.
      app_.parse(std::move(arguments));
    } catch (const CLI::ParseError& error) {
      if (const std::vector<std::string> left = app_.remaining();
          !left.empty() && app_.get_subcommands().empty()) {
        return std::unexpected(NoCommand{.exit_code = static_cast<int>(ExitCode::kConfiguration),
                                         .out = {},
                                         .err = NoSuchCommand(left.front())});
      }
      std::ostringstream out;
      std::ostringstream err;
      const bool is_help = app_.exit(error, out, err) == 0;
      return std::unexpected(NoCommand{
          .exit_code = static_cast<int>(is_help ? ExitCode::kDone : ExitCode::kConfiguration),
          .out = out.str(),
          .err = err.str()});
    }
    return ToCommand();
  }

 private:
  // CLI11 would only say that a command is required.
  std::string NoSuchCommand(const std::string& given) const {
    std::vector<std::string> names;
    for (const CLI::App* command : app_.get_subcommands({})) {
      names.push_back(command->get_name());
    }
    return fmt::format("assay: there is no command \"{}\"; choose one of {}\n", given,
                       Join(names, ", "));
  }

  CLI::App& AddCommand(const std::string& name, const std::string& what,
                       const std::string& examples) {
    CLI::App* const command = app_.add_subcommand(name, what);
    command->footer(examples);
    return *command;
  }

  static void AddLevel(CLI::App& command, const std::string& name,
                       std::optional<std::string>& target, const std::string& what) {
    command.add_option(name, target, what)
        ->type_name("LEVEL")
        ->check(CLI::IsMember({"full", "reduced", "none"}));
  }

  void AddSeed(CLI::App& command, const std::string& what) {
    command.add_option("--seed", raw_.seed, what)
        ->type_name("N")
        ->check([](const std::string& word) {
          return Seed(word) ? std::string() : "a seed is a whole number from 0 to 2^64 - 1";
        });
  }

  /// For commands that write in the repository.
  void AddWait(CLI::App& command) {
    command.add_flag("--wait", raw_.wait,
                     "Wait while another assay works in the repository (default: end with 2)");
  }

  void AddGrade() {
    CLI::App& grade =
        AddCommand("grade", "Grade submissions and render the reports", kGradeExamples);
    grade.add_option("cells", raw_.cells, "What to grade (default: all)")
        ->type_name("MODEL[/CHALLENGE]");
    grade.add_flag("--force", raw_.force, "Grade even where evidence holds");
    AddSeed(grade, "Seed of all inputs (default: a fresh one)");
    AddLevel(grade, "--sandbox", raw_.sandbox,
             "Use this level (default: the strongest there is; none only when asked for)");
    AddLevel(grade, "--require-sandbox", raw_.require_sandbox, "Fail below this level");
    grade.add_flag("--require-accepted", raw_.require_accepted,
                   "End with 1 unless every cell is accepted");
    grade.add_flag("--no-progress", raw_.no_progress, "Print results alone");
    AddWait(grade);
  }

  void AddReport() {
    CLI::App& report = AddCommand("report", "Render reports from evidence", kReportExamples);
    report.add_flag("--check", raw_.check, "Write nothing; end with 1 if anything would change");
    AddWait(report);
  }

  void AddCompare() {
    CLI::App& compare = AddCommand("compare", "Show two models row by row", kCompareExamples);
    compare.add_option("a", raw_.first, "A model")->type_name("MODEL")->required();
    compare.add_option("b", raw_.second, "Another")->type_name("MODEL")->required();
  }

  void AddExplain() {
    CLI::App& explain =
        AddCommand("explain", "Lead from points lost to evidence", kExplainExamples);
    explain.add_option("cell", raw_.first, "What to explain")
        ->type_name("MODEL/CHALLENGE")
        ->required();
    explain.add_option("criterion", raw_.criterion, "One criterion of the rubric")
        ->type_name("CRITERION");
  }

  void AddCuda() {
    CLI::App& cuda = AddCommand("cuda", "Run CUDA programs on the emulated GPU", kCudaExamples);
    cuda.require_subcommand(1);
    cuda_run_ = cuda.add_subcommand("run", "Compile a CUDA program, run it and check it");
    CLI::App& run = *cuda_run_;
    run.footer(kCudaRunExamples);
    run.add_option("files", raw_.cells, "What nvcc makes a program of")
        ->type_name("FILE.cu")
        ->required();
    run.add_option("--gpu", raw_.gpu, "The GPU to be")
        ->capture_default_str()
        ->check(CLI::IsMember(gpu::GpuModelIds()));
    run.add_option("--schedule", raw_.schedule, "Order of warps and blocks")
        ->capture_default_str()
        ->check(CLI::IsMember({"ascending", "reversed", "random"}));
    AddSeed(run, "Seed of what is random (default: 0)");
    run.add_flag("--no-checks", raw_.no_checks, "Only run and count");
    run.add_flag("--perturb", raw_.perturb,
                 "Move approximate instructions within their documented error");
    run.add_option("--workers", raw_.workers, "Cores to use (default: all); changes no result")
        ->type_name("N")
        ->check(CLI::Range(0U, 1024U));
    run.add_option("--limit", raw_.limit, "Thread-instructions a launch may take")->type_name("N");
    run.add_flag("--lines", raw_.lines, "Show counters of each source line");
    run.add_option("--error-exitcode", raw_.error_exit_code, "Exit code when there are findings")
        ->type_name("N")
        ->check(CLI::Range(0, 255));
    run.add_option("--json", raw_.json_target,
                   "JSON on the error stream in place of text, or beside it in FILE")
        ->type_name("[=FILE]")
        ->expected(0, 1);
  }

  static OptionShape ShapeOf(const CLI::App& app, const std::string& name) {
    const CLI::Option* const option = app.get_option_no_throw(name);
    if (option == nullptr || option->get_positional()) {
      return OptionShape::kNotOurs;
    }
    return option->get_items_expected_min() == 0 ? OptionShape::kAlone : OptionShape::kWithNext;
  }

  /// Leaves CLI11 our own options and the files: flags of nvcc and arguments of the program may
  /// look like anything.
  void TakeOutCudaArguments(std::vector<std::string>& arguments) {
    const auto run = std::ranges::search(arguments, std::array<std::string_view, 2>{"cuda", "run"});
    const bool is_command =
        !run.empty() && std::all_of(arguments.begin(), run.begin(), [&](const std::string& word) {
          return word.starts_with('-') || (&word != arguments.data() && *(&word - 1) == "--root");
        });
    if (!is_command) {
      return;
    }
    cuda_ = SplitCudaArguments(std::span(run.end(), arguments.end()), [&](const std::string& name) {
      const OptionShape own = ShapeOf(*cuda_run_, name);
      return own == OptionShape::kNotOurs && name == "--root" ? ShapeOf(app_, name) : own;
    });
    arguments.erase(run.end(), arguments.end());
    // --json would take a file that follows it.
    arguments.insert(arguments.end(), cuda_.files.begin(), cuda_.files.end());
    arguments.insert(arguments.end(), cuda_.ours.begin(), cuda_.ours.end());
  }

  [[nodiscard]] CudaRunOptions ToCudaRun(CommonOptions common) const {
    CudaRunOptions options;
    if (raw_.json_target && !raw_.json_target->empty()) {
      options.json_file = *raw_.json_target;
    } else if (raw_.json_target) {
      common.format = OutputFormat::kJson;
    }
    options.common = std::move(common);
    options.request.files = raw_.cells;
    options.request.nvcc_flags = cuda_.nvcc;
    options.request.program_arguments = cuda_.program;
    options.request.settings = {
        .model = gpu::FindGpuModel(raw_.gpu).value_or(gpu::H100()),
        .schedule = raw_.schedule == "reversed" ? gpu::Schedule::kReversed
                    : raw_.schedule == "random" ? gpu::Schedule::kRandom
                                                : gpu::Schedule::kAscending,
        .seed = Seed(raw_.seed).value_or(0),
        .checking = raw_.no_checks ? gpu::Checking::kOff : gpu::Checking::kOn,
        .approximation =
            raw_.perturb ? gpu::Approximation::kPerturbed : gpu::Approximation::kRounded,
        .workers = raw_.workers,
        .instruction_limit = raw_.limit};
    options.lines = raw_.lines ? gpu::SourceLines::kShown : gpu::SourceLines::kHidden;
    options.error_exit_code = raw_.error_exit_code;
    return options;
  }

  void AddSignatures() {
    CLI::App& signatures =
        AddCommand("signatures", "Learn what the mutants' bugs look like", kSignaturesExamples);
    signatures.add_option("challenges", raw_.cells, "Of which challenges (default: all)")
        ->type_name("CHALLENGE");
    CLI::Option* const check = signatures.add_flag(
        "--check", raw_.check, "Write nothing; end with 1 if any no longer holds");
    signatures.add_flag("--force", raw_.force, "Compute also those that hold")->excludes(check);
    AddWait(signatures);
  }

  [[nodiscard]] SignaturesOptions ToSignatures(const CommonOptions& common) const {
    return {.common = common,
            .challenges = raw_.cells,
            .mode = raw_.check   ? SignaturesMode::kCheck
                    : raw_.force ? SignaturesMode::kComputeAll
                                 : SignaturesMode::kUpdate};
  }

  [[nodiscard]] CommandOptions ToCommand() const {
    const CommonOptions common{.root = raw_.root,
                               .format = raw_.json ? OutputFormat::kJson : OutputFormat::kText,
                               .when_held = raw_.wait ? WhenHeld::kWait : WhenHeld::kRefuse};
    const std::string name = app_.get_subcommands().front()->get_name();
    if (name == "grade") {
      return GradeOptions{
          .common = common,
          .cells = raw_.cells,
          .reuse = raw_.force ? Reuse::kNever : Reuse::kWhenItHolds,
          .seed = Seed(raw_.seed),
          .sandbox = Level(raw_.sandbox),
          .required_sandbox = Level(raw_.require_sandbox),
          .progress = raw_.no_progress ? ProgressStyle::kHidden : ProgressStyle::kShown,
          .gate = raw_.require_accepted ? AcceptanceGate::kEveryCell : AcceptanceGate::kOff};
    }
    if (name == "report") {
      return ReportOptions{.common = common,
                           .mode = raw_.check ? ReportMode::kCheck : ReportMode::kWrite};
    }
    if (name == "compare") {
      return CompareOptions{.common = common, .model_a = raw_.first, .model_b = raw_.second};
    }
    if (name == "explain") {
      return ExplainOptions{.common = common, .cell = raw_.first, .criterion = raw_.criterion};
    }
    if (name == "check") {
      return CheckOptions{.common = common};
    }
    if (name == "signatures") {
      return ToSignatures(common);
    }
    if (name == "cuda") {
      return ToCudaRun(common);
    }
    if (name == "doctor") {
      return DoctorOptions{.common = common, .required_sandbox = Level(raw_.require_sandbox)};
    }
    return ListOptions{.common = common};
  }

  Raw raw_;
  CLI::App app_;
  CLI::App* cuda_run_ = nullptr;  // Of app_.
  CudaArguments cuda_;
};

}  // namespace

std::expected<CommandOptions, NoCommand> ParseCommandLine(std::vector<std::string> arguments) {
  return CommandLineParser().Parse(std::move(arguments));
}

}  // namespace assay
