// SPDX-License-Identifier: Apache-2.0
// What a process keeps of calls, each operation made some thousand times in it: tag `memory`.

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "suite_decoder.h"
#include "suite_support.h"

namespace assay::kvcache {
namespace {

/// Memory that calls keep. Each is made kWatched times after as many as its scratch may grow in;
/// the least that an allocator hands out, 32 bytes, kept by each call is more than is allowed.
class Leaks : public DecoderTest {
 protected:
  void SetUp() override {
    DecoderTest::SetUp();
    Tag({"memory"});
    if (sanitized()) {
      Skip("a sanitizer's allocator keeps what was freed");
    }
    RestartHost(kHost);
    RequireTheCache();
  }

  /// `calls(i)` is the i-th round; a call with another status than it wants ends the case.
  void ExpectNothingKept(const std::string& what, const std::function<void(int)>& calls) {
    constexpr int kFirst = 300;
    constexpr int kWatched = 2'500;
    constexpr std::int64_t kAllowed_bytes = 64 << 10;
    for (int i = 0; i < kFirst; ++i) {
      calls(i);
    }
    const std::int64_t before = PrivateBytes(kHost);
    for (int i = 0; i < kWatched; ++i) {
      calls(i);
    }
    const std::int64_t grown = PrivateBytes(kHost) - before;
    if (grown > kAllowed_bytes) {
      FailCase(fmt::format(
          "{} {} times: the process keeps {} bytes more, {:.0f} a time; {} "
          "are allowed",
          what, kWatched, grown, static_cast<double>(grown) / kWatched, kAllowed_bytes));
    }
  }

  /// What is kept for a size must not add up over sizes: the largest come first, and then only
  /// `others` that were not asked before, the least of them, in turn.
  void ExpectNothingKeptOverSizes(const std::string& what, int others,
                                  const std::function<void(int)>& call) {
    constexpr int kFirst = 300;
    int calls = 0;
    ExpectNothingKept(what, [&](int) {
      call(calls < kFirst ? kLargest - 2 * calls : 2 + 2 * (calls % others));
      ++calls;
    });
  }
  static constexpr int kLargest = 601;

  static constexpr Config kSmall{
      .layers = 2, .query_heads = 2, .kv_heads = 2, .head_size = 8, .batch = 3, .capacity = 64};

  /// Calls around the driver, which would keep what it stores.
  struct Buffers {
    Tokens tokens;
    std::vector<float> out;
    std::vector<float> k;
    std::vector<float> v;
  };
  Buffers MakeBuffers(const Driver& cache, std::size_t tokens) {
    Buffers buffers{.tokens = Draw(cache, tokens), .out = {}, .k = {}, .v = {}};
    buffers.out.resize(buffers.tokens.q.size());
    buffers.k.resize(buffers.tokens.k.size());
    buffers.v.resize(buffers.tokens.v.size());
    return buffers;
  }
  void AppendTo(const Driver& cache, std::span<const std::int32_t> sequences, const Buffers& from,
                int status = KV_OK, std::int32_t layer = 0) {
    Invocation call("kv_append");
    call.Scalar(cache.handle()).Scalar(layer).Scalar(sequences.size()).Input(sequences);
    call.Input(from.tokens.k).Input(from.tokens.v);
    ExpectStatus(status, call);
  }
  void AttendTo(const Driver& cache, std::span<const std::int32_t> sequences, Buffers& from) {
    const std::size_t values = sequences.size() * cache.config().QueryElements();
    Invocation call("kv_attend");
    call.Scalar(cache.handle()).Scalar(0).Scalar(sequences.size()).Input(sequences);
    call.Input(std::span(from.tokens.q).first(values)).Output(std::span(from.out).first(values));
    ExpectStatus(KV_OK, call);
  }
  void PrefillTo(const Driver& cache, std::int32_t sequence, Buffers& from, int status = KV_OK) {
    Invocation call("kv_prefill");
    call.Scalar(cache.handle()).Scalar(0).Scalar(sequence).Scalar(from.tokens.count);
    call.Input(from.tokens.q).Input(from.tokens.k).Input(from.tokens.v).Output(from.out);
    ExpectStatus(status, call);
  }
  void FreeOf(const Driver& cache, std::int32_t sequence) {
    Invocation call("kv_free");
    call.Scalar(cache.handle()).Scalar(sequence);
    ExpectStatus(KV_OK, call);
  }
  void ComeAndGo(const Config& config) {
    auto cache = Driver::Create(Link(), config);
    if (!cache) {
      FailCase(cache.error());
    }
    Right(cache->Destroy());
  }
  void ForkOf(const Driver& cache, std::int32_t parent, std::int32_t child) {
    Invocation call("kv_fork");
    call.Scalar(cache.handle()).Scalar(parent).Scalar(child);
    ExpectStatus(KV_OK, call);
  }
};

TEST_F(Leaks, CreateAndDestroy) {
  ExpectNothingKept("creating and destroying a cache", [this](int) { ComeAndGo(kSmall); });
}

/// Full ones, of a size that no page of memory divides: what is left behind may be the end alone.
TEST_F(Leaks, CachesThatWereFull) {
  Config config = kSmall;
  config.head_size = 9;
  config.capacity = 2;
  std::vector<Config> configs = {config};
  if (Has(KV_CAN_PAGED)) {
    config.page_size = 2;
    config.pages = 3;
    configs.push_back(config);
  }
  const Buffers buffers = MakeBuffers(Open(config), 6);
  ExpectNothingKept("creating a cache, filling and destroying it", [&](int i) {
    auto cache = Driver::Create(Link(), configs[static_cast<std::size_t>(i) % configs.size()]);
    if (!cache) {
      FailCase(cache.error());
    }
    for (const std::int32_t layer : {0, 1}) {
      AppendTo(*cache, std::array{0, 1, 2, 0, 1, 2}, buffers, KV_OK, layer);
    }
    Right(cache->Destroy());
  });
}

/// What an operation takes for codes, pages and windows, it gives back.
TEST_F(Leaks, OfEveryKindOfCache) {
  std::vector<Config> configs;
  const auto add = [&](kv_capability capability, auto change) {
    if (Has(capability)) {
      configs.push_back(kSmall);
      change(configs.back());
    }
  };
  add(KV_CAN_F16, [](Config& config) { config.storage = Storage::kF16; });
  add(KV_CAN_INT8, [](Config& config) { config.storage = Storage::kInt8; });
  add(KV_CAN_INT4, [](Config& config) { config.storage = Storage::kInt4; });
  add(KV_CAN_PAGED, [](Config& config) { config.page_size = 4, config.pages = 12; });
  add(KV_CAN_WINDOW, [](Config& config) { config.window = 5; });
  if (configs.empty()) {
    Skip("no capability of these is reported");
  }
  std::vector<Driver*> caches;
  caches.reserve(configs.size());
  for (const Config& config : configs) {
    caches.push_back(&Open(config));
  }
  Buffers buffers = MakeBuffers(*caches.front(), 3);
  constexpr std::array<std::int32_t, 3> kAll = {0, 1, 2};
  ExpectNothingKept("kv_append, kv_attend, kv_prefill and kv_free", [&](int i) {
    const Driver& cache = *caches[static_cast<std::size_t>(i) % caches.size()];
    AppendTo(cache, kAll, buffers);
    AttendTo(cache, kAll, buffers);
    FreeOf(cache, i % 3);
    PrefillTo(cache, i % 3, buffers);
    FreeOf(cache, i % 3);
    if (cache.config().page_size > 0 || i % 8 == 7) {
      FreeOf(cache, (i + 1) % 3);
      FreeOf(cache, (i + 2) % 3);
    }
  });
}

TEST_F(Leaks, PromptsOfEveryLength) {
  Config config = kSmall;
  config.capacity = kLargest;
  Driver& cache = Open(config);
  ExpectNothingKeptOverSizes("kv_prefill of ever other lengths and kv_free", 60, [&](int length) {
    Buffers buffers = MakeBuffers(cache, static_cast<std::size_t>(length));
    PrefillTo(cache, 1, buffers);
    FreeOf(cache, 1);
  });
}

TEST_F(Leaks, AppendsOfEveryCount) {
  Config config = kSmall;
  config.batch = 1;
  config.capacity = kLargest;
  Driver& cache = Open(config);
  ExpectNothingKeptOverSizes("kv_append of ever other counts and kv_free", 300, [&](int count) {
    const std::vector<std::int32_t> sequences(static_cast<std::size_t>(count), 0);
    AppendTo(cache, sequences, MakeBuffers(cache, sequences.size()));
    FreeOf(cache, 0);
  });
}

TEST_F(Leaks, AttendsOfEveryCount) {
  Config config = kSmall;
  config.batch = kLargest;
  config.capacity = 2;
  Driver& cache = Open(config);
  std::vector<std::int32_t> all(static_cast<std::size_t>(kLargest));
  std::iota(all.begin(), all.end(), 0);
  Buffers buffers = MakeBuffers(cache, all.size());
  AppendTo(cache, all, buffers);
  ExpectNothingKeptOverSizes("kv_attend of ever other counts", 300, [&](int count) {
    AttendTo(cache, std::span(all).first(static_cast<std::size_t>(count)), buffers);
  });
}

TEST_F(Leaks, CachesOfEverySize) {
  ExpectNothingKeptOverSizes("creating and destroying ever other caches", 300, [&](int size) {
    Config config = kSmall;
    config.capacity = size;
    ComeAndGo(config);
    config.capacity = 2;
    config.batch = size;
    ComeAndGo(config);
  });
}

TEST_F(Leaks, AppendAndFree) {
  Driver& cache = Open(kSmall);
  const Buffers buffers = MakeBuffers(cache, 4);
  ExpectNothingKept("kv_append of 4 tokens and kv_free", [&](int i) {
    AppendTo(cache, std::array{0, 1, 0, 2}, buffers);
    if (i % 8 == 7) {
      for (const std::int32_t sequence : {0, 1, 2}) {
        FreeOf(cache, sequence);
      }
    }
  });
}

TEST_F(Leaks, Attend) {
  Driver& cache = Open(kSmall);
  Fill(cache, 0, 30);
  Fill(cache, 1, 5);
  Buffers buffers = MakeBuffers(cache, 3);
  constexpr std::array<std::int32_t, 3> kAll = {0, 1, 2};
  ExpectNothingKept("kv_attend of 3 sequences", [&](int) { AttendTo(cache, kAll, buffers); });
}

TEST_F(Leaks, Prefill) {
  Driver& cache = Open(kSmall);
  Buffers buffers = MakeBuffers(cache, 9);
  ExpectNothingKept("kv_prefill of 9 tokens and kv_free", [&](int) {
    PrefillTo(cache, 1, buffers);
    FreeOf(cache, 1);
  });
}

TEST_F(Leaks, LooksAtWhatIsStored) {
  Driver& cache = Open(kSmall);
  Fill(cache, 0, 9);
  Buffers buffers = MakeBuffers(cache, 9);
  std::array<std::uint64_t, 3> numbers{};
  ExpectNothingKept("kv_length, kv_get_usage and kv_read", [&](int) {
    Invocation length("kv_length");
    length.Scalar(cache.handle()).Scalar(0).Scalar(0).Output(std::span(numbers).first(1));
    ExpectStatus(KV_OK, length);
    Invocation usage("kv_get_usage");
    usage.Scalar(cache.handle()).Output(numbers);
    ExpectStatus(KV_OK, usage);
    Invocation read("kv_read");
    read.Scalar(cache.handle()).Scalar(0).Scalar(0).Scalar(std::size_t{0}).Scalar(std::size_t{9});
    read.Output(buffers.k).Output(buffers.v);
    ExpectStatus(KV_OK, read);
  });
}

/// Calls that are refused keep nothing either.
TEST_F(Leaks, Refusals) {
  Config config = kSmall;
  config.batch = 1;
  config.capacity = 5;
  Driver& full = Open(config);
  Fill(full, 0, 5);
  Driver& empty = Open(config);
  Buffers one = MakeBuffers(full, 1);
  Buffers six = MakeBuffers(full, 6);
  ExpectNothingKept("calls that are refused", [&](int) {
    AppendTo(full, std::array{0}, one, KV_CAPACITY);
    AppendTo(full, std::array{7}, one, KV_INVALID_ARGUMENT);
    PrefillTo(empty, 0, six, KV_CAPACITY);
  });
}

/// Nor do caches that are refused.
TEST_F(Leaks, RefusedCaches) {
  std::array<std::uint64_t, 1> handle{};
  ExpectNothingKept("kv_create of what makes no sense", [&](int) {
    Invocation call("kv_create");
    for (const std::int32_t value : {2, 4, 3, 8, 1, 16, 0, 0, 0, 0}) {  // Three do not divide four.
      call.Scalar(value);
    }
    call.Output(handle);
    ExpectStatus(KV_INVALID_ARGUMENT, call);
  });
}

/// Nor decoders, whose weights are counted after much else.
TEST_F(Leaks, RefusedDecoders) {
  NeedDecoder();
  const std::vector<float> weights(WeightCount(kBare) + 1);
  ExpectNothingKept("kv_decoder_create with one weight too many", [&](int) {
    std::uint64_t handle = 0;
    if (const int status = Create(kBare, weights, &handle); status != KV_INVALID_ARGUMENT) {
      FailCase("kv_decoder_create with one weight too many returned " + StatusName(status));
    }
  });
}

TEST_F(Leaks, Pages) {
  Need({KV_CAN_PAGED});
  Config config = kSmall;
  config.batch = 1;
  config.page_size = 4;
  config.pages = 6;
  Driver& cache = Open(config);
  const Buffers buffers = MakeBuffers(cache, 9);
  const Buffers many = MakeBuffers(cache, 17);
  ExpectNothingKept("taking pages, too many pages, and giving them back", [&](int) {
    AppendTo(cache, std::vector<std::int32_t>(9, 0), buffers);
    AppendTo(cache, std::vector<std::int32_t>(17, 0), many, KV_NO_PAGES);
    FreeOf(cache, 0);
  });
}

TEST_F(Leaks, Forks) {
  Need({KV_CAN_FORK});
  NeedOptionalOperation("kv_fork");
  Config config = kSmall;
  if (Has(KV_CAN_PAGED)) {
    config.page_size = 4;
    config.pages = 12;
  }
  Driver& cache = Open(config);
  Fill(cache, 0, 6);
  const Buffers buffers = MakeBuffers(cache, 1);
  ExpectNothingKept("kv_fork, a store into the child and kv_free", [&](int) {
    ForkOf(cache, 0, 1);
    AppendTo(cache, std::array{1}, buffers);
    FreeOf(cache, 1);
  });
}

TEST_F(Leaks, DecoderSteps) {
  NeedDecoder();
  DecoderConfig config = kBare;
  config.mlp_width = 8;
  Twin twin = DecoderTest::Open(config);
  std::vector<float> logits(static_cast<std::size_t>(config.vocabulary));
  const std::vector<std::int32_t> prompt = DrawPrompt(config, 5);
  ExpectNothingKept("a step of the decoder, a prompt and a reset", [&](int) {
    Invocation step("kv_decoder_step");
    step.Scalar(twin.handle).Scalar(prompt.front()).Output(logits);
    ExpectStatus(KV_OK, step);
    Invocation prefill("kv_decoder_prefill");
    prefill.Scalar(twin.handle).Scalar(prompt.size()).Input(prompt).Output(logits);
    ExpectStatus(KV_OK, prefill);
    Reset(twin);
  });
}

TEST_F(Leaks, DecoderPromptsOfEveryLength) {
  NeedDecoder();
  DecoderConfig config = kBare;
  config.layers = 1;
  config.width = 8;
  config.query_heads = config.kv_heads = 1;
  config.capacity = kLargest;
  Twin twin = DecoderTest::Open(config);
  std::vector<float> logits(static_cast<std::size_t>(config.vocabulary));
  const std::vector<std::int32_t> prompt = DrawPrompt(config, kLargest);
  ExpectNothingKeptOverSizes("a prompt of ever other lengths and a reset", 60, [&](int length) {
    const auto tokens = std::span(prompt).first(static_cast<std::size_t>(length));
    Invocation prefill("kv_decoder_prefill");
    prefill.Scalar(twin.handle).Scalar(tokens.size()).Input(tokens).Output(logits);
    ExpectStatus(KV_OK, prefill);
    Reset(twin);
  });
}

TEST_F(Leaks, DecodersComeAndGo) {
  NeedDecoder();
  const std::vector<float> weights = DrawWeights(random(), kBare);
  if (DecoderTest::Open(kBare).handle == 0) {
    return;
  }
  ExpectNothingKept("creating and destroying a decoder", [&](int) {
    std::uint64_t handle = 0;
    if (const int status = Create(kBare, weights, &handle); status != KV_OK) {
      FailCase("kv_decoder_create returned " + StatusName(status));
    }
    Invocation destroy("kv_decoder_destroy");
    destroy.Scalar(handle);
    ExpectStatus(KV_OK, destroy);
  });
}

/// One token is all but certain: who does nothing keeps nothing, and does not say which.
TEST_F(Leaks, Samples) {
  NeedOptionalOperation("kv_sample");
  std::vector<float> logits(40, 0.5F);
  logits[1] = 60;
  std::array<std::int32_t, 1> token{};
  ExpectNothingKept("kv_sample", [&](int i) {
    const float temperature = i % 2 == 0 ? 1.0F : 0.0F;
    Invocation call("kv_sample");
    call.Scalar(40).Input(logits).Scalar(temperature).Scalar(i % 7).Scalar(0.25F).Output(token);
    ExpectStatus(KV_OK, call);
    if (token[0] != 1) {
      FailCase(fmt::format("kv_sample gives token {}, and 1 is all but certain", token[0]));
    }
  });
}

TEST_F(Leaks, SamplesOfEveryVocabulary) {
  NeedOptionalOperation("kv_sample");
  std::vector<float> logits(kLargest, 0.5F);
  logits[1] = 60;
  std::array<std::int32_t, 1> token{};
  ExpectNothingKeptOverSizes("kv_sample of ever other vocabularies", 300, [&](int vocabulary) {
    Invocation call("kv_sample");
    call.Scalar(vocabulary).Input(std::span(logits).first(static_cast<std::size_t>(vocabulary)));
    call.Scalar(1.0F).Scalar(vocabulary % 7).Scalar(0.25F).Output(token);
    ExpectStatus(KV_OK, call);
    if (token[0] != 1) {
      FailCase(fmt::format("kv_sample gives token {}, and 1 is all but certain", token[0]));
    }
  });
}

}  // namespace
}  // namespace assay::kvcache
