// SPDX-License-Identifier: Apache-2.0
// Runs one arithmetic instruction, written in PTX, on many operands and compares every lane with
// a scalar definition: in every instruction set of this machine, full and masked.
#ifndef ASSAY_EMULATOR_OPS_ARITHMETIC_RIG_H_
#define ASSAY_EMULATOR_OPS_ARITHMETIC_RIG_H_

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "emulator/core/device_options.h"

namespace assay::gpu::testing {

/// Bits of 16-bit floats, and of pairs: types of their own, so that tests pick their edge values.
struct F16Bits {
  std::uint16_t bits;
};
struct Bf16Bits {
  std::uint16_t bits;
};
struct F16Pair {
  std::uint32_t bits;
};
struct Bf16Pair {
  std::uint32_t bits;
};
/// A shift count or field position.
struct Count {
  std::uint32_t value;
};

/// Operands as bits, sources or results in the order of PTX. A predicate is 0 or 1.
/// The last is the carry flag, in and out, of instructions that have one.
using LaneBits = std::array<std::uint64_t, 5>;
inline constexpr std::size_t kCarry = 4;
using Definition = std::function<LaneBits(const LaneBits& sources)>;

/// What a lane keeps when it is not to be written.
inline constexpr std::uint64_t kUntouched = 0xa5c3'f00d'5aa5'1234U;

template <class T>
std::uint64_t ToLaneBits(T value) {
  if constexpr (std::is_same_v<T, bool>) {
    return value ? 1 : 0;
  } else if constexpr (std::is_same_v<T, Count>) {
    return value.value;
  } else if constexpr (std::is_class_v<T>) {
    return value.bits;
  } else if constexpr (std::is_same_v<T, float>) {
    return std::bit_cast<std::uint32_t>(value);
  } else if constexpr (std::is_same_v<T, double>) {
    return std::bit_cast<std::uint64_t>(value);
  } else {
    return static_cast<std::make_unsigned_t<T>>(value);
  }
}
template <class T>
T FromLaneBits(std::uint64_t bits) {
  if constexpr (std::is_same_v<T, bool>) {
    return (bits & 1U) != 0;
  } else if constexpr (std::is_same_v<T, float>) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  } else if constexpr (std::is_same_v<T, double>) {
    return std::bit_cast<double>(bits);
  } else if constexpr (std::is_same_v<T, Count>) {
    return {static_cast<std::uint32_t>(bits)};
  } else if constexpr (std::is_class_v<T>) {
    return T{static_cast<decltype(T{}.bits)>(bits)};
  } else {
    return static_cast<T>(bits);
  }
}
/// Values at which instructions go wrong, as bits.
template <class T>
const std::vector<std::uint64_t>& EdgeValues();

/// `edges`: of each source. All their combinations, up to a limit, and random bits.
std::vector<LaneBits> MakeOperands(const std::vector<const std::vector<std::uint64_t>*>& edges,
                                   const std::vector<std::uint32_t>& bit_widths);

/// Runs `ptx` (registers %h 16 bits, %r 32, %d 64, %p predicates; destinations first) on all of
/// `operands` and expects `results` results as `definition` has them. Adds GoogleTest failures.
void CheckLanes(const std::string& ptx, std::uint32_t results,
                const std::vector<LaneBits>& operands, const Definition& definition,
                const DeviceOptions& options = {});

/// The lanes that `ptx` computes from `operands`, in the instruction set `variant`.
std::vector<LaneBits> RunLanes(const std::string& ptx, std::uint32_t results,
                               const std::vector<LaneBits>& operands, std::size_t variant,
                               const DeviceOptions& options = {});
/// Whether every instruction set refuses `ptx`.
bool IsRefused(const std::string& ptx);

template <class... A>
std::vector<LaneBits> OperandsOf() {
  return MakeOperands({&EdgeValues<A>()...},
                      {static_cast<std::uint32_t>(std::is_same_v<A, bool> ? 1 : 8 * sizeof(A))...});
}

template <class R, class... A, std::size_t... kIndex>
Definition Wrap(R (*function)(A...), std::index_sequence<kIndex...> /*sources*/) {
  return [function](const LaneBits& sources) {
    return LaneBits{ToLaneBits(function(FromLaneBits<A>(sources[kIndex])...))};
  };
}

/// For instructions of one result: its definition as a plain function of typed values.
template <class R, class... A>
void Check(const std::string& ptx, R (*definition)(A...)) {
  CheckLanes(ptx, 1, OperandsOf<A...>(), Wrap(definition, std::index_sequence_for<A...>{}));
}
template <class Function>
void Check(const std::string& ptx, Function function) {
  Check(ptx, +function);
}

}  // namespace assay::gpu::testing

#endif  // ASSAY_EMULATOR_OPS_ARITHMETIC_RIG_H_
