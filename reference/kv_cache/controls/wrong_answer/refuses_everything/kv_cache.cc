// SPDX-License-Identifier: Apache-2.0
// Every function is there and refuses every call: the other zero of the scale.

#include "interface.h"

extern "C" {

int kv_capabilities(void) { return 0; }
int kv_create(const struct kv_config*, kv_cache**) { return KV_UNSUPPORTED; }
int kv_destroy(kv_cache*) { return KV_UNSUPPORTED; }
int kv_prefill(kv_cache*, int32_t, int32_t, size_t, const float*, const float*, const float*,
               float*) {
  return KV_UNSUPPORTED;
}
int kv_append(kv_cache*, int32_t, size_t, const int32_t*, const float*, const float*) {
  return KV_UNSUPPORTED;
}
int kv_attend(kv_cache*, int32_t, size_t, const int32_t*, const float*, float*) {
  return KV_UNSUPPORTED;
}
int kv_free(kv_cache*, int32_t) { return KV_UNSUPPORTED; }
int kv_fork(kv_cache*, int32_t, int32_t) { return KV_UNSUPPORTED; }
int kv_length(const kv_cache*, int32_t, int32_t, size_t*) { return KV_UNSUPPORTED; }
int kv_get_usage(const kv_cache*, struct kv_usage*) { return KV_UNSUPPORTED; }
int kv_read(const kv_cache*, int32_t, int32_t, size_t, size_t, float*, float*) {
  return KV_UNSUPPORTED;
}
int kv_decoder_create(const struct kv_decoder_config*, const float*, size_t, kv_decoder**) {
  return KV_UNSUPPORTED;
}
int kv_decoder_destroy(kv_decoder*) { return KV_UNSUPPORTED; }
int kv_decoder_reset(kv_decoder*) { return KV_UNSUPPORTED; }
int kv_decoder_prefill(kv_decoder*, size_t, const int32_t*, float*) { return KV_UNSUPPORTED; }
int kv_decoder_step(kv_decoder*, int32_t, float*) { return KV_UNSUPPORTED; }
int kv_sample(int32_t, const float*, float, int32_t, float, int32_t*) { return KV_UNSUPPORTED; }

}  // extern "C"
