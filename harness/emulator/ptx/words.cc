// SPDX-License-Identifier: Apache-2.0
#include "emulator/ptx/words.h"

#include <algorithm>

namespace assay::gpu::ptx {

Words::Words(std::string_view spelling) {
  std::size_t dot = spelling.find('.');
  opcode_ = spelling.substr(0, dot);
  while (dot != std::string_view::npos) {
    const std::size_t start = dot + 1;
    dot = spelling.find('.', start);
    if (count_ == kMost) {
      overflow_ = true;
      return;
    }
    words_[count_++] = spelling.substr(start, dot == std::string_view::npos ? dot : dot - start);
  }
}

void Words::Remove(std::size_t index) {
  std::shift_left(words_.begin() + static_cast<std::ptrdiff_t>(index),
                  words_.begin() + static_cast<std::ptrdiff_t>(count_), 1);
  --count_;
}

bool Words::Take(std::string_view word) {
  const auto here = left();
  const auto found = std::ranges::find(here, word);
  if (found == here.end()) {
    return false;
  }
  Remove(static_cast<std::size_t>(found - here.begin()));
  return true;
}

std::optional<std::string_view> Words::TakePrefix(std::string_view prefix) {
  for (std::size_t i = 0; i < count_; ++i) {
    if (words_[i].starts_with(prefix)) {
      const std::string_view word = words_[i];
      Remove(i);
      return word;
    }
  }
  return std::nullopt;
}

}  // namespace assay::gpu::ptx
