// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_REVIEW_BLINDER_H_
#define ASSAY_REVIEW_BLINDER_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "spec/model_spec.h"

namespace assay {

/// What stands for a model's name in a dossier.
inline constexpr std::string_view kBlindedName = "NAME";

/// Takes the names of models out of texts, so that a reviewer does not know whose work it is.
///
/// A name is a model's id, its name, or the word that either begins with when a version follows
/// (`qwen` of `qwen3.6-27b`). It is found in any case and however its parts are joined: `GLM-5`,
/// `glm5`, `GLM 5`, `Glm_5`, also with characters in between that are not seen. Names of at least
/// four letters and digits are found inside words too, shorter ones where a word begins and ends.
/// Too much rather than too little: `-O3` reads `-NAME` beside a model called o3. Letters of other
/// scripts that look alike are not seen through.
class Blinder {
 public:
  explicit Blinder(const std::vector<ModelSpec>& models);

  [[nodiscard]] std::string Blind(std::string_view text) const;

 private:
  struct Name {
    std::string folded;             ///< Letters and digits alone, in lower case.
    std::vector<bool> part_begins;  ///< For each of them, whether something may stand before it.
    bool within_words = false;
  };
  void Add(std::string_view spelling, bool within_words);
  void AddFamilyOf(std::string_view spelling);

  std::vector<Name> names_;  ///< The longest first.
};

/// Letters and digits of `text` in lower case: what two spellings of one name share.
[[nodiscard]] std::string FoldName(std::string_view text);

}  // namespace assay

#endif  // ASSAY_REVIEW_BLINDER_H_
