// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CHALLENGES_KV_CACHE_SUITE_SUPPORT_H_
#define ASSAY_CHALLENGES_KV_CACHE_SUITE_SUPPORT_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <initializer_list>
#include <numeric>
#include <span>
#include <string_view>
#include <vector>

#include "client/case.h"
#include "interface.h"
#include "suite_driver.h"
#include "suite_operations.h"

namespace assay::kvcache {

/// The one host of this challenge: a cache lives in a process, and so does all that it remembers.
inline constexpr std::string_view kHost = CaseTest::kForward;

/// What the cases of this suite share.
class KvCacheTest : public CaseTest {
 protected:
  /// Destroys the caches that the case opened.
  void TearDown() override;

  /// Ends the case as skipped unless all of these kv_capability bits are reported.
  void Need(std::initializer_list<kv_capability> capabilities);
  [[nodiscard]] bool Has(kv_capability capability);
  /// Whether all of these bits are reported.
  [[nodiscard]] bool HasAll(int capabilities);

  /// A missing function of the cache is a wrong answer and ends the case.
  void RequireTheCache();

  /// A cache in the host beside its model, until the end of the case. Ends the case where it cannot
  /// be created.
  Driver& Open(const Config& config);

  /// Ends the case unless the outcome is that all was right: `Right(cache.Append(…))`.
  void Right(const Outcome& outcome);

  /// Random tokens for a cache.
  Tokens Draw(const Driver& cache, std::size_t count, const Distribution& distribution = {}) {
    return DrawTokens(random(), cache.config(), count, distribution);
  }

  /// Stores `count` random tokens without attention.
  void Fill(Driver& cache, std::int32_t sequence, std::size_t count, std::int32_t layer = 0);
  /// Prefills `count` random tokens.
  void Prefill(Driver& cache, std::int32_t sequence, std::size_t count, std::int32_t layer = 0);
  /// One random query for each of these sequences.
  void Attend(Driver& cache, std::span<const std::int32_t> sequences, std::int32_t layer = 0);
  void Attend(Driver& cache, std::int32_t sequence, std::int32_t layer = 0);
  /// Of all sequences in order.
  void AttendAll(Driver& cache, std::int32_t layer = 0);
  /// So many random operations in one process, all compared (suite_operations.h).
  void ExpectManyCallsRight(const Config& config, const Mix& mix, std::size_t operations);
  /// Decodes `steps` tokens: each is appended to all layers of the sequence, and attends there.
  void Decode(Driver& cache, std::int32_t sequence, std::size_t steps);

  /// The host as the driver reaches it.
  HostLink Link();
  /// Calls that go around the driver, such as those of misuse.
  void ExpectStatus(int status, const Invocation& invocation);

  /// What lies where a function shall write a number: none that it would write.
  static constexpr std::uint64_t kUnwritten = 0xA55A'0000'1234'5678;
  /// Fails the case where a call that returned `status` wrote `number` though it refused.
  void ExpectUnwritten(int status, std::uint64_t number, const std::string& operation);

  static constexpr std::int64_t kMebibyte = std::int64_t{1} << 20;

 private:
  std::deque<Driver> caches_;
  std::int32_t capabilities_ = -1;
};

/// 0, 1, …, count - 1.
[[nodiscard]] std::vector<std::int32_t> Sequences(std::int32_t count);

}  // namespace assay::kvcache

#endif  // ASSAY_CHALLENGES_KV_CACHE_SUITE_SUPPORT_H_
