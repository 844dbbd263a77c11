// SPDX-License-Identifier: Apache-2.0
#include "emulator/report/words.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>

namespace assay::gpu {
namespace {

// Each in the order of its enum.
constexpr std::array<std::string_view, 4> kCheckers = {"memcheck", "racecheck", "initcheck",
                                                       "synccheck"};
constexpr std::array<std::string_view, 22> kKinds = {"out_of_bounds",
                                                     "misaligned",
                                                     "use_after_free",
                                                     "invalid_free",
                                                     "leak",
                                                     "invalid_address",
                                                     "stack_overflow",
                                                     "read_after_write",
                                                     "write_after_read",
                                                     "write_after_write",
                                                     "atomic_mix",
                                                     "uninitialized",
                                                     "divergent_barrier",
                                                     "invalid_mask",
                                                     "inactive_source",
                                                     "invalid_barrier",
                                                     "deadlock",
                                                     "watchdog",
                                                     "trap",
                                                     "assert",
                                                     "unsupported",
                                                     "hardware"};
static_assert(kKinds.size() == static_cast<std::size_t>(FindingKind::kHardware) + 1);
constexpr std::array<std::string_view, 3> kSeverities = {"error", "warning", "info"};
constexpr std::array<std::string_view, 4> kAccesses = {"none", "read", "write", "atomic"};
constexpr std::array<std::string_view, 6> kSpaces = {"none",  "global", "shared",
                                                     "local", "const",  "param"};

template <class T, std::size_t N>
std::optional<T> Find(const std::array<std::string_view, N>& words, std::string_view word) {
  const auto found = std::ranges::find(words, word);
  return found == words.end() ? std::nullopt
                              : std::optional(static_cast<T>(std::distance(words.begin(), found)));
}

}  // namespace

std::string_view ToString(Checker checker) {
  return kCheckers.at(static_cast<std::size_t>(checker));
}
std::string_view ToString(FindingKind kind) { return kKinds.at(static_cast<std::size_t>(kind)); }
std::string_view ToString(Severity severity) {
  return kSeverities.at(static_cast<std::size_t>(severity));
}
std::string_view ToString(AccessKind access) {
  return kAccesses.at(static_cast<std::size_t>(access));
}
std::string_view ToString(MemorySpace space) { return kSpaces.at(static_cast<std::size_t>(space)); }

template <>
std::optional<Checker> FromWord<Checker>(std::string_view word) {
  return Find<Checker>(kCheckers, word);
}
template <>
std::optional<FindingKind> FromWord<FindingKind>(std::string_view word) {
  return Find<FindingKind>(kKinds, word);
}
template <>
std::optional<Severity> FromWord<Severity>(std::string_view word) {
  return Find<Severity>(kSeverities, word);
}
template <>
std::optional<AccessKind> FromWord<AccessKind>(std::string_view word) {
  return Find<AccessKind>(kAccesses, word);
}
template <>
std::optional<MemorySpace> FromWord<MemorySpace>(std::string_view word) {
  return Find<MemorySpace>(kSpaces, word);
}

}  // namespace assay::gpu
