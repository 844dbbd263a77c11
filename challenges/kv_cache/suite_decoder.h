// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CHALLENGES_KV_CACHE_SUITE_DECODER_H_
#define ASSAY_CHALLENGES_KV_CACHE_SUITE_DECODER_H_

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "decoder.h"
#include "suite_support.h"

namespace assay::kvcache {

/// What the cases of the decoder share: one in the host beside the oracle's.
class DecoderTest : public KvCacheTest {
 protected:
  using KvCacheTest::Open;
  using KvCacheTest::Prefill;

  void NeedDecoder() {
    for (const std::string_view operation :
         {"kv_decoder_create", "kv_decoder_destroy", "kv_decoder_reset", "kv_decoder_prefill",
          "kv_decoder_step"}) {
      NeedOptionalOperation(operation);
    }
  }

  void TearDown() override {
    for (const std::uint64_t decoder : decoders_) {
      Invocation call("kv_decoder_destroy");
      call.Scalar(decoder);
      // Of a host that died nothing is left to destroy.
      [[maybe_unused]] const auto reply = TryCall(kHost, call);
    }
    KvCacheTest::TearDown();
  }

  /// A decoder in the host and the oracle's, with the same random weights.
  struct Twin {
    DecoderConfig config;
    OracleDecoder oracle;
    std::uint64_t handle = 0;
  };

  /// Status of kv_decoder_create. What lies in `handle` before is what a refusal leaves there.
  int Create(const DecoderConfig& config, const std::vector<float>& weights,
             std::uint64_t* handle) {
    std::array<std::uint64_t, 1> created = {*handle};
    Invocation call("kv_decoder_create");
    call.Scalar(config.layers).Scalar(config.width).Scalar(config.query_heads);
    call.Scalar(config.kv_heads).Scalar(config.head_size).Scalar(config.mlp_width);
    call.Scalar(config.vocabulary).Scalar(config.capacity).Scalar(config.window);
    call.Scalar(config.rope_base).Scalar(config.norm_eps).Input(weights).Scalar(weights.size());
    call.InOut(created);
    const Reply reply = Call(kHost, call);
    *handle = created[0];
    return reply.status;
  }

  Twin Open(const DecoderConfig& config) {
    const std::vector<float> weights = DrawWeights(random(), config);
    Twin twin{.config = config, .oracle = OracleDecoder(config, weights)};
    const int status = Create(config, weights, &twin.handle);
    if (status == KV_UNSUPPORTED) {
      Skip("kv_decoder_create says KV_UNSUPPORTED");
    }
    if (status != KV_OK || twin.handle == 0) {
      FailCase("kv_decoder_create returned " + StatusName(status) + " instead of a decoder");
    }
    decoders_.push_back(twin.handle);
    return twin;
  }

  void ExpectLogits(const std::string& activity, const std::vector<float>& got,
                    const Logits& want) {
    const Comparison comparison = Compare<float, double>(got, want.value, want.bound);
    NoteErrorOverBound(comparison.error_over_bound);
    if (!comparison.AllWithin()) {
      FailCase(assay::Describe(activity, comparison));
    }
  }

  std::vector<std::int32_t> DrawPrompt(const DecoderConfig& config, std::size_t count) {
    std::vector<std::int32_t> prompt(count);
    std::ranges::generate(prompt, [&] {
      return static_cast<std::int32_t>(random()() % static_cast<unsigned>(config.vocabulary));
    });
    return prompt;
  }

  void Prefill(Twin& twin, std::size_t count) {
    const std::size_t before = twin.oracle.Tokens();
    const std::vector<std::int32_t> prompt = DrawPrompt(twin.config, count);
    std::vector<float> logits(static_cast<std::size_t>(twin.config.vocabulary));
    Invocation call("kv_decoder_prefill");
    call.Scalar(twin.handle).Scalar(count).Input(prompt).Output(logits);
    ExpectStatus(KV_OK, call);
    ExpectLogits(fmt::format("logits of kv_decoder_prefill({} tokens at {})", count, before),
                 logits, twin.oracle.Prefill(prompt));
  }

  void Steps(Twin& twin, int count) {
    for (int i = 0; i < count; ++i) {
      const std::size_t before = twin.oracle.Tokens();
      const std::int32_t token = DrawPrompt(twin.config, 1).front();
      std::vector<float> logits(static_cast<std::size_t>(twin.config.vocabulary));
      Invocation call("kv_decoder_step");
      call.Scalar(twin.handle).Scalar(token).Output(logits);
      ExpectStatus(KV_OK, call);
      ExpectLogits(fmt::format("logits of kv_decoder_step(at {})", before), logits,
                   twin.oracle.Step(token));
    }
  }

  void Reset(Twin& twin) {
    Invocation call("kv_decoder_reset");
    call.Scalar(twin.handle);
    ExpectStatus(KV_OK, call);
    twin.oracle.Reset();
  }

  static constexpr DecoderConfig kBare{.layers = 2,
                                       .width = 32,
                                       .query_heads = 4,
                                       .kv_heads = 4,
                                       .head_size = 8,
                                       .vocabulary = 50,
                                       .capacity = 80};
  static constexpr DecoderConfig kFull{.layers = 3,
                                       .width = 48,
                                       .query_heads = 6,
                                       .kv_heads = 6,
                                       .head_size = 16,
                                       .mlp_width = 96,
                                       .vocabulary = 80,
                                       .capacity = 80,
                                       .rope_base = 10000};

  std::vector<std::uint64_t> decoders_;
};

}  // namespace assay::kvcache

#endif  // ASSAY_CHALLENGES_KV_CACHE_SUITE_DECODER_H_
