// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EMULATOR_PTX_SOURCE_H_
#define ASSAY_EMULATOR_PTX_SOURCE_H_

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/error.h"
#include "emulator/ptx/lexer.h"
#include "emulator/ptx/module.h"

namespace assay::gpu::ptx {

/// A place in a source file, as `.loc` gives it.
struct Location {
  std::uint32_t file = 0;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  auto operator<=>(const Location&) const = default;
};

/// The text being parsed: its tokens, and how faults in it are told.
class Source {
 public:
  Source(std::string_view text, std::string_view name);

  /// A fault at the present token, or at `ptx_line`.
  [[nodiscard]] Error Fault(std::string cause) const;
  [[nodiscard]] Error Fault(std::string cause, std::uint32_t ptx_line) const;
  /// "expected `what` but found …".
  [[nodiscard]] Error Expected(std::string_view what) const;

  [[nodiscard]] Status Expect(std::string_view punctuation);
  [[nodiscard]] Result<std::string_view> TakeIdentifier(std::string_view what);
  /// An integer of at most `most`.
  [[nodiscard]] Result<std::uint32_t> TakeInteger(std::string_view what, std::uint32_t most);

  /// Skips what stands in parentheses, which may nest, with them.
  [[nodiscard]] Status SkipParenthesis();

  /// Sets `line` from a `.loc`. Code of the CUDA toolkit's headers (atomicAdd, __shfl_sync, CUB)
  /// that was inlined counts as the line of the program that called it: that is the line its
  /// author can change.
  void EnterLine(Location at, std::optional<Location> inlined_at);

  Lexer lexer;
  SourceLine line;  ///< Of the last `.loc` of this function.

 private:
  [[nodiscard]] std::string FileName(std::uint32_t index) const;

  std::string_view text_;
  std::string_view name_;
  std::set<std::uint32_t> toolkit_files_;
  std::map<Location, SourceLine> callers_;  // Of places in toolkit_files_.
};

/// `"text"` shortened to what a message can hold.
[[nodiscard]] std::string Quoted(std::string_view text);

}  // namespace assay::gpu::ptx

#endif  // ASSAY_EMULATOR_PTX_SOURCE_H_
