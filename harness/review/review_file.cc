// SPDX-License-Identifier: Apache-2.0
#include "review/review_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>
#include <utility>

#include "spec/yaml_reader.h"

namespace assay {
namespace {

constexpr std::array<std::pair<Preference, std::string_view>, 3> kPreferences = {
    {{Preference::kThis, "this"}, {Preference::kOther, "other"}, {Preference::kEqual, "equal"}}};

bool IsHexadecimal(std::string_view text) {
  return std::ranges::all_of(
      text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

// `2026-11-23`; how long months are is nobody's concern here.
bool IsDate(std::string_view text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') {
    return false;
  }
  const auto number = [text](std::size_t at, std::size_t digits) {
    int value = 0;
    for (const char c : text.substr(at, digits)) {
      value = c >= '0' && c <= '9' ? value * 10 + (c - '0') : 10'000;
    }
    return value;
  };
  return number(0, 4) < 10'000 && number(5, 2) >= 1 && number(5, 2) <= 12 && number(8, 2) >= 1 &&
         number(8, 2) <= 31;
}

class ReviewReader {
 public:
  ReviewReader(const YamlNode& root, FileFaults& faults)
      : faults_(faults), reader_(root, "", faults) {}

  void Read(Review& review) {
    ReadSchema(reader_, faults_);
    review.reviewer = ReadReviewer();
    review.date = reader_.Text("date", TextForm::kProse, Presence::kRequired);
    if (!review.date.empty() && !IsDate(review.date)) {
      faults_.Add(reader_.LineOf("date"), fmt::format("date \"{}\" is no date", review.date),
                  "write it as 2026-11-23");
    }
    review.challenge = reader_.Text("challenge", TextForm::kId, Presence::kRequired);
    review.submission = reader_.Text("submission", TextForm::kId, Presence::kRequired);
    review.digest = reader_.Text("digest", TextForm::kProse, Presence::kRequired);
    if (!review.digest.empty() && (review.digest.size() != 64 || !IsHexadecimal(review.digest))) {
      faults_.Add(reader_.LineOf("digest"), "digest is no SHA-256",
                  "leave it as the dossier's form has it");
    }
    reader_.ForEach("marks", Presence::kRequired,
                    [&](const YamlNode& node, const std::string& name) {
                      review.marks.push_back(ReadMark(node, name));
                    });
    reader_.ForEach("comparisons", Presence::kOptional,
                    [&](const YamlNode& node, const std::string& name) {
                      review.comparisons.push_back(ReadComparison(node, name));
                    });
    reader_.RejectUnknownKeys();
  }

 private:
  Reviewer ReadReviewer() {
    Reviewer reviewer;
    const YamlNode* const node = reader_.Find("reviewer", Presence::kRequired);
    if (node == nullptr) {
      return reviewer;
    }
    MapReader item(*node, "reviewer.", faults_);
    reviewer.id = item.Text("id", TextForm::kId, Presence::kRequired);
    const bool is_model = item.Find("model", Presence::kOptional) != nullptr;
    const bool is_person = item.Find("person", Presence::kOptional) != nullptr;
    if (is_model == is_person) {
      faults_.Add(node->line, "reviewer names neither a person nor a model, or both",
                  "write \"person: NAME\", or \"model: NAME\" and \"version: VERSION\"");
    } else if (is_model) {
      reviewer.model = item.Text("model", TextForm::kName, Presence::kRequired);
      reviewer.version = item.Text("version", TextForm::kName, Presence::kRequired);
    } else {
      reviewer.person = item.Text("person", TextForm::kProse, Presence::kRequired);
    }
    item.RejectUnknownKeys();
    return reviewer;
  }

  GivenMark ReadMark(const YamlNode& node, const std::string& name) {
    MapReader item(node, name + ".", faults_);
    GivenMark mark;
    mark.at_line = node.line;
    mark.criterion = item.Text("criterion", TextForm::kId, Presence::kRequired);
    mark.mark =
        static_cast<int>(item.Integer("mark", 0, kHighestMark, Presence::kRequired).value_or(0));
    mark.reason = item.Text("reason", TextForm::kProse, Presence::kRequired);
    item.ForEach("evidence", Presence::kRequired,
                 [&](const YamlNode& quoted, const std::string& quoted_name) {
                   mark.evidence.push_back(ReadQuotation(quoted, quoted_name));
                 });
    item.RejectUnknownKeys();
    return mark;
  }

  Quotation ReadQuotation(const YamlNode& node, const std::string& name) {
    MapReader item(node, name + ".", faults_);
    Quotation quotation;
    quotation.at_line = node.line;
    quotation.file = item.Text("file", TextForm::kProse, Presence::kRequired);
    quotation.line = static_cast<int>(
        item.Integer("line", 1, std::numeric_limits<int>::max(), Presence::kRequired).value_or(0));
    quotation.quote = item.Text("quote", TextForm::kProse, Presence::kRequired);
    item.RejectUnknownKeys();
    return quotation;
  }

  GivenComparison ReadComparison(const YamlNode& node, const std::string& name) {
    MapReader item(node, name + ".", faults_);
    GivenComparison comparison;
    comparison.at_line = node.line;
    comparison.criterion = item.Text("criterion", TextForm::kId, Presence::kRequired);
    comparison.against = item.Text("against", TextForm::kId, Presence::kRequired);
    std::vector<std::string> words;
    words.reserve(kPreferences.size());
    for (const auto& [preference, word] : kPreferences) {
      words.emplace_back(word);
    }
    if (const auto chosen = item.Choice("prefers", words, Presence::kRequired)) {
      comparison.prefers = kPreferences[*chosen].first;
    }
    comparison.reason = item.Text("reason", TextForm::kProse, Presence::kRequired);
    item.RejectUnknownKeys();
    return comparison;
  }

  FileFaults& faults_;
  MapReader reader_;
};

std::string_view WordOf(Preference preference) {
  const auto found =
      std::ranges::find(kPreferences, preference, [](const auto& pair) { return pair.first; });
  return found->second;
}

}  // namespace

std::string NameOf(const Reviewer& reviewer) {
  return reviewer.person.empty() ? reviewer.model + " " + reviewer.version : reviewer.person;
}

Checked<Review> ReadReview(const std::filesystem::path& file) {
  const auto root = ReadYamlFile(file);
  if (!root) {
    return std::unexpected(root.error());
  }
  FileFaults faults(file.string());
  Review review;
  review.file = file;
  ReviewReader(*root, faults).Read(review);
  if (!faults.empty()) {
    return std::unexpected(faults.errors());
  }
  return review;
}

std::string QuoteYaml(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (c == '\n') {
      quoted += "\\n";
    } else if (c == '\t') {
      quoted += "\\t";
    } else if (c == '\r') {
      quoted += "\\r";
    } else {
      quoted += c;
    }
  }
  return quoted + "\"";
}

std::string RenderReview(const Review& review) {
  const Reviewer& reviewer = review.reviewer;
  std::string text = "schema: 1\nreviewer:\n  id: " + reviewer.id + "\n";
  text += reviewer.person.empty()
              ? fmt::format("  model: {}\n  version: {}\n", QuoteYaml(reviewer.model),
                            QuoteYaml(reviewer.version))
              : fmt::format("  person: {}\n", QuoteYaml(reviewer.person));
  text += fmt::format("date: {}\nchallenge: {}\nsubmission: {}\ndigest: {}\nmarks:\n",
                      QuoteYaml(review.date), review.challenge, review.submission,
                      QuoteYaml(review.digest));
  for (const GivenMark& mark : review.marks) {
    text += fmt::format("  - criterion: {}\n    mark: {}\n    reason: {}\n    evidence:\n",
                        mark.criterion, mark.mark, QuoteYaml(mark.reason));
    for (const Quotation& quotation : mark.evidence) {
      text += fmt::format("      - file: {}\n        line: {}\n        quote: {}\n",
                          QuoteYaml(quotation.file), quotation.line, QuoteYaml(quotation.quote));
    }
  }
  text += review.comparisons.empty() ? "comparisons: []\n" : "comparisons:\n";
  for (const GivenComparison& one : review.comparisons) {
    text += fmt::format("  - criterion: {}\n    against: {}\n    prefers: {}\n    reason: {}\n",
                        one.criterion, one.against, WordOf(one.prefers), QuoteYaml(one.reason));
  }
  return text;
}

}  // namespace assay
