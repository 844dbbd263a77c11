// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_REFERENCE_KV_CACHE_BASELINE_CONFIG_H_
#define ASSAY_REFERENCE_KV_CACHE_BASELINE_CONFIG_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "interface.h"

namespace assay::kv_baseline {

inline constexpr int kAllCapabilities = KV_CAN_GQA | KV_CAN_MQA | KV_CAN_F16 | KV_CAN_INT8 |
                                        KV_CAN_INT4 | KV_CAN_PAGED | KV_CAN_CHUNKED |
                                        KV_CAN_HYBRID | KV_CAN_FORK | KV_CAN_WINDOW;

inline constexpr std::int32_t kMostHeadSize = 256;

/// Most tokens of a sequence. With a window old ones make room, and there is no end.
inline std::size_t CapacityOf(std::int32_t window, std::int32_t capacity) {
  return window > 0 ? SIZE_MAX : static_cast<std::size_t>(capacity);
}

/// KV_OK, or why kv_create refuses.
inline int CheckConfig(const kv_config& config) {
  const std::int32_t least = std::min({config.layers, config.query_heads, config.kv_heads,
                                       config.head_size, config.batch, config.capacity});
  const bool is_valid = least >= 1 && std::min(config.page_size, config.pages) >= 0 &&
                        config.query_heads % config.kv_heads == 0 && config.storage >= KV_F32 &&
                        config.storage <= KV_INT4 && (config.page_size > 0) == (config.pages > 0) &&
                        config.window >= 0 && config.window <= config.capacity;
  if (!is_valid) {
    return KV_INVALID_ARGUMENT;
  }
  const bool has_paged_window = config.window > 0 && config.page_size > 0;
  return config.head_size > kMostHeadSize || has_paged_window ? KV_UNSUPPORTED : KV_OK;
}

}  // namespace assay::kv_baseline

#endif  // ASSAY_REFERENCE_KV_CACHE_BASELINE_CONFIG_H_
