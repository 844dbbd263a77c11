// SPDX-License-Identifier: Apache-2.0
#include "exec/baseline_check.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <iterator>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <thread>
#include <utility>

#include "base/digest.h"
#include "base/file.h"
#include "base/temporary.h"
#include "base/text.h"
#include "build/build_host.h"
#include "client/host.h"
#include "exec/repository_lock.h"
#include "exec/toolchain_facts.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

std::string_view ToString(BaselineHalves halves) {
  return halves == BaselineHalves::kCpp ? "cpp" : "cpp_cuda";
}

// Those that there are: not every challenge has both.
std::vector<std::string> SourcesOf(const fs::path& folder, BaselineHalves halves) {
  std::vector<std::string> sources;
  for (const std::string name : {"baseline.cc", "baseline.cu"}) {
    std::error_code ignored;
    const bool wanted = halves == BaselineHalves::kCppAndCuda || !IsCudaSource(name);
    if (wanted && fs::exists(folder / name, ignored)) {
      sources.push_back(name);
    }
  }
  return sources;
}

fs::path KeptPath(const BaselineCheckSettings& settings, const BaselineToCheck& baseline) {
  return StateDirectory(settings.root) / "baselines" /
         fmt::format("{}_{}_{}.json", baseline.challenge.id, ToString(baseline.halves),
                     ToString(settings.level));
}

// The outcome that is kept for exactly these facts. What cannot be read is not kept.
std::optional<BaselineCheck> LoadKept(const fs::path& path, const nlohmann::json& facts) {
  const auto text = ReadFile(path);
  if (!text) {
    return std::nullopt;
  }
  const auto kept = nlohmann::json::parse(*text, nullptr, /*allow_exceptions=*/false);
  if (!kept.is_object() || kept.value("facts", nlohmann::json()) != facts) {
    return std::nullopt;
  }
  const auto date = kept.find("date");
  const auto seconds = kept.find("seconds");
  if (date == kept.end() || !date->is_string() || seconds == kept.end() || !seconds->is_number()) {
    return std::nullopt;
  }
  return BaselineCheck{.source = BaselineCheck::Source::kKept,
                       .date = date->get<std::string>(),
                       .seconds = seconds->get<double>()};
}

Status Keep(const fs::path& path, const nlohmann::json& facts, const BaselineCheck& check) {
  const nlohmann::json kept = {{"facts", facts}, {"date", check.date}, {"seconds", check.seconds}};
  return WriteFileAtomically(path, kept.dump(2) + "\n");
}

// `12` of `g++ (Debian 12.2.0-14+deb12u1) 12.2.0`: Debian's packages are named by it.
std::string MajorVersion(const fs::path& compiler) {
  const std::string version = CompilerVersion(compiler).value_or("");
  const std::size_t last = version.find_last_of(' ') + 1;
  return version.substr(last, version.find('.', last) - last);
}

// One baseline on its way through the check. Its two flavors are built by two threads.
class Check {
 public:
  Check(const BaselineCheckSettings& settings, const BaselineToCheck& baseline)
      : settings_(settings), baseline_(baseline) {}

  // Looks for a kept outcome. True when there is none, and the flavors have to be built.
  Result<bool> Prepare(const nlohmann::json& toolchain) {
    const fs::path folder = Folder();
    sources_ = SourcesOf(folder, baseline_.halves);
    if (sources_.empty()) {
      return std::unexpected(Error{.kind = ErrorKind::kConfiguration,
                                   .where = folder.string(),
                                   .cause = "holds no baseline.cc and no baseline.cu",
                                   .remedy = "write one, or restore it from version control"});
    }
    ASSAY_ASSIGN_OR_RETURN(files_, FilesIncluded(folder, sources_));
    const auto counts = [&](const fs::path& file) {
      return std::ranges::binary_search(files_, file.string());
    };
    const auto is_interface = [](const fs::path& file) {
      return file == "interface.h" || file == "adapter.cc";
    };
    facts_ = toolchain;
    facts_["sandbox_level"] = assay::ToString(settings_.level);
    ASSAY_ASSIGN_OR_RETURN(facts_["sources"], DigestTree(folder, counts));
    ASSAY_ASSIGN_OR_RETURN(facts_["interface"],
                           DigestTree(baseline_.challenge.directory, is_interface));
    kept_ = LoadKept(KeptPath(settings_, baseline_), facts_);
    return !kept_;
  }

  // True for the first of its builds.
  bool Begin() {
    const bool first = !start_;
    start_ = start_.value_or(Clock::now());
    return first;
  }

  [[nodiscard]] Status Build(BuildFlavor flavor) const {
    ASSAY_ASSIGN_OR_RETURN(
        const TemporaryDirectory scratch,
        TemporaryDirectory::Create(
            TemporaryRoot(settings_.root),
            fmt::format("baseline-{}-{}", baseline_.challenge.id, assay::ToString(flavor))));
    const Result<BuildOutcome> outcome = BuildHost(Inputs(scratch.path()), flavor);
    if (!outcome && fs::path(outcome.error().where).filename() == "adapter.cc") {
      // Ours, and an error in itself: a compiler that fails at everything fails at it too.
      return std::unexpected(DoesNotCompile("compiling adapter.cc", outcome.error().cause, flavor));
    }
    ASSAY_RETURN_IF_ERROR(outcome);
    if (outcome->verdict != Verdict::kAccepted) {
      return std::unexpected(DoesNotCompile(outcome->failed_step, outcome->diagnostics, flavor));
    }
    if (const Status answered = settings_.answers(outcome->host_executable, settings_.level);
        !answered) {
      return std::unexpected(DoesNotAnswer(answered.error(), flavor));
    }
    return {};
  }

  // Of two failures the release build's is told, whichever came first.
  void End(BuildFlavor flavor, Status built) {
    if (!built && (outcome_ || flavor == BuildFlavor::kRelease)) {
      outcome_ = std::move(built);
    }
    end_ = Clock::now();
  }

  // What became of it, kept when it is good.
  Result<BaselineCheck> Finish() {
    if (kept_) {
      return *kept_;
    }
    ASSAY_RETURN_IF_ERROR(outcome_);
    const auto today = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
    BaselineCheck check{
        .source = BaselineCheck::Source::kMeasured,
        .date = fmt::format("{:%Y-%m-%d}", today),
        .seconds = std::chrono::duration<double>(end_ - start_.value_or(end_)).count()};
    ASSAY_RETURN_IF_ERROR(Keep(KeptPath(settings_, baseline_), facts_, check));
    return check;
  }

  [[nodiscard]] const std::string& challenge() const { return baseline_.challenge.id; }
  void Fail(Error error) { outcome_ = std::unexpected(std::move(error)); }

 private:
  [[nodiscard]] fs::path Folder() const {
    return settings_.installation.BaselineSources(baseline_.challenge.id);
  }

  [[nodiscard]] BuildInputs Inputs(const fs::path& scratch) const {
    SubmissionSpec as_submission;
    as_submission.directory = Folder();
    as_submission.model = "baseline";
    as_submission.challenge = baseline_.challenge.id;
    as_submission.sources = sources_;
    std::ranges::copy_if(files_, std::back_inserter(as_submission.headers), IsHeader);
    // On a busy machine too it is the compiler that is asked, not the time.
    constexpr int kPatience = 10;
    const std::int64_t limit_ms = kPatience * baseline_.challenge.limits.build_time_limit_ms;
    return {.submission = std::move(as_submission),
            .challenge_directory = baseline_.challenge.directory,
            .harness_directory = settings_.installation.HarnessInclude(),
            .host_library = settings_.installation.HostLibrary(),
            .cuda_host_library = settings_.installation.CudaHostLibrary(),
            .output_directory = scratch,
            .tools = {.level = settings_.level, .time_limit = std::chrono::milliseconds(limit_ms)},
            .compiler = settings_.compiler,
            .cuda = settings_.cuda};
  }

  [[nodiscard]] std::string Flags(BuildFlavor flavor, bool by_nvcc) const {
    return by_nvcc ? settings_.cuda.nvcc.string() + " " + Join(NvccFlags(flavor), " ")
                   : settings_.compiler.string() + " " + Join(CompilerFlags(flavor), " ");
  }

  // `step` is BuildOutcome::failed_step; `said` is what the tool said.
  [[nodiscard]] Error DoesNotCompile(const std::string& step, const std::string& said,
                                     BuildFlavor flavor) const {
    constexpr std::size_t kShown_bytes = 1200;
    const bool by_nvcc = IsCudaSource(step);
    return {.kind = ErrorKind::kJudge,
            .where = Folder().string(),
            .cause = fmt::format(
                "this machine does not build the baseline as it would a submission: {} ({}, "
                "sandbox level {}) fails, with `{}`:\n{}\n",
                step, assay::ToString(flavor), assay::ToString(settings_.level),
                Flags(flavor, by_nvcc), Truncate(said, kShown_bytes)),
            .remedy = Remedy(said, by_nvcc) + "; then `assay doctor` checks again"};
  }

  [[nodiscard]] std::string Remedy(const std::string& said, bool by_nvcc) const {
    if (by_nvcc) {
      return "install the CUDA toolkit again (in a checkout scripts/setup --cuda does), or build "
             "Assay with another: CUDA_HOME=FOLDER scripts/build";
    }
    std::string packages =
        fmt::format("g++-{0} gcc-{0} cpp-{0} libstdc++-{0}-dev libc6-dev binutils",
                    MajorVersion(settings_.compiler));
    if (said.contains("hwy/")) {
      packages = "libhwy-dev";  // Baselines use it, and submissions may.
    } else if (baseline_.halves == BaselineHalves::kCppAndCuda) {
      packages += " libfmt-dev libzstd-dev liblz4-dev";
    }
    return "install the toolchain again: sudo apt-get install --reinstall " + packages;
  }

  [[nodiscard]] Error DoesNotAnswer(const Error& error, BuildFlavor flavor) const {
    return {.kind = error.kind,
            .where = Folder().string(),
            .cause =
                fmt::format("this machine builds the baseline as it would a submission ({}, "
                            "sandbox level {}), and its host does not answer: {}",
                            assay::ToString(flavor), assay::ToString(settings_.level), error.cause),
            .remedy = "see `assay doctor` for what the sandbox has, and free memory and processes"};
  }

  const BaselineCheckSettings& settings_;
  const BaselineToCheck& baseline_;
  std::vector<std::string> sources_;
  std::vector<std::string> files_;  ///< With the headers.
  nlohmann::json facts_;
  std::optional<BaselineCheck> kept_;
  Status outcome_;
  std::optional<Clock::time_point> start_;
  Clock::time_point end_;
};

struct Job {
  Check* check = nullptr;
  BuildFlavor flavor = BuildFlavor::kRelease;
};

// Two at a time. Each thread outlives what it starts, as Spawn demands.
void Run(const std::vector<Job>& jobs, const BaselineCheckStarted& started) {
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  const auto work = [&] {
    for (std::size_t i = next++; i < jobs.size(); i = next++) {
      Check& check = *jobs[i].check;
      {
        const std::scoped_lock lock(mutex);
        if (check.Begin()) {
          started(check.challenge());
        }
      }
      Status built = check.Build(jobs[i].flavor);
      const std::scoped_lock lock(mutex);
      check.End(jobs[i].flavor, std::move(built));
    }
  };
  const std::jthread helper(work);
  work();
}

// Includes in quotes, and other words of the preprocessor that name a file so.
std::set<std::string> QuotedNames(const std::string& content) {
  std::set<std::string> names;
  for (const std::string& line : SplitLines(content)) {
    if (!line.starts_with('#')) {
      continue;
    }
    const std::size_t from = line.find('"');
    const std::size_t to = from == std::string::npos ? from : line.find('"', from + 1);
    if (to != std::string::npos) {
      names.insert(line.substr(from + 1, to - from - 1));
    }
  }
  return names;
}

}  // namespace

Status AnswersOnce(const fs::path& host, SandboxLevel level) {
  const auto failed = [](const HostFailure& failure) {
    return std::unexpected(
        Error{.kind = ErrorKind::kJudge, .where = {}, .cause = failure.detail, .remedy = {}});
  };
  auto started = Host::Start({.executable = host, .level = level});
  if (!started) {
    return failed(started.error());
  }
  if (const auto trip = started->MeasureRoundTrip(1); !trip) {
    return failed(trip.error());
  }
  return {};
}

Result<std::vector<std::string>> FilesIncluded(const fs::path& folder,
                                               const std::vector<std::string>& sources) {
  std::set<std::string> found(sources.begin(), sources.end());
  std::vector<std::string> unread = sources;
  while (!unread.empty()) {
    const std::string file = std::move(unread.back());
    unread.pop_back();
    ASSAY_ASSIGN_OR_RETURN(const std::string content, ReadFile(folder / file));
    for (const std::string& name : QuotedNames(content)) {
      std::error_code ignored;
      if (fs::is_regular_file(folder / name, ignored) && found.insert(name).second) {
        unread.push_back(name);
      }
    }
  }
  return std::vector<std::string>(found.begin(), found.end());
}

std::vector<Result<BaselineCheck>> CheckBaselines(const BaselineCheckSettings& settings,
                                                  const std::vector<BaselineToCheck>& baselines,
                                                  const BaselineCheckStarted& started) {
  std::map<BaselineHalves, Result<nlohmann::json>> toolchains;
  std::vector<Check> checks;
  checks.reserve(baselines.size());
  std::vector<Job> jobs;
  for (const BaselineToCheck& baseline : baselines) {
    const bool cuda = baseline.halves == BaselineHalves::kCppAndCuda;
    if (!toolchains.contains(baseline.halves)) {
      toolchains.emplace(
          baseline.halves,
          DescribeToolchain(settings.compiler, cuda ? std::optional(settings.cuda) : std::nullopt));
    }
    const Result<nlohmann::json>& toolchain = toolchains.at(baseline.halves);
    Check& check = checks.emplace_back(settings, baseline);
    const Result<bool> must_build =
        toolchain ? check.Prepare(*toolchain) : std::unexpected(toolchain.error());
    if (!must_build) {
      check.Fail(must_build.error());
    } else if (*must_build) {
      jobs.push_back({.check = &check, .flavor = BuildFlavor::kRelease});
      jobs.push_back({.check = &check, .flavor = BuildFlavor::kSanitized});
    }
  }
  Run(jobs, started);
  std::vector<Result<BaselineCheck>> results;
  results.reserve(checks.size());
  for (Check& check : checks) {
    results.push_back(check.Finish());
  }
  return results;
}

}  // namespace assay
