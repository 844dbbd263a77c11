// SPDX-License-Identifier: Apache-2.0
#include "emulator/exec/register_file.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace assay::gpu {
namespace {

using ptx::Operand;

// Whether its value changes while a kernel runs: the handler of mov gets it then.
bool IsDynamic(ptx::SpecialRegister special) {
  switch (special) {
    case ptx::SpecialRegister::kClock:
    case ptx::SpecialRegister::kClockHi:
    case ptx::SpecialRegister::kClock64:
    case ptx::SpecialRegister::kGlobaltimer:
    case ptx::SpecialRegister::kGlobaltimerLo:
    case ptx::SpecialRegister::kGlobaltimerHi:
      return true;
    default:
      return false;
  }
}

}  // namespace

RegisterFile::RegisterFile(RegisterLayout layout)
    : layout_(std::move(layout)), end_bytes_(layout_.size_bytes) {}

std::uint32_t RegisterFile::RegisterPlace(std::int32_t index) const {
  return layout_.offset_bytes[static_cast<std::uint32_t>(index)];
}

std::uint32_t RegisterFile::PlaceOf(const Operand& operand, std::uint32_t width) {
  switch (operand.kind) {
    case Operand::Kind::kRegister:
      return RegisterPlace(operand.index);
    case Operand::Kind::kAddress:
      return operand.index >= 0 ? RegisterPlace(operand.index) : kZeroPlace;
    case Operand::Kind::kImmediate:
      return ConstantPlace(operand.bits, width);
    case Operand::Kind::kSpecial:
      return IsDynamic(operand.special) ? kZeroPlace : SpecialRegisterPlace(operand, width);
    default:
      return kSinkPlace;
  }
}

std::uint32_t RegisterFile::NewPlace(std::uint32_t width) {
  const std::uint32_t offset = end_bytes_;
  end_bytes_ += std::max<std::uint32_t>(width, 2) * kWarpSize;
  return offset;
}

std::uint32_t RegisterFile::ConstantPlace(std::uint64_t bits, std::uint32_t width) {
  if (width == 0) {
    bits = bits != 0 ? ~std::uint64_t{0} : 0;
  } else if (width < 8) {
    bits &= (std::uint64_t{1} << (8 * width)) - 1;
  }
  const auto [place, is_new] = constant_places_.try_emplace({bits, width}, 0);
  if (is_new) {
    place->second = NewPlace(width);
    constants_.push_back({place->second, width, bits});
  }
  return place->second;
}

std::uint32_t RegisterFile::SpecialRegisterPlace(const Operand& operand, std::uint32_t width) {
  width = std::max<std::uint32_t>(width, 2);
  const auto [place, is_new] =
      special_places_.try_emplace({operand.special, operand.bits, width}, 0);
  if (is_new) {
    place->second = NewPlace(width);
    specials_.push_back({.special = operand.special,
                         .number = static_cast<std::uint32_t>(operand.bits),
                         .offset_bytes = place->second,
                         .width_bytes = width});
  }
  return place->second;
}

std::uint32_t RegisterFile::SizeBytes() const { return (end_bytes_ + 63) / 64 * 64; }

void RegisterFile::Describe(Program& program) const {
  program.first_register = kFirstPlace;
  program.registers_end = layout_.size_bytes;
  program.reads_before_writes = layout_.reads_before_writes;
  program.register_bytes = SizeBytes();
  program.initial_registers = InitialBytes();
  program.specials = specials_;
  program.uses_reserved_shared = std::ranges::any_of(specials_, [](const SpecialPlace& place) {
    return place.special == ptx::SpecialRegister::kReservedSmemOffset;
  });
}

std::vector<std::byte> RegisterFile::InitialBytes() const {
  std::vector<std::byte> bytes(SizeBytes(), std::byte{kRegisterPoison});
  std::memset(bytes.data() + kTruePlace, 0xff, 64);
  std::memset(bytes.data() + kZeroPlace, 0, 256);
  for (const Constant& constant : constants_) {
    std::byte* lanes = bytes.data() + constant.offset;
    if (constant.width == 0) {
      const auto mask = static_cast<LaneMask>(constant.bits);
      std::memcpy(lanes, &mask, sizeof mask);
      continue;
    }
    const std::uint32_t width = std::max<std::uint32_t>(constant.width, 2);
    for (std::uint32_t lane = 0; lane < kWarpSize; ++lane) {
      std::memcpy(lanes + std::size_t{lane} * width, &constant.bits, width);
    }
  }
  return bytes;
}

}  // namespace assay::gpu
