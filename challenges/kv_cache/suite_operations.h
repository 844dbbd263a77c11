// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CHALLENGES_KV_CACHE_SUITE_OPERATIONS_H_
#define ASSAY_CHALLENGES_KV_CACHE_SUITE_OPERATIONS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "suite_driver.h"

namespace assay::kvcache {

/// One call of a random sequence of them. Its tokens are drawn from its own seed, so that they stay
/// the same when the calls before it are taken away.
struct Operation {
  enum class Kind { kAppend, kAttend, kPrefill, kFree, kFork };
  Kind kind = Kind::kAppend;
  std::int32_t layer = 0;
  /// Of append and attend, as many as there are tokens; of all others the first counts.
  std::vector<std::int32_t> sequences = {};
  std::size_t tokens = 0;  ///< Of a prefill.
  std::int32_t child = 0;  ///< Of a fork.
  std::uint64_t seed = 0;
  Distribution distribution = {};
};

/// `append(s0,s1) prefill(s2 x17) free(s0) fork(s2->s3) attend(s2)`; with layers where there are
/// several.
[[nodiscard]] std::string Describe(const Config& config, const std::vector<Operation>& operations);

/// What a random sequence may hold beside appends, attends and frees.
struct Mix {
  bool prefill = true;
  bool chunked = false;  ///< Prefill of sequences that hold tokens.
  bool fork = false;
};
[[nodiscard]] std::vector<Operation> DrawOperations(std::mt19937_64& random, const Config& config,
                                                    const Mix& mix, std::size_t count);

/// Runs the operations on a fresh cache and looks at all of it at the end; the first that is wrong
/// ends the run.
struct Failure {
  std::size_t at =
      0;  ///< Index of the operation; their number when only the look at the end failed.
  HostFailure what;
};
[[nodiscard]] std::optional<Failure> RunOperations(const HostLink& link, const Config& config,
                                                   const std::vector<Operation>& operations,
                                                   Precision precision = Precision::kOfEachElement);

/// Calls for fewer sequences, or with fewer tokens: what shrinking (client/shrink.h) tries.
[[nodiscard]] std::vector<Operation> Simpler(const Operation& operation);

}  // namespace assay::kvcache

#endif  // ASSAY_CHALLENGES_KV_CACHE_SUITE_OPERATIONS_H_
