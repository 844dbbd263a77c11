// SPDX-License-Identifier: Apache-2.0
#include "review/blinder.h"

#include <algorithm>
#include <array>
#include <functional>
#include <optional>

#include "base/unicode.h"
#include "review/visible.h"

namespace assay {
namespace {

// Names shorter than this are parts of too many other words.
constexpr std::size_t kShortestWithinWords = 4;
// `G-L-M`, `GLM  5`: no more than this stands between the parts of one name.
constexpr std::size_t kLongestJoint_bytes = 3;

// Words that a folder's name may begin with and that name nobody. Without them a model called
// `new-model` would cost every `new` in C++.
constexpr std::array<std::string_view, 12> kNobody = {
    "the", "new", "old", "test", "base", "model", "auto", "long", "int", "float", "char", "double"};

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLower(char c) { return c >= 'a' && c <= 'z'; }
bool IsUpper(char c) { return c >= 'A' && c <= 'Z'; }
bool IsLetter(char c) { return IsLower(c) || IsUpper(c); }
char ToLower(char c) { return IsUpper(c) ? static_cast<char>(c - 'A' + 'a') : c; }

// What stands before a letter or digit.
enum class Gap {
  kNothing,  ///< Another one; or characters that are not seen.
  kJoint,    ///< A little of `-_. /` and the like: may join the parts of a name.
  kBreak,    ///< Anything else.
};

struct Sign {
  char as_is = 0;
  std::size_t begin = 0;
  std::size_t end = 0;
  Gap before = Gap::kBreak;
};

bool IsJoint(char c) {
  return std::string_view("-_. /:+()'\"*`\t").find(c) != std::string_view::npos;
}

/// The letters and digits of `text`, with what lies between them.
std::vector<Sign> SignsOf(std::string_view text) {
  std::vector<Sign> signs;
  std::size_t joint_bytes = 0;
  bool is_broken = true;
  for (std::size_t at = 0; at < text.size();) {
    const Character one = FirstCharacter(text.substr(at));
    const char c = text[at];
    if (IsLetter(c) || IsDigit(c)) {
      const Gap before = is_broken || joint_bytes > kLongestJoint_bytes ? Gap::kBreak
                         : joint_bytes > 0                              ? Gap::kJoint
                                                                        : Gap::kNothing;
      signs.push_back({.as_is = c, .begin = at, .end = at + 1, .before = before});
      joint_bytes = 0;
      is_broken = false;
    } else if (IsJoint(c)) {
      ++joint_bytes;
    } else if (!one.is_utf8 || !IsUnseen(one.code_point)) {
      is_broken = true;
    }
    at += one.size_bytes;
  }
  return signs;
}

/// Whether a word ends between two signs that stand side by side: `GLM|Kernel`, `glm|5`.
bool IsEdgeOfWords(const Sign& left, const Sign& right) {
  return right.before != Gap::kNothing || IsDigit(right.as_is) != IsDigit(left.as_is) ||
         IsUpper(right.as_is);
}

}  // namespace

std::string FoldName(std::string_view text) {
  std::string folded;
  for (const char c : text) {
    if (IsLetter(c) || IsDigit(c)) {
      folded += ToLower(c);
    }
  }
  return folded;
}

Blinder::Blinder(const std::vector<ModelSpec>& models) {
  for (const ModelSpec& model : models) {
    for (const std::string& spelling : {model.id, model.name}) {
      Add(spelling, FoldName(spelling).size() >= kShortestWithinWords);
      AddFamilyOf(spelling);
    }
  }
  // The longest first; of equally long ones any order takes the same text out.
  std::ranges::sort(names_, std::greater(), [](const Name& name) { return name.folded.size(); });
}

void Blinder::Add(std::string_view spelling, bool within_words) {
  Name name{.folded = FoldName(spelling), .part_begins = {}, .within_words = within_words};
  char last = 0;
  for (const char c : spelling) {
    if (IsLetter(c) || IsDigit(c)) {
      // `qwen3` is written `Qwen 3` as well, and `MiniMax` `mini-max`.
      name.part_begins.push_back(last == 0 || (!IsLetter(last) && !IsDigit(last)) ||
                                 IsDigit(c) != IsDigit(last) || (IsUpper(c) && IsLower(last)));
    }
    last = c;
  }
  if (!name.folded.empty()) {
    names_.push_back(std::move(name));
  }
}

void Blinder::AddFamilyOf(std::string_view spelling) {
  const auto end = std::ranges::find_if_not(spelling, IsLetter);
  const std::string_view family(spelling.begin(), end);
  const std::string folded = FoldName(family);
  const bool is_a_part = family.size() < spelling.size();
  if (is_a_part && family.size() >= 3 && std::ranges::find(kNobody, folded) == kNobody.end()) {
    Add(family, false);
  }
}

std::string Blinder::Blind(std::string_view text) const {
  const std::vector<Sign> signs = SignsOf(text);
  const auto fits = [&](const Name& name, std::size_t first) {
    const std::size_t end = first + name.folded.size();
    if (end > signs.size()) {
      return false;
    }
    for (std::size_t i = first; i < end; ++i) {
      const Sign& sign = signs[i];
      const bool joined = i == first || sign.before == Gap::kNothing ||
                          (sign.before == Gap::kJoint && name.part_begins[i - first]);
      if (ToLower(sign.as_is) != name.folded[i - first] || !joined) {
        return false;
      }
    }
    return name.within_words ||
           ((first == 0 || IsEdgeOfWords(signs[first - 1], signs[first])) &&
            (end == signs.size() || IsEdgeOfWords(signs[end - 1], signs[end])));
  };
  std::string blinded;
  std::size_t copied = 0;
  for (std::size_t first = 0; first < signs.size();) {
    const auto name =
        std::ranges::find_if(names_, [&](const Name& one) { return fits(one, first); });
    if (name == names_.end()) {
      ++first;
      continue;
    }
    blinded += text.substr(copied, signs[first].begin - copied);
    blinded += kBlindedName;
    first += name->folded.size();
    copied = signs[first - 1].end;
  }
  return blinded + std::string(text.substr(copied));
}

}  // namespace assay
