// SPDX-License-Identifier: Apache-2.0
// Modifiers of the instructions that move data: loads, atomics, fences, copies, barriers in memory.
#include <algorithm>
#include <array>

#include "emulator/ptx/grammar.h"
#include "emulator/ptx/modifiers.h"

namespace assay::gpu::ptx {
namespace {

using ModeChoice = std::pair<std::string_view, Mode>;

constexpr std::uint32_t kAnyScope = ~0U;

template <std::size_t kCount>
bool TakeAnyOf(Words& words, const std::array<std::string_view, kCount>& choices) {
  return std::ranges::any_of(choices, [&](std::string_view word) { return words.Take(word); });
}

// `orders` need a scope. Without one an access is weak or volatile.
void TakeAccess(Words& words, std::uint32_t orders, Instruction& instruction) {
  const bool is_mapped = words.Take("mmio");
  const bool is_scoped = TakeScope(words, kAnyScope, instruction);
  const bool is_ordered =
      TakeOrder(words, is_scoped ? orders : MaskOf(Order::kWeak, Order::kVolatile), instruction);
  const bool is_relaxed = instruction.order == Order::kRelaxed && instruction.scope == Scope::kSys;
  if ((is_scoped && !is_ordered) || (is_mapped && !is_relaxed)) {
    instruction.opcode = Opcode::kUnsupported;
  }
}

// Takes what stands behind fence.proxy; false: nothing that PTX has.
bool TakeProxy(Words& words) {
  static constexpr auto kSpaces =
      std::to_array<std::string_view>({"global", "shared::cta", "shared::cluster"});
  if (words.Take("alias")) {
    return true;
  }
  if (words.Take("async")) {
    TakeAnyOf(words, kSpaces);
    return true;
  }
  if (!words.Take("async::generic")) {
    return false;
  }
  const bool is_restricted =
      words.Take("acquire") ? words.Take("sync_restrict::shared::cluster")
                            : words.Take("release") && words.Take("sync_restrict::shared::cta");
  return is_restricted && words.Take("cluster");
}

// What stands behind cp.async.bulk. Copies of tensors, between the blocks of a cluster and to all
// of them have words that stay in the bag.
void DecodeBulkCopy(Words& words, Instruction& instruction) {
  static constexpr auto kGroups = std::to_array<ModeChoice>(
      {{"commit_group", Mode::kCommitGroup}, {"wait_group", Mode::kWaitGroup}});
  static constexpr auto kDestinations =
      std::to_array<std::string_view>({"shared::cluster", "shared::cta"});
  instruction.opcode = Opcode::kCpAsyncBulk;
  if (const auto mode = words.TakeOne(kGroups)) {
    instruction.mode = *mode;
    // Copies have written when they have read: what waits for less waits for both.
    if (*mode == Mode::kWaitGroup) {
      words.Take("read");
    }
    return;
  }
  TakeCacheHints(words, instruction);
  bool is_placed = words.Take("global");
  if (words.Take("prefetch")) {
    instruction.mode = Mode::kL2;
    instruction.space = Space::kGlobal;
    is_placed = is_placed && words.Take("L2");
  } else if (words.Take("bulk_group")) {
    instruction.space = Space::kShared;
    instruction.to_space = Space::kGlobal;
    is_placed = is_placed && words.Take("shared::cta");
  } else {
    instruction.mode = Mode::kMbarrierArrive;
    instruction.space = Space::kGlobal;
    instruction.to_space = Space::kShared;
    is_placed =
        is_placed && words.Take("mbarrier::complete_tx::bytes") && TakeAnyOf(words, kDestinations);
  }
  if (!is_placed) {
    instruction.opcode = Opcode::kUnsupported;
  }
}

}  // namespace

void DecodeConvertAddress(Words& words, Instruction& instruction) {
  instruction.to = words.Take("to");
}

void DecodeLoad(Words& words, Instruction& instruction) {
  static constexpr auto kCaches = std::to_array<std::string_view>({"ca", "cg", "cs", "lu", "cv"});
  TakeAnyOf(words, kCaches);
  words.Take("unified");
  TakeAccess(words, MaskOf(Order::kRelaxed, Order::kAcquire), instruction);
  TakeSpace(words, ~0U, instruction);
  const bool may_be_constant =
      instruction.space == Space::kGlobal && instruction.order == Order::kWeak;
  instruction.non_coherent = may_be_constant && words.Take("nc");
}

void DecodeLoadUniform(Words& words, Instruction& instruction) {
  TakeSpace(words, MaskOf(Space::kGlobal), instruction);
}

void DecodeStore(Words& words, Instruction& instruction) {
  static constexpr auto kCaches = std::to_array<std::string_view>({"wb", "cg", "cs", "wt"});
  static constexpr std::uint32_t kSpaces =
      MaskOf(Space::kGlobal, Space::kShared, Space::kLocal, Space::kParam);
  TakeAnyOf(words, kCaches);
  TakeAccess(words, MaskOf(Order::kRelaxed, Order::kRelease), instruction);
  // The parameters of a kernel are not written.
  if (std::ranges::find(words.left(), "param::entry") == words.left().end()) {
    TakeSpace(words, kSpaces, instruction);
  }
}

void DecodeAtomic(Words& words, Instruction& instruction) {
  // Of the GPU where it does not say otherwise. PTX has red relaxed or release alone, but CUDA code
  // that is compiled elsewhere has acquiring ones too.
  instruction.order = Order::kRelaxed;
  instruction.scope = Scope::kGpu;
  TakeScope(words, kAnyScope, instruction);
  TakeOrder(words, MaskOf(Order::kRelaxed, Order::kAcquire, Order::kRelease, Order::kAcqRel),
            instruction);
  TakeSpace(words, MaskOf(Space::kShared, Space::kGlobal), instruction);
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
  const bool of_barrier = words.Take("mbarrier_init");
  if (of_barrier || words.Take("proxy")) {
    instruction.mode = Mode::kProxy;
    if (of_barrier ? !(words.Take("release") && words.Take("cluster")) : !TakeProxy(words)) {
      instruction.opcode = Opcode::kUnsupported;
    }
    return;
  }
  instruction.order = Order::kAcqRel;
  if (TakeScope(words, kAnyScope, instruction)) {
    TakeOrder(words, MaskOf(Order::kSc, Order::kAcqRel, Order::kAcquire, Order::kRelease),
              instruction);
  } else {
    instruction.opcode = Opcode::kUnsupported;
  }
}

void DecodePrefetch(Words& words, Instruction& instruction) {
  static constexpr auto kLevels = std::to_array<ModeChoice>({{"L1", Mode::kL1}, {"L2", Mode::kL2}});
  static constexpr auto kPriorities =
      std::to_array<std::string_view>({"L2::evict_last", "L2::evict_normal"});
  TakeSpace(words, MaskOf(Space::kGlobal, Space::kLocal), instruction);
  if (const auto level = words.TakeOne(kLevels)) {
    instruction.mode = *level;
  } else if (instruction.space == Space::kGlobal && TakeAnyOf(words, kPriorities)) {
    instruction.mode = Mode::kL2;
  } else {
    instruction.opcode = Opcode::kUnsupported;
  }
}

void DecodePrefetchUniform(Words& words, Instruction& instruction) {
  instruction.mode = Mode::kL1;
  if (!words.Take("L1")) {
    instruction.opcode = Opcode::kUnsupported;
  }
}

void DecodeDiscard(Words& words, Instruction& instruction) {
  TakeSpace(words, MaskOf(Space::kGlobal), instruction);
  if (!words.Take("L2")) {
    instruction.opcode = Opcode::kUnsupported;
  }
}

void DecodeApplyPriority(Words& words, Instruction& instruction) {
  TakeSpace(words, MaskOf(Space::kGlobal), instruction);
  if (!words.Take("L2::evict_normal")) {
    instruction.opcode = Opcode::kUnsupported;
  }
}

void DecodeCachePolicy(Words& words, Instruction& instruction) {
  static constexpr auto kPriorities = std::to_array<std::string_view>(
      {"L2::evict_last", "L2::evict_normal", "L2::evict_first", "L2::evict_unchanged"});
  static constexpr auto kSecondary =
      std::to_array<std::string_view>({"L2::evict_unchanged", "L2::evict_first"});
  if (words.Take("cvt")) {
    instruction.opcode = words.Take("L2") ? Opcode::kCreatePolicy : Opcode::kUnsupported;
    return;
  }
  const bool of_range = words.Take("range");
  if (of_range) {
    TakeSpace(words, MaskOf(Space::kGlobal), instruction);
  }
  if ((of_range || words.Take("fractional")) && TakeAnyOf(words, kPriorities)) {
    TakeAnyOf(words, kSecondary);
  } else {
    instruction.opcode = Opcode::kUnsupported;
  }
}

void DecodeCopyAsync(Words& words, Instruction& instruction) {
  if (!words.Take("async")) {
    instruction.opcode = Opcode::kUnsupported;
    return;
  }
  if (words.Take("bulk")) {
    DecodeBulkCopy(words, instruction);
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
  TakeCacheHints(words, instruction);
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
  const auto mode = words.TakeOne(kModes);
  const bool arrives = mode == Mode::kArrive || mode == Mode::kArriveDrop;
  const bool waits = mode == Mode::kTestWait || mode == Mode::kTryWait;
  instruction.expect_tx = (arrives || !mode) && words.Take("expect_tx");
  if (!mode && !instruction.expect_tx) {
    instruction.opcode = Opcode::kUnsupported;
    return;
  }
  instruction.mode = mode.value_or(Mode::kExpectTx);
  instruction.parity = waits && words.Take("parity");
  instruction.no_complete = arrives && !instruction.expect_tx && words.Take("noComplete");
  instruction.order = waits ? Order::kAcquire : Order::kRelease;
  instruction.scope = Scope::kCta;
  const bool transfers = instruction.mode == Mode::kExpectTx || mode == Mode::kComplete;
  if (arrives || waits || transfers) {
    const std::uint32_t orders = transfers ? 0U : MaskOf(instruction.order);
    TakeOrder(words, MaskOf(Order::kRelaxed) | orders, instruction);
    TakeScope(words, MaskOf(Scope::kCta, Scope::kCluster), instruction);
  }
  if (mode != Mode::kPendingCount) {
    TakeSpace(words, MaskOf(Space::kShared), instruction);
  }
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
