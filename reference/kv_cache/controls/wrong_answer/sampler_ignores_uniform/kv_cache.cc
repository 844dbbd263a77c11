// SPDX-License-Identifier: Apache-2.0
// Draws the largest logit always.

#include "plain_export.h"

namespace {

int Largest(std::int32_t vocabulary, const float* logits, float temperature, std::int32_t top_k,
            float uniform, std::int32_t* token) {
  const int status = plain::Sample(vocabulary, logits, temperature, top_k, uniform, token);
  if (status != KV_OK) return status;
  return plain::Sample(vocabulary, logits, 0, top_k, 0, token);
}

}  // namespace

PLAIN_EXPORT(plain::Cache);
PLAIN_EXPORT_SAMPLE(Largest);
