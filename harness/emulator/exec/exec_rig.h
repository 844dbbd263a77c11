// SPDX-License-Identifier: Apache-2.0
// What the tests of exec/ share: PTX made from its text to a program, or run on a device.
#ifndef ASSAY_EMULATOR_EXEC_EXEC_RIG_H_
#define ASSAY_EMULATOR_EXEC_EXEC_RIG_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "emulator/core/program.h"
#include "emulator/device/device_rig.h"
#include "emulator/exec/decoder.h"
#include "emulator/exec/flatten.h"
#include "emulator/ptx/parser.h"
#include "emulator/ptx/text_for_test.h"

namespace assay::gpu {

// ------------------------------------------------------------------------- from text to a program

inline ptx::Module ParsedPtx(std::string_view items) {
  auto module = ptx::Parse(ptx::ModuleText(items), "test");
  EXPECT_TRUE(module) << (module ? "" : ToString(module.error()));
  return module ? std::move(*module) : ptx::Module{};
}

/// A kernel `k` without parameters, its body on line 5 and behind.
inline std::string KernelOf(std::string_view body) {
  return ".visible .entry k() { " + std::string(ptx::kRegisters) + "\n" + std::string(body) +
         "\n}\n";
}

inline const ptx::Function& KernelIn(const ptx::Module& module) {
  return *std::ranges::find(module.functions, true, &ptx::Function::is_entry);
}

/// Every variable lies there; functions have addresses by the lengths of their names.
inline constexpr std::uint64_t kVariableAddress = 0x2000;
inline ModuleAddresses TestAddresses() {
  return {
      .variable = [](std::string_view) { return std::optional(kVariableAddress); },
      .function =
          [](std::string_view name) { return std::optional<std::uint64_t>(1000 + name.size()); }};
}

inline Result<FlatKernel> FlattenKernel(const ptx::Module& module) {
  return Flatten(module, KernelIn(module), TestAddresses());
}

/// The first kernel of `items`.
inline Result<std::unique_ptr<Program>> TryDecode(std::string_view items,
                                                  Preemption preemption = Preemption::kAtBranches) {
  const ptx::Module module = ParsedPtx(items);
  return Decode(module, KernelIn(module), TestAddresses(), preemption);
}

/// The same, of what must decode.
inline std::unique_ptr<Program> Decoded(std::string_view items,
                                        Preemption preemption = Preemption::kAtBranches) {
  auto program = TryDecode(items, preemption);
  EXPECT_TRUE(program) << (program ? "" : ToString(program.error()));
  return program ? std::move(*program) : std::make_unique<Program>();
}

/// The step of the `instruction`-th instruction, in its full form and the masked one.
inline const Step& FullStep(const Program& program, std::uint32_t instruction) {
  return *std::ranges::find(program.full, instruction, &Step::instruction);
}
inline const Step& MaskedStep(const Program& program, std::uint32_t instruction) {
  return *std::ranges::find(program.masked, instruction, &Step::instruction);
}

// --------------------------------------------------------------------------- from text to a launch

/// What the words of Ran::out hold that no thread has written.
inline constexpr std::uint32_t kUntouched = 0xeeeeeeee;

/// What became of a launch.
struct Ran {
  int error = 0;
  std::string detail;
  LaunchReport report;
  std::vector<std::uint32_t> out;  ///< Of each thread in turn ExecRig::Words results.
  std::vector<std::uint32_t> cells;
  std::string printed;  ///< On both streams.
  std::uint32_t words = 1;

  /// The `word`-th result of every thread.
  [[nodiscard]] std::vector<std::uint32_t> Word(std::uint32_t word) const {
    std::vector<std::uint32_t> values;
    for (std::size_t i = word; i < out.size(); i += words) {
      values.push_back(out[i]);
    }
    return values;
  }
  [[nodiscard]] std::vector<FindingKind> Kinds() const {
    std::vector<FindingKind> kinds;
    for (const Finding& finding : report.findings) {
      kinds.push_back(finding.kind);
    }
    return kinds;
  }
};

/// A kernel on a device of its own. Its body finds the index of its block (x) in %r0 and of its
/// thread (x) in %r1, in %rd0 the address of the results, in %rd1 that of kCells words of zeros, in
/// %rd2 that of kCells words that nobody has written. Behind the body each thread stores %r2 to
/// %r5, which begin as 0, as its results. Registers from %r10, %rd5, %p1, %f1 on are the body's.
class ExecRig {
 public:
  using Dimensions = std::array<std::uint32_t, 3>;
  static constexpr std::uint32_t kCells = 1024;

  /// `items` stand before the kernel.
  explicit ExecRig(std::string_view body, std::string_view items = {})
      : body_(body), items_(items) {}
  /// `items` are all of the module; its kernel `k` has the parameters results, cells and fresh
  /// memory, or the first of these.
  static ExecRig OfModule(std::string_view items) {
    ExecRig rig({}, items);
    rig.is_module_ = true;
    return rig;
  }

  ExecRig& Blocks(std::uint32_t count) { return Grid({count, 1, 1}); }
  ExecRig& Threads(std::uint32_t count) { return Block({count, 1, 1}); }
  ExecRig& Grid(Dimensions grid) {
    grid_ = grid;
    return *this;
  }
  ExecRig& Block(Dimensions block) {
    block_ = block;
    return *this;
  }
  /// 1 to 4.
  ExecRig& Words(std::uint32_t count) {
    words_ = count;
    return *this;
  }
  ExecRig& In(Schedule schedule, std::uint64_t seed = 0) {
    options_.schedule = schedule;
    options_.seed = seed;
    return *this;
  }
  ExecRig& Workers(unsigned count) {
    options_.workers = count;
    return *this;
  }
  ExecRig& Limit(std::uint64_t thread_instructions) {
    options_.instruction_limit = thread_instructions;
    return *this;
  }
  ExecRig& Checks(Checking checking) {
    options_.checking = checking;
    return *this;
  }
  ExecRig& Cooperative() {
    cooperative_ = true;
    return *this;
  }
  ExecRig& DynamicShared(std::uint32_t bytes) {
    dynamic_shared_bytes_ = bytes;
    return *this;
  }

  /// Launches it; the second time on the same device. The options above come before the first.
  Ran Run() {
    if (rig_ == nullptr) {
      rig_ = std::make_unique<DeviceRig>(Items(), options_);
    }
    rig_->printed().clear();
    const std::size_t count = Product(grid_) * Product(block_) * words_;
    const std::array<std::uint64_t, 3> arguments = {
        rig_->Upload(std::vector<std::uint32_t>(count, kUntouched)),
        rig_->Upload(std::vector<std::uint32_t>(kCells)),
        rig_->device().Allocate(kCells * sizeof(std::uint32_t)).value()};
    const KernelInfo kernel = rig_->Kernel("k");
    LaunchRequest request{.kernel = kernel.id,
                          .grid = grid_,
                          .block = block_,
                          .dynamic_shared_bytes = dynamic_shared_bytes_,
                          .cooperative = cooperative_};
    request.parameters.resize(kernel.parameter_bytes);
    std::memcpy(request.parameters.data(), arguments.data(), kernel.parameter_bytes);
    const LaunchOutcome outcome = rig_->device().Launch(request);
    return {.error = outcome.error,
            .detail = outcome.detail,
            .report = rig_->reports().empty() ? LaunchReport{} : rig_->last(),
            .out = rig_->Download<std::uint32_t>(arguments[0], count),
            .cells = rig_->Download<std::uint32_t>(arguments[1], kCells),
            .printed = rig_->printed(),
            .words = words_};
  }

 private:
  static std::size_t Product(const Dimensions& size) {
    return std::size_t{size[0]} * size[1] * size[2];
  }

  [[nodiscard]] std::string Items() const {
    if (is_module_) {
      return items_;
    }
    std::string text = items_ +
                       "\n.visible .entry k(.param .u64 out, .param .u64 cells, .param .u64 fresh)"
                       " {" +
                       std::string(ptx::kRegisters) + R"(
  ld.param.u64 %rd0, [out]; ld.param.u64 %rd1, [cells]; ld.param.u64 %rd2, [fresh];
  mov.u32 %r0, %ctaid.x; mov.u32 %r1, %tid.x;
  mov.u32 %r2, 0; mov.u32 %r3, 0; mov.u32 %r4, 0; mov.u32 %r5, 0;
)" + body_ + R"(
  mov.u32 %r30, %ctaid.z; mov.u32 %r31, %nctaid.y; mov.u32 %r32, %ctaid.y;
  mad.lo.u32 %r30, %r30, %r31, %r32; mov.u32 %r31, %nctaid.x; mov.u32 %r32, %ctaid.x;
  mad.lo.u32 %r30, %r30, %r31, %r32;
  mov.u32 %r31, %ntid.z; mov.u32 %r32, %tid.z; mad.lo.u32 %r30, %r30, %r31, %r32;
  mov.u32 %r31, %ntid.y; mov.u32 %r32, %tid.y; mad.lo.u32 %r30, %r30, %r31, %r32;
  mov.u32 %r31, %ntid.x; mov.u32 %r32, %tid.x; mad.lo.u32 %r30, %r30, %r31, %r32;
)";
    text += "mul.wide.u32 %rd19, %r30, " + std::to_string(4 * words_) + ";\n";
    text += "add.s64 %rd19, %rd0, %rd19;\n";
    for (std::uint32_t word = 0; word < words_; ++word) {
      text += "st.global.u32 [%rd19+" + std::to_string(4 * word) + "], %r" +
              std::to_string(2 + word) + ";\n";
    }
    return text + "ret;\n}\n";
  }

  std::string body_;
  std::string items_;
  bool is_module_ = false;
  Dimensions grid_{1, 1, 1};
  Dimensions block_{32, 1, 1};
  std::uint32_t words_ = 1;
  std::uint32_t dynamic_shared_bytes_ = 0;
  bool cooperative_ = false;
  DeviceOptions options_;
  std::unique_ptr<DeviceRig> rig_;
};

inline constexpr std::array<Schedule, 3> kSchedules = {Schedule::kAscending, Schedule::kReversed,
                                                       Schedule::kRandom};

/// Of each thread what `value(thread)` says.
template <class Value>
std::vector<std::uint32_t> EachThread(std::uint32_t threads, Value value) {
  std::vector<std::uint32_t> values;
  for (std::uint32_t thread = 0; thread < threads; ++thread) {
    values.push_back(value(thread));
  }
  return values;
}

}  // namespace assay::gpu

#endif  // ASSAY_EMULATOR_EXEC_EXEC_RIG_H_
