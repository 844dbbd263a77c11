// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/temporary.h"
#include "cli/challenge_words.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/json_output.h"
#include "exec/build_stamp.h"
#include "exec/compute_signatures.h"
#include "exec/list_cases.h"
#include "exec/mutant_runs.h"
#include "exec/repository_lock.h"
#include "exec/signature_store.h"
#include "process/interrupt.h"
#include "spec/repository.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

/// One challenge: what is kept, and why that no longer holds.
struct Kept {
  ChallengeSpec challenge;
  SignatureSources sources;
  std::optional<Signatures> signatures;
  std::vector<std::string> stale;
};

// Mutants are sources, which neither a package nor a repository of submissions has.
Status RequireCheckout(const fs::path& root) {
  std::error_code ignored;
  if (fs::is_directory(root / "reference", ignored)) {
    return {};
  }
  return std::unexpected(Error{.kind = ErrorKind::kConfiguration,
                               .where = root.string(),
                               .cause = "holds no folder \"reference\", whose mutants signatures "
                                        "are made of",
                               .remedy = "run scripts/signatures in a checkout of Assay"});
}

Result<Kept> ReadOne(const fs::path& root, const ChallengeSpec& challenge) {
  Kept kept{.challenge = challenge, .sources = {}, .signatures = {}, .stale = {}};
  ASSAY_ASSIGN_OR_RETURN(kept.sources, ReadSignatureSources(root, challenge));
  ASSAY_ASSIGN_OR_RETURN(kept.signatures, LoadSignatures(root, challenge.id));
  kept.stale = WhyStale(kept.signatures, kept.sources);
  return kept;
}

Checked<std::vector<Kept>> ReadKept(const fs::path& root, const std::vector<std::string>& words) {
  const LoadedRepository loaded = LoadRepository(root);
  const auto challenges = SelectChallenges(loaded, words);
  if (!challenges) {
    return std::unexpected(challenges.error());
  }
  std::vector<Kept> all;
  for (const ChallengeSpec* const challenge : *challenges) {
    auto kept = ReadOne(root, *challenge);
    if (!kept) {
      return std::unexpected(Errors{std::move(kept).error()});
    }
    all.push_back(*std::move(kept));
  }
  return all;
}

/// The runs of mutants of one challenge, `count` in all, with a line for each on the error stream.
class Runner {
 public:
  Runner(const SignatureServices& services, const Workplace& place, const ChallengeSpec& challenge,
         std::size_t count, OutputFormat format, Console& console)
      : services_(services),
        request_{.challenge = challenge.id,
                 .limits = challenge.limits,
                 .installation = place.installation,
                 .temporary_root = TemporaryRoot(place.root),
                 .runs = {}},
        count_(count),
        format_(format),
        console_(console) {}

  Result<std::vector<SuiteEvidence>> Run(const std::vector<MutantRun>& runs) {
    request_.runs.clear();
    ASSAY_ASSIGN_OR_RETURN(request_.level, ChooseLevel(services_.detect_capabilities(), {}, {}));
    ASSAY_ASSIGN_OR_RETURN(const auto hosts,
                           services_.mutant_hosts(request_.installation, request_.challenge));
    for (const MutantRun& run : runs) {
      const auto host = hosts.find(run.mutant);
      if (host == hosts.end()) {
        return std::unexpected(
            Error{.kind = ErrorKind::kConfiguration,
                  .where = {},
                  .cause = fmt::format("the mutant {} is not built", run.mutant),
                  .remedy = "run scripts/signatures, which builds it, or build assay_all"});
      }
      HostRun of_host{.name = run.mutant, .host = host->second, .seed = run.seed};
      if (!run.filter.empty()) {
        of_host.arguments.push_back("--gtest_filter=" + run.filter);
      }
      request_.runs.push_back(std::move(of_host));
    }
    const auto results = services_.run_hosts(request_, [this](std::size_t index) { Say(index); });
    ASSAY_RETURN_IF_ERROR(CheckInterrupt());
    std::vector<SuiteEvidence> suites;
    for (const auto& result : results) {
      if (!result) {
        return std::unexpected(result.error());
      }
      suites.push_back(*result);
    }
    return suites;
  }

 private:
  void Say(std::size_t index) {
    const HostRun& run = request_.runs[index];
    if (format_ == OutputFormat::kText) {
      fmt::print(console_.err, "[{}/{}] {}: {}, seed {}\n", ++done_, count_, request_.challenge,
                 run.name, run.seed);
    }
  }

  const SignatureServices& services_;
  HostRunsRequest request_;
  std::size_t count_;
  OutputFormat format_;
  Console& console_;
  std::size_t done_ = 0;
};

Status Update(const Workplace& place, const Kept& kept, const SignaturesOptions& options,
              const SignatureServices& services, Console& console) {
  const bool all = options.mode == SignaturesMode::kComputeAll;
  const std::optional<Signatures> before = all ? std::nullopt : kept.signatures;
  // What is listed and what is run is compiled of the sources whose digests are written.
  ASSAY_RETURN_IF_ERROR(services.check_stamp(place.installation, kept.challenge.id));
  ASSAY_ASSIGN_OR_RETURN(const SignaturePlan plan, PlanSignatures(before, kept.sources, [&] {
                           return services.list_cases(place.installation.Suite(kept.challenge.id),
                                                      TemporaryRoot(place.root));
                         }));
  Runner runner(services, place, kept.challenge, CountRuns(plan), options.common.format, console);
  ASSAY_RETURN_IF_ERROR(ComputeSignatures(
      before, kept.sources, plan,
      [&](const std::vector<MutantRun>& runs) { return runner.Run(runs); },
      [&](const Signatures& so_far) {
        return SaveSignatures(place.root, kept.challenge.id, so_far);
      }));
  return {};
}

void Print(const std::vector<Kept>& all, SignaturesMode mode, OutputFormat format,
           Console& console) {
  nlohmann::json document = {{"challenges", nlohmann::json::array()}};
  for (const Kept& kept : all) {
    const std::string& id = kept.challenge.id;
    const bool written = mode == SignaturesMode::kComputeAll ||
                         (mode == SignaturesMode::kUpdate && !kept.stale.empty());
    document["challenges"].push_back({{"id", id}, {"stale", kept.stale}, {"written", written}});
    if (format == OutputFormat::kJson) {
      continue;
    }
    if (written) {
      fmt::print(console.out, "wrote {}\n", SignaturesPath("", id).string());
    } else if (kept.stale.empty()) {
      fmt::print(console.out, "{}: signatures of {} mutants hold\n", id,
                 kept.sources.mutants.size());
    }
    for (const std::string& reason :
         mode == SignaturesMode::kCheck ? kept.stale : std::vector<std::string>{}) {
      fmt::print(console.err, "assay: {}: {}; run scripts/signatures {}\n",
                 SignaturesPath("", id).string(), reason, id);
    }
  }
  if (format == OutputFormat::kJson) {
    console.out << Dump(document);
  }
}

}  // namespace

SignatureServices RealSignatureServices() {
  return {.detect_capabilities = &DetectCapabilities,
          .mutant_hosts = &MutantHosts,
          .check_stamp =
              [](const Installation& installation, const std::string& challenge) {
                InputReader reader(InputPlacesOf(installation));
                return CheckBuildStamp(reader, challenge);
              },
          .list_cases = [](const fs::path& suite,
                           const fs::path& temporary_root) -> Result<std::vector<CaseSource>> {
            ASSAY_ASSIGN_OR_RETURN(const TemporaryDirectory scratch,
                                   TemporaryDirectory::Create(temporary_root, "cases"));
            return ListCaseSources(suite, scratch.path());
          },
          .run_hosts = &RunHosts};
}

int RunSignatures(const SignaturesOptions& options, const SignatureServices& services,
                  Console& console) {
  const OutputFormat format = options.common.format;
  const auto place = WorkplaceOf(options.common);
  if (!place) {
    return Fail(console, format, {}, {place.error()});
  }
  const fs::path& root = place->root;
  if (const Status has_sources = RequireCheckout(root); !has_sources) {
    return Fail(console, format, root, {has_sources.error()});
  }
  std::optional<RepositoryLock> held;
  if (options.mode != SignaturesMode::kCheck) {
    auto lock = LockRepository(root, options.common, console);
    if (!lock) {
      return ExitCodeAfterInterrupt(Fail(console, format, root, {lock.error()}));
    }
    held = *std::move(lock);
  }
  const auto all = ReadKept(root, options.challenges);
  if (!all) {
    return Fail(console, format, root, all.error());
  }
  if (options.mode == SignaturesMode::kCheck) {
    Print(*all, options.mode, format, console);
    const bool hold = std::ranges::all_of(*all, [](const Kept& one) { return one.stale.empty(); });
    return static_cast<int>(hold ? ExitCode::kDone : ExitCode::kGateFailed);
  }
  for (const Kept& kept : *all) {
    if (kept.stale.empty() && options.mode == SignaturesMode::kUpdate) {
      continue;
    }
    if (const Status done = Update(*place, kept, options, services, console); !done) {
      return ExitCodeAfterInterrupt(Fail(console, format, root, {done.error()}));
    }
  }
  Print(*all, options.mode, format, console);
  return static_cast<int>(ExitCode::kDone);
}

}  // namespace assay
