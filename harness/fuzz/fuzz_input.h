// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_FUZZ_FUZZ_INPUT_H_
#define ASSAY_FUZZ_FUZZ_INPUT_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

/// What every fuzzer uses; for fuzzers alone.
namespace assay::fuzz {

/// Ends the process, and so the fuzzer's run, where a promise is broken.
inline void Require(bool holds, std::string_view promise) {
  if (!holds) {
    std::fprintf(stderr, "broken promise: %.*s\n", static_cast<int>(promise.size()),
                 promise.data());
    std::abort();
  }
}

/// Takes the bytes of an input apart, from the front. What is not there any more is zero.
class FuzzInput {
 public:
  FuzzInput(const std::uint8_t* data, std::size_t size)
      : rest_(reinterpret_cast<const char*>(data), size) {}

  [[nodiscard]] bool empty() const { return rest_.empty(); }

  template <class T>
    requires std::is_arithmetic_v<T>
  [[nodiscard]] T Number() {
    T value{};
    const std::string_view bytes = Text(sizeof value);
    if (!bytes.empty()) {
      std::memcpy(&value, bytes.data(), bytes.size());
    }
    return value;
  }
  /// At most `count` bytes.
  [[nodiscard]] std::string_view Text(std::size_t count) {
    const std::string_view text = rest_.substr(0, count);
    rest_.remove_prefix(text.size());
    return text;
  }
  /// What stands before the next `separator`, or all that is left.
  [[nodiscard]] std::string_view Until(char separator) {
    const std::string_view text = Text(std::min(rest_.find(separator), rest_.size()));
    rest_.remove_prefix(rest_.empty() ? 0 : 1);
    return text;
  }
  [[nodiscard]] std::string_view Rest() { return Text(rest_.size()); }

 private:
  std::string_view rest_;
};

inline std::span<const std::byte> BytesOf(std::string_view text) {
  return std::as_bytes(std::span(text));
}

}  // namespace assay::fuzz

#endif  // ASSAY_FUZZ_FUZZ_INPUT_H_
