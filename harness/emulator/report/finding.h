// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EMULATOR_REPORT_FINDING_H_
#define ASSAY_EMULATOR_REPORT_FINDING_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace assay::gpu {

/// The tools of compute-sanitizer, whose words we use.
enum class Checker : std::uint8_t { kMemcheck, kRacecheck, kInitcheck, kSynccheck };

enum class FindingKind : std::uint8_t {
  // memcheck
  kOutOfBounds,  ///< Touches a byte of no live allocation.
  kMisaligned,   ///< Address is no multiple of the access size.
  kUseAfterFree,
  kInvalidFree,     ///< cudaFree of what was not allocated, or twice.
  kLeak,            ///< Allocation never freed.
  kInvalidAddress,  ///< Far from any allocation: null, a host pointer.
  kStackOverflow,
  // racecheck
  kReadAfterWrite,
  kWriteAfterRead,
  kWriteAfterWrite,
  kAtomicMix,
  // initcheck
  kUninitialized,
  // synccheck
  kDivergentBarrier,  ///< Threads of a block wait at different barriers, or exited.
  kInvalidMask,       ///< A lane of the mask exited or never comes, or the lane is not in its mask.
  kInactiveSource,    ///< shfl reads a lane that takes no part.
  kInvalidBarrier,    ///< Count no multiple of 32, id past 15, mbarrier misused.
  // what ends a kernel
  kDeadlock,
  kWatchdog,
  kTrap,
  kAssert,
  kUnsupported,
  kHardware,
};

enum class Severity : std::uint8_t { kError, kWarning, kInfo };
enum class AccessKind : std::uint8_t { kNone, kRead, kWrite, kAtomic };
enum class MemorySpace : std::uint8_t { kNone, kGlobal, kShared, kLocal, kConst, kParam };

/// Where in a program something happened. `file` empty: compiled without -lineinfo.
struct Site {
  std::string file;
  std::uint32_t line = 0;
  std::string instruction;  ///< As written in PTX: `st.shared.f32`.
  std::uint32_t ptx_line = 0;
  std::array<std::uint32_t, 3> block{};
  std::array<std::uint32_t, 3> thread{};
  AccessKind access = AccessKind::kNone;
  bool operator==(const Site&) const = default;
};

/// The allocation nearest to an address.
struct NearestAllocation {
  std::uint64_t address = 0;
  std::uint64_t size_bytes = 0;
  /// How far the access begins behind the allocation's end (> 0), before its start (< 0), or
  /// inside (0).
  std::int64_t distance_bytes = 0;
  std::string name = {};  ///< Of a __device__ variable; else empty.
  bool operator==(const NearestAllocation&) const = default;
};

/// One fault of a program, as often as it happened at one place: findings of equal checker, kind,
/// kernel, file:line, instruction and other site are one, with a count and the first of them in
/// schedule order. So is a race, whichever of its accesses comes first.
struct Finding {
  Checker checker = Checker::kMemcheck;
  FindingKind kind = FindingKind::kOutOfBounds;
  Severity severity = Severity::kError;
  std::string kernel = {};   ///< Demangled; empty for host-side findings.
  std::uint64_t launch = 0;  ///< The first launch it was seen in, from 0.
  Site site = {};
  MemorySpace space = MemorySpace::kNone;
  std::uint64_t address = 0;
  std::uint32_t size_bytes = 0;
  std::optional<NearestAllocation> nearest = {};
  std::optional<Site> other = {};  ///< Of a race: the earlier access; none: by whom is not known.
  /// Of a race between two streams: which, and the kernel (or what it is) of `other`. Its sites
  /// have no threads. Else empty.
  std::string stream = {};
  std::string other_stream = {};
  std::string other_kernel = {};
  std::uint64_t count = 1;  ///< Threads times executions.
  std::string note = {};    ///< What else a reader needs: who waits where in a deadlock.
};

}  // namespace assay::gpu

#endif  // ASSAY_EMULATOR_REPORT_FINDING_H_
