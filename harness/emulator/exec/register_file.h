// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EMULATOR_EXEC_REGISTER_FILE_H_
#define ASSAY_EMULATOR_EXEC_REGISTER_FILE_H_

#include <cstdint>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "emulator/core/program.h"
#include "emulator/exec/register_layout.h"
#include "emulator/ptx/module.h"

namespace assay::gpu {

// The register file begins with these (byte offsets), then come registers, then constants and
// special registers.
inline constexpr std::uint32_t kTruePlace = 0;   ///< Predicate of ones: the guard of what has none.
inline constexpr std::uint32_t kZeroPlace = 64;  ///< 64-bit zeros: the base of absolute addresses.
inline constexpr std::uint32_t kSinkPlace = 320;  ///< 64-bit lanes that are written and never read.
inline constexpr std::uint32_t kFirstPlace = 576;

/// The register file of a kernel's warps while the kernel is decoded: a handler reads all of its
/// operands there, so that constants and special registers have places like registers, one for
/// each value and width.
class RegisterFile {
 public:
  RegisterFile() = default;
  /// `layout` begins at kFirstPlace.
  explicit RegisterFile(RegisterLayout layout);

  [[nodiscard]] const RegisterLayout& layout() const { return layout_; }
  /// Byte offset of the lanes of register `index`.
  [[nodiscard]] std::uint32_t RegisterPlace(std::int32_t index) const;
  /// Byte offset of the lanes of `operand`, each of `width` bytes (0: a predicate).
  [[nodiscard]] std::uint32_t PlaceOf(const ptx::Operand& operand, std::uint32_t width);
  [[nodiscard]] std::uint32_t ConstantPlace(std::uint64_t bits, std::uint32_t width);
  /// Up to the end of all places so far, rounded up to a line of the cache.
  [[nodiscard]] std::uint32_t SizeBytes() const;

  /// Sets what `program` tells of its register file.
  void Describe(Program& program) const;

 private:
  struct Constant {
    std::uint32_t offset = 0;
    std::uint32_t width = 0;
    std::uint64_t bits = 0;
  };

  std::uint32_t NewPlace(std::uint32_t width);
  std::uint32_t SpecialRegisterPlace(const ptx::Operand& operand, std::uint32_t width);
  [[nodiscard]] std::vector<std::byte> InitialBytes() const;

  RegisterLayout layout_;
  std::uint32_t end_bytes_ = 0;
  std::vector<Constant> constants_;
  std::vector<SpecialPlace> specials_;
  std::map<std::pair<std::uint64_t, std::uint32_t>, std::uint32_t> constant_places_;
  std::map<std::tuple<ptx::SpecialRegister, std::uint64_t, std::uint32_t>, std::uint32_t>
      special_places_;
};

}  // namespace assay::gpu

#endif  // ASSAY_EMULATOR_EXEC_REGISTER_FILE_H_
