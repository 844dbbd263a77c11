// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <set>
#include <utility>

#include "spec/nearest.h"
#include "spec/rubric.h"
#include "spec/value_unit.h"
#include "spec/words.h"
#include "spec/yaml_reader.h"

namespace assay {
namespace {

constexpr double kHighestWeight = 1000;
constexpr double kHighestScore = 100;
constexpr int kMostPoints = 1000;  // Of a curve.
constexpr std::size_t kMarks = 5;  // A review's marks are 0 to 4.

// The fields of StaticEvidence and OwnTestsEvidence (evidence/evidence.h) that have a value.
const std::vector<std::string>& StaticFields() {
  static const std::vector<std::string> fields = {"files",
                                                  "code_lines",
                                                  "source_code_lines",
                                                  "code_lines_per_operation",
                                                  "largest_file_share",
                                                  "largest_file_lines",
                                                  "longest_function_lines",
                                                  "cognitive_complexity",
                                                  "warnings_per_1000_lines",
                                                  "unused_device_functions",
                                                  "duplicated_share",
                                                  "document_sections",
                                                  "broken_links"};
  return fields;
}

const std::vector<std::string>& OwnTestsFields() {
  static const std::vector<std::string> fields = {"shipped",
                                                  "passing_on_itself",
                                                  "passing_on_baseline",
                                                  "benchmarks_shipped",
                                                  "benchmarks_running",
                                                  "mutants_killed",
                                                  "mutants_killed_share",
                                                  "kills:<mutant>"};
  return fields;
}

// What DeviceFinding::checker may be.
const std::vector<std::string>& DeviceCheckers() {
  static const std::vector<std::string> checkers = {"memcheck", "racecheck", "initcheck",
                                                    "synccheck"};
  return checkers;
}

template <class Enum, std::size_t kCount>
Enum ReadWord(MapReader& reader, std::string_view key, const Words<Enum, kCount>& words,
              Presence presence, Enum otherwise) {
  const auto index = reader.Choice(key, WordList(words), presence);
  return index ? words[*index].first : otherwise;
}

// `0`, `5`, `2x`, `20%`.
std::optional<Tie> ParseTie(std::string_view text) {
  Tie tie;
  if (text.ends_with('x')) {
    tie.kind = Tie::Kind::kFactor;
    text.remove_suffix(1);
  } else if (text.ends_with('%')) {
    tie.kind = Tie::Kind::kShare;
    text.remove_suffix(1);
  }
  const auto [stop, failure] = std::from_chars(text.begin(), text.end(), tie.amount);
  if (failure != std::errc() || stop != text.end() || !std::isfinite(tie.amount) ||
      tie.amount < 0 || (tie.kind == Tie::Kind::kFactor && tie.amount < 1)) {
    return std::nullopt;
  }
  if (tie.kind == Tie::Kind::kShare) {
    tie.amount /= 100;
  }
  return tie;
}

class RubricReader {
 public:
  RubricReader(const YamlNode& root, const ChallengeSpec& challenge, FileFaults& faults)
      : challenge_(challenge), faults_(faults), reader_(root, "", faults) {}

  Rubric Read() {
    ReadSchema(reader_, faults_);
    rubric_.challenge = challenge_.id;
    ReadDimensions();
    reader_.ForEach(
        "criteria", Presence::kRequired,
        [this](const YamlNode& node, const std::string& name) { ReadCriterion(node, name); });
    reader_.ForEach("work", Presence::kOptional,
                    [&](const YamlNode& node, const std::string& name) {
                      if (auto tag = ReadText(node, name, TextForm::kName, faults_)) {
                        rubric_.work.push_back(std::move(*tag));
                      }
                    });
    ReadPenalties();
    reader_.RejectUnknownKeys();
    if (faults_.empty()) {  // After a fault, a criterion may be missing from the list.
      CheckEveryDimensionIsScored();
      CheckHomes();
    }
    return std::move(rubric_);
  }

 private:
  void ReadDimensions() {
    double sum = 0;
    reader_.ForEach("dimensions", Presence::kRequired,
                    [&](const YamlNode& node, const std::string& name) {
                      Dimension dimension;
                      MapReader item(node, name + ".", faults_);
                      dimension.id = item.Text("id", TextForm::kId, Presence::kRequired);
                      // Published titles hold a slash: "Tests/Benchmarks".
                      dimension.title = item.Text("title", TextForm::kProse, Presence::kRequired);
                      dimension.weight =
                          item.Number("weight", 0, kHighestWeight, Presence::kRequired).value_or(0);
                      item.RejectUnknownKeys();
                      sum += dimension.weight;
                      if (FindDimension(rubric_, dimension.id) != nullptr) {
                        Duplicate(node, name, dimension.id);
                      } else if (!dimension.id.empty()) {
                        rubric_.dimensions.push_back(std::move(dimension));
                      }
                    });
    if (!rubric_.dimensions.empty() && sum <= 0) {
      faults_.Add(reader_.LineOf("dimensions"), "the weights of the dimensions sum to 0",
                  "give at least one a weight above 0");
    }
  }

  void Duplicate(const YamlNode& node, const std::string& name, const std::string& id) {
    faults_.Add(node.line, fmt::format("{} \"{}\" is there twice", name, id),
                "give each its own id");
  }

  void ReadCriterion(const YamlNode& node, const std::string& name) {
    MapReader item(node, name + ".", faults_);
    Criterion criterion;
    criterion.line = node.line;
    criterion.id = item.Text("id", TextForm::kId, Presence::kRequired);
    criterion.title = item.Text("title", TextForm::kProse, Presence::kRequired);
    criterion.dimension = item.Text("dimension", TextForm::kId, Presence::kRequired);
    criterion.kind =
        ReadWord(item, "kind", kCriterionKinds, Presence::kRequired, CriterionKind::kReview);
    ReadValue(item, name, criterion);
    criterion.edge = ReadWord(item, "edge", kEdges, Presence::kRequired, Edge::kText);
    ReadTie(item, name, criterion);
    criterion.weight = item.Number("weight", 0, kHighestWeight, Presence::kRequired).value_or(0);
    ReadAnchors(item, criterion);
    criterion.format =
        ReadWord(item, "format", kValueFormats, Presence::kOptional, ValueFormat::kCount);
    criterion.unit = ReadValueUnit(item, name, criterion, faults_);
    ReadNeeds(item, criterion);
    criterion.scale = item.TextList("scale", TextForm::kProse, Presence::kOptional);
    criterion.needs_cases = item.Text("needs_cases", TextForm::kName, Presence::kOptional);
    criterion.reason = item.Text("reason", TextForm::kProse, Presence::kOptional);
    item.RejectUnknownKeys();
    CheckCriterion(node, name, criterion);
    if (!criterion.id.empty() && FindCriterion(rubric_, criterion.id) != nullptr) {
      Duplicate(node, name, criterion.id);
    } else if (!criterion.id.empty()) {
      rubric_.criteria.push_back(std::move(criterion));
    }
  }

  void ReadValue(MapReader& item, const std::string& name, Criterion& criterion) {
    const YamlNode* const node = item.Find("value", Presence::kRequired);
    const auto text = node == nullptr ? std::nullopt
                                      : ReadText(*node, name + ".value", TextForm::kProse, faults_);
    if (!text) {
      return;
    }
    auto expression = ParseValueExpression(*text);
    if (!expression) {
      faults_.Add(node->line, name + ".value: " + expression.error().cause,
                  expression.error().remedy);
      return;
    }
    CheckArguments(*node, name, *expression);
    if ((criterion.kind == CriterionKind::kReview) !=
        (expression->function == ValueFunction::kReview)) {
      faults_.Add(node->line, name + " has one of \"kind: review\" and \"value: review\" alone",
                  "write both or neither");
    }
    criterion.value = std::move(*expression);
  }

  void ReadNeeds(MapReader& item, Criterion& criterion) {
    const auto known = NamesOf(challenge_.entry_points, &EntryPoint::name);
    item.ForEach("needs", Presence::kOptional, [&](const YamlNode& node, const std::string& name) {
      auto text = ReadText(node, name, TextForm::kName, faults_);
      if (text && std::ranges::find(known, *text) == known.end()) {
        faults_.Add(node.line,
                    fmt::format("{} \"{}\" is no entry point of {}", name, *text, challenge_.id),
                    SuggestOneOf(*text, known));
      } else if (text) {
        criterion.needs.push_back(std::move(*text));
      }
    });
  }

  void CheckArguments(const YamlNode& node, const std::string& name,
                      const ValueExpression& expression) {
    std::vector<std::string> known;
    if (expression.function == ValueFunction::kStatic) {
      known = StaticFields();
    } else if (expression.function == ValueFunction::kOwnTests) {
      CheckOwnTests(node, name, expression);
      return;
    } else if (expression.function == ValueFunction::kCurve) {
      CheckPoints(node, name, expression.arguments.back());
      return;
    } else if (expression.function == ValueFunction::kDeviceFindings) {
      known = DeviceCheckers();
    } else if (expression.function == ValueFunction::kAnswers) {
      known = {"all"};
      for (const Question& question : challenge_.questions) {
        known.push_back(question.group);
      }
      known.erase(std::unique(known.begin(), known.end()), known.end());
    } else if (expression.function == ValueFunction::kEntryPoints) {
      known = NamesOf(challenge_.entry_points, &EntryPoint::name);
    } else {
      return;  // Tags, metrics and workloads are the suite's; the score layer shows `—` for none.
    }
    for (const std::string& argument : expression.arguments) {
      CheckArgument(node, name, expression.function, argument, known);
    }
  }

  void CheckArgument(const YamlNode& node, const std::string& name, ValueFunction function,
                     const std::string& argument, const std::vector<std::string>& known) {
    if (std::ranges::find(known, argument) == known.end()) {
      faults_.Add(node.line,
                  fmt::format("{}.value: {} knows no \"{}\"", name, ToString(function), argument),
                  SuggestOneOf(argument, known));
    }
  }

  void CheckPoints(const YamlNode& node, const std::string& name, const std::string& points) {
    int number = 0;
    const auto [stop, failure] =
        std::from_chars(points.data(), points.data() + points.size(), number);
    if (failure != std::errc() || stop != points.data() + points.size() || number < 1 ||
        number > kMostPoints) {
      faults_.Add(node.line, fmt::format("{}.value: \"{}\" is no number of points", name, points),
                  fmt::format("write how many the suite measures, from 1 to {}", kMostPoints));
    }
  }

  // The home of mutants is a criterion that may stand further down.
  void CheckOwnTests(const YamlNode& node, const std::string& name,
                     const ValueExpression& expression) {
    const std::string& field = expression.arguments.front();
    if (expression.arguments.size() > 1) {
      CheckArgument(node, name, expression.function, field, {"mutants_killed_share"});
      homes_.push_back({.line = node.line, .name = name, .criterion = expression.arguments[1]});
    } else if (!field.starts_with("kills:") || field.size() <= 6) {
      CheckArgument(node, name, expression.function, field, OwnTestsFields());
    }
  }

  void CheckHomes() {
    const auto known = NamesOf(rubric_.criteria, &Criterion::id);
    for (const Home& home : homes_) {
      if (std::ranges::find(known, home.criterion) == known.end()) {
        faults_.Add(home.line,
                    fmt::format("{}.value: \"{}\" is no criterion of the rubric", home.name,
                                home.criterion),
                    SuggestOneOf(home.criterion, known));
      }
    }
  }

  void ReadTie(MapReader& item, const std::string& name, Criterion& criterion) {
    const YamlNode* const node = item.Find("tie_within", Presence::kOptional);
    const auto text = node == nullptr
                          ? std::nullopt
                          : ReadText(*node, name + ".tie_within", TextForm::kProse, faults_);
    if (!text) {
      return;
    }
    if (const auto tie = ParseTie(*text)) {
      criterion.tie_within = *tie;
    } else {
      faults_.Add(node->line, fmt::format("{}.tie_within \"{}\" is no margin", name, *text),
                  "write a difference (5), a factor of at least 1 (2x) or a share (20%)");
    }
  }

  void ReadAnchors(MapReader& item, Criterion& criterion) {
    item.ForEach("score", Presence::kOptional, [&](const YamlNode& node, const std::string& name) {
      if (node.kind != YamlNode::Kind::kSequence || node.children.size() != 2) {
        faults_.Add(node.line, fmt::format("{} is no anchor", name), "write [value, score]");
        return;
      }
      const auto value = ReadNumber(node.children[0], name + "[0]", -kNoLimit, kNoLimit, faults_);
      const auto score = ReadNumber(node.children[1], name + "[1]", 0, kHighestScore, faults_);
      if (value && score) {
        criterion.score.push_back({.value = *value, .score = *score});
      }
    });
  }

  void CheckCriterion(const YamlNode& node, const std::string& name, const Criterion& criterion) {
    if (!criterion.dimension.empty() && FindDimension(rubric_, criterion.dimension) == nullptr) {
      const auto known = NamesOf(rubric_.dimensions, &Dimension::id);
      faults_.Add(node.line,
                  fmt::format("{}.dimension \"{}\" is unknown", name, criterion.dimension),
                  SuggestOneOf(criterion.dimension, known));
    }
    const std::string score = name + ".score";
    const auto& anchors = criterion.score;
    const auto not_ascending = [](const Anchor& a, const Anchor& b) {
      return !(a.value < b.value);
    };
    if (std::ranges::adjacent_find(anchors, not_ascending) != anchors.end()) {
      faults_.Add(node.line, score + " has values that do not ascend",
                  "order the anchors by value, each value once");
    }
    if (!std::ranges::is_sorted(anchors, std::less<>(), &Anchor::score) &&
        !std::ranges::is_sorted(anchors, std::greater<>(), &Anchor::score)) {
      faults_.Add(node.line, score + " goes up and down",
                  "let scores only rise, or only fall, with the value");
    }
    CheckScale(node, name, criterion);
    const bool scored = criterion.weight > 0 && criterion.edge != Edge::kText;
    if (scored && anchors.empty()) {
      faults_.Add(node.line, score + " is missing although the criterion has a weight",
                  "add anchors, or set its weight to 0");
    }
    if (scored && criterion.format == ValueFormat::kSeconds) {
      faults_.Add(
          node.line,
          name + " has a weight and is a time of one call, which is noise to tens of percent",
          "set its weight to 0: it is shown; what is scored is timed by a workload");
    }
  }

  // Without written words for each mark, two reviewers mean different things by the same number.
  void CheckScale(const YamlNode& node, const std::string& name, const Criterion& criterion) {
    const bool is_review = criterion.kind == CriterionKind::kReview &&
                           criterion.value.function == ValueFunction::kReview;
    if (is_review && criterion.scale.size() != kMarks) {
      faults_.Add(
          node.line,
          fmt::format("{}.scale has {} texts, not {}", name, criterion.scale.size(), kMarks),
          "say what each mark means, from 0 to 4");
    }
    if (!is_review && !criterion.scale.empty()) {
      faults_.Add(node.line, name + ".scale is of reviews alone", "remove it");
    }
  }

  void ReadPenalties() {
    if (const YamlNode* const node = reader_.Find("penalties", Presence::kOptional)) {
      MapReader penalties(*node, "penalties.", faults_);
      rubric_.penalties.repaired =
          penalties.Number("repaired", 0, kHighestScore, Presence::kRequired).value_or(0);
      penalties.RejectUnknownKeys();
    }
  }

  void CheckEveryDimensionIsScored() {
    for (const Dimension& dimension : rubric_.dimensions) {
      double sum = 0;
      for (const Criterion& criterion : rubric_.criteria) {
        sum += criterion.dimension == dimension.id ? criterion.weight : 0;
      }
      if (sum <= 0 && dimension.weight > 0) {
        faults_.Add(reader_.LineOf("dimensions"),
                    fmt::format("the weights of the criteria of \"{}\" sum to 0", dimension.id),
                    "give at least one of them a weight above 0, or the dimension a weight of 0");
      }
    }
  }

  /// A criterion that a row names as the home of mutants.
  struct Home {
    int line = 0;
    std::string name;  ///< Of the row that names it.
    std::string criterion;
  };

  const ChallengeSpec& challenge_;
  FileFaults& faults_;
  MapReader reader_;
  Rubric rubric_;
  std::vector<Home> homes_;
};

}  // namespace

Checked<Rubric> ReadRubric(const ChallengeSpec& challenge) {
  const std::filesystem::path file = challenge.directory / "rubric.yaml";
  const auto root = ReadYamlFile(file);
  if (!root) {
    return std::unexpected(root.error());
  }
  FileFaults faults(file.string());
  Rubric rubric = RubricReader(*root, challenge, faults).Read();
  if (!faults.empty()) {
    return std::unexpected(faults.errors());
  }
  return rubric;
}

}  // namespace assay
