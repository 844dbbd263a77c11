// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EMULATOR_PTX_WORDS_H_
#define ASSAY_EMULATOR_PTX_WORDS_H_

#include <array>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

namespace assay::gpu::ptx {

/// The dotted words of an instruction, as a bag that decoding takes from: what is left at the end
/// nobody knew. At most kMost words; `overflow` says that there were more.
class Words {
 public:
  static constexpr std::size_t kMost = 24;

  /// `spelling`: `ld.global.u32`. The first word is the opcode and not in the bag.
  explicit Words(std::string_view spelling);

  [[nodiscard]] std::string_view opcode() const { return opcode_; }
  [[nodiscard]] bool overflow() const { return overflow_; }
  [[nodiscard]] std::span<const std::string_view> left() const { return {words_.data(), count_}; }

  /// Removes the first `word`; false: it is not there.
  bool Take(std::string_view word);
  /// Removes the first word that begins with `prefix`.
  std::optional<std::string_view> TakePrefix(std::string_view prefix);
  /// Removes the word at `index` of left().
  void Remove(std::size_t index);

  /// Removes the first word found in `choices`, pairs of word and value, and returns its value.
  template <class Choices>
  auto TakeOne(const Choices& choices) -> std::optional<decltype(choices.begin()->second)> {
    for (std::size_t i = 0; i < count_; ++i) {
      for (const auto& [word, value] : choices) {
        if (words_[i] == word) {
          Remove(i);
          return value;
        }
      }
    }
    return std::nullopt;
  }

 private:
  std::string_view opcode_;
  std::array<std::string_view, kMost> words_{};
  std::size_t count_ = 0;
  bool overflow_ = false;
};

}  // namespace assay::gpu::ptx

#endif  // ASSAY_EMULATOR_PTX_WORDS_H_
