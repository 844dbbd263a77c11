// SPDX-License-Identifier: Apache-2.0
#include "exec/signature_store.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <ranges>
#include <utility>

#include "base/digest.h"
#include "base/file.h"
#include "evidence/verdict.h"
#include "exec/inputs.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr int kSchemaVersion = 3;

bool IsProseOrTest(const fs::path& path) {
  const std::string name = path.filename().string();
  return name.ends_with(".md") || name.ends_with("_test.cc") || name.ends_with("_test_support.h");
}

bool IsSuiteFile(const fs::path& path) {
  return path.string().starts_with("suite") && path.extension() == ".cc" && !IsProseOrTest(path);
}

bool CountsInChallenge(const fs::path& path) {
  return !IsProseOrTest(path) && !IsSuiteFile(path) && path != "rubric.yaml" &&
         path != "challenge.yaml" && !path.filename().string().starts_with("bench");
}

/// All of challenge.yaml that a mutant's cases end by: its other keys are about submissions.
std::string LimitsOfCases(const ChallengeLimits& limits) {
  return fmt::format("{} {} {}", limits.case_time_limit_ms, limits.memory_limit_bytes,
                     limits.output_limit_bytes);
}

bool IsMutant(const fs::path& path) {
  return path.parent_path() == "mutants" &&
         (path.extension() == ".cc" || path.extension() == ".cu");
}

bool CountsInReference(const fs::path& path) {
  return !IsProseOrTest(path) && *path.begin() != "mutants" && *path.begin() != "controls" &&
         *path.begin() != "anchors" && path != "signatures.json" && path != "mutants.yaml" &&
         path != "kept_seeds" && path != "baseline_bench.cc";
}

bool IsCode(const fs::path& path) {
  return path.extension() == ".cc" || path.extension() == ".cu" || path.extension() == ".h" ||
         path.extension() == ".cuh";
}

/// What stands in the folder of a reference, and which of it the compiler meets.
class ReferenceSources {
 public:
  static Result<ReferenceSources> Read(const fs::path& folder) {
    ReferenceSources sources;
    ASSAY_ASSIGN_OR_RETURN(const std::vector<fs::path> paths, ListFiles(folder));
    for (const fs::path& path : paths) {
      if (IsCode(path)) {
        ASSAY_ASSIGN_OR_RETURN(const std::string content, ReadFile(folder / path));
        sources.files_[path] = {.sha256 = Sha256(content), .named = NamedFiles(content)};
      }
    }
    return sources;
  }

  [[nodiscard]] std::vector<fs::path> Paths() const {
    std::vector<fs::path> paths;
    std::ranges::copy(files_ | std::views::keys, std::back_inserter(paths));
    return paths;
  }

  /// Of `roots`, and of all that they include, from beside them or from the folder itself.
  [[nodiscard]] std::set<fs::path> Reached(std::vector<fs::path> roots) const {
    std::set<fs::path> reached;
    while (!roots.empty()) {
      const fs::path path = std::move(roots.back());
      roots.pop_back();
      const auto file = files_.find(path);
      if (file == files_.end() || !reached.insert(path).second) {
        continue;
      }
      for (const std::string& name : file->second.named) {
        roots.push_back((path.parent_path() / name).lexically_normal());
        roots.emplace_back(name);
      }
    }
    return reached;
  }

  /// SHA-256 of `paths`, names and contents.
  [[nodiscard]] std::string Digest(const std::set<fs::path>& paths) const {
    std::string text;
    for (const fs::path& path : paths) {
      text += fmt::format("{}  {}\n", files_.at(path).sha256, path.generic_string());
    }
    return Sha256(text);
  }

 private:
  struct File {
    std::string sha256;
    std::vector<std::string> named;
  };
  std::map<fs::path, File> files_;
};

/// What the hosts of mutants are compiled of: AddChallenge.cmake says of which halves.
class MutantSources {
 public:
  MutantSources(const ReferenceSources& sources, const ChallengeSpec& challenge)
      : sources_(sources), is_in_cuda_(IsInCuda(challenge)) {}

  [[nodiscard]] std::set<fs::path> Of(const fs::path& mutant) const {
    std::vector<fs::path> roots = {mutant, "baseline.cc"};
    if (is_in_cuda_ || mutant.extension() == ".cu") {
      roots.emplace_back("baseline.cu");
    }
    return sources_.Reached(std::move(roots));
  }

 private:
  const ReferenceSources& sources_;
  bool is_in_cuda_;
};

/// The names of files that the challenge's own sources include.
Result<std::vector<fs::path>> IncludedBy(const fs::path& challenge) {
  std::vector<fs::path> names;
  ASSAY_ASSIGN_OR_RETURN(const std::vector<fs::path> paths, ListFiles(challenge));
  for (const fs::path& path : paths) {
    if (IsCode(path)) {
      ASSAY_ASSIGN_OR_RETURN(const std::string content, ReadFile(challenge / path));
      std::ranges::copy(NamedFiles(content), std::back_inserter(names));
    }
  }
  return names;
}

/// `ends` is `{"wrong_answer": {"3": ["Case.A", "Case.B"]}}`: verdict, in how many runs, which
/// cases. `failures` is `[["ln_backward_f32", "dgamma", 3, ["Case.A"]]]`: a kind, and which cases.
json ToJson(const MutantSignature& mutant) {
  std::map<FailureKind, json> cases_of_kind;
  for (const auto& [name, kinds] : mutant.kinds) {
    for (const FailureKind& kind : kinds) {
      cases_of_kind[kind].push_back(name);
    }
  }
  json failures = json::array();
  for (const auto& [kind, cases] : cases_of_kind) {
    failures.push_back({kind.operation, kind.output, kind.decade, cases});
  }
  json ends = json::object();
  for (const auto& [name, outcomes] : mutant.cases) {
    for (const auto& [verdict, count] : outcomes) {
      ends[std::string(ToString(verdict))][std::to_string(count)].push_back(name);
    }
  }
  return {{"source", mutant.source_digest},
          {"ends", std::move(ends)},
          {"failures", std::move(failures)}};
}

template <class T, class Write>
std::string OneLineEach(std::string_view member, const std::map<std::string, T>& all,
                        const Write& write) {
  std::string text = fmt::format("{}: {{", json(member).dump());
  std::string_view separator = "\n";
  for (const auto& [name, one] : all) {
    text += fmt::format("{}{}: {}", separator, json(name).dump(), write(one).dump());
    separator = ",\n";
  }
  return text + "\n}";
}

/// Reads a document of SignaturesToJson; json::exception where it is none.
Signatures FromJson(const json& document) {
  Signatures signatures{.shared_digest = document.at("shared").get<std::string>(),
                        .suite_files = {},
                        .runs = document.at("runs").get<int>(),
                        .mutants = {}};
  for (const auto& [name, entry] : document.at("suite_files").items()) {
    signatures.suite_files[name] = {.rest = entry.at("rest"), .cases = entry.at("cases")};
  }
  for (const auto& [name, entry] : document.at("mutants").items()) {
    MutantSignature& mutant = signatures.mutants[name];
    mutant.source_digest = entry.at("source").get<std::string>();
    for (const auto& [word, counts] : entry.at("ends").items()) {
      const auto verdict = VerdictFromString(word);
      if (!verdict) {
        throw json::other_error::create(501, fmt::format("\"{}\" is no verdict", word), &entry);
      }
      for (const auto& [count, cases] : counts.items()) {
        for (const json& one : cases) {
          mutant.cases[one.get<std::string>()][*verdict] = json::parse(count).get<int>();
        }
      }
    }
    for (const json& failure : entry.at("failures")) {
      const FailureKind kind{.operation = failure.at(0).get<std::string>(),
                             .output = failure.at(1).get<std::string>(),
                             .decade = failure.at(2).get<int>()};
      for (const json& one : failure.at(3)) {
        mutant.kinds[one.get<std::string>()].insert(kind);
      }
    }
  }
  for (const json& waiting : document.value("waiting", json::array())) {
    signatures.waiting.push_back(FromJson(waiting));
  }
  return signatures;
}

Error CannotBeRead(const fs::path& path, std::string cause, std::string_view challenge) {
  return {.kind = ErrorKind::kConfiguration,
          .where = path.string(),
          .cause = std::move(cause),
          .remedy = fmt::format("compute it again with scripts/signatures {}", challenge)};
}

}  // namespace

fs::path SignaturesPath(const fs::path& root, std::string_view challenge) {
  return root / "reference" / challenge / "signatures.json";
}

std::string SignaturesToJson(const Signatures& signatures) {
  std::string text =
      fmt::format("{{\n\"schema_version\": {},\n\"shared\": {},\n\"runs\": {},\n", kSchemaVersion,
                  json(signatures.shared_digest).dump(), signatures.runs);
  text += OneLineEach("suite_files", signatures.suite_files,
                      [](const SuiteFileDigests& file) {
                        return json{{"rest", file.rest}, {"cases", file.cases}};
                      }) +
          ",\n";
  text += OneLineEach("mutants", signatures.mutants, ToJson) + "\n";
  if (!signatures.waiting.empty()) {
    text += ",\"waiting\": [\n";
    std::string_view separator;
    for (const Signatures& waiting : signatures.waiting) {
      text += fmt::format("{}{}", separator, SignaturesToJson(waiting));
      separator = ",\n";
    }
    text += "]\n";
  }
  return text + "}\n";
}

Result<std::optional<Signatures>> LoadSignatures(const fs::path& root, std::string_view challenge) {
  const fs::path path = SignaturesPath(root, challenge);
  ASSAY_ASSIGN_OR_RETURN(const bool is_there, IsThere(path));
  if (!is_there) {
    return std::nullopt;
  }
  ASSAY_ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  try {
    const json document = json::parse(text);
    if (const int version = document.at("schema_version").get<int>(); version != kSchemaVersion) {
      return std::unexpected(
          CannotBeRead(path,
                       fmt::format("schema_version is {}, this version of assay reads {}", version,
                                   kSchemaVersion),
                       challenge));
    }
    return FromJson(document);
  } catch (const json::exception& exception) {
    return std::unexpected(CannotBeRead(path, exception.what(), challenge));
  }
}

Status SaveSignatures(const fs::path& root, std::string_view challenge,
                      const Signatures& signatures) {
  return WriteFileAtomically(SignaturesPath(root, challenge), SignaturesToJson(signatures));
}

Result<SignatureSources> ReadSignatureSources(const fs::path& root,
                                              const ChallengeSpec& challenge) {
  const fs::path reference = root / "reference" / challenge.id;
  const fs::path asked = root / "challenges" / challenge.id;
  SignatureSources sources;

  ASSAY_ASSIGN_OR_RETURN(const ReferenceSources code, ReferenceSources::Read(reference));
  const MutantSources mutants(code, challenge);
  std::set<fs::path> of_mutants;
  ASSAY_ASSIGN_OR_RETURN(std::vector<fs::path> of_others, IncludedBy(asked));
  for (const fs::path& file : code.Paths()) {
    if (IsMutant(file)) {
      const std::set<fs::path> reached = mutants.Of(file);
      sources.mutants[file.stem().string()] = code.Digest(reached);
      of_mutants.insert(reached.begin(), reached.end());
    } else if (CountsInReference(file) && file.extension() == ".cc" && file != "baseline.cc") {
      of_others.push_back(file);
    }
  }
  for (const fs::path& file : code.Reached(std::move(of_others))) {
    of_mutants.erase(file);
  }

  ASSAY_ASSIGN_OR_RETURN(const std::string of_challenge, DigestTree(asked, CountsInChallenge));
  ASSAY_ASSIGN_OR_RETURN(const std::string of_reference,
                         DigestTree(reference, [&](const fs::path& path) {
                           return CountsInReference(path) && !of_mutants.contains(path);
                         }));
  sources.shared = Sha256(of_challenge + of_reference + LimitsOfCases(challenge.limits));

  ASSAY_ASSIGN_OR_RETURN(const std::vector<fs::path> asks, ListFiles(asked));
  for (const fs::path& file : asks) {
    if (IsSuiteFile(file)) {
      ASSAY_ASSIGN_OR_RETURN(const std::string content, ReadFile(asked / file));
      sources.suite_files[file.string()] = ReadSuiteSource(content);
    }
  }
  return sources;
}

std::set<std::string> ChangedSuiteFiles(const Signatures& kept, const SignatureSources& now) {
  std::set<std::string> names;
  for (const auto& [name, source] : now.suite_files) {
    const auto found = kept.suite_files.find(name);
    if (found == kept.suite_files.end() || found->second != source.digests) {
      names.insert(name);
    }
  }
  for (const auto& [name, digests] : kept.suite_files) {
    if (!now.suite_files.contains(name)) {
      names.insert(name);
    }
  }
  return names;
}

std::map<std::string, SuiteFileDigests> DigestsOf(const SignatureSources& now) {
  std::map<std::string, SuiteFileDigests> digests;
  for (const auto& [name, source] : now.suite_files) {
    digests[name] = source.digests;
  }
  return digests;
}

std::vector<std::string> WhyStale(const std::optional<Signatures>& kept,
                                  const SignatureSources& now) {
  if (!kept) {
    return {"there are none"};
  }
  std::vector<std::string> reasons;
  if (kept->shared_digest != now.shared) {
    reasons.emplace_back(
        "the oracle, what the suite's files share, or challenge.yaml's limits of a case changed");
  }
  if (const auto files = ChangedSuiteFiles(*kept, now); !files.empty()) {
    reasons.push_back(fmt::format("of the suite changed {}", fmt::join(files, ", ")));
  }
  if (kept->runs != kSignatureRuns) {
    reasons.push_back(
        fmt::format("each mutant was run {} times, not {}", kept->runs, kSignatureRuns));
  }
  std::vector<std::string> waiting;
  std::vector<std::string> changed;
  for (const auto& [name, digest] : now.mutants) {
    const auto found = kept->mutants.find(name);
    if (std::ranges::any_of(kept->waiting, [&](const Signatures& earlier) {
          return earlier.mutants.contains(name);
        })) {
      waiting.push_back(name);
    } else if (found == kept->mutants.end()) {
      reasons.push_back(fmt::format("the mutant {} has no signature", name));
    } else if (found->second.source_digest != digest) {
      changed.push_back(name);
    }
  }
  if (!changed.empty()) {
    reasons.push_back(fmt::format("the source, a header or the baseline changed of the mutants {}",
                                  fmt::join(changed, ", ")));
  }
  if (!waiting.empty()) {
    reasons.push_back(fmt::format("the work was cut off before it came to the mutants {}",
                                  fmt::join(waiting, ", ")));
  }
  for (const auto& [name, mutant] : kept->mutants) {
    if (!now.mutants.contains(name)) {
      reasons.push_back(fmt::format("there is no mutant {} any more", name));
    }
  }
  return reasons;
}

}  // namespace assay
