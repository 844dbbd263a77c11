// SPDX-License-Identifier: Apache-2.0
#include "emulator/ptx/spelling.h"

#include <array>
#include <span>
#include <string>
#include <utility>

#include "emulator/ptx/combination.h"
#include "emulator/ptx/grammar.h"
#include "emulator/ptx/matrix.h"
#include "emulator/ptx/modifiers.h"

namespace assay::gpu::ptx {
namespace {

// Takes every word that is a type, in order, and returns how many there were.
std::size_t TakeTypes(Words& words, Instruction& instruction) {
  const std::array fields = {&instruction.type, &instruction.source_type, &instruction.third_type,
                             &instruction.fourth_type};
  std::size_t count = 0;
  for (std::size_t i = 0; i < words.left().size();) {
    const auto type = FindType(words.left()[i]);
    if (!type) {
      ++i;
      continue;
    }
    words.Remove(i);
    if (count < fields.size()) {
      *fields[count] = *type;
    }
    ++count;
  }
  return count;
}

Instruction Unsupported(std::string_view spelling, std::string reason) {
  Instruction instruction;
  instruction.opcode = Opcode::kUnsupported;
  instruction.spelling = spelling;
  instruction.reason = std::move(reason);
  return instruction;
}

// wmma.mma of halves names the types of D and C alone.
void FinishMatrixTypes(std::size_t types, Instruction& instruction) {
  if (instruction.opcode == Opcode::kWmma && instruction.mode == Mode::kMma && types == 2) {
    instruction.fourth_type = instruction.source_type;
    instruction.source_type = Type::kF16;
    instruction.third_type = Type::kF16;
  }
}

// The form that has the types that are written; where none has, one that takes what any of them
// does and is never whole, so that the word that no form has is named.
Form FormOf(std::span<const Form> forms, const Words& words) {
  std::array<Type, 2> types{};
  std::size_t count = 0;
  for (const std::string_view word : words.left()) {
    const auto type = count < types.size() ? FindType(word) : std::nullopt;
    if (type) {
      types.at(count++) = *type;
    }
  }
  Form any = forms.front();
  for (const Form& form : forms) {
    const bool fits = (count == 0 && form.fewest_types == 0) || Contains(form.types, types[0]);
    if (fits && (count < 2 || Contains(form.sources, types[1]))) {
      return form;
    }
    any.takes |= form.takes;
    any.types |= form.types;
    any.sources |= form.sources;
  }
  any.only = ~0U;
  any.fewest_types = static_cast<std::uint8_t>(any.most_types + 1);
  return any;
}

// The first type that `form` does not have; kNone: it has all that are written, or another number.
Type OddType(const Form& form, const Instruction& instruction, std::size_t types) {
  if (types == 0 || types > form.most_types) {
    return Type::kNone;
  }
  if (!Contains(form.types, instruction.type)) {
    return instruction.type;
  }
  const bool has_source = types < 2 || Contains(form.sources, instruction.source_type);
  return has_source ? Type::kNone : instruction.source_type;
}

}  // namespace

std::optional<Type> FindType(std::string_view word) {
  for (auto type = Type::kPred; type <= Type::kE5m2x2;
       type = static_cast<Type>(static_cast<std::uint8_t>(type) + 1)) {
    if (ToString(type) == word) {
      return type;
    }
  }
  return std::nullopt;
}

Instruction DecodeSpelling(std::string_view spelling) {
  Words words(spelling);
  const Grammar* const grammar = FindGrammar(words.opcode());
  if (grammar == nullptr) {
    return Unsupported(spelling, "opcode " + std::string(words.opcode()));
  }
  const Form form = FormOf(grammar->forms, words);
  Instruction instruction;
  instruction.opcode = grammar->opcode;
  instruction.spelling = spelling;
  if (form.decode != nullptr) {
    form.decode(words, instruction);
  }
  const std::uint32_t seen = TakeModifiers(words, form, instruction);
  const std::size_t types = TakeTypes(words, instruction);
  if (words.overflow()) {
    return Unsupported(spelling, "number of modifiers");
  }
  if (!words.left().empty()) {
    return Unsupported(spelling, "modifier ." + std::string(words.left().front()));
  }
  if (const std::string_view misfit = FindMisfit(instruction, seen); !misfit.empty()) {
    return Unsupported(spelling, "modifier ." + std::string(misfit));
  }
  if (const Type odd = OddType(form, instruction, types); odd != Type::kNone) {
    return Unsupported(spelling, "type ." + std::string(ToString(odd)));
  }
  if ((form.needs & ~seen) != 0 || instruction.opcode == Opcode::kUnsupported ||
      types < form.fewest_types || types > form.most_types || !IsComplete(instruction, types)) {
    return Unsupported(spelling, "combination of modifiers");
  }
  FinishMatrixTypes(types, instruction);
  const bool is_matrix = instruction.opcode == Opcode::kMma || instruction.opcode == Opcode::kWmma;
  if (is_matrix && !IsMatrixOperation(instruction)) {
    return Unsupported(spelling, "shape, types or layout of matrices");
  }
  return instruction;
}

}  // namespace assay::gpu::ptx
