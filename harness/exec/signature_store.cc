// SPDX-License-Identifier: Apache-2.0
#include "exec/signature_store.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>
#include <system_error>
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
         !path.filename().string().starts_with("bench");
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

/// SHA-256 of a mutant's source and of the headers beside it that it includes, so that a header of
/// some mutants leaves the others' signatures as they are.
Result<std::string> DigestOfMutant(const fs::path& source) {
  std::map<fs::path, std::string> files;
  std::vector<fs::path> queue = {source};
  std::error_code failure;
  while (!queue.empty()) {
    const fs::path path = std::move(queue.back());
    queue.pop_back();
    if (files.contains(path) || !fs::is_regular_file(path, failure)) {
      continue;
    }
    ASSAY_ASSIGN_OR_RETURN(std::string content, ReadFile(path));
    for (const std::string& name : NamedFiles(content)) {
      if (fs::path(name).filename() == name) {
        queue.push_back(source.parent_path() / name);
      }
    }
    files.emplace(path, std::move(content));
  }
  std::string all = std::move(files.at(source));
  files.erase(source);
  for (const auto& [path, content] : files) {
    all += content;
  }
  return Sha256(all);
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
  return text + OneLineEach("mutants", signatures.mutants, ToJson) + "\n}\n";
}

Result<std::optional<Signatures>> LoadSignatures(const fs::path& root, std::string_view challenge) {
  const fs::path path = SignaturesPath(root, challenge);
  std::error_code failure;
  if (!fs::exists(fs::symlink_status(path, failure))) {
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

Result<SignatureSources> ReadSignatureSources(const fs::path& root, std::string_view challenge) {
  const fs::path reference = root / "reference" / challenge;
  const fs::path asked = root / "challenges" / challenge;
  ASSAY_ASSIGN_OR_RETURN(const std::string of_challenge, DigestTree(asked, CountsInChallenge));
  ASSAY_ASSIGN_OR_RETURN(const std::string of_reference, DigestTree(reference, CountsInReference));
  ASSAY_ASSIGN_OR_RETURN(const std::vector<fs::path> files, ListFiles(reference));
  SignatureSources sources{
      .shared = Sha256(of_challenge + of_reference), .suite_files = {}, .mutants = {}};
  ASSAY_ASSIGN_OR_RETURN(const std::vector<fs::path> asks, ListFiles(asked));
  for (const fs::path& file : asks) {
    if (IsSuiteFile(file)) {
      ASSAY_ASSIGN_OR_RETURN(const std::string content, ReadFile(asked / file));
      sources.suite_files[file.string()] = ReadSuiteSource(content);
    }
  }
  for (const fs::path& file : files) {
    if (IsMutant(file)) {
      ASSAY_ASSIGN_OR_RETURN(sources.mutants[file.stem().string()],
                             DigestOfMutant(reference / file));
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
    reasons.emplace_back("the baseline, the oracle or what the suite's files share changed");
  }
  if (const auto files = ChangedSuiteFiles(*kept, now); !files.empty()) {
    reasons.push_back(fmt::format("of the suite changed {}", fmt::join(files, ", ")));
  }
  if (kept->runs != kSignatureRuns) {
    reasons.push_back(
        fmt::format("each mutant was run {} times, not {}", kept->runs, kSignatureRuns));
  }
  for (const auto& [name, digest] : now.mutants) {
    const auto found = kept->mutants.find(name);
    if (found == kept->mutants.end()) {
      reasons.push_back(fmt::format("the mutant {} has no signature", name));
    } else if (found->second.source_digest != digest) {
      reasons.push_back(fmt::format("the mutant {} changed", name));
    }
  }
  for (const auto& [name, mutant] : kept->mutants) {
    if (!now.mutants.contains(name)) {
      reasons.push_back(fmt::format("there is no mutant {} any more", name));
    }
  }
  return reasons;
}

}  // namespace assay
