// SPDX-License-Identifier: Apache-2.0
#include "cli/cuda_command_line.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <utility>

#include "cli/help_texts.h"
#include "cli/shared_options.h"

namespace assay {
namespace {

OptionShape ShapeOf(const CLI::App& app, const std::string& name) {
  const CLI::Option* const option = app.get_option_no_throw(name);
  if (option == nullptr || option->get_positional()) {
    return OptionShape::kNotOurs;
  }
  return option->get_items_expected_min() == 0 ? OptionShape::kAlone : OptionShape::kWithNext;
}

}  // namespace

void AddCudaCheck(CLI::App& cuda, RawCudaCheck& raw) {
  CLI::App& check = *cuda.add_subcommand("check", "Compare the emulated GPU with a real one");
  check.footer(kCudaCheckExamples);
  check
      .add_option("programs", raw.programs,
                  "Of harness/gpu/programs (default: all, and challenges)")
      ->type_name("PROGRAM");
  CLI::Option* const build_only =
      check.add_option("--build-only", raw.build_only, "Build, for a machine with a driver alone")
          ->type_name("DIR")
          ->check(&NotEmpty);
  CLI::Option* const run =
      check.add_option("--run", raw.run, "Run what was built")->type_name("DIR")->check(&NotEmpty);
  CLI::Option* const no_mutants =
      check.add_flag("--no-mutants", raw.no_mutants, "Of challenges the baselines alone");
  run->excludes(build_only)->excludes(no_mutants);
}

CudaCheckOptions ToCudaCheck(const RawCudaCheck& raw, CommonOptions common) {
  CudaCheckOptions options;
  options.common = std::move(common);
  options.programs = raw.programs;
  options.stage = !raw.build_only.empty() ? CudaCheckStage::kBuildOnly
                  : !raw.run.empty()      ? CudaCheckStage::kRunOnly
                                          : CudaCheckStage::kHere;
  options.folder = raw.build_only.empty() ? raw.run : raw.build_only;
  options.mutants = raw.no_mutants ? CheckedMutants::kNone : CheckedMutants::kAll;
  return options;
}

CLI::App& AddCudaRun(CLI::App& cuda, RawCudaRun& raw) {
  CLI::App& run = *cuda.add_subcommand("run", "Compile a CUDA program, run it and check it");
  run.footer(kCudaRunExamples);
  run.add_option("files", raw.files, "What nvcc makes a program of")
      ->type_name("FILE.cu")
      ->required();
  run.add_option("--gpu", raw.gpu, "The GPU to be")
      ->capture_default_str()
      ->check(CLI::IsMember(gpu::GpuModelIds()));
  run.add_option("--schedule", raw.schedule, "Order of warps and blocks")
      ->capture_default_str()
      ->check(CLI::IsMember({"ascending", "reversed", "random"}));
  AddSeedOption(run, raw.seed, "Seed of what is random (default: 0)");
  run.add_flag("--no-checks", raw.no_checks, "Only run and count");
  run.add_flag("--perturb", raw.perturb,
               "Move approximate instructions within their documented error");
  run.add_option("--workers", raw.workers, "Cores to use (default: all); changes no result")
      ->type_name("N")
      ->check(CLI::Range(0U, 1024U));
  run.add_option("--limit", raw.limit, "Thread-instructions a launch may take")->type_name("N");
  run.add_flag("--lines", raw.lines, "Show counters of each source line");
  run.add_flag("--full-names", raw.full_names,
               "Show all of a kernel's name (default: 120 characters)");
  run.add_flag("--leak-check", raw.leak_check, "Device memory that is never freed is an error");
  run.add_option("--error-exitcode", raw.error_exit_code, "Exit code when there are findings")
      ->type_name("N")
      ->check(CLI::Range(0, 255));
  run.add_option("--json", raw.json_target,
                 "JSON on the error stream in place of text, or beside it in FILE")
      ->type_name("[=FILE]")
      ->expected(0, 1);
  return run;
}

CudaArguments TakeOutCudaArguments(std::vector<std::string>& arguments, const CLI::App& app,
                                   const CLI::App& run_command) {
  const auto run = std::ranges::search(arguments, std::array<std::string_view, 2>{"cuda", "run"});
  const bool is_command =
      !run.empty() && std::all_of(arguments.begin(), run.begin(), [&](const std::string& word) {
        const std::string_view before =
            &word == arguments.data() ? std::string_view() : *(&word - 1);
        return word.starts_with('-') || before == "--root" || before == "--color";
      });
  if (!is_command) {
    return {};
  }
  CudaArguments cuda =
      SplitCudaArguments(std::span(run.end(), arguments.end()), [&](const std::string& name) {
        const OptionShape own = ShapeOf(run_command, name);
        return own == OptionShape::kNotOurs && name == "--root" ? ShapeOf(app, name) : own;
      });
  arguments.erase(run.end(), arguments.end());
  // --json would take a file that follows it.
  arguments.insert(arguments.end(), cuda.files.begin(), cuda.files.end());
  arguments.insert(arguments.end(), cuda.ours.begin(), cuda.ours.end());
  return cuda;
}

CudaRunOptions ToCudaRun(const RawCudaRun& raw, const CudaArguments& arguments,
                         CommonOptions common) {
  CudaRunOptions options;
  if (raw.json_target && !raw.json_target->empty()) {
    options.json_file = *raw.json_target;
  } else if (raw.json_target) {
    common.format = OutputFormat::kJson;
  }
  options.common = std::move(common);
  options.request.files = raw.files;
  options.request.nvcc_flags = arguments.nvcc;
  options.request.program_arguments = arguments.program;
  options.request.settings = {
      .model = gpu::FindGpuModel(raw.gpu).value_or(gpu::H100()),
      .schedule = raw.schedule == "reversed" ? gpu::Schedule::kReversed
                  : raw.schedule == "random" ? gpu::Schedule::kRandom
                                             : gpu::Schedule::kAscending,
      .seed = SeedOf(raw.seed).value_or(0),
      .checking = raw.no_checks ? gpu::Checking::kOff : gpu::Checking::kOn,
      .approximation = raw.perturb ? gpu::Approximation::kPerturbed : gpu::Approximation::kRounded,
      .workers = raw.workers,
      .leak_check = raw.leak_check ? gpu::LeakCheck::kOn : gpu::LeakCheck::kOff,
      .instruction_limit = raw.limit};
  options.lines = raw.lines ? gpu::SourceLines::kShown : gpu::SourceLines::kHidden;
  options.names = raw.full_names ? gpu::KernelNames::kFull : gpu::KernelNames::kShort;
  options.error_exit_code = raw.error_exit_code;
  return options;
}

}  // namespace assay
