// SPDX-License-Identifier: Apache-2.0
#include "spec/submission_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <system_error>
#include <utility>

#include "base/text.h"
#include "spec/nearest.h"
#include "spec/submission_tree.h"
#include "spec/yaml_reader.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kMostConfigurations = 10'000;

std::string FileName(std::string_view path) {
  return std::string(path.substr(path.rfind('/') + 1));
}

// Reads submission.yaml against the tree that lies beside it.
class SubmissionReader {
 public:
  SubmissionReader(const YamlNode& root, const ChallengeSpec& challenge, const SubmissionTree& tree,
                   FileFaults& faults)
      : challenge_(challenge), tree_(tree), faults_(faults), reader_(root, "", faults) {}

  void Read(SubmissionSpec& submission) {
    ReadSchema(reader_, faults_);
    submission.sources = ReadPrograms("sources", Presence::kRequired);
    submission.tests = ReadPrograms("tests", Presence::kOptional);
    submission.benchmarks = ReadBenchmarks();
    submission.answers = ReadAnswers();
    submission.claims = ReadClaims();
    submission.patch = ReadPatch();
    reader_.RejectUnknownKeys();
  }

 private:
  // The path in `node` if it names a file of the submission; else nothing, after a fault.
  std::optional<std::string> ReadPath(const YamlNode& node, const std::string& name) {
    auto path = ReadText(node, name, TextForm::kProse, faults_);
    if (!path) {
      return std::nullopt;
    }
    const auto refuse = [&](std::string_view cause, std::string remedy) {
      faults_.Add(node.line, fmt::format("{} \"{}\" {}", name, *path, cause), std::move(remedy));
      return std::nullopt;
    };
    const fs::path parsed(*path);
    if (parsed.is_absolute() || std::ranges::find(parsed, fs::path("..")) != parsed.end()) {
      return refuse("leads out of the submission", "list files relative to this directory");
    }
    if (!IsPlainPath(*path)) {
      return refuse("is not a plain path",
                    "use letters, digits, \".\", \"_\", \"+\", \"-\" and \"/\"");
    }
    if (!std::ranges::binary_search(tree_.files, *path)) {
      const auto near = Nearest(*path, tree_.files);
      return refuse("does not exist", near ? fmt::format("did you mean \"{}\"?", *near)
                                           : "list files relative to this directory");
    }
    return path;
  }

  // A source that the compiler takes: objects, assembler and archives are not source code.
  std::optional<std::string> ReadSource(const YamlNode& node, const std::string& name) {
    auto path = ReadPath(node, name);
    if (!path) {
      return std::nullopt;
    }
    std::vector<std::string> endings = {".cc", ".cpp", ".cxx"};
    if (std::ranges::find(challenge_.languages, "cuda") != challenge_.languages.end()) {
      endings.emplace_back(".cu");
    }
    if (std::ranges::find(endings, fs::path(*path).extension().string()) == endings.end()) {
      faults_.Add(node.line, fmt::format("{} \"{}\" is not a source file", name, *path),
                  "its name must end with " + Join(endings, ", "));
      return std::nullopt;
    }
    return path;
  }

  std::vector<std::string> ReadPrograms(std::string_view key, Presence presence) {
    std::vector<std::string> paths;
    reader_.ForEach(key, presence, [&](const YamlNode& node, const std::string& name) {
      auto path = ReadSource(node, name);
      if (path && std::ranges::find(paths, *path) != paths.end()) {
        faults_.Add(node.line, fmt::format("{} \"{}\" is there twice", name, *path),
                    "list each file once");
      } else if (path) {
        paths.push_back(std::move(*path));
      }
    });
    return paths;
  }

  std::vector<BenchmarkSpec> ReadBenchmarks() {
    std::vector<BenchmarkSpec> benchmarks;
    reader_.ForEach(
        "benchmarks", Presence::kOptional, [&](const YamlNode& node, const std::string& name) {
          MapReader item(node, name + ".", faults_);
          BenchmarkSpec benchmark;
          if (const auto* source = item.Find("source", Presence::kRequired)) {
            benchmark.source = ReadSource(*source, name + ".source").value_or("");
          }
          benchmark.configurations = static_cast<int>(
              item.Integer("configurations", 1, kMostConfigurations, Presence::kRequired)
                  .value_or(0));
          item.RejectUnknownKeys();
          benchmarks.push_back(std::move(benchmark));
        });
    return benchmarks;
  }

  std::map<std::string, std::string> ReadAnswers() {
    const auto known = NamesOf(challenge_.questions, &Question::id);
    std::map<std::string, std::string> answers;
    ReadMap("answers", "question", known, [&](const YamlNode& node, const std::string& name) {
      if (auto text = ReadText(node, name, TextForm::kProse, faults_)) {
        answers[node.key] = std::move(*text);
      }
    });
    return answers;
  }

  std::map<std::string, double> ReadClaims() {
    const auto known = NamesOf(challenge_.claims, &ClaimKind::id);
    std::map<std::string, double> claims;
    ReadMap("claims", "claim", known, [&](const YamlNode& node, const std::string& name) {
      if (const auto number = ReadNumber(node, name, -kNoLimit, kNoLimit, faults_)) {
        claims[node.key] = *number;
      }
    });
    return claims;
  }

  // A map whose keys are ids of the challenge.
  void ReadMap(std::string_view key, std::string_view what, const std::vector<std::string>& known,
               const std::function<void(const YamlNode&, const std::string&)>& read) {
    const YamlNode* const map = reader_.Find(key, Presence::kOptional);
    if (map == nullptr) {
      return;
    }
    const MapReader is_a_map(*map, std::string(key) + ".", faults_);
    if (map->kind != YamlNode::Kind::kMap) {
      return;
    }
    for (const YamlNode& node : map->children) {
      if (std::ranges::find(known, node.key) == known.end()) {
        faults_.Add(node.key_line,
                    fmt::format("{} has no {} \"{}\"", challenge_.id, what, node.key),
                    SuggestOneOf(node.key, known));
      } else {
        read(node, fmt::format("{}.{}", key, node.key));
      }
    }
  }

  std::optional<PatchSpec> ReadPatch() {
    const YamlNode* const node = reader_.Find("patch", Presence::kOptional);
    if (node == nullptr) {
      return std::nullopt;
    }
    MapReader reader(*node, "patch.", faults_);
    PatchSpec patch;
    if (const YamlNode* const file = reader.Find("file", Presence::kRequired)) {
      patch.file = ReadPath(*file, "patch.file").value_or("");
      if (!patch.file.empty() && patch.file != "patches/" + FileName(patch.file)) {
        faults_.Add(file->line, fmt::format("patch.file \"{}\" is not in patches/", patch.file),
                    "move it there, so that nobody takes it for a source");
      }
    }
    patch.reason = reader.Text("reason", TextForm::kProse, Presence::kRequired);
    reader.RejectUnknownKeys();
    return patch;
  }

  const ChallengeSpec& challenge_;
  const SubmissionTree& tree_;
  FileFaults& faults_;
  MapReader reader_;
};

}  // namespace

bool IsHeader(std::string_view path) {
  return path.ends_with(".h") || path.ends_with(".hpp") || path.ends_with(".cuh");
}

bool IsDocument(std::string_view path) { return path.ends_with(".md"); }

Checked<SubmissionSpec> ReadSubmission(const fs::path& directory, const ChallengeSpec& challenge,
                                       const std::string& model) {
  const fs::path file = directory / "submission.yaml";
  FileFaults faults(file.string());
  std::error_code failure;
  if (fs::is_symlink(fs::symlink_status(directory, failure))) {
    faults.AddAt(directory.string(), "is a symbolic link",
                 "replace it by the directory that it points to");
    return std::unexpected(faults.errors());
  }
  const SubmissionTree tree = WalkSubmission(directory, faults);
  const auto root = ReadYamlFile(file);
  if (!root) {
    Errors errors = faults.errors();
    errors.insert(errors.end(), root.error().begin(), root.error().end());
    return std::unexpected(std::move(errors));
  }
  SubmissionSpec submission;
  submission.directory = directory;
  submission.model = model;
  submission.challenge = challenge.id;
  SubmissionReader(*root, challenge, tree, faults).Read(submission);
  for (const std::string& path : tree.files) {
    if (IsHeader(path)) {
      submission.headers.push_back(path);
    } else if (IsDocument(path)) {
      submission.documents.push_back(path);
    }
  }
  if (!faults.empty()) {
    return std::unexpected(faults.errors());
  }
  return submission;
}

}  // namespace assay
