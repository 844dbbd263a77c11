// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_REFERENCE_KV_CACHE_BASELINE_SAMPLING_H_
#define ASSAY_REFERENCE_KV_CACHE_BASELINE_SAMPLING_H_

#include <numeric>

#include "baseline_steps.h"

namespace assay::kv_baseline {

/// exp(logit / temperature) over that of the largest logit.
inline double RelativeWeight(float logit, float largest, double temperature) {
  if (logit == largest) {
    return 1;  // Also where both are infinite.
  }
  return std::exp((static_cast<double>(logit) - static_cast<double>(largest)) / temperature);
}

/// kv_sample.
template <class Steps>
int Sample(std::int32_t vocabulary, const float* logits, float temperature, std::int32_t top_k,
           float uniform, std::int32_t* token) {
  if (vocabulary < 1 || !(temperature >= 0) || !(uniform >= 0 && uniform < 1) || top_k < 0 ||
      !logits || !token) {
    return KV_INVALID_ARGUMENT;
  }
  const auto is_before = [logits](std::int32_t a, std::int32_t b) {
    return logits[a] > logits[b] || (logits[a] == logits[b] && a < b);
  };
  std::vector<std::int32_t> order(static_cast<std::size_t>(vocabulary));
  std::iota(order.begin(), order.end(), 0);
  const auto kept =
      order.begin() +
      static_cast<std::ptrdiff_t>(
          temperature == 0 ? 1 : Steps::KeptTokens(static_cast<std::size_t>(top_k), order.size()));
  std::partial_sort(order.begin(), kept, order.end(), is_before);
  order.erase(kept, order.end());
  *token = order.front();
  if (temperature == 0) {
    return KV_OK;
  }
  const float largest = logits[order.front()];
  const auto weight = [&](std::int32_t candidate) {
    return RelativeWeight(logits[candidate], largest, Steps::Temperature(temperature));
  };
  double total = 0;
  for (const std::int32_t candidate : order) {
    total += weight(candidate);
  }
  double cumulative = 0;
  for (const std::int32_t candidate : order) {
    *token = candidate;
    cumulative += weight(candidate);
    if (cumulative > static_cast<double>(uniform) * total) {
      break;
    }
  }
  return KV_OK;
}

}  // namespace assay::kv_baseline

#endif  // ASSAY_REFERENCE_KV_CACHE_BASELINE_SAMPLING_H_
