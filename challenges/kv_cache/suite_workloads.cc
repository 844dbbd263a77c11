// SPDX-License-Identifier: Apache-2.0
// What is timed, as a test: every workload with the calls and the buffers of the bench, in a host
// as fresh as there, against the oracle; and the same at shapes that nobody knows beforehand. Tag
// `integrity` of one sequence that is decoded, `combinations` of batches and prompts, else that of
// the capability. Against code that is narrower, or leaves something out, where it is timed.

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "suite_support.h"
#include "workload_calls.h"
#include "workloads.h"

namespace assay::kvcache {
namespace {

/// What the oracle needs of one KV head.
struct OneHead {
  Config config;
  History history;
};

OneHead Extract(const WorkloadCalls& calls, const OutputRow& row) {
  const Config& all = calls.config();
  OneHead one{.config = {.head_size = all.head_size, .storage = all.storage}, .history = {}};
  const auto head_size = static_cast<std::size_t>(all.head_size);
  const auto kv_head = static_cast<std::size_t>(row.head / (all.query_heads / all.kv_heads));
  const History& history = calls.HistoryOf(row.sequence);
  for (const auto& [from, to] :
       {std::pair(&history.k, &one.history.k), std::pair(&history.v, &one.history.v)}) {
    for (std::size_t token = 0; token < row.tokens; ++token) {
      const auto head =
          std::span(*from).subspan(token * all.KeyElements() + kv_head * head_size, head_size);
      to->insert(to->end(), head.begin(), head.end());
    }
    *to = Stored(one.config, *to);
  }
  return one;
}

class Workloads : public KvCacheTest {
 protected:
  /// Runs some steps of a workload and compares `heads` heads of each, drawn anew, or all.
  void ExpectRight(const WorkloadShape& shape, int steps, std::size_t heads) {
    RequireTheCache();
    const auto call = [this](const Invocation& made) { CallExpecting(KV_OK, kHost, made); };
    const WorkloadLink link{.call = call, .timed_call = call};
    const std::unique_ptr<WorkloadCalls> calls = MakeCalls(shape);
    WorkloadSide side;
    for (int step = 0; step < steps; ++step) {
      calls->Draw(random());
      calls->Run(side, link);
      if (const std::string wrong = calls->DescribeWrongTokens(side); !wrong.empty()) {
        FailCase(wrong);
      }
      std::vector<std::size_t> drawn(calls->rows().size());
      std::iota(drawn.begin(), drawn.end(), 0);
      std::ranges::shuffle(drawn, random());
      drawn.resize(std::min(heads, drawn.size()));
      for (const std::size_t row : drawn) {
        ExpectRowRight(*calls, side, row);
      }
    }
    Invocation destroy("kv_destroy");
    destroy.Scalar(side.cache);
    call(destroy);
  }

 private:
  void ExpectRowRight(const WorkloadCalls& calls, const WorkloadSide& side, std::size_t index) {
    const auto head_size = static_cast<std::size_t>(calls.config().head_size);
    const OutputRow& row = calls.rows()[index];
    const OneHead one = Extract(calls, row);
    const Answer want = kvcache::Attend(one.config, one.history, row.tokens - 1,
                                        calls.Queries().subspan(index * head_size, head_size));
    const auto got = std::span(side.out).subspan(index * head_size, head_size);
    ExpectWithin<float, double>(
        {"out", fmt::format(" of head {}, sequence {}", row.head, row.sequence)}, got, want.out,
        want.bound);
    const std::string wrong =
        DescribeRmsOutside(row, calls.config(), got, std::span<const double>(want.out));
    if (!wrong.empty()) {
      FailCase(wrong);
    }
  }
};

/// Pairs of a block of the bench, with the one that is not counted.
constexpr int kStepsOfABlock = 4;

class Timed : public Workloads, public testing::WithParamInterface<WorkloadShape> {
 protected:
  void SetUp() override {
    Workloads::SetUp();
    const Config& config = GetParam().config;
    if (config.storage == Storage::kInt8) {
      Tag({"int8"});
      Need({KV_CAN_INT8});
    } else if (config.kv_heads < config.query_heads) {
      Tag({"gqa"});
      Need({KV_CAN_GQA});
    } else if (config.batch > 1 || GetParam().kind == WorkloadShape::Kind::kPrompt) {
      Tag({"combinations"});
    } else {
      Tag({"integrity"});
    }
    RestartHost(kHost);
  }
};

TEST_P(Timed, IsRight) { ExpectRight(GetParam(), kStepsOfABlock, 4); }

INSTANTIATE_TEST_SUITE_P(Workloads, Timed, testing::ValuesIn(kWorkloadShapes),
                         [](const auto& shape) {
                           std::string name = NameOf(shape.param);
                           std::ranges::replace(name, '/', '_');
                           return name;
                         });

/// Shapes like those that are timed, and none of them.
class DrawnShapes : public Workloads {
 protected:
  std::int32_t Below(std::int32_t end) {
    return static_cast<std::int32_t>(random()() % static_cast<std::uint64_t>(end));
  }

  std::int32_t DrawLength() { return (33 << Below(6)) + Below(32); }

  void ExpectRightWithDrawnHeads(WorkloadShape shape) {
    shape.config.kv_heads = shape.config.query_heads = 1 + Below(8);
    shape.config.head_size = 64 + Below(193);
    ExpectRight(shape, 2, 4);
  }
};

TEST_F(DrawnShapes, OfOneSequence) {
  Tag({"integrity"});
  for (int i = 0; i < 3; ++i) {
    ExpectRightWithDrawnHeads(DecodeShape(1, DrawLength()));
  }
}

TEST_F(DrawnShapes, OfBatchesAndPrompts) {
  Tag({"combinations"});
  for (int i = 0; i < 6; ++i) {
    ExpectRightWithDrawnHeads(i % 3 == 2 ? PromptShape(32 + Below(250))
                                         : DecodeShape(1 + Below(3), DrawLength()));
  }
}

}  // namespace
}  // namespace assay::kvcache
