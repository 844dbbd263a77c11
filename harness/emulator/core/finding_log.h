// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EMULATOR_CORE_FINDING_LOG_H_
#define ASSAY_EMULATOR_CORE_FINDING_LOG_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "emulator/report/finding.h"

namespace assay::gpu {

inline constexpr std::uint32_t kNoInstruction = ~0U;

/// One thread at one instruction of the launch's program.
struct ThreadSite {
  std::uint32_t instruction = kNoInstruction;  ///< Index into Program::instructions.
  std::uint32_t block = 0;                     ///< Linear.
  std::uint32_t thread = 0;                    ///< Linear, in the block.
  AccessKind access = AccessKind::kNone;
  bool operator==(const ThreadSite&) const = default;
};

/// A Finding before names and lines are looked up.
struct FindingRecord {
  FindingKind kind = FindingKind::kOutOfBounds;
  Severity severity = Severity::kError;
  ThreadSite site = {};
  ThreadSite other = {};  ///< instruction == kNoInstruction: none, or not known.
  bool has_other = false;
  MemorySpace space = MemorySpace::kNone;
  std::uint64_t address = 0;
  std::uint32_t size_bytes = 0;
  std::uint64_t position = 0;  ///< Block::position: the lowest is the one kept.
  std::uint64_t count = 1;
  std::uint64_t count_at_position = 1;  ///< Of those, by the block at `position`.
  std::string note = {};
};

/// Findings of one launch on one worker, equal ones as one: kind, instruction, other instruction;
/// of a race these in any order.
/// The result of merging does not depend on which worker found what.
class FindingLog {
 public:
  void Add(FindingRecord record);
  void MergeFrom(const FindingLog& other);
  /// Leaves out what blocks behind `position` found, of which only some ran, and counts each of the
  /// rest by the first block that found it: the same for any number of workers.
  void KeepUpTo(std::uint64_t position);
  void Clear() { records_.clear(); }
  [[nodiscard]] const std::vector<FindingRecord>& records() const { return records_; }
  /// In order of instruction, then kind: the same for any number of workers.
  void Sort();

 private:
  std::vector<FindingRecord> records_;
};

}  // namespace assay::gpu

#endif  // ASSAY_EMULATOR_CORE_FINDING_LOG_H_
