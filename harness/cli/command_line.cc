// SPDX-License-Identifier: Apache-2.0
#include "cli/command_line.h"

#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <array>
#include <ranges>
#include <span>
#include <sstream>
#include <utility>

#include "base/text.h"
#include "cli/cmd_cuda_arguments.h"
#include "cli/exit_code.h"
#include "cli/help_texts.h"
#include "cli/pr_arguments.h"
#include "cli/seed.h"
#include "cli/submission_options.h"
#include "cli/try_command_line.h"

namespace assay {
namespace {

// The variables that CLI11 writes to while it parses.
struct Raw {
  std::string root;
  bool json = false;
  std::string color;
  bool force = false;
  bool no_progress = false;
  bool require_accepted = false;
  bool check = false;
  bool all = false;
  bool markdown = false;
  bool wait = false;
  std::vector<std::string> cells;
  std::optional<std::string> seed;
  std::optional<std::string> sandbox;
  std::optional<std::string> require_sandbox;
  std::string first;
  std::string second;
  std::optional<std::string> criterion;
  std::string out;
  std::string shard;
  bool attest = false;
  bool require_signed = false;
  // cuda run
  std::string gpu = "h100";
  std::string schedule = "ascending";
  bool no_checks = false;
  bool perturb = false;
  bool lines = false;
  bool full_names = false;
  bool leak_check = false;
  unsigned workers = 0;
  std::optional<std::uint64_t> limit;
  std::optional<int> error_exit_code;
  std::optional<std::string> json_target;
  RawPr pr;
};

std::optional<SandboxLevel> Level(const std::optional<std::string>& word) {
  return word ? SandboxLevelFromString(*word) : std::nullopt;
}

// CLI11 would take -1 for 2^64 - 1.
std::optional<std::uint64_t> Seed(const std::optional<std::string>& word) {
  return word ? ParseSeed(*word) : std::nullopt;
}

WhenColour ColourWhen(const std::string& word) {
  return word == "always"  ? WhenColour::kAlways
         : word == "never" ? WhenColour::kNever
                           : WhenColour::kAuto;
}

// Choices as CLI11 shows them behind the name of a value: `LEVEL:{full,reduced,none}`.
std::vector<std::string> ChoicesIn(std::string_view type) {
  const std::size_t open = type.find('{');
  const std::size_t close = type.find('}');
  std::vector<std::string> choices;
  if (open == std::string_view::npos || close == std::string_view::npos) {
    return choices;
  }
  for (const auto word : std::views::split(type.substr(open + 1, close - open - 1), ',')) {
    choices.emplace_back(std::string_view(word));
  }
  return choices;
}

OptionDescription DescribeOption(const CLI::Option& option) {
  OptionDescription description;
  for (const std::string& name : option.get_lnames()) {
    description.names.push_back("--" + name);
  }
  for (const std::string& name : option.get_snames()) {
    description.names.push_back("-" + name);
  }
  description.what = option.get_description();
  description.presence = option.get_required() ? Presence::kRequired : Presence::kOptional;
  if (option.get_items_expected_max() > 0) {
    const std::string type = option.get_type_name();
    description.value = type.substr(0, type.find(':'));
    description.choices = ChoicesIn(type);
  }
  return description;
}

CommandDescription DescribeApp(const CLI::App& app) {
  CommandDescription description{.name = app.get_name(),
                                 .what = app.get_description(),
                                 .footer = app.get_footer(),
                                 .options = {},
                                 .arguments = {},
                                 .commands = {}};
  for (const CLI::Option* option : app.get_options()) {
    (option->get_positional() ? description.arguments : description.options)
        .push_back(DescribeOption(*option));
  }
  for (const CLI::App* command : app.get_subcommands({})) {
    if (!command->get_group().empty()) {
      description.commands.push_back(DescribeApp(*command));
    }
  }
  return description;
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
    app_.add_option("--color", raw_.color, "Colours (default: on a terminal without NO_COLOR)")
        ->type_name("WHEN")
        ->check(CLI::IsMember({"auto", "always", "never"}));
    AddTryOptions(AddCommand("try", "Try a submission in seconds", kTryExamples), raw_try_);
    AddGrade();
    AddMerge();
    AddReport();
    AddCompare();
    AddExplain();
    AddRequireSigned(AddCommand("check", "Check every file that people write", kCheckExamples),
                     "End with 1 unless every cell's evidence is signed");
    CLI::App& doctor = AddCommand("doctor", "Say what this machine has and can", kDoctorExamples);
    AddLevel(doctor, "--require-sandbox", raw_.require_sandbox, "Fail below this level");
    AddCommand("list", "List challenges, models and cells", kListExamples);
    AddInit();
    AddSubmissionCommands(app_, submission_raw_);
    AddSignatures();
    AddPr();
    AddCuda();
    AddForPackagers();
  }

  [[nodiscard]] CommandDescription Describe() const { return DescribeApp(app_); }

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
    for (const CommandDescription& command : Describe().commands) {
      names.push_back(command.name);
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
          return ParseSeed(word) ? std::string() : std::string(kSeedRule);
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
    grade
        .add_option("cells", raw_.cells,
                    "MODEL, CHALLENGE or MODEL/CHALLENGE, wildcards allowed (default: all)")
        ->type_name("CELL");
    grade.add_flag("--force", raw_.force, "Grade even where evidence holds");
    AddSeed(grade, "Seed of all inputs (default: a fresh one)");
    AddLevel(grade, "--sandbox", raw_.sandbox,
             "Use this level (default: the strongest there is; none only when asked for)");
    AddLevel(grade, "--require-sandbox", raw_.require_sandbox, "Fail below this level");
    grade.add_flag("--require-accepted", raw_.require_accepted,
                   "End with 1 unless every cell is accepted");
    grade.add_flag("--no-progress", raw_.no_progress, "Print results alone");
    grade.add_option("--out", raw_.out, "Write evidence below DIR and nothing elsewhere")
        ->type_name("DIR");
    grade.add_option("--shard", raw_.shard, "Only the cells of machine I of N, by expected time")
        ->type_name("I/N")
        ->check([](const std::string& word) {
          return ParseShard(word) ? std::string()
                                  : "a shard is I/N with whole numbers, I from 1 to N, as in 2/5";
        });
    grade.add_flag("--attest", raw_.attest,
                   "Sign evidence with the key of the variable ASSAY_ATTEST_KEY");
    AddWait(grade);
  }

  void AddMerge() {
    CLI::App& merge =
        AddCommand("merge", "Take in evidence that grade --out wrote", kMergeExamples);
    merge.add_option("folders", raw_.cells, "What grade --out wrote")->type_name("DIR")->required();
    AddRequireSigned(merge, "Refuse all unless every cell is signed");
    AddWait(merge);
  }

  void AddRequireSigned(CLI::App& command, const std::string& what) {
    command.add_flag("--require-signed", raw_.require_signed, what);
  }

  [[nodiscard]] MergeOptions ToMerge(const CommonOptions& common) const {
    return {.common = common,
            .folders = {raw_.cells.begin(), raw_.cells.end()},
            .is_unsigned = raw_.require_signed ? Unsigned::kRefused : Unsigned::kTaken};
  }

  void AddReport() {
    CLI::App& report = AddCommand("report", "Render reports from evidence", kReportExamples);
    report.add_flag("--check", raw_.check, "Write nothing; end with 1 if anything would change");
    AddRequireSigned(report, "Write nothing and end with 1 unless every cell's evidence is signed");
    AddWait(report);
  }

  void AddCompare() {
    CLI::App& compare = AddCommand("compare", "Show two models row by row", kCompareExamples);
    compare.add_option("a", raw_.first, "A model")->type_name("MODEL")->required();
    compare.add_option("b", raw_.second, "Another")->type_name("MODEL")->required();
    compare.add_flag("--markdown", raw_.markdown, "As reports/matchups/ has it");
  }

  void AddExplain() {
    CLI::App& explain =
        AddCommand("explain", "Lead from points lost to evidence", kExplainExamples);
    explain.add_option("cell", raw_.first, "What to explain")
        ->type_name("MODEL/CHALLENGE")
        ->required();
    CLI::Option* const criterion =
        explain.add_option("criterion", raw_.criterion, "One criterion of the rubric")
            ->type_name("CRITERION");
    explain.add_flag("--all", raw_.all, "Every row, not just the five that cost most")
        ->excludes(criterion);
  }

  void AddInit() {
    CLI::App& init = AddCommand("init", "Make a repository of submissions", kInitExamples);
    init.add_option("directory", raw_.first, "Where; made if it is not there")
        ->type_name("DIR")
        ->required();
  }

  void AddPr() {
    CLI::App& pr =
        AddCommand("pr", "Grade what a change touches, with its base's judge", kPrExamples);
    AddPrArguments(pr, raw_.pr);
    AddSeed(pr, "Seed of all inputs (default: a fresh one)");
    AddLevel(pr, "--sandbox", raw_.sandbox,
             "Use this level (default: the strongest there is; none only when asked for)");
    AddLevel(pr, "--require-sandbox", raw_.require_sandbox, "Fail below this level");
    pr.add_flag("--no-progress", raw_.no_progress, "Print results alone");
    AddWait(pr);
  }

  // What a package is made with. Commands without a group are not shown.
  void AddForPackagers() {
    CLI::App& completion = AddCommand("completion", "Print a shell's completions", "");
    completion.group("")
        ->add_option("shell", raw_.first, "Of which shell")
        ->type_name("SHELL")
        ->required()
        ->check(CLI::IsMember({"bash", "zsh", "fish"}));
    AddCommand("manual", "Print the manual page", "").group("");
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
    run.add_flag("--full-names", raw_.full_names,
                 "Show all of a kernel's name (default: 120 characters)");
    run.add_flag("--leak-check", raw_.leak_check, "Device memory that is never freed is an error");
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
        .leak_check = raw_.leak_check ? gpu::LeakCheck::kOn : gpu::LeakCheck::kOff,
        .instruction_limit = raw_.limit};
    options.lines = raw_.lines ? gpu::SourceLines::kShown : gpu::SourceLines::kHidden;
    options.names = raw_.full_names ? gpu::KernelNames::kFull : gpu::KernelNames::kShort;
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

  [[nodiscard]] PrOptions ToPrOptions(const CommonOptions& common) const {
    PrOptions options = ToPr(raw_.pr, common);
    options.seed = Seed(raw_.seed);
    options.sandbox = Level(raw_.sandbox);
    options.required_sandbox = Level(raw_.require_sandbox);
    options.progress = raw_.no_progress ? ProgressStyle::kHidden : ProgressStyle::kShown;
    return options;
  }

  [[nodiscard]] SignaturesOptions ToSignatures(const CommonOptions& common) const {
    return {.common = common,
            .challenges = raw_.cells,
            .mode = raw_.check   ? SignaturesMode::kCheck
                    : raw_.force ? SignaturesMode::kComputeAll
                                 : SignaturesMode::kUpdate};
  }

  [[nodiscard]] SignedGate Signed() const {
    return raw_.require_signed ? SignedGate::kEveryCell : SignedGate::kOff;
  }

  [[nodiscard]] CommandOptions ToCommand() const {
    const CommonOptions common{.root = raw_.root,
                               .format = raw_.json ? OutputFormat::kJson : OutputFormat::kText,
                               .when_held = raw_.wait ? WhenHeld::kWait : WhenHeld::kRefuse,
                               .colour = ColourWhen(raw_.color)};
    const std::string name = app_.get_subcommands().front()->get_name();
    if (name == "try") {
      return ToTryOptions(raw_try_, common);
    }
    if (auto command = ToSubmissionCommand(name, submission_raw_, common)) {
      return *std::move(command);
    }
    if (name == "grade") {
      return GradeOptions{
          .common = common,
          .cells = raw_.cells,
          .reuse = raw_.force ? Reuse::kNever : Reuse::kWhenItHolds,
          .seed = Seed(raw_.seed),
          .sandbox = Level(raw_.sandbox),
          .required_sandbox = Level(raw_.require_sandbox),
          .progress = raw_.no_progress ? ProgressStyle::kHidden : ProgressStyle::kShown,
          .gate = raw_.require_accepted ? AcceptanceGate::kEveryCell : AcceptanceGate::kOff,
          .out = raw_.out,
          .shard = ParseShard(raw_.shard),
          .attesting = raw_.attest ? Attesting::kOn : Attesting::kOff};
    }
    if (name == "report") {
      return ReportOptions{.common = common,
                           .mode = raw_.check ? ReportMode::kCheck : ReportMode::kWrite,
                           .gate = Signed()};
    }
    if (name == "merge") {
      return ToMerge(common);
    }
    if (name == "compare") {
      return CompareOptions{
          .common = common,
          .model_a = raw_.first,
          .model_b = raw_.second,
          .style = raw_.markdown ? CompareStyle::kMarkdown : CompareStyle::kColumns};
    }
    if (name == "explain") {
      return ExplainOptions{.common = common,
                            .cell = raw_.first,
                            .criterion = raw_.criterion,
                            .rows = raw_.all ? ExplainedRows::kAll : ExplainedRows::kLargest};
    }
    if (name == "check") {
      return CheckOptions{.common = common, .gate = Signed()};
    }
    if (name == "signatures") {
      return ToSignatures(common);
    }
    if (name == "pr") {
      return ToPrOptions(common);
    }
    if (name == "cuda") {
      return ToCudaRun(common);
    }
    if (name == "init") {
      return InitOptions{.common = common, .directory = raw_.first};
    }
    if (name == "completion") {
      return CompletionOptions{.shell = raw_.first == "bash"  ? Shell::kBash
                                        : raw_.first == "zsh" ? Shell::kZsh
                                                              : Shell::kFish};
    }
    if (name == "manual") {
      return ManualOptions{};
    }
    if (name == "doctor") {
      return DoctorOptions{.common = common, .required_sandbox = Level(raw_.require_sandbox)};
    }
    return ListOptions{.common = common};
  }

  Raw raw_;
  RawSubmissionOptions submission_raw_;
  RawTryOptions raw_try_;
  CLI::App app_;
  CLI::App* cuda_run_ = nullptr;  // Of app_.
  CudaArguments cuda_;
};

}  // namespace

CommandDescription DescribeCommandLine() { return CommandLineParser().Describe(); }

std::expected<CommandOptions, NoCommand> ParseCommandLine(std::vector<std::string> arguments) {
  return CommandLineParser().Parse(std::move(arguments));
}

}  // namespace assay
