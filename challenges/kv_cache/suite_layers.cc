// SPDX-License-Identifier: Apache-2.0
// Layers of a sequence that hold different numbers of tokens, or none: tag `core` of one sequence
// that is appended to, `paged` in pages, `fork` where it is forked; with prompts and narrow
// storage: tag `combinations`. Against code that asks one layer about all of them, and that takes
// a store into what is shared to reach its first page alone.

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

#include "suite_support.h"

namespace assay::kvcache {
namespace {

constexpr std::int32_t kLayers = 3;
constexpr std::int32_t kPageSize = 4;
constexpr Config kPlain{
    .layers = kLayers, .query_heads = 2, .kv_heads = 2, .head_size = 8, .batch = 2, .capacity = 40};

Config InPages(std::int32_t pages) {
  Config config = kPlain;
  config.page_size = kPageSize;
  config.pages = pages;
  return config;
}

class Layers : public KvCacheTest {
 protected:
  void NeedForks() {
    Need({KV_CAN_FORK});
    NeedOptionalOperation("kv_fork");
  }

  /// All that is stored, and what these sequences give in every layer.
  void LookAt(Driver& cache, const std::vector<std::int32_t>& sequences) {
    Right(cache.CheckAll());
    for (std::int32_t layer = 0; layer < kLayers; ++layer) {
      Attend(cache, sequences, layer);
    }
  }

  /// Tokens in one layer alone, whichever, make a sequence that is not empty; once it is freed it
  /// is, and stores anew from its beginning.
  void ExpectFreed(Config config) {
    config.batch = 1;
    Driver& cache = Open(config);
    for (const std::int32_t held : {1, 0, 2, 1}) {
      for (const std::size_t tokens : {9U, 3U}) {
        Fill(cache, 0, tokens, held);
        LookAt(cache, {0});
        Right(cache.Free(0));
        LookAt(cache, {0});
      }
    }
  }

  /// The same of a parent; and a child that holds tokens in any layer is none.
  void ExpectForked(const Config& config, std::int32_t held) {
    Driver& cache = Open(config);
    Fill(cache, 0, 6, held);
    Right(cache.Fork(0, 1));
    LookAt(cache, {0, 1});
    Right(cache.Fork(0, 1));
    Right(cache.Fork(1, 0));
    Right(cache.CheckAll());
    Fill(cache, 1, 3, held);
    Fill(cache, 0, 2, (held + 1) % kLayers);
    LookAt(cache, {1, 0});
    Right(cache.Free(1));
    LookAt(cache, {1, 0});
    Right(cache.Fork(0, 1));
    LookAt(cache, {0, 1});
  }
};

TEST_F(Layers, FreeOfWhatOneLayerHolds) {
  Tag({"core"});
  ExpectFreed(kPlain);
}

/// Nine tokens take all pages: the next ones have none unless they come back.
TEST_F(Layers, FreeOfPagesThatOneLayerHolds) {
  Tag({"paged"});
  Need({KV_CAN_PAGED});
  ExpectFreed(InPages(3));
}

TEST_F(Layers, ForkOfWhatOneLayerHolds) {
  Tag({"fork"});
  NeedForks();
  for (std::int32_t held = 0; held < kLayers; ++held) {
    ExpectForked(kPlain, held);
  }
}

TEST_F(Layers, ForkOfPagesThatOneLayerHolds) {
  Tag({"fork"});
  NeedForks();
  Need({KV_CAN_PAGED});
  for (std::int32_t held = 0; held < kLayers; ++held) {
    ExpectForked(InPages(12), held);
  }
}

/// One layer is shorter than the others when its sequence is forked, so that what is stored there
/// next reaches over several pages that are shared: each is copied.
class SharedPages : public Layers {
 protected:
  static constexpr std::int32_t kShared = 3;
  static constexpr std::size_t kFull = std::size_t{kShared * kPageSize};
  static constexpr std::int32_t kManyPages = 24;

  void NeedSharedPages() {
    NeedForks();
    Need({KV_CAN_PAGED});
  }

  /// All sequences share three pages, full in all layers but one, which holds `before` tokens.
  Driver& OpenShared(const Config& config, std::int32_t shorter, std::size_t before) {
    Driver& cache = Open(config);
    for (std::int32_t layer = 0; layer < kLayers; ++layer) {
      Fill(cache, 0, layer == shorter ? before : kFull, layer);
    }
    for (std::int32_t child = 1; child < config.batch; ++child) {
      Right(cache.Fork(0, child));
    }
    return cache;
  }

  enum class Way : std::uint8_t { kAppend, kPrefill };

  /// Parent and child store in turn, and neither hears of it.
  void ExpectTheyPart(Driver& cache, std::int32_t layer, std::int32_t writer, std::size_t count,
                      Way way) {
    for (const std::int32_t sequence : {writer, 1 - writer}) {
      if (way == Way::kPrefill) {
        Prefill(cache, sequence, count, layer);
      } else {
        Fill(cache, sequence, count, layer);
      }
      Right(cache.CheckAll());
    }
    LookAt(cache, {0, 1});
  }

  /// In each layer, from these lengths on, by either first; within what is shared and beyond.
  void ExpectTheyPartAnywhere(const Config& config, std::initializer_list<std::size_t> lengths,
                              Way way) {
    for (std::int32_t layer = 0; layer < kLayers; ++layer) {
      for (const std::size_t before : lengths) {
        for (const std::int32_t writer : {1, 0}) {
          for (const std::size_t count : {8U, 13U}) {
            ExpectTheyPart(OpenShared(config, layer, before), layer, writer, count, way);
          }
        }
      }
    }
  }
};

TEST_F(SharedPages, AppendsOverSeveral) {
  Tag({"fork"});
  NeedSharedPages();
  ExpectTheyPartAnywhere(InPages(kManyPages), {0, 2, 4}, Way::kAppend);
}

TEST_F(SharedPages, APromptOverSeveral) {
  Tag({"combinations"});
  NeedSharedPages();
  ExpectTheyPartAnywhere(InPages(kManyPages), {0}, Way::kPrefill);
}

TEST_F(SharedPages, ChunksOverSeveral) {
  Tag({"combinations"});
  NeedSharedPages();
  Need({KV_CAN_CHUNKED, KV_CAN_HYBRID});
  ExpectTheyPartAnywhere(InPages(kManyPages), {2, 4}, Way::kPrefill);
}

TEST_F(SharedPages, OfNarrowStorage) {
  Tag({"combinations"});
  NeedSharedPages();
  Need({KV_CAN_HYBRID});
  constexpr std::array<std::pair<kv_capability, Storage>, 3> kNarrow = {
      {{KV_CAN_F16, Storage::kF16}, {KV_CAN_INT8, Storage::kInt8}, {KV_CAN_INT4, Storage::kInt4}}};
  bool has_any = false;
  for (const auto& [capability, storage] : kNarrow) {
    if (Has(capability)) {
      has_any = true;
      Config config = InPages(kManyPages);
      config.storage = storage;
      ExpectTheyPartAnywhere(config, {2}, Way::kAppend);
    }
  }
  if (!has_any) {
    Skip("no narrow storage is reported");
  }
}

/// Pages for some of the copies and not for all: nothing is stored, and all is shared as before.
TEST_F(SharedPages, WithoutPagesForAllCopies) {
  Tag({"fork"});
  NeedSharedPages();
  for (std::int32_t layer = 0; layer < kLayers; ++layer) {
    for (std::int32_t spare = 0; spare < kShared; ++spare) {
      Driver& cache = OpenShared(InPages(kShared + spare), layer, 2);
      for (const std::int32_t sequence : {1, 0}) {
        Fill(cache, sequence, 8, layer);
        LookAt(cache, {0, 1});
      }
      Fill(cache, 1, 2, layer);  // A copy of one page does.
      LookAt(cache, {0, 1});
      Right(cache.Free(0));
      Right(cache.CheckUsage());
      Fill(cache, 1, 6, layer);  // Nothing is shared any more.
      LookAt(cache, {0, 1});
    }
  }
}

/// Token by token in turn, so that every page is left by one after the other.
TEST_F(SharedPages, AllStoreOverSeveralInOneCall) {
  Tag({"fork"});
  NeedSharedPages();
  constexpr std::size_t kTokens = 9;
  Config config = InPages(kManyPages);
  config.batch = 3;
  for (std::int32_t layer = 0; layer < kLayers; ++layer) {
    Driver& cache = OpenShared(config, layer, 2);
    std::vector<std::int32_t> sequences;
    for (std::size_t token = 0; token < kTokens; ++token) {
      sequences.insert(sequences.end(), {2, 0, 1});
    }
    Right(cache.Append(layer, sequences, Draw(cache, sequences.size())));
    LookAt(cache, {0, 1, 2});
  }
}

}  // namespace
}  // namespace assay::kvcache
