// SPDX-License-Identifier: Apache-2.0
#include "exec/mutant_homes.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "spec/nearest.h"
#include "spec/yaml_reader.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

/// Where the failing cases of a mutant can cost.
bool CountsCases(const Criterion& criterion) {
  return criterion.weight > 0 && (criterion.value.function == ValueFunction::kPassRate ||
                                  criterion.value.function == ValueFunction::kRightRate);
}

std::vector<std::string> PossibleHomes(const Rubric& rubric) {
  std::vector<std::string> homes;
  for (const Criterion& criterion : rubric.criteria) {
    if (CountsCases(criterion)) {
      homes.push_back(criterion.id);
    }
  }
  return homes;
}

class HomesReader {
 public:
  HomesReader(const Rubric& rubric, const Signatures& signatures, FileFaults& faults)
      : possible_(PossibleHomes(rubric)), signatures_(signatures), faults_(faults) {}

  MutantHomes Read(const YamlNode& root) {
    MapReader reader(root, "", faults_);
    ReadSchema(reader, faults_);
    reader.ForEach("mutants", Presence::kRequired,
                   [this](const YamlNode& node, const std::string& name) { ReadOne(node, name); });
    reader.RejectUnknownKeys();
    for (const auto& [mutant, signature] : signatures_.mutants) {
      if (!homes_.contains(mutant)) {
        faults_.Add(reader.LineOf("mutants"), fmt::format("the mutant {} has no home", mutant),
                    fmt::format("add a line {{mutant: {}, home: <criterion>}} that names the "
                                "criterion its bug is about",
                                mutant));
      }
    }
    return std::move(homes_);
  }

 private:
  void ReadOne(const YamlNode& node, const std::string& name) {
    MapReader item(node, name + ".", faults_);
    const std::string mutant = item.Text("mutant", TextForm::kName, Presence::kRequired);
    const std::string home = item.Text("home", TextForm::kId, Presence::kRequired);
    item.RejectUnknownKeys();
    if (mutant.empty() || home.empty()) {
      return;
    }
    if (!signatures_.mutants.contains(mutant)) {
      faults_.Add(item.LineOf("mutant"),
                  fmt::format("{}.mutant \"{}\" has no signature", name, mutant),
                  SuggestOneOf(mutant, NamesOf(signatures_.mutants, FirstOfPair)));
    }
    if (std::ranges::find(possible_, home) == possible_.end()) {
      faults_.Add(
          item.LineOf("home"),
          fmt::format("{}.home \"{}\" is no criterion with a weight that counts cases", name, home),
          SuggestOneOf(home, possible_));
    }
    if (!homes_.emplace(mutant, home).second) {
      faults_.Add(node.line, fmt::format("{} \"{}\" is there twice", name, mutant),
                  "give each mutant one home");
    }
  }

  static const std::string& FirstOfPair(
      const std::pair<const std::string, MutantSignature>& entry) {
    return entry.first;
  }

  std::vector<std::string> possible_;
  const Signatures& signatures_;
  FileFaults& faults_;
  MutantHomes homes_;
};

}  // namespace

fs::path MutantHomesPath(const fs::path& root, std::string_view challenge) {
  return root / "reference" / challenge / "mutants.yaml";
}

Checked<MutantHomes> LoadMutantHomes(const fs::path& root, const Rubric& rubric,
                                     const std::optional<Signatures>& signatures) {
  if (!signatures) {
    return MutantHomes();
  }
  const fs::path path = MutantHomesPath(root, rubric.challenge);
  std::error_code failure;
  if (!fs::exists(path, failure)) {
    return std::unexpected(
        Errors{{.kind = ErrorKind::kConfiguration,
                .where = path.string(),
                .cause = fmt::format("does not exist, and {} mutants have signatures",
                                     signatures->mutants.size()),
                .remedy = "name the criterion that the bug of each is about; reference/README.md "
                          "shows the file"}});
  }
  const auto document = ReadYamlFile(path);
  if (!document) {
    return std::unexpected(document.error());
  }
  FileFaults faults(path.string());
  MutantHomes homes = HomesReader(rubric, *signatures, faults).Read(*document);
  if (!faults.empty()) {
    return std::unexpected(faults.errors());
  }
  return homes;
}

}  // namespace assay
