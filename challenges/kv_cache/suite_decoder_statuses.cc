// SPDX-License-Identifier: Apache-2.0
// Every documented reason to refuse a call of a decoder, alone (tag `decoder`) and beside another
// (tag `combinations`), and that the decoder goes on as if nobody had asked.

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "suite_decoder.h"
#include "suite_support.h"

namespace assay::kvcache {
namespace {

class DecoderRefuses : public DecoderTest {
 protected:
  void ExpectRefused(int status, const Twin& twin, const std::vector<std::int32_t>& prompt) {
    std::vector<float> logits(static_cast<std::size_t>(twin.config.vocabulary));
    Invocation call("kv_decoder_prefill");
    call.Scalar(twin.handle).Scalar(prompt.size()).Input(prompt).Output(logits);
    ExpectStatus(status, call);
  }

  /// What kv_decoder_create of so many weights, all 0, says.
  void ExpectNoDecoder(const DecoderConfig& config, std::size_t weights,
                       int wanted = KV_INVALID_ARGUMENT) {
    std::uint64_t handle = kUnwritten;
    const int status = Create(config, std::vector<float>(weights), &handle);
    const std::string operation = fmt::format(
        "kv_decoder_create(layers {}, width {}, heads {}/{} of {}, vocabulary "
        "{}, capacity {}, window {}, rope_base {}, norm_eps {}, {} weights)",
        config.layers, config.width, config.query_heads, config.kv_heads, config.head_size,
        config.vocabulary, config.capacity, config.window, config.rope_base, config.norm_eps,
        weights);
    if (status != wanted) {
      FailCase(fmt::format("{} returned {} instead of {}", operation, StatusName(status),
                           StatusName(wanted)));
    }
    ExpectUnwritten(status, handle, operation);
  }
};

TEST_F(DecoderRefuses, Configurations) {
  Tag({"decoder"});
  NeedDecoder();
  const std::size_t count = WeightCount(kBare);
  ExpectNoDecoder(kBare, count - 1);
  ExpectNoDecoder(kBare, count + 1);
  for (std::int32_t DecoderConfig::* field :
       {&DecoderConfig::layers, &DecoderConfig::width, &DecoderConfig::query_heads,
        &DecoderConfig::kv_heads, &DecoderConfig::head_size, &DecoderConfig::vocabulary,
        &DecoderConfig::capacity}) {
    for (const std::int32_t value : {0, -1}) {
      DecoderConfig config = kBare;
      config.*field = value;
      ExpectNoDecoder(config, count);
    }
  }
  DecoderConfig config = kBare;
  for (const float eps : {-1e-6F, -std::numeric_limits<float>::denorm_min()}) {
    config.norm_eps = eps;
    ExpectNoDecoder(config, count);
  }
  config = kBare;
  config.kv_heads = 3;
  ExpectNoDecoder(config, count);
  config = kBare;
  config.head_size = 7;
  config.rope_base = 10'000;
  ExpectNoDecoder(config, WeightCount(config));
  config = kBare;
  config.window = config.capacity + 1;
  ExpectNoDecoder(config, count);
}

/// Heads that are too large are said last.
TEST_F(DecoderRefuses, LargeHeadsBesideAnotherReason) {
  Tag({"decoder"});
  NeedDecoder();
  DecoderConfig large = kBare;
  large.head_size = 258;
  const std::size_t count = WeightCount(large);
  ExpectNoDecoder(large, count, KV_UNSUPPORTED);
  ExpectNoDecoder(large, count - 1);
  ExpectNoDecoder(large, count + 1);
  ExpectNoDecoder(large, 0);
  DecoderConfig config = large;
  config.norm_eps = -1;
  ExpectNoDecoder(config, count);
  config = large;
  config.head_size = 259;
  config.rope_base = 10'000;
  ExpectNoDecoder(config, WeightCount(config));
  config = large;
  config.kv_heads = 3;
  ExpectNoDecoder(config, WeightCount(config));
}

TEST_F(DecoderRefuses, PromptsOfNoToken) {
  Tag({"decoder"});
  NeedDecoder();
  Twin twin = DecoderTest::Open(kBare);
  ExpectRefused(KV_INVALID_ARGUMENT, twin, {});
  DecoderTest::Prefill(twin, 3);
  ExpectRefused(KV_INVALID_ARGUMENT, twin, {});
  Steps(twin, 1);
}

/// A token that is none, at any place of a prompt, also of one that is too long.
TEST_F(DecoderRefuses, TokensAndCapacity) {
  Tag({"combinations"});
  NeedDecoder();
  DecoderConfig config = kBare;
  config.capacity = 40;
  Twin twin = DecoderTest::Open(config);
  DecoderTest::Prefill(twin, 4);
  for (const std::size_t length : {3U, 36U, 37U, 60U}) {
    for (const std::size_t place : {std::size_t{0}, length / 2, length - 1}) {
      std::vector<std::int32_t> prompt = DrawPrompt(config, length);
      prompt[place] = place % 2 == 0 ? config.vocabulary : -1;
      ExpectRefused(KV_INVALID_ARGUMENT, twin, prompt);
    }
  }
  ExpectRefused(KV_CAPACITY, twin, DrawPrompt(config, 37));
  Steps(twin, 2);
  ExpectRefused(KV_CAPACITY, twin, DrawPrompt(config, 35));
  DecoderTest::Prefill(twin, 34);
}

}  // namespace
}  // namespace assay::kvcache
