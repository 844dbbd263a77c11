// SPDX-License-Identifier: Apache-2.0
// Random sequences of calls against the model: tag `random` of one sequence that is appended to,
// `hybrid` where storage and pages work together, and `combinations`. A failing one is shrunk to
// the shortest that fails still, which is what the case shows.

#include <fmt/format.h>

#include <optional>
#include <string>
#include <vector>

#include "client/shrink.h"
#include "suite_operations.h"
#include "suite_support.h"

namespace assay::kvcache {
namespace {

class Random : public KvCacheTest {
 protected:
  void ExpectSequencesRight(const Config& config, const Mix& mix, int sequences) {
    constexpr std::size_t kOperations = 40;
    for (int i = 0; i < sequences; ++i) {
      const auto operations = DrawOperations(random(), config, mix, kOperations);
      if (const auto failure = RunOperations(Link(), config, operations)) {
        FailCase(Explain(config, operations, *failure));
      }
    }
  }

 private:
  HostFailure Explain(const Config& config, const std::vector<Operation>& operations,
                      const Failure& failure) {
    const Verdict verdict = failure.what.verdict;
    // To run a hang again takes its time limit again; what is skipped is no failure.
    if (verdict == Verdict::kTimeLimit || verdict == Verdict::kMemoryLimit ||
        verdict == Verdict::kSkipped) {
      return failure.what;
    }
    HostFailure last = failure.what;
    const auto fails = [&](const std::vector<Operation>& candidate) -> std::optional<std::size_t> {
      const auto again = RunOperations(Link(), config, candidate);
      if (!again || again->what.verdict == Verdict::kSkipped) {
        return std::nullopt;
      }
      last = again->what;
      return again->at;
    };
    const std::vector<Operation> shrunk = Shrink<Operation>(
        operations, failure.at, {.fails = fails, .simpler = Simpler, .most_runs = 150});
    NoteReproduction(fmt::format("create({}) {}", Describe(config), Describe(config, shrunk)));
    return {verdict, fmt::format("after {} of {} random operations, shrunk to {}: {}",
                                 failure.at + 1, operations.size(), shrunk.size(), last.detail)};
  }
};

constexpr Config kContiguous{
    .layers = 2, .query_heads = 2, .kv_heads = 2, .head_size = 24, .batch = 4, .capacity = 70};

constexpr Config PagedConfig(std::int32_t page_size, std::int32_t pages) {
  Config config = kContiguous;
  config.page_size = page_size;
  config.pages = pages;
  return config;
}

TEST_F(Random, OneSequence) {
  Tag({"random"});
  Config config = kContiguous;
  config.batch = 1;
  config.layers = 1;
  ExpectSequencesRight(config, {.prefill = false}, 6);
}

TEST_F(Random, OneSequenceInLayers) {
  Tag({"random"});
  Config config = kContiguous;
  config.batch = 1;
  config.layers = 3;
  ExpectSequencesRight(config, {.prefill = false}, 6);
}

TEST_F(Random, AppendsAlone) {
  Tag({"combinations"});
  ExpectSequencesRight(kContiguous, {.prefill = false}, 6);
}

TEST_F(Random, Contiguous) {
  Tag({"combinations"});
  ExpectSequencesRight(kContiguous, {}, 6);
}

TEST_F(Random, ContiguousInChunks) {
  Tag({"combinations"});
  Need({KV_CAN_CHUNKED});
  ExpectSequencesRight(kContiguous, {.chunked = true}, 6);
}

TEST_F(Random, Grouped) {
  Tag({"combinations"});
  Need({KV_CAN_GQA});
  Config config = kContiguous;
  config.query_heads = 6;
  ExpectSequencesRight(config, {.chunked = Has(KV_CAN_CHUNKED)}, 4);
}

/// The pool is too small for all sequences at their longest.
TEST_F(Random, Paged) {
  Tag({"combinations"});
  Need({KV_CAN_PAGED});
  ExpectSequencesRight(PagedConfig(8, 18), {}, 6);
  ExpectSequencesRight(PagedConfig(1, 90), {}, 2);
  ExpectSequencesRight(PagedConfig(16, 7), {.prefill = false}, 4);
}

TEST_F(Random, PagedInChunks) {
  Tag({"hybrid"});
  Need({KV_CAN_PAGED, KV_CAN_CHUNKED, KV_CAN_HYBRID});
  ExpectSequencesRight(PagedConfig(8, 18), {.chunked = true}, 6);
}

TEST_F(Random, PagedWithForks) {
  Tag({"combinations"});
  Need({KV_CAN_PAGED, KV_CAN_FORK});
  RequireOperation("kv_fork");
  ExpectSequencesRight(PagedConfig(8, 16), {.prefill = true, .fork = true}, 8);
  ExpectSequencesRight(PagedConfig(5, 40), {.prefill = false, .fork = true}, 4);
}

TEST_F(Random, PagedInt8) {
  Tag({"hybrid"});
  Need({KV_CAN_PAGED, KV_CAN_INT8, KV_CAN_HYBRID});
  Config config = PagedConfig(8, 18);
  config.storage = Storage::kInt8;
  ExpectSequencesRight(config, {.chunked = Has(KV_CAN_CHUNKED), .fork = Has(KV_CAN_FORK)}, 4);
}

TEST_F(Random, PagedInt4) {
  Tag({"hybrid"});
  Need({KV_CAN_PAGED, KV_CAN_INT4, KV_CAN_HYBRID});
  Config config = PagedConfig(8, 18);
  config.storage = Storage::kInt4;
  config.head_size = 40;
  ExpectSequencesRight(config, {.chunked = Has(KV_CAN_CHUNKED), .fork = Has(KV_CAN_FORK)}, 4);
}

TEST_F(Random, Int4) {
  Tag({"combinations"});
  Need({KV_CAN_INT4});
  Config config = kContiguous;
  config.storage = Storage::kInt4;
  ExpectSequencesRight(config, {}, 4);
}

TEST_F(Random, InAWindow) {
  Tag({"combinations"});
  Need({KV_CAN_WINDOW});
  Config config = kContiguous;
  config.window = 13;
  config.capacity = 20;
  ExpectSequencesRight(config, {.chunked = Has(KV_CAN_CHUNKED)}, 6);
}

}  // namespace
}  // namespace assay::kvcache
