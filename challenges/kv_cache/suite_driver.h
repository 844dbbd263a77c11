// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CHALLENGES_KV_CACHE_SUITE_DRIVER_H_
#define ASSAY_CHALLENGES_KV_CACHE_SUITE_DRIVER_H_

#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "client/compare.h"
#include "client/host.h"
#include "client/invocation.h"
#include "model.h"
#include "oracle.h"

namespace assay::kvcache {

/// q, k and v of tokens, as interface.h lays them out.
struct Tokens {
  std::size_t count = 0;
  std::vector<float> q;
  std::vector<float> k;
  std::vector<float> v;
};

/// Tokens distributed nearly normally, within 3.5 deviations. Where storage is quantised no element
/// lies near a tie.
struct Distribution {
  double query_scale = 1;
  double key_scale = 1;
  double value_scale = 1;
};
[[nodiscard]] Tokens DrawTokens(std::mt19937_64& random, const Config& config, std::size_t count,
                                const Distribution& distribution = {});

/// The last `count` tokens, from number `first`.
[[nodiscard]] Tokens Slice(const Config& config, const Tokens& tokens, std::size_t first,
                           std::size_t count);

/// How the driver reaches the host, and compares what came back.
struct HostLink {
  std::function<std::expected<Reply, HostFailure>(const Invocation&)> call;
  std::function<Comparison(std::span<const float>, std::span<const double>,
                           std::span<const double>)>
      compare;
};

/// Nothing when all was right. Else what was wrong, as the verdict of a case and one line.
using Outcome = std::optional<HostFailure>;

/// What outputs are held to: the bound of each element alone; or the one on average too, which
/// holds where tokens and queries are random, alike and of mean 0 (precision.h).
enum class Precision { kOfEachElement, kOnAverageToo };

/// One cache in a host beside the model of it: each call is made on both, and what the host says
/// and writes is held against what the model knows. The first thing that is wrong is returned;
/// afterwards the two are no longer alike, and the driver is of no more use.
class Driver {
 public:
  /// Creates the cache. Any status but KV_OK is wrong, KV_UNSUPPORTED too: cases ask beforehand for
  /// the capabilities that they need. Of a window with grouped heads or narrow storage, which may
  /// be refused, it is a failure of verdict kSkipped.
  [[nodiscard]] static std::expected<Driver, HostFailure> Create(HostLink link,
                                                                 const Config& config);
  /// Destroys the cache in the host.
  [[nodiscard]] Outcome Destroy();

  [[nodiscard]] const Config& config() const { return model_.config(); }
  [[nodiscard]] const CacheModel& model() const { return model_; }
  [[nodiscard]] std::uint64_t handle() const { return handle_; }
  /// Of all outputs so far, the worst.
  [[nodiscard]] double error_over_bound() const { return error_over_bound_; }
  /// Outputs of the last Prefill or Attend.
  [[nodiscard]] const std::vector<float>& out() const { return out_; }

  /// Of all outputs from now on.
  void HoldTo(Precision precision) { precision_ = precision; }

  /// kv_prefill. KV_UNSUPPORTED where the sequence is not empty is a failure of verdict kSkipped.
  /// Of long prefills the outputs of some tokens are compared: the first, the last, and others
  /// evenly between.
  [[nodiscard]] Outcome Prefill(std::int32_t layer, std::int32_t sequence, const Tokens& tokens);
  [[nodiscard]] Outcome Append(std::int32_t layer, std::span<const std::int32_t> sequences,
                               const Tokens& tokens);
  /// All tokens to one sequence.
  [[nodiscard]] Outcome Append(std::int32_t layer, std::int32_t sequence, const Tokens& tokens);
  /// One query of `tokens` for each sequence.
  [[nodiscard]] Outcome Attend(std::int32_t layer, std::span<const std::int32_t> sequences,
                               const Tokens& tokens);
  [[nodiscard]] Outcome Free(std::int32_t sequence);
  [[nodiscard]] Outcome Fork(std::int32_t parent, std::int32_t child);

  /// kv_length of every layer and sequence.
  [[nodiscard]] Outcome CheckLengths();
  /// kv_get_usage: pages exactly; bytes within what the contract allows of the least.
  [[nodiscard]] Outcome CheckUsage();
  /// kv_read of what the sequence still sees, equal to the last bit.
  [[nodiscard]] Outcome CheckStored(std::int32_t layer, std::int32_t sequence);
  /// The same of `count` tokens from `first` on.
  [[nodiscard]] Outcome CheckStored(std::int32_t layer, std::int32_t sequence, std::size_t first,
                                    std::size_t count);
  /// All of the above that hold for the cache as a whole.
  [[nodiscard]] Outcome CheckAll();

  /// kv_get_usage as the host says: bytes, pages in use, pages free.
  struct Usage {
    std::uint64_t bytes = 0;
    std::uint64_t pages_in_use = 0;
    std::uint64_t pages_free = 0;
  };
  [[nodiscard]] std::expected<Usage, HostFailure> ReadUsage();

 private:
  Driver(HostLink link, const Config& config, std::uint64_t handle);

  /// Calls, and compares the status. `activity` says what was called, for a reader.
  [[nodiscard]] Outcome CallWanting(int status, const Invocation& invocation,
                                    const std::string& activity);
  [[nodiscard]] Outcome CompareOutput(std::string_view activity, std::span<const float> got,
                                      const Answer& want);

  /// Errors of the outputs of one call, over what random tokens make of float there.
  struct Errors {
    std::size_t elements = 0;
    double weighted_squares = 0;  ///< Of errors over RelativeRmsBound.
    double wanted_squares = 0;
    double largest = 0;  ///< Error of an element over that bound of its head.
  };
  /// Of a history of so many tokens, those that the newest query sees.
  [[nodiscard]] std::size_t Seen(std::size_t tokens) const;
  void Count(std::span<const float> got, const Answer& want, std::size_t seen, Errors& errors);
  [[nodiscard]] Outcome CompareAverage(std::string_view activity, const Errors& errors) const;

  HostLink link_;
  CacheModel model_;
  std::uint64_t handle_ = 0;
  double error_over_bound_ = 0;
  Precision precision_ = Precision::kOfEachElement;
  std::vector<float> out_;
};

/// The name of a kv_status: `KV_NO_PAGES`.
[[nodiscard]] std::string StatusName(int status);

/// `2 layers, 8/2 heads of 64, int8, paged 16x40, batch 4, capacity 100`: a configuration for a
/// reader.
[[nodiscard]] std::string Describe(const Config& config);

}  // namespace assay::kvcache

#endif  // ASSAY_CHALLENGES_KV_CACHE_SUITE_DRIVER_H_
