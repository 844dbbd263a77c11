// SPDX-License-Identifier: Apache-2.0
// Memory as it is seen from outside the process: tag `memory`, or that of the storage. What a cache
// says of itself is in the other cases; here it has no say.

#include <fmt/format.h>

#include <array>
#include <bit>
#include <string>

#include "suite_support.h"

namespace assay::kvcache {
namespace {

constexpr double kBytesAllowed = 1.25;

class Memory : public KvCacheTest {
 protected:
  void SetUp() override {
    KvCacheTest::SetUp();
    if (sanitized()) {
      Skip("a sanitizer's allocator keeps what was freed");
    }
    // Memory that earlier cases gave back to the allocator would hide what this one takes.
    RestartHost(kHost);
  }

  static Config Llama3Shape(Storage storage) {
    return {.query_heads = 8,
            .kv_heads = 8,
            .head_size = 128,
            .batch = 2,
            .capacity = 2048,
            .storage = storage};
  }

  void FillUp(Driver& cache) {
    constexpr std::int32_t kPart = 256;
    const Tokens part = Draw(cache, std::size_t{kPart});
    for (std::int32_t s = 0; s < cache.config().batch; ++s) {
      for (std::int32_t at = 0; at < cache.config().capacity; at += kPart) {
        Right(cache.Append(0, s, part));
      }
    }
  }

  void ExpectWithinAllowance(std::int64_t grown_bytes, std::size_t least_bytes,
                             std::string_view what) {
    const auto grown = static_cast<double>(grown_bytes);
    const double allowed =
        kBytesAllowed * static_cast<double>(least_bytes) + static_cast<double>(2 * kMebibyte);
    if (grown > allowed) {
      FailCase(
          fmt::format("{} took {:.1f} MiB of the process's memory; its tokens take {:.1f} MiB "
                      "and up to {:.1f} MiB are allowed",
                      what, grown / kMebibyte, static_cast<double>(least_bytes) / kMebibyte,
                      allowed / kMebibyte));
    }
  }

  /// Of many layers, sequences and heads that hold 1,056 bytes each.
  static Config ShortRuns() {
    return {
        .layers = 32, .query_heads = 8, .kv_heads = 8, .head_size = 8, .batch = 8, .capacity = 33};
  }
  /// Of 8,192 bytes each.
  static Config ManySequences() { return {.head_size = 128, .batch = 512, .capacity = 8}; }

  void ExpectFullWithinAllowance(const Config& config, const std::string& what) {
    Decode(Open({.head_size = config.head_size, .capacity = 4}), 0, 2);
    const std::int64_t before = PrivateBytes(kHost);
    Driver& cache = Open(config);
    const Tokens tokens = Draw(cache, static_cast<std::size_t>(config.capacity));
    for (std::int32_t layer = 0; layer < config.layers; ++layer) {
      for (std::int32_t s = 0; s < config.batch; ++s) {
        Right(cache.Append(layer, s, tokens));
      }
    }
    ExpectWithinAllowance(PrivateBytes(kHost) - before, cache.model().UsedBytes(), what);
    Attend(cache, config.batch - 1, config.layers - 1);
  }

  /// A full cache, measured from outside and by what it says.
  void ExpectFullCacheWithinAllowance(Storage storage, const std::string& name) {
    // So that what the first call of everything takes is not counted.
    Driver& first = Open({.head_size = 128, .capacity = 4});
    Decode(first, 0, 2);
    const std::int64_t before = PrivateBytes(kHost);
    Driver& cache = Open(Llama3Shape(storage));
    FillUp(cache);
    const std::int64_t grown = PrivateBytes(kHost) - before;
    Right(cache.CheckUsage());
    const auto usage = cache.ReadUsage();
    if (!usage) {
      FailCase(usage.error());
    }
    const double tokens = 2.0 * cache.config().capacity;
    Attend(cache,
           1);  // It holds the tokens, too, wherever they lie: else its bytes are of nothing.
    Right(cache.CheckStored(0, 0));
    Metric("bytes_per_token_" + name, static_cast<double>(usage->bytes) / tokens);
    Metric("measured_bytes_per_token_" + name, static_cast<double>(grown) / tokens);
    ExpectWithinAllowance(grown, cache.model().UsedBytes(), "a full " + name + " cache");
  }
};

TEST_F(Memory, FullF32) {
  Tag({"memory"});
  ExpectFullCacheWithinAllowance(Storage::kF32, "f32");
}
TEST_F(Memory, FullF16) {
  Tag({"f16"});
  Need({KV_CAN_F16});
  ExpectFullCacheWithinAllowance(Storage::kF16, "f16");
}
TEST_F(Memory, FullInt8) {
  Tag({"int8"});
  Need({KV_CAN_INT8});
  ExpectFullCacheWithinAllowance(Storage::kInt8, "int8");
}
TEST_F(Memory, FullInt4) {
  Tag({"int4"});
  Need({KV_CAN_INT4});
  ExpectFullCacheWithinAllowance(Storage::kInt4, "int4");
}

TEST_F(Memory, FullPool) {
  Tag({"paged"});
  Need({KV_CAN_PAGED});
  Decode(Open({.head_size = 128, .capacity = 4}), 0, 2);
  const std::int64_t before = PrivateBytes(kHost);
  Config config = Llama3Shape(Storage::kF32);
  config.page_size = 16;
  config.pages = 2 * 2048 / 16;
  Driver& cache = Open(config);
  FillUp(cache);
  ExpectWithinAllowance(PrivateBytes(kHost) - before, cache.model().UsedBytes(), "a full pool");
}

/// Room that is made in powers of two is nearly twice what these take.
TEST_F(Memory, FullAboveAPowerOfTwo) {
  Tag({"memory"});
  Decode(Open({.head_size = 128, .capacity = 4}), 0, 2);
  const std::int64_t before = PrivateBytes(kHost);
  Config config = Llama3Shape(Storage::kF32);
  config.batch = 1;
  config.capacity = 2304;
  Driver& cache = Open(config);
  FillUp(cache);
  ExpectWithinAllowance(PrivateBytes(kHost) - before, cache.model().UsedBytes(),
                        "a full cache of 2304 tokens");
}

/// So many heads, sequences and layers that what each of them begins with counts.
TEST_F(Memory, FullOfShortRuns) {
  Tag({"memory"});
  ExpectFullWithinAllowance(ShortRuns(), "a full cache of many short runs");
}
TEST_F(Memory, FullPoolOfShortRuns) {
  Tag({"paged"});
  Need({KV_CAN_PAGED});
  Config config = ShortRuns();
  config.page_size = 3;
  config.pages = 8 * 11;
  ExpectFullWithinAllowance(config, "a full pool of many short runs");
}

/// So many sequences that scratch for each counts.
TEST_F(Memory, FullOfManySequences) {
  Tag({"memory"});
  ExpectFullWithinAllowance(ManySequences(), "a full cache of many sequences");
}
TEST_F(Memory, FullPoolOfManySequences) {
  Tag({"paged"});
  Need({KV_CAN_PAGED});
  Config config = ManySequences();
  config.page_size = 4;
  config.pages = 512 * 2;
  ExpectFullWithinAllowance(config, "a full pool of many sequences");
}

/// What a window has passed over takes nothing.
TEST_F(Memory, FullWindowAboveAPowerOfTwo) {
  Tag({"window"});
  Need({KV_CAN_WINDOW});
  Decode(Open({.head_size = 128, .capacity = 4}), 0, 2);
  const std::int64_t before = PrivateBytes(kHost);
  Driver& cache =
      Open({.query_heads = 4, .kv_heads = 4, .head_size = 128, .capacity = 4352, .window = 4352});
  FillUp(cache);
  FillUp(cache);
  ExpectWithinAllowance(PrivateBytes(kHost) - before, cache.model().UsedBytes(),
                        "a full window of 4352 tokens");
}

/// Caches that come and go leave nothing behind.
TEST_F(Memory, DestroyedCachesGiveItBack) {
  Tag({"memory"});
  Config config = Llama3Shape(Storage::kF32);
  config.batch = 1;
  config.capacity = 512;
  const Tokens tokens = DrawTokens(random(), config, 512);
  std::int64_t after_three = 0;
  for (int round = 0; round < 12; ++round) {
    auto cache = Driver::Create(Link(), config);
    if (!cache) {
      FailCase(cache.error());
    }
    Right(cache->Append(0, 0, tokens));
    Right(cache->Destroy());
    if (round == 2) {
      after_three = PrivateBytes(kHost);
    }
  }
  ExpectWithinAllowance(PrivateBytes(kHost) - after_three, 0,
                        "creating and destroying nine caches");
}

/// So do sequences.
TEST_F(Memory, FreedSequencesAreUsedAgain) {
  Tag({"memory"});
  Config config = Llama3Shape(Storage::kF32);
  config.batch = 1;
  config.capacity = 512;
  Driver& cache = Open(config);
  const Tokens tokens = Draw(cache, 512);
  std::int64_t after_three = 0;
  for (int round = 0; round < 12; ++round) {
    Right(cache.Append(0, 0, tokens));
    Right(cache.Free(0));
    if (round == 2) {
      after_three = PrivateBytes(kHost);
    }
  }
  ExpectWithinAllowance(PrivateBytes(kHost) - after_three, 0, "filling and freeing a sequence");
}

/// Attention keeps nothing, however long it goes on.
TEST_F(Memory, AttentionKeepsNothing) {
  Tag({"memory"});
  Driver& cache = Open(Llama3Shape(Storage::kF32));
  Fill(cache, 0, 300);
  std::int64_t after_ten = 0;
  for (int round = 0; round < 200; ++round) {
    const Tokens query = Draw(cache, 1);
    std::vector<float> out(query.q.size());
    Invocation call("kv_attend");
    const std::array<std::int32_t, 1> sequence{0};
    call.Scalar(cache.handle()).Scalar(0).Scalar(std::size_t{1}).Input(sequence);
    call.Input(query.q).Output(out);
    ExpectStatus(KV_OK, call);
    if (round == 10) {
      after_ten = PrivateBytes(kHost);
    }
  }
  ExpectWithinAllowance(PrivateBytes(kHost) - after_ten, 0, "attending 189 times");
}

class Capabilities : public KvCacheTest {};

TEST_F(Capabilities, AreKnownBits) {
  Tag({"core"});
  std::array<std::int32_t, 1> bits{};
  Invocation call("kv_capabilities");
  call.Output(bits);
  RequireOperation("kv_capabilities");
  ExpectStatus(KV_OK, call);
  constexpr std::int32_t kKnown = 2 * KV_CAN_WINDOW - 1;
  if ((bits[0] & ~kKnown) != 0) {
    FailCase(
        fmt::format("kv_capabilities returns {:#x}, which has bits that mean nothing", bits[0]));
  }
  Metric("capabilities", std::popcount(static_cast<std::uint32_t>(bits[0])));
}

}  // namespace
}  // namespace assay::kvcache
