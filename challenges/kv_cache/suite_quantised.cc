// SPDX-License-Identifier: Apache-2.0
// Storage narrower than float, of one sequence that is appended to: tags `f16`, `int8`, `int4`;
// together with pages and chunks: tag `hybrid`; with a prompt in a batch: tag `combinations`. Each
// case runs for each storage; what is stored is exact to the code, so attention is judged over it
// as closely as in f32.

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>

#include "suite_support.h"

namespace assay::kvcache {
namespace {

class Narrow : public KvCacheTest, public testing::WithParamInterface<Storage> {
 protected:
  void SetUp() override {
    KvCacheTest::SetUp();
    Tag({TagOfCases()});
    Need({Capability()});
  }

  [[nodiscard]] virtual std::string_view TagOfCases() const { return ToString(GetParam()); }

  [[nodiscard]] static kv_capability Capability() {
    return GetParam() == Storage::kF16    ? KV_CAN_F16
           : GetParam() == Storage::kInt8 ? KV_CAN_INT8
                                          : KV_CAN_INT4;
  }

  /// The largest code: values k * scale for -Codes() <= k <= Codes().
  [[nodiscard]] static int Codes() { return GetParam() == Storage::kInt4 ? 7 : 127; }

  [[nodiscard]] static Config Plain(std::int32_t head_size = 64) {
    return {.query_heads = 2,
            .kv_heads = 2,
            .head_size = head_size,
            .capacity = 160,
            .storage = GetParam()};
  }

  /// Tokens whose k and v are these values, over and over.
  Tokens Pattern(const Driver& cache, std::size_t count, const std::vector<float>& values) {
    Tokens tokens = Draw(cache, count);
    for (std::size_t i = 0; i < tokens.k.size(); ++i) {
      tokens.k[i] = values[i % values.size()];
      tokens.v[i] = values[(i * 7 + 3) % values.size()];
    }
    return tokens;
  }

  /// Stores them, reads them back, attends.
  void ExpectRight(Driver& cache, const Tokens& tokens) {
    Right(cache.Append(0, 0, tokens));
    Right(cache.CheckStored(0, 0));
    Attend(cache, 0);
    Right(cache.Free(0));
  }
};

TEST_P(Narrow, StoredToTheCode) {
  Driver& cache = Open(Plain());
  Fill(cache, 0, 60);
  Right(cache.CheckAll());
}

TEST_P(Narrow, Decodes) {
  Driver& cache = Open(Plain());
  Fill(cache, 0, 40);
  Attend(cache, 0);
  Decode(cache, 0, 8);
}

TEST_P(Narrow, HeadsOfEverySize) {
  for (const std::int32_t size : {1, 2, 31, 33, 80, 96, 127, 128, 256}) {
    Driver& cache = Open(Plain(size));
    Fill(cache, 0, 20);
    Right(cache.CheckAll());
    Attend(cache, 0);
  }
}

/// Every code, both signs, at both nibbles of a byte.
TEST_P(Narrow, EveryCode) {
  std::vector<float> values;
  for (int code = -Codes(); code <= Codes(); ++code) {
    values.push_back(static_cast<float>(code) * 0.25F);
  }
  for (const std::int32_t size : {64, 33, 16}) {
    Driver& cache = Open(Plain(size));
    Tokens tokens = Pattern(cache, 40, values);
    // The largest in each group, so that a step is a quarter.
    for (std::size_t i = 0; i < tokens.k.size(); i += 16) {
      tokens.k[i] = tokens.v[i] = static_cast<float>(Codes()) * 0.25F;
    }
    ExpectRight(cache, tokens);
  }
}

TEST_P(Narrow, Zeros) {
  Driver& cache = Open(Plain());
  Fill(cache, 0, 5);
  Right(cache.Append(0, 0, Pattern(cache, 3, {0.0F})));
  Fill(cache, 0, 2);
  Right(cache.CheckStored(0, 0));
  Attend(cache, 0);
  ExpectRight(cache, Pattern(cache, 4, {0.0F}));
}

TEST_P(Narrow, AnOutlierTakesTheScale) {
  Driver& cache = Open(Plain());
  Tokens tokens = Draw(cache, 30, {.key_scale = 1e-2, .value_scale = 1e-2});
  for (std::size_t token = 0; token < 30; token += 3) {
    tokens.k[token * cache.config().KeyElements() + 5] = 100;
    tokens.v[token * cache.config().KeyElements() + 70] = -100;
  }
  AvoidTies(cache.config(), tokens.k);
  AvoidTies(cache.config(), tokens.v);
  ExpectRight(cache, tokens);
}

/// The largest of a head is in each of its places, with either sign.
TEST_P(Narrow, TheLargestInEveryPlace) {
  for (const std::int32_t size : {5, 33, 64}) {
    Driver& cache = Open(Plain(size));
    const auto places = static_cast<std::size_t>(size);
    Tokens tokens = Draw(cache, 2 * places, {.key_scale = 0.3, .value_scale = 0.3});
    for (std::size_t i = 0; i < tokens.k.size(); ++i) {
      const std::size_t token = i / cache.config().KeyElements();
      if (i % places == token / 2) {
        tokens.k[i] = token % 2 == 0 ? 3.0F : -3.0F;
        tokens.v[i] = -tokens.k[i];
      }
    }
    AvoidTies(cache.config(), tokens.k);
    AvoidTies(cache.config(), tokens.v);
    ExpectRight(cache, tokens);
  }
}

/// Every token, head and half has its own scale.
TEST_P(Narrow, TokensOfManyMagnitudes) {
  Driver& cache = Open(Plain());
  for (int token = 0; token < 24; ++token) {
    const double scale = std::pow(10.0, token % 6 - 3);
    Right(cache.Append(0, 0, Draw(cache, 1, {.key_scale = scale, .value_scale = 100 / scale})));
  }
  Right(cache.CheckStored(0, 0));
  Attend(cache, 0);
  Right(cache.Free(0));
  Tokens together = Draw(cache, 24);
  const std::size_t elements = cache.config().KeyElements();
  for (std::size_t i = 0; i < together.k.size(); ++i) {
    together.k[i] *= static_cast<float>(std::pow(10.0, static_cast<double>(i / elements % 5) - 2));
  }
  AvoidTies(cache.config(), together.k);
  Right(cache.Append(0, 0, together));
  Right(cache.CheckStored(0, 0));
  Attend(cache, 0);
}

TEST_P(Narrow, TinyValues) {
  Driver& cache = Open(Plain());
  ExpectRight(cache, Draw(cache, 20, {.key_scale = 1e-7, .value_scale = 1e-7}));
  ExpectRight(cache, Draw(cache, 20, {.key_scale = 1e-3, .value_scale = 1e-6}));
}

/// Scales that are subnormal, whose reciprocal is infinite; and of which so few digits are left
/// that the largest divided by its scale is beyond the largest code.
TEST_P(Narrow, ScalesWithoutAReciprocal) {
  Driver& cache = Open(Plain());
  for (const double size : {1e-37, 5e-39, 2e-43}) {
    Right(cache.Append(0, 0, Draw(cache, 20, {.key_scale = size, .value_scale = size})));
    Right(cache.CheckStored(0, 0));
    Right(cache.Free(0));
  }
}

TEST_P(Narrow, LargeValues) {
  Driver& cache = Open(Plain());
  ExpectRight(cache, Draw(cache, 20, {.query_scale = 1e-3, .key_scale = 1e3, .value_scale = 2e3}));
}

/// Where two codes are equally near either is right: what is read back lies half a step away.
TEST_P(Narrow, HalfwayBetweenCodes) {
  Driver& cache = Open(Plain());
  std::vector<float> values;
  for (int code = -Codes(); code < Codes(); ++code) {
    values.push_back((static_cast<float>(code) + 0.5F) * 0.5F);
  }
  Tokens tokens = Pattern(cache, 20, values);
  for (std::size_t i = 0; i < tokens.k.size(); i += 16) {
    tokens.k[i] = tokens.v[i] = static_cast<float>(Codes()) * 0.5F;
  }
  Right(cache.Append(0, 0, tokens));
  std::vector<float> k(tokens.k.size());
  std::vector<float> v(tokens.v.size());
  Invocation call("kv_read");
  call.Scalar(cache.handle()).Scalar(0).Scalar(0).Scalar(std::size_t{0}).Scalar(tokens.count);
  call.Output(k).Output(v);
  ExpectStatus(KV_OK, call);
  ExpectWithin({"k"}, k, std::vector<double>(tokens.k.begin(), tokens.k.end()),
               StorageBounds(cache.config(), tokens.k));
  ExpectWithin({"v"}, v, std::vector<double>(tokens.v.begin(), tokens.v.end()),
               StorageBounds(cache.config(), tokens.v));
}

/// What is stored narrowly, as a prompt and in a batch.
class NarrowPrompt : public Narrow {
 protected:
  [[nodiscard]] std::string_view TagOfCases() const override { return "combinations"; }
};

TEST_P(NarrowPrompt, InABatch) {
  Config config = Plain();
  config.batch = 2;
  Driver& cache = Open(config);
  Prefill(cache, 0, 70);
  Fill(cache, 1, 7);
  AttendAll(cache);
  Decode(cache, 0, 2);
  Right(cache.CheckAll());
}

/// What is stored narrowly, together with what else is reported.
class NarrowWith : public Narrow {
 protected:
  void SetUp() override {
    Narrow::SetUp();
    Need({KV_CAN_HYBRID});
  }

  [[nodiscard]] std::string_view TagOfCases() const override { return "hybrid"; }
};

TEST_P(NarrowWith, GroupedHeads) {
  Need({KV_CAN_GQA});
  Config config = Plain(128);
  config.query_heads = 8;
  Driver& cache = Open(config);
  Fill(cache, 0, 90);
  Attend(cache, 0);
}

TEST_P(NarrowWith, PagesAndChunks) {
  Need({KV_CAN_PAGED, KV_CAN_CHUNKED});
  Config config = Plain(80);
  config.page_size = 16;
  config.pages = 20;
  Driver& cache = Open(config);
  for (const std::size_t chunk : {9U, 30U, 1U, 17U}) {
    Prefill(cache, 0, chunk);
  }
  Decode(cache, 0, 4);
  Right(cache.CheckAll());
}

TEST_P(NarrowWith, PagesUsedAgain) {
  Need({KV_CAN_PAGED});
  Config config = Plain();
  config.batch = 2;
  config.page_size = 8;
  config.pages = 20;
  Driver& cache = Open(config);
  for (int round = 0; round < 4; ++round) {
    Fill(cache, 0, 50);
    Fill(cache, 1, 70);
    AttendAll(cache);
    Right(cache.CheckAll());
    Right(cache.Free(round % 2));
    Right(cache.Free(1));
    Fill(cache, 1, 11);
    AttendAll(cache);
    Right(cache.Free(0));
    Right(cache.Free(1));
  }
}

TEST_P(NarrowWith, PagesAndForks) {
  Need({KV_CAN_PAGED, KV_CAN_FORK});
  Config config = Plain();
  config.batch = 2;
  config.page_size = 8;
  config.pages = 20;
  Driver& cache = Open(config);
  Fill(cache, 0, 21);
  Right(cache.Fork(0, 1));
  Fill(cache, 1, 3);
  Fill(cache, 0, 5);
  Right(cache.CheckAll());
  AttendAll(cache);
}

std::string NameOf(const testing::TestParamInfo<Storage>& storage) {
  return std::string(ToString(storage.param));
}
INSTANTIATE_TEST_SUITE_P(Storage, Narrow,
                         testing::Values(Storage::kF16, Storage::kInt8, Storage::kInt4), NameOf);
INSTANTIATE_TEST_SUITE_P(Storage, NarrowPrompt,
                         testing::Values(Storage::kF16, Storage::kInt8, Storage::kInt4), NameOf);
INSTANTIATE_TEST_SUITE_P(Storage, NarrowWith,
                         testing::Values(Storage::kF16, Storage::kInt8, Storage::kInt4), NameOf);

class F16 : public KvCacheTest {
 protected:
  /// Ties both ways, the largest, beyond it, subnormal, the least, half of it, negative zero.
  static constexpr std::array<float, 16> kHard = {
      1 + 0x1p-11F,    1 + 3 * 0x1p-11F, 65504.0F, 65519.0F, -65520.0F,   0x1p-24F,      0x1p-25F,
      1.5F * 0x1p-24F, 0x1.ffcp-15F,     -0.0F,    0x1p-14F, 3.14159265F, -1 - 0x1p-11F, 1e-8F,
      2049.0F,         2051.0F};
};

TEST_F(F16, RoundsToNearestEven) {
  Tag({"f16"});
  Need({KV_CAN_F16});
  Driver& cache = Open(
      {.query_heads = 1, .kv_heads = 1, .head_size = 16, .capacity = 8, .storage = Storage::kF16});
  Tokens tokens = Draw(cache, 2);
  for (std::size_t i = 0; i < kHard.size(); ++i) {
    tokens.k[i] = kHard[i];
    tokens.v[i] = kHard[kHard.size() - 1 - i];
  }
  Right(cache.Append(0, 0, tokens));
  Right(cache.CheckStored(0, 0));
}

/// Each of them in each place of a head, of sizes that no vector divides: no two have a divisor in
/// common with how many values there are.
TEST_F(F16, RoundsToNearestEvenInEveryPlace) {
  Tag({"f16"});
  Need({KV_CAN_F16});
  for (const std::int32_t size : {1, 5, 17, 63}) {
    Driver& cache = Open({.query_heads = 1,
                          .kv_heads = 1,
                          .head_size = size,
                          .capacity = 16,
                          .storage = Storage::kF16});
    Tokens tokens = Draw(cache, kHard.size());
    for (std::size_t i = 0; i < tokens.k.size(); ++i) {
      tokens.k[i] = kHard[i % kHard.size()];
      tokens.v[i] = -kHard[i % kHard.size()];
    }
    Right(cache.Append(0, 0, tokens));
    Right(cache.CheckStored(0, 0));
  }
}

}  // namespace
}  // namespace assay::kvcache
