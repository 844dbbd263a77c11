// SPDX-License-Identifier: Apache-2.0
// For tests and benchmarks of the instructions of a warp: one warp with registers, memory without
// checks, and what the instructions reported.
#ifndef ASSAY_EMULATOR_OPS_WARP_RIG_H_
#define ASSAY_EMULATOR_OPS_WARP_RIG_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/core/block_rig.h"
#include "emulator/core/step.h"
#include "emulator/core/warp.h"
#include "emulator/ops/variants.h"
#include "emulator/ptx/module.h"

namespace assay::gpu {

template <class T>
using PerLane = std::array<T, kWarpSize>;

/// An operand: a place in the rig's registers.
struct Argument {
  std::uint32_t place = 0;
  ptx::Operand::Kind kind = ptx::Operand::Kind::kRegister;
  ptx::Type type = ptx::Type::kB32;
  bool negated = false;
  std::int64_t offset_bytes = 0;
  std::uint64_t bits = 0;
  std::vector<Argument> elements = {};
};

/// A place of each of a register's types, a negated predicate, an address, a vector, an immediate.
Argument R32(std::uint32_t place);
Argument R64(std::uint32_t place);
Argument Pred(std::uint32_t place);
Argument NotPred(std::uint32_t place);
Argument At32(std::uint32_t place, std::int64_t offset_bytes = 0);
Argument At64(std::uint32_t place, std::int64_t offset_bytes = 0);
Argument Vec(const std::vector<std::uint32_t>& places, ptx::Type type = ptx::Type::kB32);
class WarpRig;
Argument Imm(WarpRig& rig, std::uint64_t bits);

enum class SecondDestination : std::uint8_t { kNo, kYes };

struct Reported {
  FindingKind kind = FindingKind::kOutOfBounds;
  Severity severity = Severity::kError;
  std::uint32_t lane = 0;
  std::string note;
};

class WarpRig {
 public:
  explicit WarpRig(HandlerVariant variant, std::uint32_t shared_bytes = 16384);
  ~WarpRig();

  /// A fresh register; Put fills it.
  std::uint32_t New(std::uint32_t bytes_a_lane = 4);
  template <class T>
  std::uint32_t Put(const PerLane<T>& values) {
    const std::uint32_t place = New(sizeof(T));
    Set(place, values);
    return place;
  }
  template <class T>
  std::uint32_t PutAll(T value) {
    PerLane<T> values;
    values.fill(value);
    return Put(values);
  }
  std::uint32_t PutPredicate(LaneMask mask) {
    const std::uint32_t place = New();
    SetPredicate(place, mask);
    return place;
  }
  template <class T>
  void Set(std::uint32_t place, const PerLane<T>& values) {
    std::memcpy(warp.registers + place, values.data(), sizeof values);
  }
  void SetPredicate(std::uint32_t place, LaneMask mask) {
    std::memcpy(warp.registers + place, &mask, sizeof mask);
  }
  template <class T>
  [[nodiscard]] PerLane<T> Get(std::uint32_t place) const {
    PerLane<T> values;
    std::memcpy(values.data(), warp.registers + place, sizeof values);
    return values;
  }
  [[nodiscard]] LaneMask GetPredicate(std::uint32_t place) const {
    LaneMask mask = 0;
    std::memcpy(&mask, warp.registers + place, sizeof mask);
    return mask;
  }

  /// The step of `spelling` with `arguments`; it lives as long as the rig. Its handlers are empty
  /// when the instruction is not supported.
  struct Assembled {
    const Step* full = nullptr;
    const Step* masked = nullptr;
    Handlers handlers;
  };
  Assembled Assemble(std::string_view spelling, const std::vector<Argument>& arguments,
                     SecondDestination second = SecondDestination::kNo);
  /// Runs it for the active lanes under `guard`: in full form when that is all of them and
  /// `form` allows, else masked. False: it stopped, or is not supported.
  enum class Form : std::uint8_t { kFullIfAll, kMasked };
  bool Run(const Assembled& step, Form form = Form::kFullIfAll, LaneMask guard = kAllLanes);
  /// Both in one.
  bool Do(std::string_view spelling, const std::vector<Argument>& arguments,
          SecondDestination second = SecondDestination::kNo) {
    return Run(Assemble(spelling, arguments, second));
  }

  DeviceOptions options;
  Launch launch;
  Worker worker;

 private:
  BlockRig block_rig_;

 public:
  Block& block;
  Warp& warp;  ///< The block's only one.
  std::vector<Reported> reports;
  LaneMask waits_for = 0;  ///< What WaitForLanes was last called with.
  std::vector<std::byte> global;
  static constexpr std::uint64_t kGlobalBase = 0x700000000;

 private:
  struct Steps {
    alignas(64) std::array<Step, 2> full{};
    alignas(64) std::array<Step, 2> masked{};
    std::vector<std::uint32_t> operands;
  };
  HandlerVariant variant_;
  std::vector<std::unique_ptr<Steps>> steps_;
  std::uint32_t next_place_ = 64;
  std::uint32_t guard_place_ = 0;
  std::uint32_t zero_place_ = 0;
};

}  // namespace assay::gpu

#endif  // ASSAY_EMULATOR_OPS_WARP_RIG_H_
