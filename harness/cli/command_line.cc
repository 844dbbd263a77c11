// SPDX-License-Identifier: Apache-2.0
#include "cli/command_line.h"

#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <sstream>
#include <utility>

#include "base/text.h"
#include "cli/cuda_command_line.h"
#include "cli/describe_command_line.h"
#include "cli/exit_code.h"
#include "cli/help_texts.h"
#include "cli/pr_arguments.h"
#include "cli/review_help_texts.h"
#include "cli/review_options.h"
#include "cli/shared_options.h"
#include "cli/submission_options.h"
#include "cli/try_command_line.h"

namespace assay {
namespace {

// Of weights: each seed has some, and a person waits.
constexpr int kLeastDraws = 10;
constexpr int kMostDraws = 1'000'000;

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
  std::optional<std::string> page;
  std::string out;
  std::string shard;
  bool attest = false;
  bool require_signed = false;
  int draws = kWeightDraws;
  RawPr pr;
};

WhenColour ColourWhen(const std::string& word) {
  return word == "always"  ? WhenColour::kAlways
         : word == "never" ? WhenColour::kNever
                           : WhenColour::kAuto;
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
        ->type_name("DIR")
        ->check(&NotEmpty);
    app_.add_flag("--json", raw_.json, "Results as JSON on standard output");
    app_.add_option("--color", raw_.color, "Colours (default: on a terminal without NO_COLOR)")
        ->type_name("WHEN")
        ->check(CLI::IsMember({"auto", "always", "never"}));
    AddTryOptions(AddCommand("try", "Try a submission in seconds", kTryExamples), raw_try_);
    AddGrade();
    AddMerge();
    AddReport();
    AddCompare();
    AddDiff();
    AddExplain();
    AddRobustness();
    AddSite();
    AddRequireSigned(AddCommand("check", "Check every file that people write", kCheckExamples),
                     "End with 1 unless every cell's evidence is signed");
    CLI::App& doctor = AddCommand("doctor", "Say what this machine has and can", kDoctorExamples);
    AddLevelOption(doctor, "--require-sandbox", raw_.require_sandbox, "Fail below this level");
    AddCommand("list", "List challenges, models and cells", kListExamples);
    AddInit();
    AddSubmissionCommands(app_, submission_raw_);
    AddReviewCommands(AddCommand("review", "Have submissions judged", kReviewExamples),
                      raw_review_);
    AddSignatures();
    AddPr();
    CLI::App& cuda =
        AddCommand("cuda", "Run CUDA programs on the emulated GPU, or check it", kCudaExamples);
    cuda.require_subcommand(1);
    cuda_run_ = &AddCudaRun(cuda, raw_cuda_);
    AddCudaCheck(cuda, raw_cuda_check_);
    AddForPackagers();
  }

  [[nodiscard]] CommandDescription Describe() const { return DescribeApp(app_); }

  std::expected<CommandOptions, NoCommand> Parse(std::vector<std::string> arguments) {
    cuda_ = TakeOutCudaArguments(arguments, app_, *cuda_run_);
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
    return assay::AddCommand(app_, name, what, examples);
  }

  void AddGrade() {
    CLI::App& grade =
        AddCommand("grade", "Grade submissions and render the reports", kGradeExamples);
    grade
        .add_option("cells", raw_.cells,
                    "MODEL, CHALLENGE or MODEL/CHALLENGE, wildcards allowed (default: all)")
        ->type_name("CELL");
    grade.add_flag("--force", raw_.force, "Grade even where evidence holds");
    AddSeedOption(grade, raw_.seed, "Seed of all inputs (default: a fresh one)");
    AddLevelOption(grade, "--sandbox", raw_.sandbox,
                   "Use this level (default: the strongest there is; none only when asked for)");
    AddLevelOption(grade, "--require-sandbox", raw_.require_sandbox, "Fail below this level");
    grade.add_flag("--require-accepted", raw_.require_accepted,
                   "End with 1 unless every cell is accepted");
    grade.add_flag("--no-progress", raw_.no_progress, "Print results alone");
    grade.add_option("--out", raw_.out, "Write evidence below DIR and nothing elsewhere")
        ->type_name("DIR")
        ->check(&NotEmpty);
    grade.add_option("--shard", raw_.shard, "Only the cells of machine I of N, by expected time")
        ->type_name("I/N")
        ->check([](const std::string& word) {
          return ParseShard(word) ? std::string()
                                  : "a shard is I/N with whole numbers, I from 1 to N, as in 2/5";
        });
    grade.add_flag("--attest", raw_.attest,
                   "Sign evidence with the key of the variable ASSAY_ATTEST_KEY");
    AddWaitOption(grade, raw_.wait);
  }

  void AddMerge() {
    CLI::App& merge =
        AddCommand("merge", "Take in evidence that grade --out wrote", kMergeExamples);
    merge.add_option("folders", raw_.cells, "What grade --out wrote")
        ->type_name("DIR")
        ->required()
        ->check(&NotEmpty);
    AddRequireSigned(merge, "Refuse all unless every cell is signed");
    AddWaitOption(merge, raw_.wait);
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
    AddWaitOption(report, raw_.wait);
  }

  void AddCompare() {
    CLI::App& compare = AddCommand("compare", "Show two models row by row", kCompareExamples);
    compare.add_option("a", raw_.first, "A model")->type_name("MODEL")->required();
    compare.add_option("b", raw_.second, "Another")->type_name("MODEL")->required();
    compare.add_flag("--markdown", raw_.markdown, "As reports/matchups/ has it");
  }

  void AddDiff() {
    CLI::App& diff =
        AddCommand("diff", "Show what changed between two sets of evidence", kDiffExamples);
    diff.add_option("old", raw_.first, "A commit, or a folder that holds reports/evidence")
        ->type_name("OLD")
        ->required();
    diff.add_option("new", raw_.second, "Another (default: the evidence here)")->type_name("NEW");
  }

  void AddExplain() {
    CLI::App& explain = AddCommand("explain", "Lead from any figure to evidence", kExplainExamples);
    explain
        .add_option("what", raw_.first,
                    "A cell or anchor, a model, a challenge, two models as MODEL_vs_MODEL, or "
                    "calibration")
        ->type_name("MODEL/CHALLENGE")
        ->required();
    CLI::Option* const criterion = explain
                                       .add_option("criterion", raw_.criterion,
                                                   "One criterion or dimension of the rubric; of "
                                                   "calibration, a published row or factor")
                                       ->type_name("CRITERION");
    explain.add_flag("--all", raw_.all, "Of a cell every row, not just the five that cost most")
        ->excludes(criterion);
  }

  void AddSite() {
    CLI::App& site = AddCommand("site", "Write a site to look at in a browser", kSiteExamples);
    site.add_option("directory", raw_.first, "Where; made if it is not there")
        ->type_name("DIR")
        ->required()
        ->check(&NotEmpty);
    site.add_option("--page", raw_.page, "The built page (default: that of this build of Assay)")
        ->type_name("DIR")
        ->check(&NotEmpty);
  }

  void AddRobustness() {
    CLI::App& robustness =
        AddCommand("robustness", "Say how well the rankings hold", kRobustnessExamples);
    robustness.add_option("challenges", raw_.cells, "Of which challenges (default: all)")
        ->type_name("CHALLENGE");
    robustness.add_option("--draws", raw_.draws, "Draws of weights (default: 2000)")
        ->type_name("N")
        ->check(CLI::Range(kLeastDraws, kMostDraws));
  }

  void AddInit() {
    CLI::App& init = AddCommand("init", "Make a repository of submissions", kInitExamples);
    init.add_option("directory", raw_.first, "Where; made if it is not there")
        ->type_name("DIR")
        ->required()
        ->check(&NotEmpty);
  }

  void AddPr() {
    CLI::App& pr =
        AddCommand("pr", "Grade what a change touches, with its base's judge", kPrExamples);
    AddPrArguments(pr, raw_.pr);
    AddSeedOption(pr, raw_.seed, "Seed of all inputs (default: a fresh one)");
    AddLevelOption(pr, "--sandbox", raw_.sandbox,
                   "Use this level (default: the strongest there is; none only when asked for)");
    AddLevelOption(pr, "--require-sandbox", raw_.require_sandbox, "Fail below this level");
    pr.add_flag("--no-progress", raw_.no_progress, "Print results alone");
    AddWaitOption(pr, raw_.wait);
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

  void AddSignatures() {
    CLI::App& signatures =
        AddCommand("signatures", "Learn what the mutants' bugs look like", kSignaturesExamples);
    signatures.add_option("challenges", raw_.cells, "Of which challenges (default: all)")
        ->type_name("CHALLENGE");
    CLI::Option* const check = signatures.add_flag(
        "--check", raw_.check, "Write nothing; end with 1 if any no longer holds");
    signatures.add_flag("--force", raw_.force, "Compute also those that hold")->excludes(check);
    AddWaitOption(signatures, raw_.wait);
  }

  [[nodiscard]] PrOptions ToPrOptions(const CommonOptions& common) const {
    PrOptions options = ToPr(raw_.pr, common);
    options.seed = SeedOf(raw_.seed);
    options.sandbox = LevelOf(raw_.sandbox);
    options.required_sandbox = LevelOf(raw_.require_sandbox);
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
    if (name == "review") {
      return ToReviewCommand(*app_.get_subcommands().front(), raw_review_, common);
    }
    if (name == "grade") {
      return GradeOptions{
          .common = common,
          .cells = raw_.cells,
          .reuse = raw_.force ? Reuse::kNever : Reuse::kWhenItHolds,
          .seed = SeedOf(raw_.seed),
          .sandbox = LevelOf(raw_.sandbox),
          .required_sandbox = LevelOf(raw_.require_sandbox),
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
    if (name == "diff") {
      return DiffOptions{.common = common, .before = raw_.first, .after = raw_.second};
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
    if (name == "robustness") {
      return RobustnessOptions{
          .common = common, .challenges = raw_.cells, .weight_draws = raw_.draws};
    }
    if (name == "site") {
      return SiteOptions{.common = common, .directory = raw_.first, .page = raw_.page};
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
    if (name == "cuda" && !cuda_run_->parsed()) {
      return ToCudaCheck(raw_cuda_check_, common);
    }
    if (name == "cuda") {
      return ToCudaRun(raw_cuda_, cuda_, common);
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
      return DoctorOptions{.common = common, .required_sandbox = LevelOf(raw_.require_sandbox)};
    }
    return ListOptions{.common = common};
  }

  Raw raw_;
  RawSubmissionOptions submission_raw_;
  RawTryOptions raw_try_;
  RawReviewOptions raw_review_;
  RawCudaRun raw_cuda_;
  RawCudaCheck raw_cuda_check_;
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
