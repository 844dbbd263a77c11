// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EMULATOR_PTX_OPERAND_PATTERN_H_
#define ASSAY_EMULATOR_PTX_OPERAND_PATTERN_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "emulator/ptx/module.h"

namespace assay::gpu::ptx {

/// What an operand is to its instruction.
enum class Role : std::uint8_t {
  kNone,  ///< Nothing: the instruction does not take so many.
  kDestination,
  kSource,
  kAddress,  ///< `[…]`
  kNumber,   ///< An integer literal.
};

/// How many values an operand holds.
enum class OperandShape : std::uint8_t {
  kValue,     ///< One.
  kElements,  ///< Place::elements, in a vector; one may stand without braces.
  kFragment,  ///< As kElements: those of a matrix.
  kPacked,    ///< A vector of any registers that have together the width of Place::type.
};

/// A place among the operands of an instruction.
struct Place {
  Role role = Role::kNone;
  OperandShape shape = OperandShape::kValue;
  Type type = Type::kNone;     ///< Of the value, or of each element.
  std::uint32_t elements = 1;  ///< 0: no fragment that PTX has.
  bool or_wider = false;       ///< Wider registers fit too.
};

/// Whether a pattern's one operand that may be missing is there.
enum class Optional : std::uint8_t { kThere, kMissing };

/// The operands that an instruction takes, in the order of PTX: its row's pattern in
/// instructions.inc. Must not outlive the instruction. Source: PTX ISA 9.0, sections 9.4 and 9.7.
class OperandPattern {
 public:
  explicit OperandPattern(const Instruction& instruction);

  [[nodiscard]] std::string_view text() const { return text_; }
  /// Whether instruction_parser.cc reads and checks the operands; then they have no places here.
  [[nodiscard]] bool IsReadApart() const { return text_ == "*"; }
  /// With the cache policy behind the others.
  [[nodiscard]] std::size_t Count(Optional optional) const;
  /// What operand `index` has to be; Role::kNone: there is none such.
  [[nodiscard]] Place At(std::size_t index, Optional optional) const;

 private:
  [[nodiscard]] std::string_view CodeAt(std::size_t index, Optional optional) const;
  [[nodiscard]] Place Decode(char role, char width) const;
  [[nodiscard]] Type TypeOf(char width) const;
  [[nodiscard]] Place FragmentAt(Role role, MatrixPart part, Type of_product) const;

  const Instruction& instruction_;
  std::string_view text_;
};

/// The place of operand `index`: of so many operands as `instruction` has.
[[nodiscard]] Place PlaceOf(const Instruction& instruction, std::size_t index);

/// Whether `pattern` is one as instructions.inc describes them.
[[nodiscard]] constexpr bool IsWellFormed(std::string_view pattern) {
  constexpr std::string_view kWidths = "TSDWQPfrRvVpmABCE";
  if (pattern == "*") {
    return true;
  }
  std::size_t optional = 0;
  bool has_sources = false;
  for (std::size_t places = 0; !pattern.empty(); ++places) {
    const std::string_view code = pattern.substr(0, 2);
    const bool is_result = code[0] == 'd' || code[0] == '|';
    const bool has_width = is_result || code[0] == 's';
    if (code.size() < 2 ||
        !(has_width ? kWidths.contains(code[1]) : code == "[]" || code == "##")) {
      return false;
    }
    // Destinations come first, and the second is written behind the first.
    if (is_result && (has_sources || (code[0] == '|') != (places == 1))) {
      return false;
    }
    has_sources = has_sources || !is_result;
    const bool may_be_missing = pattern.size() > 2 && pattern[2] == '?';
    optional += may_be_missing ? 1 : 0;
    pattern.remove_prefix(may_be_missing ? 3 : 2);
  }
  return optional <= 1;
}

}  // namespace assay::gpu::ptx

#endif  // ASSAY_EMULATOR_PTX_OPERAND_PATTERN_H_
