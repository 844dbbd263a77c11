// SPDX-License-Identifier: Apache-2.0
#include "spec/challenge_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>
#include <system_error>

#include "base/text.h"
#include "spec/nearest.h"
#include "spec/yaml_reader.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

// No host needs more, and a typing error must not take the machine down.
constexpr std::int64_t kLongestCase_ms = 600'000;
constexpr std::int64_t kLongestBuild_ms = 1'800'000;
constexpr std::int64_t kMostMemory_bytes = std::int64_t{1} << 40;
constexpr std::int64_t kMostOutput_bytes = std::int64_t{1} << 26;

ChallengeLimits ReadLimits(const YamlNode& node, FileFaults& faults) {
  MapReader reader(node, "limits.", faults);
  const auto positive = [&reader](std::string_view key, std::int64_t most) {
    return reader.Integer(key, 1, most, Presence::kRequired).value_or(0);
  };
  const ChallengeLimits limits{
      .case_time_limit_ms = positive("case_time_limit_ms", kLongestCase_ms),
      .memory_limit_bytes = positive("memory_limit_bytes", kMostMemory_bytes),
      .output_limit_bytes = positive("output_limit_bytes", kMostOutput_bytes),
      .build_time_limit_ms = positive("build_time_limit_ms", kLongestBuild_ms)};
  reader.RejectUnknownKeys();
  return limits;
}

EntryPoint ReadEntryPoint(const YamlNode& node, const std::string& name, FileFaults& faults) {
  MapReader reader(node, name + ".", faults);
  EntryPoint entry{.name = reader.Text("name", TextForm::kId, Presence::kRequired),
                   .required = reader.Flag("required", Presence::kRequired)};
  reader.RejectUnknownKeys();
  return entry;
}

Question ReadQuestion(const YamlNode& node, const std::string& name, FileFaults& faults) {
  MapReader reader(node, name + ".", faults);
  Question question{.id = reader.Text("id", TextForm::kId, Presence::kRequired),
                    .text = reader.Text("text", TextForm::kProse, Presence::kRequired),
                    .unit = reader.Text("unit", TextForm::kProse, Presence::kOptional),
                    .group = {}};
  question.group = question.id.substr(0, question.id.find('_'));
  reader.RejectUnknownKeys();
  return question;
}

ClaimKind ReadClaimKind(const YamlNode& node, const std::string& name, FileFaults& faults) {
  MapReader reader(node, name + ".", faults);
  ClaimKind claim{.id = reader.Text("id", TextForm::kId, Presence::kRequired),
                  .text = reader.Text("text", TextForm::kProse, Presence::kRequired),
                  .metric = reader.Text("metric", TextForm::kId, Presence::kRequired)};
  reader.RejectUnknownKeys();
  return claim;
}

// Reads a list of things with ids, no id twice.
template <class T>
std::vector<T> ReadThings(MapReader& reader, std::string_view key, Presence presence,
                          T (*read)(const YamlNode&, const std::string&, FileFaults&),
                          std::string T::* id, FileFaults& faults) {
  std::vector<T> things;
  std::set<std::string> ids;
  reader.ForEach(key, presence, [&](const YamlNode& node, const std::string& name) {
    T thing = read(node, name, faults);
    const std::string& own = thing.*id;
    if (own.empty()) {
      return;
    }
    if (!ids.insert(own).second) {
      faults.Add(node.line, fmt::format("{} \"{}\" is there twice", name, own),
                 "give each its own id");
      return;
    }
    things.push_back(std::move(thing));
  });
  return things;
}

std::vector<std::string> ReadLanguages(MapReader& reader, FileFaults& faults) {
  const std::vector<std::string> known = {"c++", "cuda"};
  std::vector<std::string> languages;
  reader.ForEach("languages", Presence::kRequired,
                 [&](const YamlNode& node, const std::string& name) {
                   const auto text = ReadText(node, name, TextForm::kName, faults);
                   if (text && std::ranges::find(known, *text) == known.end()) {
                     faults.Add(node.line, fmt::format("{} \"{}\" is unknown", name, *text),
                                SuggestOneOf(*text, known));
                   } else if (text) {
                     languages.push_back(*text);
                   }
                 });
  return languages;
}

// They become part of a filter, in which other characters have a meaning.
std::vector<std::string> ReadSecondProcess(MapReader& reader, FileFaults& faults) {
  constexpr std::string_view kLetters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
  std::vector<std::string> groups;
  reader.ForEach(
      "second_process", Presence::kOptional, [&](const YamlNode& node, const std::string& name) {
        const auto text = ReadText(node, name, TextForm::kName, faults);
        if (text && text->find_first_not_of(kLetters) != std::string::npos) {
          faults.Add(node.line,
                     fmt::format("{} \"{}\" is not the first word of a case", name, *text),
                     "write what stands before the first / or . of its name: letters "
                     "and digits");
        } else if (text) {
          groups.push_back(*text);
        }
      });
  return groups;
}

void CheckFilesAreThere(const fs::path& directory, FileFaults& faults) {
  for (const char* const name :
       {"PROMPT.md", "rubric.yaml", "interface.h", "adapter.cc", "bench.cc"}) {
    std::error_code failure;
    if (!fs::is_regular_file(fs::symlink_status(directory / name, failure))) {
      faults.AddAt((directory / name).string(), "a challenge needs this file and it is missing",
                   "add it; see challenges/README.md");
    }
  }
}

}  // namespace

bool IsInCuda(const ChallengeSpec& challenge) {
  return !challenge.languages.empty() && challenge.languages.front() == "cuda";
}

const Question* FindQuestion(const ChallengeSpec& challenge, std::string_view id) {
  const auto found = std::ranges::find(challenge.questions, id, &Question::id);
  return found == challenge.questions.end() ? nullptr : &*found;
}

const ClaimKind* FindClaim(const ChallengeSpec& challenge, std::string_view id) {
  const auto found = std::ranges::find(challenge.claims, id, &ClaimKind::id);
  return found == challenge.claims.end() ? nullptr : &*found;
}

Checked<ChallengeSpec> ReadChallenge(const fs::path& directory) {
  const fs::path file = directory / "challenge.yaml";
  const auto root = ReadYamlFile(file);
  if (!root) {
    return std::unexpected(root.error());
  }
  FileFaults faults(file.string());
  MapReader reader(*root, "", faults);
  ReadSchema(reader, faults);
  ChallengeSpec challenge;
  challenge.directory = directory;
  challenge.id = reader.Text("id", TextForm::kId, Presence::kRequired);
  if (!challenge.id.empty() && challenge.id != directory.filename().string()) {
    faults.Add(reader.LineOf("id"),
               fmt::format("id \"{}\" is not the name of the directory, \"{}\"", challenge.id,
                           directory.filename().string()),
               "make them equal");
  }
  challenge.title = reader.Text("title", TextForm::kName, Presence::kRequired);
  challenge.published_as = reader.TextList("published_as", TextForm::kName, Presence::kOptional);
  challenge.languages = ReadLanguages(reader, faults);
  if (const YamlNode* const limits = reader.Find("limits", Presence::kRequired)) {
    challenge.limits = ReadLimits(*limits, faults);
  }
  challenge.entry_points = ReadThings(reader, "entry_points", Presence::kRequired, &ReadEntryPoint,
                                      &EntryPoint::name, faults);
  challenge.questions =
      ReadThings(reader, "questions", Presence::kOptional, &ReadQuestion, &Question::id, faults);
  challenge.claims =
      ReadThings(reader, "claims", Presence::kOptional, &ReadClaimKind, &ClaimKind::id, faults);
  challenge.second_process = ReadSecondProcess(reader, faults);
  reader.RejectUnknownKeys();
  CheckFilesAreThere(directory, faults);
  if (!faults.empty()) {
    return std::unexpected(faults.errors());
  }
  return challenge;
}

}  // namespace assay
