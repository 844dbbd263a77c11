// SPDX-License-Identifier: Apache-2.0
// The decoder at positions, bases and sizes beyond the usual: tag `decoder` step by step;
// `combinations` with prompts, windows and grouped heads.

#include <cstddef>

#include "suite_decoder.h"

namespace assay::kvcache {
namespace {

class DecoderSizes : public DecoderTest {
 protected:
  static constexpr DecoderConfig kSmall{.width = 12,
                                        .query_heads = 2,
                                        .kv_heads = 2,
                                        .head_size = 6,
                                        .vocabulary = 11,
                                        .capacity = 1200};

  void ExpectPromptRight(const DecoderConfig& config, std::size_t tokens, int steps) {
    Twin twin = DecoderTest::Open(config);
    DecoderTest::Prefill(twin, tokens);
    Steps(twin, steps);
  }
};

TEST_F(DecoderSizes, ManyPositions) {
  Tag({"decoder"});
  NeedDecoder();
  DecoderConfig config = kSmall;
  config.rope_base = 10'000;
  Twin twin = DecoderTest::Open(config);
  Steps(twin, 300);
}

/// Bases of all sizes, drawn beside those that models have.
TEST_F(DecoderSizes, Bases) {
  Tag({"decoder"});
  NeedDecoder();
  const auto drawn = static_cast<float>(2 + random()() % 5'000'000);
  for (const float base : {1.0F, 1.5F, 100.0F, 1e4F, 5e5F, 1e6F, drawn}) {
    DecoderConfig config = kSmall;
    config.rope_base = base;
    Twin twin = DecoderTest::Open(config);
    Steps(twin, 45);
  }
}

TEST_F(DecoderSizes, HeadsOfManySizes) {
  Tag({"decoder"});
  NeedDecoder();
  for (const std::int32_t size : {1, 2, 3, 31, 34, 64, 100, 128, 256}) {
    DecoderConfig config = kSmall;
    config.head_size = size;
    config.rope_base = size % 2 == 0 ? 10'000.0F : 0.0F;
    Twin twin = DecoderTest::Open(config);
    Steps(twin, 4);
  }
}

TEST_F(DecoderSizes, TensorsOfManySizes) {
  Tag({"decoder"});
  NeedDecoder();
  for (const std::int32_t size : {1, 2, 15, 17, 31, 33, 65, 129}) {
    DecoderConfig config = kSmall;
    config.width = size;
    config.mlp_width = 130 - size;
    config.vocabulary = size + 1;
    config.norm_eps = size % 2 == 0 ? 0.0F : 1e-3F;
    Twin twin = DecoderTest::Open(config);
    Steps(twin, 3);
  }
}

/// More tokens than 16 bits tell apart, as vocabularies of today have.
TEST_F(DecoderSizes, ALargeVocabulary) {
  Tag({"decoder"});
  NeedDecoder();
  DecoderConfig config = kSmall;
  config.width = 3;
  config.vocabulary = 70'001;
  Twin twin = DecoderTest::Open(config);
  for (const std::int32_t token : {65'535, 65'536, 70'000}) {
    std::vector<float> logits(static_cast<std::size_t>(config.vocabulary));
    Invocation call("kv_decoder_step");
    call.Scalar(twin.handle).Scalar(token).Output(logits);
    ExpectStatus(KV_OK, call);
    ExpectLogits(fmt::format("logits of kv_decoder_step(token {})", token), logits,
                 twin.oracle.Step(token));
  }
}

TEST_F(DecoderSizes, PromptsOfManyLengths) {
  Tag({"combinations"});
  NeedDecoder();
  for (const std::size_t tokens : {2U, 31U, 32U, 33U, 47U, 63U, 64U, 65U, 96U, 97U, 129U, 257U}) {
    DecoderConfig config = kSmall;
    config.layers = tokens % 2 == 0 ? 2 : 1;
    config.rope_base = tokens % 3 == 0 ? 0.0F : 3e5F;
    config.mlp_width = tokens % 5 == 0 ? 0 : 9;
    ExpectPromptRight(config, tokens, 3);
  }
}

TEST_F(DecoderSizes, ALongPrompt) {
  Tag({"combinations"});
  NeedDecoder();
  DecoderConfig config = kSmall;
  config.width = 4;
  config.query_heads = config.kv_heads = 1;
  config.head_size = 4;
  config.rope_base = 10'000;
  ExpectPromptRight(config, 1'030, 2);
}

TEST_F(DecoderSizes, PromptsOneAfterTheOther) {
  Tag({"combinations"});
  NeedDecoder();
  DecoderConfig config = kSmall;
  config.rope_base = 700;
  config.query_heads = 4;
  Twin twin = DecoderTest::Open(config);
  for (const std::size_t tokens : {20U, 33U, 1U, 64U, 40U, 7U}) {
    DecoderTest::Prefill(twin, tokens);
    Steps(twin, 1);
  }
}

/// Heads, bases and windows drawn, and prompts longer than the window and than a block.
TEST_F(DecoderSizes, WindowsWithAllElse) {
  Tag({"combinations"});
  NeedDecoder();
  for (const std::int32_t window : {1, 5, 31, 33, 40}) {
    DecoderConfig config = kSmall;
    config.kv_heads = 1 + static_cast<std::int32_t>(random()() % 2);
    config.query_heads = 4;
    config.window = window;
    config.capacity = window + window % 2;
    config.rope_base = static_cast<float>(2 + random()() % 100'000);
    ExpectPromptRight(config, 20 + random()() % 60, 40);
  }
}

/// What the first decoder of a process decides must not hold for those behind it: in a fresh host,
/// and in another the last of them first.
TEST_F(DecoderSizes, FirstOfItsProcessIsAnother) {
  Tag({"combinations"});
  NeedDecoder();
  std::vector<DecoderConfig> configs(9, kSmall);
  configs[1].width = 33;
  configs[2].query_heads = 4;
  configs[3].head_size = 9;
  configs[4].rope_base = 1e4F;
  configs[5].mlp_width = 10;
  configs[6].vocabulary = 3;
  configs[7].norm_eps = 1e-2F;
  configs[8].layers = 2;
  for (int order = 0; order < 2; ++order) {
    decoders_.clear();  // They end with their host.
    RestartHost(kHost);
    for (const DecoderConfig& config : configs) {
      ExpectPromptRight(config, 9, 3);
    }
    std::ranges::reverse(configs);
  }
}

/// Positions go on behind a window.
TEST_F(DecoderSizes, PositionsFarAway) {
  Tag({"combinations"});
  NeedDecoder();
  DecoderConfig config{.width = 3,
                       .query_heads = 1,
                       .kv_heads = 1,
                       .head_size = 4,
                       .vocabulary = 3,
                       .capacity = 3,
                       .window = 3,
                       .rope_base = 2e4F};
  ExpectPromptRight(config, 9'000, 2);
}

}  // namespace
}  // namespace assay::kvcache
