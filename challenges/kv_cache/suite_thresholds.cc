// SPDX-License-Identifier: Apache-2.0
// Sizes around powers of two, around tiles and blocks that fast code works in, and at the ends of
// the contract, of one sequence that is appended to: tags `edge` and `long`, `heads`, `mha`, `gqa`
// and `mqa`; with storage, pages, windows, prompts or many sequences: tag `combinations`. At each
// length queries point at single tokens, so that none of them can be missing.

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "suite_support.h"

namespace assay::kvcache {
namespace {

constexpr std::size_t kMostTokens = 131'072;

class Thresholds : public KvCacheTest {
 protected:
  /// A query for each of these tokens, which gives it all weight: no other key is so near.
  void PointAt(Driver& cache, std::int32_t sequence, const std::vector<std::size_t>& tokens,
               std::int32_t layer = 0) {
    constexpr float kLoud = 14;
    const Config& config = cache.config();
    const History& history = cache.model().At(layer, sequence);
    const auto size = static_cast<std::size_t>(config.head_size);
    const auto group = static_cast<std::size_t>(config.query_heads / config.kv_heads);
    Tokens queries = Draw(cache, tokens.size());
    for (std::size_t i = 0; i < queries.q.size(); ++i) {
      const std::size_t head = i / size % static_cast<std::size_t>(config.query_heads);
      const std::size_t at =
          (tokens[i / config.QueryElements()] * static_cast<std::size_t>(config.kv_heads) +
           head / group) *
              size +
          i % size;
      queries.q[i] = kLoud * history.k[at];
    }
    Right(cache.Attend(layer, std::vector<std::int32_t>(tokens.size(), sequence), queries));
  }

  /// The newest and the oldest, the ends of tiles near the newest, and one of them all.
  void PointAtEnds(Driver& cache, std::int32_t sequence, std::int32_t layer = 0) {
    const std::size_t length = cache.model().Length(layer, sequence);
    const std::size_t oldest = cache.model().FirstVisible(layer, sequence);
    std::vector<std::size_t> tokens = {oldest, length - 1, oldest + random()() % (length - oldest)};
    for (const std::size_t tile : {64U, 512U}) {
      const std::size_t begin = (length - 1) / tile * tile;
      for (const std::size_t token : {begin, begin - 1, begin + 1}) {
        if (token >= oldest && token < length) {
          tokens.push_back(token);
        }
      }
    }
    PointAt(cache, sequence, tokens, layer);
    for (const std::size_t token : tokens) {
      Right(cache.CheckStored(layer, sequence, token, std::min<std::size_t>(2, length - token)));
    }
  }

  /// Stores up to each length in turn, and looks there.
  void ExpectRightAround(const Config& config, const std::vector<std::size_t>& lengths) {
    Driver& cache = Open(config);
    for (const std::size_t length : lengths) {
      Fill(cache, 0, length - cache.model().Length(0, 0));
      PointAtEnds(cache, 0);
      Attend(cache, 0);
    }
    Right(cache.CheckAll());
  }

  /// One less, itself and one more of each power of two from `least` to `most`, and some primes.
  static std::vector<std::size_t> AroundPowersOfTwo(std::size_t least, std::size_t most) {
    std::vector<std::size_t> lengths = {1, 3, 523, 1031, 4099, 10'007, 70'001};
    for (std::size_t power = least; power <= most; power *= 2) {
      lengths.insert(lengths.end(), {power - 1, power, power + 1});
    }
    std::erase_if(lengths, [=](std::size_t length) {
      return length < least || length > std::min(most + 1, kMostTokens);
    });
    std::ranges::sort(lengths);
    return lengths;
  }

  static constexpr Config kLong{.head_size = 32, .capacity = kMostTokens};
};

TEST_F(Thresholds, EveryPowerOfTwo) {
  Tag({"edge", "long"});
  ExpectRightAround(kLong, AroundPowersOfTwo(2, kMostTokens));
}

TEST_F(Thresholds, SmallLengthsOneByOne) {
  Tag({"edge"});
  Driver& cache = Open({.query_heads = 2, .kv_heads = 2, .head_size = 32, .capacity = 600});
  for (int token = 0; token < 600; ++token) {
    Fill(cache, 0, 1);
    PointAt(cache, 0, {cache.model().Length(0, 0) - 1, 0});
  }
}

TEST_F(Thresholds, ReadsBackFarAway) {
  Tag({"edge", "long"});
  Config config = kLong;
  config.head_size = 3;
  Driver& cache = Open(config);
  Fill(cache, 0, kMostTokens);
  Right(cache.CheckAll());
  Fill(cache, 0, 1);  // One too many.
  Right(cache.CheckLengths());
}

/// Every size of a head that there may be.
TEST_F(Thresholds, EveryHeadSize) {
  Tag({"heads"});
  for (std::int32_t size = 1; size <= 256; ++size) {
    auto cache = Driver::Create(Link(), {.head_size = size, .capacity = 9});
    if (!cache) {
      FailCase(cache.error());
    }
    Fill(*cache, 0, 9);
    Attend(*cache, 0);
    Right(cache->CheckStored(0, 0));
    Right(cache->Destroy());
  }
}

/// As many query heads of a KV head as a block of queries has rows, and more.
TEST_F(Thresholds, GroupsLargerThanABlock) {
  Tag({"mqa"});
  Need({KV_CAN_MQA});
  for (const std::int32_t heads : {2, 3, 5, 16, 31, 33, 63, 64, 65, 127, 130, 257}) {
    Driver& cache = Open({.query_heads = heads, .kv_heads = 1, .head_size = 20, .capacity = 80});
    Fill(cache, 0, 70);
    Attend(cache, 0);
    PointAt(cache, 0, {69, 0});
  }
}

TEST_F(Thresholds, GroupsOfManySizes) {
  Tag({"gqa"});
  Need({KV_CAN_GQA});
  for (const std::int32_t group : {2, 3, 5, 6, 7, 9, 17, 33, 65, 129}) {
    Driver& cache =
        Open({.query_heads = 3 * group, .kv_heads = 3, .head_size = 20, .capacity = 80});
    Fill(cache, 0, 66);
    Attend(cache, 0);
  }
}

TEST_F(Thresholds, ManyHeads) {
  Tag({"mha"});
  for (const std::int32_t heads : {65, 128, 257}) {
    Driver& cache = Open({.query_heads = heads, .kv_heads = heads, .head_size = 12, .capacity = 8});
    Decode(cache, 0, 2);
    Right(cache.CheckAll());
  }
}

TEST_F(Thresholds, LayersBeyondAByte) {
  Tag({"abstraction"});
  Driver& cache = Open({.layers = 300, .head_size = 8, .capacity = 4});
  for (const std::int32_t layer : {299, 0, 255, 256, 257, 128}) {
    Fill(cache, 0, 3, layer);
  }
  const auto look = [&] {
    for (const std::int32_t layer : {0, 128, 255, 256, 257, 298, 299}) {
      Attend(cache, 0, layer);
    }
    Right(cache.CheckAll());
  };
  look();
  Right(cache.Free(0));
  look();
  Fill(cache, 0, 2, 299);
  look();
}

/// Sizes that take several features.
class ThresholdsTogether : public Thresholds {
 protected:
  void SetUp() override {
    Thresholds::SetUp();
    Tag({"combinations"});
  }

  /// Around 65,536 tokens and at the end.
  static std::vector<std::size_t> FarLengths() {
    return {4'097, 65'535, 65'536, 65'537, kMostTokens};
  }

  void ExpectFarRight(Config config, std::initializer_list<kv_capability> capabilities) {
    Need(capabilities);
    ExpectRightAround(config, FarLengths());
  }
};

TEST_F(ThresholdsTogether, FarInF16) {
  Config config = kLong;
  config.storage = Storage::kF16;
  ExpectFarRight(config, {KV_CAN_F16});
}

TEST_F(ThresholdsTogether, FarInInt8) {
  Config config = kLong;
  config.storage = Storage::kInt8;
  ExpectFarRight(config, {KV_CAN_INT8});
}

TEST_F(ThresholdsTogether, FarInInt4) {
  Config config = kLong;
  config.storage = Storage::kInt4;
  ExpectFarRight(config, {KV_CAN_INT4});
}

TEST_F(ThresholdsTogether, FarInPages) {
  Config config = kLong;
  config.page_size = 16;
  config.pages = static_cast<std::int32_t>(kMostTokens / 16);
  ExpectFarRight(config, {KV_CAN_PAGED});
}

/// More pages than 16 bits count, and the last sequence has those beyond.
TEST_F(ThresholdsTogether, ManyPages) {
  Need({KV_CAN_PAGED});
  Driver& cache =
      Open({.head_size = 32, .batch = 2, .capacity = 66'000, .page_size = 1, .pages = 66'100});
  Fill(cache, 0, 65'530);
  Fill(cache, 1, 90);
  Fill(cache, 0, 100);
  PointAtEnds(cache, 1);
  PointAtEnds(cache, 0);
  Right(cache.CheckUsage());
  Right(cache.CheckStored(0, 1));
}

TEST_F(ThresholdsTogether, PagesOfManySizes) {
  Need({KV_CAN_PAGED});
  for (const std::int32_t size : {2, 31, 32, 33, 63, 64, 65, 127, 128, 256, 511, 512, 513, 1031}) {
    Driver& cache = Open({.layers = 2,
                          .query_heads = 2,
                          .kv_heads = 2,
                          .head_size = 32,
                          .batch = 2,
                          .capacity = 3 * size + 2,
                          .page_size = size,
                          .pages = 7});
    const auto page = static_cast<std::size_t>(size);
    for (const std::size_t tokens : {page - 1, std::size_t{1}, std::size_t{1}, 2 * page - 1}) {
      Fill(cache, 0, tokens, 1);
      PointAtEnds(cache, 0, 1);
    }
    Fill(cache, 1, page + 1);
    Attend(cache, std::array{1, 0});
    Right(cache.CheckAll());
  }
}

TEST_F(ThresholdsTogether, WindowsOfManySizes) {
  Need({KV_CAN_WINDOW});
  for (const std::int32_t window : {3, 15, 17, 31, 63, 64, 65, 127, 128, 511, 512, 513, 1031}) {
    Driver& cache =
        Open({.head_size = 32, .batch = 1, .capacity = window + window % 3, .window = window});
    const auto seen = static_cast<std::size_t>(window);
    for (const std::size_t tokens :
         {seen - 1, std::size_t{1}, std::size_t{1}, seen, 2 * seen + 5}) {
      Fill(cache, 0, tokens);
      PointAtEnds(cache, 0);
    }
    Right(cache.CheckStored(0, 0));
  }
}

/// A window goes on for ever: positions beyond 65,536, and what it holds as large as may be.
TEST_F(ThresholdsTogether, WindowsFarAway) {
  Need({KV_CAN_WINDOW});
  for (const std::int32_t window : {100, 65'537}) {
    Driver& cache = Open({.head_size = 32, .capacity = window, .window = window});
    for (const std::size_t length : {65'530U, 65'536U, 65'538U, 65'700U, 131'090U}) {
      Fill(cache, 0, length - cache.model().Length(0, 0));
      PointAtEnds(cache, 0);
    }
    Right(cache.CheckAll());
  }
}

TEST_F(ThresholdsTogether, PromptsOfManyLengths) {
  for (const std::size_t tokens : {255U, 257U, 511U, 512U, 513U, 1023U, 1025U, 2049U, 4099U}) {
    Driver& cache = Open({.head_size = 16, .capacity = 5000});
    Prefill(cache, 0, tokens);
    Attend(cache, 0);
    Right(cache.CheckStored(0, 0));
  }
}

/// The queries of a prompt see a window of it alone, so that it may be long.
TEST_F(ThresholdsTogether, ALongPromptInAWindow) {
  Need({KV_CAN_WINDOW});
  Driver& cache = Open({.head_size = 16, .capacity = 40, .window = 37});
  Prefill(cache, 0, 70'001);
  Attend(cache, 0);
  Right(cache.CheckAll());
}

TEST_F(ThresholdsTogether, ChunksFarAway) {
  Need({KV_CAN_CHUNKED});
  Driver& cache = Open({.head_size = 32, .capacity = 66'000});
  Fill(cache, 0, 65'500);
  for (const std::size_t chunk : {35U, 1U, 2U, 70U}) {
    Prefill(cache, 0, chunk);
    PointAtEnds(cache, 0);
  }
}

TEST_F(ThresholdsTogether, AForkOfALongSequence) {
  Need({KV_CAN_FORK});
  NeedOptionalOperation("kv_fork");
  Driver& cache = Open({.layers = 2, .head_size = 32, .batch = 2, .capacity = 66'000});
  Fill(cache, 0, 65'540);
  Fill(cache, 0, 300, 1);
  Right(cache.Fork(0, 1));
  Fill(cache, 1, 2);
  Fill(cache, 0, 1);
  PointAtEnds(cache, 1);
  PointAtEnds(cache, 0);
  Attend(cache, 1, 1);
  Right(cache.CheckAll());
}

/// More sequences, and more entries of a call, than a byte counts.
TEST_F(ThresholdsTogether, ManySequencesInACall) {
  constexpr std::int32_t kSequences = 1027;
  Driver& cache =
      Open({.query_heads = 2, .kv_heads = 2, .head_size = 4, .batch = kSequences, .capacity = 80});
  Right(cache.Append(0, Sequences(kSequences), Draw(cache, kSequences)));
  AttendAll(cache);
  std::vector<std::int32_t> drawn(5003);
  std::ranges::generate(drawn, [this] { return static_cast<std::int32_t>(random()() % 300); });
  Right(cache.Append(0, drawn, Draw(cache, drawn.size())));
  std::ranges::shuffle(drawn, random());
  Attend(cache, drawn);
  Right(cache.CheckUsage());
  Right(cache.CheckLengths());
}

/// A list longer than any table of a fixed size, of which the last entry is none, or one too many
/// for its sequence, or for the pool; and a prompt as long.
TEST_F(ThresholdsTogether, ALongListIsRefusedWhole) {
  constexpr std::int32_t kEntries = 5'003;
  Config config{.head_size = 2, .batch = 2, .capacity = kEntries - 1};
  const auto expect_refused = [this](const Config& refusing) {
    Driver& cache = Open(refusing);
    for (const std::int32_t last : {-1, 1, 0}) {
      std::vector<std::int32_t> sequences(kEntries, 0);
      sequences.back() = last;
      Right(cache.Append(0, sequences, Draw(cache, sequences.size())));
      Right(cache.CheckAll());
      Right(cache.Free(0));
      Right(cache.Free(1));
    }
    Prefill(cache, 1, kEntries);
    Right(cache.CheckAll());
  };
  expect_refused(config);
  if (Has(KV_CAN_PAGED)) {
    config.capacity = 2 * kEntries;
    config.page_size = 2;
    config.pages = kEntries / 2;
    expect_refused(config);
  }
}

/// More sharers of a page than a byte counts, of which some store at every count that one may take
/// for another; then all but one are freed.
TEST_F(ThresholdsTogether, ManySharersOfAPage) {
  Need({KV_CAN_FORK, KV_CAN_PAGED});
  NeedOptionalOperation("kv_fork");
  constexpr std::int32_t kSharers = 300;
  Driver& cache =
      Open({.head_size = 8, .batch = kSharers, .capacity = 12, .page_size = 4, .pages = 20});
  Fill(cache, 0, 6);
  std::vector<std::int32_t> apart = {0};
  for (std::int32_t child = 1; child < kSharers; ++child) {
    Right(cache.Fork(0, child));
    if ((child >= 126 && child < 130) || (child >= 254 && child < 264)) {
      Fill(cache, child, 1);
      apart.push_back(child);
    }
  }
  Right(cache.CheckUsage());
  Attend(cache, apart);
  for (std::int32_t sequence = 0; sequence < kSharers - 1; ++sequence) {
    Right(cache.Free(sequence));
  }
  Right(cache.CheckUsage());
  Fill(cache, 0, 12);
  Attend(cache, std::array{kSharers - 1, 0});
  Right(cache.Free(kSharers - 1));
  Right(cache.CheckUsage());
}

/// All sizes of heads, in each narrow storage.
class NarrowHeadSizes : public Thresholds, public testing::WithParamInterface<Storage> {};

TEST_P(NarrowHeadSizes, AreRight) {
  Tag({ToString(GetParam())});
  Need({GetParam() == Storage::kF16    ? KV_CAN_F16
        : GetParam() == Storage::kInt8 ? KV_CAN_INT8
                                       : KV_CAN_INT4});
  for (std::int32_t size = 1; size <= 256; ++size) {
    auto cache = Driver::Create(Link(), {.head_size = size, .capacity = 9, .storage = GetParam()});
    if (!cache) {
      FailCase(cache.error());
    }
    Fill(*cache, 0, 9);
    Attend(*cache, 0);
    Right(cache->CheckStored(0, 0));
    Right(cache->Destroy());
  }
}

INSTANTIATE_TEST_SUITE_P(Storage, NarrowHeadSizes,
                         testing::Values(Storage::kF16, Storage::kInt8, Storage::kInt4),
                         [](const auto& storage) { return std::string(ToString(storage.param)); });

}  // namespace
}  // namespace assay::kvcache
