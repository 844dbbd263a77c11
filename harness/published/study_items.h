// SPDX-License-Identifier: Apache-2.0
// The parts of a study's file that others are made of. Of this layer alone.
#ifndef ASSAY_PUBLISHED_STUDY_ITEMS_H_
#define ASSAY_PUBLISHED_STUDY_ITEMS_H_

#include <string>
#include <string_view>
#include <vector>

#include "published/study.h"
#include "spec/yaml_reader.h"

namespace assay {

/// Two models of which a part of the file speaks.
struct ComparedModels {
  std::string a;
  std::string b;
};

[[nodiscard]] ComparedModels ReadCompared(MapReader& reader);

/// What a word other than a model's stands for.
enum class NoWinner { kTie, kSplit };
/// `key` names `a`, `b` or, in the word of `no_winner`, neither.
[[nodiscard]] RowEdge ReadEdge(MapReader& reader, std::string_view key,
                               const ComparedModels& models, NoWinner no_winner);

/// `{a: 65, b: 95}`, of exactly these two models, each from 0 to 100.
[[nodiscard]] ScorePair ReadScores(const YamlNode& node, const std::string& name,
                                   const ComparedModels& models, FileFaults& faults);

/// Exactly one of `measured_by` and `unmeasured`. Items of the first have that form.
[[nodiscard]] RowMapping ReadMapping(MapReader& reader, const std::string& name, TextForm form,
                                     FileFaults& faults);

/// A text with its mapping, whose items have that form.
[[nodiscard]] Statement ReadStatement(const YamlNode& node, const std::string& name, TextForm form,
                                      FileFaults& faults);

[[nodiscard]] Pattern ReadPattern(const YamlNode& node, const std::string& name,
                                  FileFaults& faults);
/// A fault for each pattern with other models than the first.
void CheckSameModels(const std::vector<Pattern>& patterns, FileFaults& faults);

[[nodiscard]] PublishedMatchup ReadMatchup(const YamlNode& node, const std::string& name,
                                           FileFaults& faults);
[[nodiscard]] PublishedRound ReadRound(const YamlNode& node, const std::string& name,
                                       FileFaults& faults);
[[nodiscard]] Disagreement ReadDisagreement(const YamlNode& node, const std::string& name,
                                            FileFaults& faults);

}  // namespace assay

#endif  // ASSAY_PUBLISHED_STUDY_ITEMS_H_
