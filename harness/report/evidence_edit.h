// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_REPORT_EVIDENCE_EDIT_H_
#define ASSAY_REPORT_EVIDENCE_EDIT_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "evidence/evidence.h"
#include "evidence/fields.h"
#include "fuzz/fuzz_input.h"

/// For report_fuzz.cc: changes any place of a cell's evidence to any value of its type.
namespace assay::fuzz {

/// Visits the places of evidence in order: each scalar and text, and of each list, map and optional
/// value whether it grows or shrinks. Without an input it only counts them.
class EvidenceEdit {
 public:
  EvidenceEdit() = default;
  EvidenceEdit(std::size_t place, FuzzInput* input) : place_(place), input_(input) {}

  /// A member of a structure, as json_fields::Fields names it.
  template <class T>
  void operator()(const char* key, T& field) {
    if (std::string_view(key) != "schema_version") {
      Visit(field);
    }
  }
  [[nodiscard]] std::size_t places() const { return seen_; }

 private:
  static constexpr std::size_t kLongestText_bytes = 255;
  static constexpr std::size_t kMostElements = 40;

  [[nodiscard]] bool IsHere() { return seen_++ == place_ && input_ != nullptr; }
  [[nodiscard]] std::string Text() {
    return std::string(input_->Text(input_->Number<std::uint8_t>() % (kLongestText_bytes + 1)));
  }

  template <class T>
    requires std::is_arithmetic_v<T>
  void Visit(T& value) {
    if (IsHere()) {
      if constexpr (std::is_same_v<T, bool>) {
        value = !value;
      } else {
        value = input_->Number<T>();
      }
    }
  }
  void Visit(std::string& text) {
    if (IsHere()) {
      text = Text();
    }
  }
  void Visit(Verdict& verdict) {
    if (IsHere()) {
      constexpr int kVerdicts = static_cast<int>(Verdict::kJudgeError) + 1;
      verdict = static_cast<Verdict>(input_->Number<std::uint8_t>() % kVerdicts);
    }
  }
  void Visit(GiveUpCause& cause) {
    if (IsHere()) {
      constexpr int kCauses = static_cast<int>(GiveUpCause::kRunLimit) + 1;
      cause = static_cast<GiveUpCause>(input_->Number<std::uint8_t>() % kCauses);
    }
  }
  void Visit(SkipCause& cause) {
    if (IsHere()) {
      constexpr int kCauses = static_cast<int>(SkipCause::kNotAsked) + 1;
      cause = static_cast<SkipCause>(input_->Number<std::uint8_t>() % kCauses);
    }
  }
  void Visit(BenchMoment& moment) {
    if (IsHere()) {
      constexpr int kMoments = static_cast<int>(BenchMoment::kOwnTests) + 1;
      moment = static_cast<BenchMoment>(input_->Number<std::uint8_t>() % kMoments);
    }
  }
  template <class T>
  void Visit(std::optional<T>& value) {
    if (IsHere()) {
      value = value ? std::nullopt : std::optional(T());
    }
    if (value) {
      Visit(*value);
    }
  }
  template <class T>
  void Visit(std::vector<T>& list) {
    if (IsHere()) {
      // New elements are like the first, which is more than a heap of empty ones.
      const T like = list.empty() ? T() : list.front();
      list.resize(input_->Number<std::uint8_t>() % kMostElements, like);
    }
    for (T& element : list) {
      Visit(element);
    }
  }
  template <class T>
  void Visit(std::map<std::string, T>& map) {
    if (IsHere()) {
      const std::string key = Text();
      if (map.erase(key) == 0) {
        map[key] = T();
      }
    }
    for (auto& [key, value] : map) {
      Visit(value);
    }
  }
  void Visit(std::pair<double, double>& both) {
    Visit(both.first);
    Visit(both.second);
  }
  template <class T>
    requires std::is_class_v<T>
  void Visit(T& structure) {
    json_fields::Fields(*this, structure);
  }

  std::size_t place_ = 0;
  FuzzInput* input_ = nullptr;
  std::size_t seen_ = 0;
};

/// Applies edits until `input` has none left: a place as u16, and its value.
inline void EditEvidence(FuzzInput& input, Evidence& cell) {
  constexpr int kMostEdits = 30;
  for (int edit = 0; edit < kMostEdits && !input.empty(); ++edit) {
    EvidenceEdit count;
    json_fields::Fields(count, cell);
    EvidenceEdit one(input.Number<std::uint16_t>() % count.places(), &input);
    json_fields::Fields(one, cell);
  }
}

}  // namespace assay::fuzz

#endif  // ASSAY_REPORT_EVIDENCE_EDIT_H_
