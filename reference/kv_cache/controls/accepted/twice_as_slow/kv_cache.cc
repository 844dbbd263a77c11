// SPDX-License-Identifier: Apache-2.0
// Right, and does the work of the baseline twice: its time must come out near twice the baseline's.
// What may be stored once alone is stored into a cache for waste the first time. The headers of the
// baseline are copied beside it before it is graded.

#include "export.h"
#include "plain_export.h"

namespace {

namespace kv = assay::kv_baseline;

using Baseline = kv::Cache<kv::BaselineSteps>;

class Twice : public Baseline {
 public:
  static constexpr int kCapabilities = kv::kAllCapabilities;
  static int Check(const kv_config& config) { return kv::CheckConfig(config); }

  explicit Twice(const kv_config& config)
      : Baseline(config), config_(config), wasted_(OneSlotEach(config)) {}

  int Prefill(std::int32_t layer, std::int32_t sequence, std::size_t tokens, const float* q,
              const float* k, const float* v, float* out) {
    std::size_t length = 0;
    const int status = GetLength(layer, sequence, &length);
    const std::size_t room = static_cast<std::size_t>(config_.capacity);
    if (status == KV_OK && length == 0 && tokens > 0 && tokens <= room) {
      Baseline wasted(OneSequence(config_));
      wasted.Prefill(0, 0, tokens, q, k, v, out);
    }
    return Baseline::Prefill(layer, sequence, tokens, q, k, v, out);
  }

  int Append(std::int32_t layer, std::size_t count, const std::int32_t* sequences, const float* k,
             const float* v) {
    const int status = Baseline::Append(layer, count, sequences, k, v);
    return status == KV_OK ? wasted_.Append(0, count, sequences, k, v) : status;
  }

  int Attend(std::int32_t layer, std::size_t count, const std::int32_t* sequences, const float* q,
             float* out) {
    const int status = Baseline::Attend(layer, count, sequences, q, out);
    return status == KV_OK ? Baseline::Attend(layer, count, sequences, q, out) : status;
  }

 private:
  static kv_config OneSequence(kv_config config) {
    config.layers = 1;
    config.batch = 1;
    config.page_size = 0;
    config.pages = 0;
    return config;
  }

  /// A window of one token is never full.
  static kv_config OneSlotEach(kv_config config) {
    config.layers = 1;
    config.page_size = 0;
    config.pages = 0;
    config.window = 1;
    return config;
  }

  kv_config config_;
  Baseline wasted_;
};

}  // namespace

PLAIN_EXPORT(Twice);
