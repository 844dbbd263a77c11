// SPDX-License-Identifier: Apache-2.0
// What every cache must do: store, attend, forget, and say so. Tag `core`; misuse has tag `errors`
// too. Prompts are of one token or of equal ones, so that no mask is judged here.

#include <array>
#include <cmath>

#include "suite_support.h"

namespace assay::kvcache {
namespace {

/// One KV head for each query head, f32, contiguous: nothing that has to be reported.
constexpr Config kPlain{.query_heads = 4, .kv_heads = 4, .head_size = 64, .capacity = 128};

class Core : public KvCacheTest {
 protected:
  void SetUp() override {
    KvCacheTest::SetUp();
    Tag({"core"});
  }

  /// Tokens that are all the same: whatever a query sees of them gives the same output, so that
  /// only what is stored is judged.
  Tokens EqualTokens(const Driver& cache, std::size_t count) {
    const Tokens one = Draw(cache, 1);
    Tokens all{.count = count, .q = {}, .k = {}, .v = {}};
    for (std::size_t i = 0; i < count; ++i) {
      all.q.insert(all.q.end(), one.q.begin(), one.q.end());
      all.k.insert(all.k.end(), one.k.begin(), one.k.end());
      all.v.insert(all.v.end(), one.v.begin(), one.v.end());
    }
    return all;
  }
};

TEST_F(Core, AppendThenAttend) {
  Driver& cache = Open(kPlain);
  Fill(cache, 0, 33);
  Attend(cache, 0);
}

TEST_F(Core, AttendSeesTheTokenJustAppended) {
  Driver& cache = Open(kPlain);
  Decode(cache, 0, 24);
}

TEST_F(Core, OneTokenGivesItsValue) {
  Driver& cache = Open(kPlain);
  Fill(cache, 0, 1);
  Attend(cache, 0);
}

TEST_F(Core, AnEmptySequenceGivesZeros) {
  Driver& cache = Open(kPlain);
  Attend(cache, 0);
}

TEST_F(Core, PrefillOfOneToken) {
  Driver& cache = Open(kPlain);
  Prefill(cache, 0, 1);
}

TEST_F(Core, PrefillStoresItsTokens) {
  Driver& cache = Open(kPlain);
  Right(cache.Prefill(0, 0, EqualTokens(cache, 19)));
  Right(cache.CheckAll());
}

TEST_F(Core, AttendAfterAPrefillOfOneToken) {
  Driver& cache = Open(kPlain);
  Prefill(cache, 0, 1);
  Attend(cache, 0);
  Decode(cache, 0, 3);
}

TEST_F(Core, APrefillOfOneTokenIsReadBack) {
  Config config = kPlain;
  config.layers = 2;
  Driver& cache = Open(config);
  Prefill(cache, 0, 1, 1);
  Right(cache.CheckAll());
  Prefill(cache, 0, 1, 0);
  Right(cache.CheckAll());
}

TEST_F(Core, PrefillOfNoTokens) {
  Driver& cache = Open(kPlain);
  Prefill(cache, 0, 0);
  Right(cache.CheckLengths());
  Prefill(cache, 0, 1);
  Prefill(cache, 0, 0);
  Right(cache.CheckLengths());
}

TEST_F(Core, NoTokensAndNoQueries) {
  Driver& cache = Open(kPlain);
  Fill(cache, 0, 3);
  Fill(cache, 0, 0);
  Attend(cache, std::span<const std::int32_t>());
  Right(cache.CheckLengths());
}

TEST_F(Core, ReadsBackWhatWasStored) {
  Driver& cache = Open(kPlain);
  Fill(cache, 0, 50);
  Right(cache.CheckAll());
}

TEST_F(Core, LayersAreApart) {
  Config config = kPlain;
  config.layers = 3;
  Driver& cache = Open(config);
  Fill(cache, 0, 7, 0);
  Fill(cache, 0, 4, 2);
  Fill(cache, 0, 9, 1);
  Right(cache.CheckAll());
  for (const std::int32_t layer : {0, 1, 2}) {
    Attend(cache, 0, layer);
  }
  Decode(cache, 0, 5);
}

TEST_F(Core, FreeMakesASequenceEmpty) {
  Config config = kPlain;
  config.layers = 2;
  Driver& cache = Open(config);
  Decode(cache, 0, 12);
  Right(cache.Free(0));
  Right(cache.CheckAll());
  AttendAll(cache);
}

TEST_F(Core, AFreedSequenceIsUsedAgain) {
  Driver& cache = Open(kPlain);
  for (const std::size_t tokens : {60U, 5U, 33U}) {
    Fill(cache, 0, tokens);
    Attend(cache, 0);
    Right(cache.CheckAll());
    Right(cache.Free(0));
    Right(cache.Free(0));
  }
}

TEST_F(Core, UsageGrowsWithTheTokens) {
  Driver& cache = Open(kPlain);
  for (const std::size_t tokens : {1U, 1U, 30U, 96U}) {
    Fill(cache, 0, tokens);
    Right(cache.CheckUsage());
  }
}

TEST_F(Core, HeadsOfOneElement) {
  Driver& cache = Open({.query_heads = 3, .kv_heads = 3, .head_size = 1, .capacity = 40});
  Decode(cache, 0, 22);
}

/// Misuse: a status, and nothing changed.
class Errors : public KvCacheTest {
 protected:
  void SetUp() override {
    KvCacheTest::SetUp();
    Tag({"core", "errors"});
  }

  void ExpectRefused(const Config& config) {
    std::array<std::uint64_t, 1> handle{};
    Invocation call("kv_create");
    call.Scalar(config.layers).Scalar(config.query_heads).Scalar(config.kv_heads);
    call.Scalar(config.head_size).Scalar(config.batch).Scalar(config.capacity);
    call.Scalar(static_cast<std::int32_t>(config.storage)).Scalar(config.page_size);
    call.Scalar(config.pages).Scalar(config.window).Output(handle);
    const Reply reply = Call(kHost, call);
    const bool refused = reply.status == KV_INVALID_ARGUMENT ||
                         (reply.status == KV_UNSUPPORTED && CacheModel::IsValid(config));
    if (!refused) {
      FailCase("kv_create of " + Describe(config) + " returned " + StatusName(reply.status) +
               " instead of KV_INVALID_ARGUMENT");
    }
  }
};

TEST_F(Errors, CapacityIsAnEnd) {
  Config config = kPlain;
  config.capacity = 10;
  Driver& cache = Open(config);
  Fill(cache, 0, 9);
  Fill(cache, 0, 2);  // One too many: the model knows, and nothing is stored.
  Right(cache.CheckAll());
  Fill(cache, 0, 1);
  Fill(cache, 0, 1);
  Right(cache.CheckAll());
  Attend(cache, 0);
}

TEST_F(Errors, PrefillBeyondTheCapacity) {
  Config config = kPlain;
  config.capacity = 10;
  Driver& cache = Open(config);
  Prefill(cache, 0, 11);
  Right(cache.CheckAll());
  Fill(cache, 0, 10);
  Attend(cache, 0);
}

TEST_F(Errors, LayersAndSequencesThatAreNot) {
  Config config = kPlain;
  config.layers = 2;
  Driver& cache = Open(config);
  Fill(cache, 0, 3);
  for (const std::int32_t layer : {-1, 2, 1 << 30}) {
    Fill(cache, 0, 1, layer);
    Attend(cache, 0, layer);
    Right(cache.Prefill(layer, 0, Draw(cache, 2)));
  }
  for (const std::int32_t sequence : {-1, 1, 1 << 30}) {
    Fill(cache, sequence, 1);
    Attend(cache, sequence);
    Right(cache.Prefill(0, sequence, Draw(cache, 2)));
    Right(cache.Free(sequence));
  }
  Right(cache.Append(0, std::array{0, 0, 1}, Draw(cache, 3)));
  Right(cache.CheckAll());
  Attend(cache, 0);
}

TEST_F(Errors, ReadOfWhatIsNotStored) {
  Driver& cache = Open(kPlain);
  Fill(cache, 0, 5);
  std::vector<float> k(2 * cache.config().KeyElements());
  std::vector<float> v(k.size());
  for (const std::size_t first : {std::size_t{4}, std::size_t{5}, ~std::size_t{0}}) {
    Invocation call("kv_read");
    call.Scalar(cache.handle()).Scalar(0).Scalar(0).Scalar(first).Scalar(std::size_t{2});
    call.Output(k).Output(v);
    ExpectStatus(KV_INVALID_ARGUMENT, call);
  }
}

TEST_F(Errors, ConfigurationsThatMakeNoSense) {
  for (std::int32_t Config::* field : {&Config::layers, &Config::query_heads, &Config::kv_heads,
                                       &Config::head_size, &Config::batch, &Config::capacity}) {
    for (const std::int32_t value : {0, -1}) {
      Config config = kPlain;
      config.*field = value;
      ExpectRefused(config);
    }
  }
  const auto with = [](auto change) {
    Config config = kPlain;
    change(config);
    return config;
  };
  ExpectRefused(with([](Config& c) { c.query_heads = 6; }));  // Four KV heads do not divide six.
  ExpectRefused(with([](Config& c) { c.storage = Storage{9}; }));
  ExpectRefused(with([](Config& c) { c.page_size = 16; }));
  ExpectRefused(with([](Config& c) { c.pages = 16; }));
  ExpectRefused(with([](Config& c) { c.page_size = -16, c.pages = 4; }));
  ExpectRefused(with([](Config& c) { c.window = -1; }));
  ExpectRefused(with([](Config& c) { c.window = c.capacity + 1; }));
}

TEST_F(Errors, NullCaches) {
  constexpr std::uint64_t kNull = 0;
  std::vector<float> tokens(256);
  std::vector<float> out(256);
  std::array<std::uint64_t, 3> numbers{};
  const std::array<std::int32_t, 1> sequence{0};
  RequireTheCache();
  Invocation prefill("kv_prefill");
  prefill.Scalar(kNull).Scalar(0).Scalar(0).Scalar(std::size_t{1}).Input(tokens).Input(tokens);
  prefill.Input(tokens).Output(out);
  Invocation append("kv_append");
  append.Scalar(kNull).Scalar(0).Scalar(std::size_t{1}).Input(sequence).Input(tokens).Input(tokens);
  Invocation attend("kv_attend");
  attend.Scalar(kNull).Scalar(0).Scalar(std::size_t{1}).Input(sequence).Input(tokens).Output(out);
  Invocation free("kv_free");
  free.Scalar(kNull).Scalar(0);
  Invocation length("kv_length");
  length.Scalar(kNull).Scalar(0).Scalar(0).Output(std::span(numbers).first(1));
  Invocation usage("kv_get_usage");
  usage.Scalar(kNull).Output(numbers);
  Invocation read("kv_read");
  read.Scalar(kNull).Scalar(0).Scalar(0).Scalar(std::size_t{0}).Scalar(std::size_t{1});
  read.Output(out).Output(tokens);
  for (const Invocation* call : {&prefill, &append, &attend, &free, &length, &usage, &read}) {
    ExpectStatus(KV_INVALID_ARGUMENT, *call);
  }
  Invocation destroy("kv_destroy");
  destroy.Scalar(kNull);
  ExpectStatus(KV_OK, destroy);
}

}  // namespace
}  // namespace assay::kvcache
