// SPDX-License-Identifier: Apache-2.0
// Every documented reason to refuse a call of a cache, each alone (tags `core` and `errors`) and in
// pairs (tag `combinations`), and that a refused call changed nothing.

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "suite_support.h"

namespace assay::kvcache {
namespace {

constexpr std::int32_t kLeast = std::numeric_limits<std::int32_t>::min();
constexpr std::int32_t kMost = std::numeric_limits<std::int32_t>::max();

/// A cache of two layers and three sequences: 0 is full in layer 0 alone, 1 holds a token in layer
/// 1 alone, 2 is empty.
class Refusals : public KvCacheTest {
 protected:
  static constexpr Config kConfig{
      .layers = 2, .query_heads = 2, .kv_heads = 2, .head_size = 20, .batch = 3, .capacity = 6};
  static constexpr std::array kBadLayers = {-1, 2, 256, kMost, kLeast};
  static constexpr std::array kBadSequences = {-1, 3, 256, kMost, kLeast};

  Driver& OpenFilled() {
    Driver& cache = Open(kConfig);
    Fill(cache, 0, 6);
    Fill(cache, 0, 4, 1);
    Fill(cache, 1, 1, 1);
    return cache;
  }

  void ExpectUnchanged(Driver& cache) {
    Right(cache.CheckAll());
    AttendAll(cache, 0);
    AttendAll(cache, 1);
  }

  /// Whatever is asked of the driver, whose model knows the status.
  void Append(Driver& cache, const std::vector<std::int32_t>& sequences, std::int32_t layer = 0) {
    Right(cache.Append(layer, sequences, Draw(cache, sequences.size())));
  }
  void PrefillIn(Driver& cache, std::int32_t layer, std::int32_t sequence, std::size_t tokens) {
    Right(cache.Prefill(layer, sequence, Draw(cache, tokens)));
  }

  void ExpectLengthRefused(const Driver& cache, std::int32_t layer, std::int32_t sequence) {
    std::array<std::uint64_t, 1> length = {kUnwritten};
    Invocation call("kv_length");
    call.Scalar(cache.handle()).Scalar(layer).Scalar(sequence).InOut(length);
    ExpectStatus(KV_INVALID_ARGUMENT, call);
    ExpectUnwritten(KV_INVALID_ARGUMENT, length[0], "kv_length");
  }
  void ExpectReadRefused(const Driver& cache, std::int32_t layer, std::int32_t sequence,
                         std::size_t first, std::size_t count) {
    std::vector<float> k(8 * kConfig.KeyElements());
    std::vector<float> v(k.size());
    Invocation call("kv_read");
    call.Scalar(cache.handle()).Scalar(layer).Scalar(sequence).Scalar(first).Scalar(count);
    call.Output(k).Output(v);
    const Reply reply = Call(kHost, call);
    if (reply.status != KV_INVALID_ARGUMENT) {
      FailCase(
          fmt::format("kv_read(layer {}, sequence {}, {} tokens from {}) returned {} instead "
                      "of KV_INVALID_ARGUMENT",
                      layer, sequence, count, first, StatusName(reply.status)));
    }
  }

  int CreateStatus(const Config& config) {
    RequireTheCache();
    std::array<std::uint64_t, 1> handle = {kUnwritten};
    Invocation call("kv_create");
    call.Scalar(config.layers).Scalar(config.query_heads).Scalar(config.kv_heads);
    call.Scalar(config.head_size).Scalar(config.batch).Scalar(config.capacity);
    call.Scalar(static_cast<std::int32_t>(config.storage)).Scalar(config.page_size);
    call.Scalar(config.pages).Scalar(config.window).InOut(handle);
    const int status = Call(kHost, call).status;
    ExpectUnwritten(status, handle[0], "kv_create of " + Describe(config));
    return status;
  }
  void ExpectCreate(int status, const Config& config) {
    if (const int got = CreateStatus(config); got != status) {
      FailCase(fmt::format("kv_create of {} returned {} instead of {}", Describe(config),
                           StatusName(got), StatusName(status)));
    }
  }
};

/// One sequence, so that a case is about its reason alone: full in layer 0, with room for two
/// tokens in layer 1.
class RefusedAlone : public Refusals {
 protected:
  static constexpr Config kOneSequence{
      .layers = 2, .query_heads = 2, .kv_heads = 2, .head_size = 20, .batch = 1, .capacity = 6};

  void SetUp() override {
    Refusals::SetUp();
    Tag({"core", "errors"});
  }

  Driver& OpenFilledOne() {
    Driver& cache = Open(kOneSequence);
    Fill(cache, 0, 6);
    Fill(cache, 0, 4, 1);
    return cache;
  }
};

TEST_F(RefusedAlone, Layers) {
  Driver& cache = OpenFilledOne();
  for (const std::int32_t layer : kBadLayers) {
    Append(cache, {0}, layer);
    Attend(cache, 0, layer);
    PrefillIn(cache, layer, 0, 1);
    ExpectLengthRefused(cache, layer, 0);
    ExpectReadRefused(cache, layer, 0, 0, 1);
  }
  ExpectUnchanged(cache);
}

/// A list of no sequence, or no token to read, makes them no better.
TEST_F(RefusedAlone, LayersAndSequencesOfEmptyCalls) {
  Driver& cache = OpenFilledOne();
  for (const std::int32_t layer : kBadLayers) {
    Append(cache, {}, layer);
    Attend(cache, std::span<const std::int32_t>(), layer);
    ExpectReadRefused(cache, layer, 0, 0, 0);
  }
  for (const std::int32_t sequence : {-1, 1, kMost}) {
    ExpectReadRefused(cache, 0, sequence, 0, 0);
  }
  Append(cache, {}, 1);
  Attend(cache, std::span<const std::int32_t>(), 1);
  ExpectUnchanged(cache);
}

TEST_F(RefusedAlone, Sequences) {
  Driver& cache = OpenFilledOne();
  for (const std::int32_t sequence : {-1, 1, 256, kMost, kLeast}) {
    Append(cache, {sequence}, 1);
    Attend(cache, sequence);
    PrefillIn(cache, 1, sequence, 1);
    ExpectLengthRefused(cache, 0, sequence);
    ExpectReadRefused(cache, 0, sequence, 0, 1);
    Right(cache.Free(sequence));
  }
  ExpectUnchanged(cache);
}

/// At any place of a list, and nothing of the rest of it is stored.
TEST_F(RefusedAlone, OneOfAList) {
  Driver& cache = OpenFilledOne();
  for (const std::int32_t bad : {-1, 1, kMost}) {
    Append(cache, {bad, 0}, 1);
    Append(cache, {0, bad}, 1);
    Attend(cache, std::array{0, bad}, 1);
    Attend(cache, std::array{bad, 0}, 1);
  }
  ExpectUnchanged(cache);
}

TEST_F(RefusedAlone, ReadsOfWhatIsNotThere) {
  Driver& cache = OpenFilledOne();
  constexpr std::size_t kEnd = ~std::size_t{0};
  constexpr std::array<std::array<std::size_t, 2>, 10> kRanges = {
      {{6, 1},
       {0, 7},
       {5, 2},
       {7, 1},
       {kEnd, 1},
       {kEnd, 2},
       {1, kEnd},
       {5, kEnd - 3},
       {std::size_t{1} << 32, 1},
       {0, (std::size_t{1} << 32) + 1}}};
  for (const auto& [first, count] : kRanges) {
    ExpectReadRefused(cache, 0, 0, first, count);
  }
  ExpectReadRefused(cache, 1, 0, 4, 1);  // The other layer is longer.
  ExpectUnchanged(cache);
  Right(cache.Free(0));
  ExpectReadRefused(cache, 0, 0, 0, 1);
}

/// Each layer has its own end.
TEST_F(RefusedAlone, CapacityOfALayer) {
  Driver& cache = OpenFilledOne();
  Append(cache, {0}, 0);
  Append(cache, {0, 0, 0}, 1);
  Append(cache, {0, 0}, 1);
  Append(cache, {0}, 1);
  ExpectUnchanged(cache);
}

TEST_F(RefusedAlone, APromptBeyondTheCapacity) {
  Driver& cache = Open(kOneSequence);
  PrefillIn(cache, 0, 0, 7);
  PrefillIn(cache, 1, 0, 1'000);
  PrefillIn(cache, 0, 0, 0);  // Nothing is stored, so that nothing is refused.
  Right(cache.CheckLengths());
}

TEST_F(RefusedAlone, Configurations) {
  const auto with = [](auto change) {
    Config config = kConfig;
    change(config);
    return config;
  };
  for (std::int32_t Config::* field : {&Config::layers, &Config::query_heads, &Config::kv_heads,
                                       &Config::head_size, &Config::batch, &Config::capacity}) {
    for (const std::int32_t value : {0, -1, kLeast}) {
      ExpectCreate(KV_INVALID_ARGUMENT, with([&](Config& c) { c.*field = value; }));
    }
  }
  for (const std::int32_t storage : {-1, 4, kMost, kLeast}) {
    ExpectCreate(KV_INVALID_ARGUMENT,
                 with([&](Config& c) { c.storage = static_cast<Storage>(storage); }));
  }
  for (std::int32_t Config::* field : {&Config::page_size, &Config::pages, &Config::window}) {
    for (const std::int32_t value : {-1, -3, kLeast}) {
      ExpectCreate(KV_INVALID_ARGUMENT, with([&](Config& c) { c.*field = value; }));
    }
  }
  ExpectCreate(KV_INVALID_ARGUMENT, with([](Config& c) { c.query_heads = 1; }));
  ExpectCreate(KV_INVALID_ARGUMENT, with([](Config& c) { c.query_heads = 3; }));
  ExpectCreate(KV_INVALID_ARGUMENT, with([](Config& c) { c.window = kLeast; }));
  ExpectCreate(KV_INVALID_ARGUMENT, with([](Config& c) { c.window = 7; }));
  ExpectCreate(KV_UNSUPPORTED, with([](Config& c) { c.head_size = 257; }));
  ExpectCreate(KV_UNSUPPORTED, with([](Config& c) { c.head_size = kMost; }));
}

class RefusedTogether : public Refusals {
 protected:
  void SetUp() override {
    Refusals::SetUp();
    Tag({"combinations"});
  }
};

TEST_F(RefusedTogether, LayersAndSequences) {
  Driver& cache = OpenFilled();
  for (const std::int32_t layer : kBadLayers) {
    Append(cache, {2}, layer);
    PrefillIn(cache, layer, 2, 1);
  }
  for (const std::int32_t sequence : kBadSequences) {
    Append(cache, {sequence}, 1);
    Attend(cache, std::array{0, 1, sequence}, 1);
    PrefillIn(cache, 1, sequence, 1);
    Right(cache.Free(sequence));
  }
  ExpectUnchanged(cache);
}

/// Any place of a list, and nothing of the rest of it is stored.
TEST_F(RefusedTogether, OneOfAListOfSequences) {
  Driver& cache = OpenFilled();
  for (const std::int32_t bad : {-1, 3, 0}) {  // Sequence 0 is full in layer 0.
    for (std::size_t place = 0; place < 5; ++place) {
      std::vector<std::int32_t> sequences = {1, 2, 2, 1, 2};
      sequences[place] = bad;
      Append(cache, sequences);
      Right(cache.CheckLengths());
    }
  }
  ExpectUnchanged(cache);
}

TEST_F(RefusedTogether, ReadsOfOtherSequences) {
  Driver& cache = OpenFilled();
  ExpectReadRefused(cache, 1, 0, 4, 1);  // The other layer is longer.
  ExpectReadRefused(cache, 0, 1, 0, 1);
  ExpectReadRefused(cache, 0, 2, 0, 1);
  ExpectUnchanged(cache);
}

/// The end of a sequence in a layer, where others and the other layer have room.
TEST_F(RefusedTogether, CapacityOfALayer) {
  Driver& cache = OpenFilled();
  Append(cache, {0}, 0);
  Append(cache, {0, 0, 0}, 1);
  Append(cache, {0, 0}, 1);
  PrefillIn(cache, 0, 2, 7);
  ExpectUnchanged(cache);
}

/// An argument that is none comes before a sequence that is full.
TEST_F(RefusedTogether, ArgumentsAndCapacity) {
  Driver& cache = OpenFilled();
  for (const std::int32_t bad : {-1, 3, kMost}) {
    Append(cache, {0, bad});
    Append(cache, {bad, 0});
    Append(cache, {0, 2, bad, 2});
    PrefillIn(cache, 0, bad, 7);
    Append(cache, {0, 0}, bad);
    PrefillIn(cache, bad, 2, 7);
  }
  ExpectUnchanged(cache);
}

TEST_F(RefusedTogether, ArgumentsAndPages) {
  Need({KV_CAN_PAGED});
  Config config = kConfig;
  config.page_size = 2;
  config.pages = 4;
  Driver& cache = Open(config);
  Fill(cache, 0, 6);
  Fill(cache, 1, 2, 1);
  for (const std::int32_t bad : {-1, 3, kMost}) {
    Append(cache, {2, bad});
    Append(cache, {0, bad, 2});
    Append(cache, {2}, bad);
    PrefillIn(cache, 0, bad, 3);
    PrefillIn(cache, bad, 2, 9);
  }
  Append(cache, {2, 0});  // A page for one, and room for the other: neither is there.
  Append(cache, {0, 2});
  Append(cache, {1, 2});
  PrefillIn(cache, 0, 2, 7);
  PrefillIn(cache, 0, 2, 6);
  ExpectUnchanged(cache);
  Append(cache, {1, 1});  // In the other layer: its page has room.
  ExpectUnchanged(cache);
}

/// Some of a list get a page before the pool is empty: all are given back.
TEST_F(RefusedTogether, PagesOfSeveralSequences) {
  Need({KV_CAN_PAGED});
  Config config = kConfig;
  config.batch = 5;
  config.page_size = 2;
  config.pages = 4;
  Driver& cache = Open(config);
  Fill(cache, 4, 1);
  for (const std::vector<std::int32_t>& sequences :
       {std::vector{0, 1, 2, 3}, std::vector{0, 0, 0, 1, 1, 1}, std::vector{3, 1, 4, 4, 2}}) {
    Append(cache, sequences);
    Right(cache.CheckAll());
  }
  Append(cache, {3, 1, 0});  // As many as there are.
  ExpectUnchanged(cache);
}

/// The same of copies of shared pages. Sequence 0 keeps the page, so that each of the others needs
/// its own.
TEST_F(RefusedTogether, CopiesForSeveralSequences) {
  Need({KV_CAN_PAGED, KV_CAN_FORK});
  NeedOptionalOperation("kv_fork");
  Config config = kConfig;
  config.batch = 5;
  config.page_size = 4;
  config.pages = 4;
  Driver& cache = Open(config);
  Fill(cache, 0, 3);
  Right(cache.Fork(0, 1));
  Right(cache.Fork(0, 2));
  for (const std::vector<std::int32_t>& sequences :
       {std::vector{1, 2, 3, 4}, std::vector{3, 2, 1, 4}, std::vector{1, 1, 2, 2}}) {
    Append(cache, sequences);
    ExpectUnchanged(cache);
  }
  Append(cache, {4, 2, 1});
  ExpectUnchanged(cache);
}

TEST_F(RefusedTogether, Configurations) {
  const auto with = [](auto change) {
    Config config = kConfig;
    change(config);
    return config;
  };
  ExpectCreate(KV_INVALID_ARGUMENT, with([](Config& c) { c.head_size = 300, c.layers = 0; }));
  ExpectCreate(KV_INVALID_ARGUMENT, with([](Config& c) { c.head_size = 300, c.kv_heads = 3; }));
  ExpectCreate(KV_INVALID_ARGUMENT, with([](Config& c) { c.head_size = 300, c.pages = 2; }));
  ExpectCreate(KV_INVALID_ARGUMENT, with([](Config& c) { c.head_size = 300, c.window = 9; }));
  ExpectCreate(KV_INVALID_ARGUMENT, with([](Config& c) { c.head_size = 300, c.pages = -2; }));
  ExpectCreate(KV_INVALID_ARGUMENT, with([](Config& c) { c.head_size = 300, c.window = -2; }));
  ExpectCreate(KV_INVALID_ARGUMENT, with([](Config& c) { c.page_size = -2, c.pages = -2; }));
  ExpectCreate(KV_INVALID_ARGUMENT, with([](Config& c) { c.page_size = -2, c.pages = 9; }));
  ExpectCreate(KV_INVALID_ARGUMENT, with([](Config& c) { c.page_size = 2, c.pages = -2; }));
  ExpectCreate(KV_INVALID_ARGUMENT,
               with([](Config& c) { c.page_size = 2, c.pages = 9, c.window = 7; }));
  ExpectCreate(KV_INVALID_ARGUMENT,
               with([](Config& c) { c.page_size = 2, c.pages = 9, c.storage = Storage{7}; }));
  ExpectCreate(KV_UNSUPPORTED, with([](Config& c) { c.page_size = 2, c.pages = 9, c.window = 6; }));
}

/// A child that holds tokens in any layer is not empty, whatever else is wrong.
TEST_F(RefusedTogether, Forks) {
  Need({KV_CAN_FORK});
  NeedOptionalOperation("kv_fork");
  Driver& cache = OpenFilled();
  constexpr std::array<std::array<std::int32_t, 2>, 11> kPairs = {{{0, 1},
                                                                   {1, 0},
                                                                   {2, 1},
                                                                   {0, 0},
                                                                   {2, 2},
                                                                   {0, -1},
                                                                   {-1, 2},
                                                                   {0, 3},
                                                                   {3, 2},
                                                                   {3, 1},
                                                                   {kMost, kLeast}}};
  for (const auto& [parent, child] : kPairs) {
    Right(cache.Fork(parent, child));
    Right(cache.CheckLengths());
  }
  ExpectUnchanged(cache);
  Right(cache.Fork(0, 2));
  ExpectUnchanged(cache);
  Append(cache, {2});  // As full as its parent.
  Append(cache, {2, 2}, 1);
  ExpectUnchanged(cache);
}

}  // namespace
}  // namespace assay::kvcache
