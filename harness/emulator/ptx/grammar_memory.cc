// SPDX-License-Identifier: Apache-2.0
// Modifiers of the instructions that move data: loads, atomics, fences, copies, barriers in memory.
#include <array>

#include "emulator/ptx/grammar.h"

namespace assay::gpu::ptx {
namespace {

using ModeChoice = std::pair<std::string_view, Mode>;

}  // namespace

void DecodeConvertAddress(Words& words, Instruction& instruction) {
  instruction.to = words.Take("to");
}

void DecodeLoadStore(Words& words, Instruction& instruction) {
  instruction.non_coherent = instruction.opcode == Opcode::kLd && words.Take("nc");
  words.Take("unified");
  if (words.Take("mmio")) {
    words.Take("relaxed");
    instruction.order = Order::kRelaxed;
  }
}

void DecodeAtomic(Words&, Instruction& instruction) {
  instruction.order = Order::kRelaxed;
  instruction.scope = Scope::kGpu;
}

void DecodeMembar(Words& words, Instruction& instruction) {
  static constexpr auto kLevels = std::to_array<std::pair<std::string_view, Scope>>(
      {{"cta", Scope::kCta}, {"gl", Scope::kGpu}, {"sys", Scope::kSys}});
  const auto scope = words.TakeOne(kLevels);
  if (!scope) {
    instruction.opcode = Opcode::kUnsupported;
    return;
  }
  instruction.order = Order::kSc;
  instruction.scope = *scope;
}

void DecodeFence(Words& words, Instruction& instruction) {
  static constexpr auto kProxies = std::to_array<std::string_view>(
      {"alias", "async", "async::generic", "async.global", "global", "shared::cta",
       "shared::cluster", "release", "acquire", "sync_restrict::shared::cta",
       "sync_restrict::shared::cluster"});
  if (words.Take("proxy") || words.Take("mbarrier_init")) {
    instruction.mode = Mode::kProxy;
    for (const std::string_view word : kProxies) {
      words.Take(word);
    }
    return;
  }
  instruction.order = words.Take("sc") ? Order::kSc : Order::kAcqRel;
  words.Take("acq_rel");
}

void DecodePrefetch(Words& words, Instruction& instruction) {
  static constexpr auto kLevels = std::to_array<ModeChoice>({{"L1", Mode::kL1}, {"L2", Mode::kL2}});
  instruction.mode = words.TakeOne(kLevels).value_or(Mode::kL2);
  words.TakePrefix("L2::");
}

void DecodeCachePolicy(Words& words, Instruction&) {
  static_cast<void>(words.Take("fractional") || words.Take("range"));
  words.Take("global");
  while (words.TakePrefix("L2::")) {
  }
}

void DecodeCopyAsync(Words& words, Instruction& instruction) {
  if (!words.Take("async")) {
    instruction.opcode = Opcode::kUnsupported;
    return;
  }
  static constexpr auto kGroups = std::to_array<ModeChoice>({{"commit_group", Mode::kCommitGroup},
                                                             {"wait_group", Mode::kWaitGroup},
                                                             {"wait_all", Mode::kWaitAll}});
  static constexpr auto kShared = std::to_array<std::pair<std::string_view, Space>>(
      {{"shared", Space::kShared}, {"shared::cta", Space::kShared}});
  if (const auto mode = words.TakeOne(kGroups)) {
    instruction.mode = *mode;
    return;
  }
  if (words.Take("mbarrier")) {
    const bool arrives = words.Take("arrive");
    instruction.opcode = arrives ? Opcode::kCpAsync : Opcode::kUnsupported;
    instruction.mode = Mode::kMbarrierArrive;
    instruction.no_return = words.Take("noinc");
    instruction.space = words.TakeOne(kShared).value_or(Space::kGeneric);
    return;
  }
  instruction.cache_all = words.Take("ca");
  const bool cached = instruction.cache_all || words.Take("cg");
  const bool placed = words.TakeOne(kShared).has_value() && words.Take("global");
  instruction.to_space = Space::kShared;
  instruction.space = Space::kGlobal;
  if (!cached || !placed) {
    instruction.opcode = Opcode::kUnsupported;
  }
}

void DecodeMbarrier(Words& words, Instruction& instruction) {
  static constexpr auto kModes =
      std::to_array<ModeChoice>({{"init", Mode::kInit},
                                 {"inval", Mode::kInval},
                                 {"arrive", Mode::kArrive},
                                 {"arrive_drop", Mode::kArriveDrop},
                                 {"test_wait", Mode::kTestWait},
                                 {"try_wait", Mode::kTryWait},
                                 {"complete_tx", Mode::kComplete},
                                 {"pending_count", Mode::kPendingCount}});
  static constexpr auto kOrders = std::to_array<std::pair<std::string_view, Order>>(
      {{"relaxed", Order::kRelaxed}, {"acquire", Order::kAcquire}, {"release", Order::kRelease}});
  instruction.expect_tx = words.Take("expect_tx");
  const auto mode = words.TakeOne(kModes);
  if (!mode && !instruction.expect_tx) {
    instruction.opcode = Opcode::kUnsupported;
    return;
  }
  instruction.mode = mode.value_or(Mode::kExpectTx);
  instruction.parity = words.Take("parity");
  instruction.no_complete = words.Take("noComplete");
  const bool waits = mode == Mode::kTestWait || mode == Mode::kTryWait;
  instruction.order = words.TakeOne(kOrders).value_or(waits ? Order::kAcquire : Order::kRelease);
  instruction.scope = Scope::kCta;
}

void DecodeGridDependency(Words& words, Instruction& instruction) {
  static constexpr auto kModes = std::to_array<ModeChoice>(
      {{"wait", Mode::kWaitAll}, {"launch_dependents", Mode::kLaunchDependents}});
  if (const auto mode = words.TakeOne(kModes)) {
    instruction.mode = *mode;
  } else {
    instruction.opcode = Opcode::kUnsupported;
  }
}

}  // namespace assay::gpu::ptx
