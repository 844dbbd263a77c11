// SPDX-License-Identifier: Apache-2.0
#include "published/study_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "published/study_items.h"
#include "spec/yaml_reader.h"

namespace assay {
namespace {

constexpr double kHighestScore = 100;
constexpr std::size_t kSha256_digits = 64;

/// Texts below `node`; numbers of a list as one text, as the study prints scores of two rounds.
void CollectTexts(const YamlNode& node, std::vector<std::string>& texts) {
  if (node.kind == YamlNode::Kind::kScalar) {
    texts.push_back(node.text);
  }
  std::string joined;
  for (const YamlNode& child : node.children) {
    CollectTexts(child, texts);
    joined += (joined.empty() ? "" : ", ") + child.text;
  }
  if (node.kind == YamlNode::Kind::kSequence) {
    texts.push_back(std::move(joined));
  }
}

class StudyReader {
 public:
  StudyReader(const YamlNode& root, FileFaults& faults)
      : root_(root), faults_(faults), reader_(root, "", faults) {}

  void Read(PublishedStudy& study) {
    ReadSchema(reader_, faults_);
    ReadHead(study);
    study.models = ReadNames("models", "model");
    study.challenges = ReadNames("challenges", "challenge");
    Each("matchups", study.matchups, ReadMatchup);
    study.places = ReadNotes("places");
    study.takeaways = ReadStatements("takeaways");
    Each("rounds", study.rounds, ReadRound);
    ReadRanking(study);
    ReadBreakdown(study);
    Each("patterns", study.patterns, ReadPattern);
    CheckSameModels(study.patterns, faults_);
    study.decisive_factors = ReadStatements("decisive_factors");
    ReadHybrid(study);
    ReadFiles(study);
    ReadContradictions(study);
    Each("disagreements", study.disagreements, ReadDisagreement);
    reader_.RejectUnknownKeys();
    for (const YamlNode& part : root_.children) {
      if (part.key != "contradictions" && part.key != "disagreements") {
        CollectTexts(part, study.texts);
      }
    }
  }

 private:
  template <class T>
  void Each(std::string_view key, std::vector<T>& items,
            T (*read)(const YamlNode&, const std::string&, FileFaults&)) {
    reader_.ForEach(key, Presence::kOptional, [&](const YamlNode& node, const std::string& name) {
      items.push_back(read(node, name, faults_));
    });
  }

  void ReadHead(PublishedStudy& study) {
    const YamlNode* const node = reader_.Find("study", Presence::kRequired);
    if (node == nullptr) {
      return;
    }
    MapReader head(*node, "study.", faults_);
    study.id = head.Text("id", TextForm::kId, Presence::kRequired);
    study.title = head.Text("title", TextForm::kProse, Presence::kRequired);
    study.date = head.Text("date", TextForm::kProse, Presence::kRequired);
    study.commit = head.Text("commit", TextForm::kProse, Presence::kOptional);
    head.ForEach("sources", Presence::kRequired,
                 [&](const YamlNode& item, const std::string& name) {
                   study.sources.push_back(ReadSource(item, name));
                 });
    head.RejectUnknownKeys();
  }

  StudySource ReadSource(const YamlNode& node, const std::string& name) {
    MapReader item(node, name + ".", faults_);
    StudySource source;
    source.file = item.Text("file", TextForm::kProse, Presence::kRequired);
    source.sha256 = item.Text("sha256", TextForm::kId, Presence::kRequired);
    source.holds = item.Text("holds", TextForm::kProse, Presence::kRequired);
    const bool is_digest = source.sha256.size() == kSha256_digits &&
                           source.sha256.find_first_not_of("0123456789abcdef") == std::string::npos;
    if (!source.sha256.empty() && !is_digest) {
      faults_.Add(item.LineOf("sha256"), fmt::format("{}.sha256 is no SHA-256", name),
                  "write what sha256sum prints");
    }
    item.RejectUnknownKeys();
    return source;
  }

  std::vector<StudyNames> ReadNames(std::string_view key, std::string_view of) {
    std::vector<StudyNames> all;
    reader_.ForEach(key, Presence::kRequired, [&](const YamlNode& node, const std::string& name) {
      MapReader item(node, name + ".", faults_);
      StudyNames names;
      names.line = node.line;
      names.id = item.Text(of, TextForm::kId, Presence::kRequired);
      names.names = item.TextList("names", TextForm::kProse, Presence::kRequired);
      item.RejectUnknownKeys();
      all.push_back(std::move(names));
    });
    return all;
  }

  std::vector<ModelNote> ReadNotes(std::string_view key) {
    std::vector<ModelNote> notes;
    reader_.ForEach(key, Presence::kOptional, [&](const YamlNode& node, const std::string& name) {
      MapReader item(node, name + ".", faults_);
      ModelNote note;
      note.line = node.line;
      note.model = item.Text("model", TextForm::kId, Presence::kRequired);
      note.note = item.Text("note", TextForm::kProse, Presence::kRequired);
      note.mapping = ReadMapping(item, name, TextForm::kProse, faults_);
      item.RejectUnknownKeys();
      notes.push_back(std::move(note));
    });
    return notes;
  }

  void ReadRanking(PublishedStudy& study) {
    reader_.ForEach("ranking", Presence::kOptional,
                    [&](const YamlNode& node, const std::string& name) {
                      MapReader item(node, name + ".", faults_);
                      PublishedStanding standing;
                      standing.line = node.line;
                      standing.model = item.Text("model", TextForm::kId, Presence::kRequired);
                      standing.average =
                          item.Number("average", 0, kHighestScore, Presence::kRequired).value_or(0);
                      standing.best = ReadExtreme(item, "best", name);
                      standing.worst = ReadExtreme(item, "worst", name);
                      standing.notes = item.Text("notes", TextForm::kProse, Presence::kRequired);
                      item.RejectUnknownKeys();
                      study.ranking.push_back(std::move(standing));
                    });
  }

  ExtremeTask ReadExtreme(MapReader& standing, std::string_view key, const std::string& name) {
    ExtremeTask task;
    if (const YamlNode* const node = standing.Find(key, Presence::kRequired)) {
      MapReader item(*node, fmt::format("{}.{}.", name, key), faults_);
      task.challenges = item.TextList("challenges", TextForm::kId, Presence::kRequired);
      task.score = item.Number("score", 0, kHighestScore, Presence::kRequired).value_or(0);
      task.text = item.Text("text", TextForm::kProse, Presence::kRequired);
      item.RejectUnknownKeys();
    }
    return task;
  }

  void ReadBreakdown(PublishedStudy& study) {
    reader_.ForEach(
        "breakdown", Presence::kOptional, [&](const YamlNode& node, const std::string& name) {
          MapReader item(node, name + ".", faults_);
          Breakdown breakdown;
          breakdown.line = node.line;
          breakdown.challenge = item.Text("challenge", TextForm::kId, Presence::kRequired);
          item.ForEach("entries", Presence::kRequired,
                       [&](const YamlNode& entry, const std::string& entry_name) {
                         breakdown.entries.push_back(ReadEntry(entry, entry_name));
                       });
          item.RejectUnknownKeys();
          study.breakdown.push_back(std::move(breakdown));
        });
  }

  ModelNote ReadEntry(const YamlNode& node, const std::string& name) {
    MapReader item(node, name + ".", faults_);
    ModelNote note;
    note.line = node.line;
    note.model = item.Text("model", TextForm::kId, Presence::kRequired);
    item.ForEach("scores", Presence::kRequired,
                 [&](const YamlNode& score, const std::string& score_name) {
                   note.scores.push_back(
                       ReadNumber(score, score_name, 0, kHighestScore, faults_).value_or(0));
                 });
    note.note = item.Text("text", TextForm::kProse, Presence::kRequired);
    note.mapping = ReadMapping(item, name, TextForm::kId, faults_);
    item.RejectUnknownKeys();
    return note;
  }

  void ReadHybrid(PublishedStudy& study) {
    const YamlNode* const node = reader_.Find("hybrid", Presence::kOptional);
    if (node == nullptr) {
      return;
    }
    MapReader hybrid(*node, "hybrid.", faults_);
    study.hybrid = hybrid.Text("introduction", TextForm::kProse, Presence::kRequired);
    hybrid.ForEach("rows", Presence::kRequired, [&](const YamlNode& row, const std::string& name) {
      MapReader item(row, name + ".", faults_);
      HybridRow one;
      one.line = row.line;
      one.challenge = item.Text("challenge", TextForm::kId, Presence::kRequired);
      one.algorithm = ReadBest(item, "algorithm", name);
      one.testing = ReadBest(item, "testing", name);
      one.analysis = ReadBest(item, "analysis", name);
      item.RejectUnknownKeys();
      study.hybrid_rows.push_back(std::move(one));
    });
    hybrid.RejectUnknownKeys();
  }

  Statement ReadBest(MapReader& row, std::string_view key, const std::string& name) {
    const YamlNode* const node = row.Find(key, Presence::kRequired);
    return node == nullptr
               ? Statement()
               : ReadStatement(*node, fmt::format("{}.{}", name, key), TextForm::kId, faults_);
  }

  /// Of no challenge.
  std::vector<Statement> ReadStatements(std::string_view key) {
    std::vector<Statement> statements;
    reader_.ForEach(key, Presence::kOptional, [&](const YamlNode& node, const std::string& name) {
      statements.push_back(ReadStatement(node, name, TextForm::kProse, faults_));
    });
    return statements;
  }

  void ReadFiles(PublishedStudy& study) {
    reader_.ForEach("files", Presence::kOptional,
                    [&](const YamlNode& node, const std::string& name) {
                      MapReader item(node, name + ".", faults_);
                      PublishedFile file;
                      file.file = item.Text("file", TextForm::kProse, Presence::kRequired);
                      file.matchup = item.Text("matchup", TextForm::kProse, Presence::kRequired);
                      file.size = item.Text("size", TextForm::kProse, Presence::kRequired);
                      item.RejectUnknownKeys();
                      study.files.push_back(std::move(file));
                    });
  }

  void ReadContradictions(PublishedStudy& study) {
    reader_.ForEach(
        "contradictions", Presence::kOptional, [&](const YamlNode& node, const std::string& name) {
          MapReader item(node, name + ".", faults_);
          StudyContradiction one;
          one.line = node.line;
          one.what = item.Text("what", TextForm::kProse, Presence::kRequired);
          one.challenge = item.Text("challenge", TextForm::kId, Presence::kOptional);
          item.ForEach("where", Presence::kRequired,
                       [&](const YamlNode& passage, const std::string& passage_name) {
                         MapReader place(passage, passage_name + ".", faults_);
                         one.where.push_back(
                             {.in = place.Text("in", TextForm::kProse, Presence::kRequired),
                              .says = place.Text("says", TextForm::kProse, Presence::kRequired),
                              .line = passage.line});
                         place.RejectUnknownKeys();
                       });
          item.RejectUnknownKeys();
          study.contradictions.push_back(std::move(one));
        });
  }

  const YamlNode& root_;
  FileFaults& faults_;
  MapReader reader_;
};

}  // namespace

Checked<PublishedStudy> ReadStudy(const std::filesystem::path& file) {
  const auto root = ReadYamlFile(file);
  if (!root) {
    return std::unexpected(root.error());
  }
  FileFaults faults(file.string());
  PublishedStudy study;
  study.file = file;
  StudyReader(*root, faults).Read(study);
  if (!study.id.empty() && study.id != file.stem().string()) {
    faults.Add(0, fmt::format("holds the study \"{}\"", study.id),
               fmt::format("name it {}.yaml", study.id));
  }
  if (!faults.empty()) {
    return std::unexpected(faults.errors());
  }
  return study;
}

}  // namespace assay
