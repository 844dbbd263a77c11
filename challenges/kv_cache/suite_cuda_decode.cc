// SPDX-License-Identifier: Apache-2.0
// kv_paged_decode_f32_cuda under three schedules: tag `cuda`.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "interface.h"
#include "suite_cuda.h"

namespace assay::kvcache {
namespace {

class CudaDecode : public KvCudaTest {
 protected:
  static constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

  void SetUp() override {
    KvCudaTest::SetUp();
    Tag({"cuda"});
    NeedDecode();
  }

  /// How far each buffer lies behind an address that is aligned to 256.
  struct Offsets {
    std::array<std::size_t, 6> bytes;  ///< q, keys, values, page table, lengths, out.
  };
  void ExpectRightAt(const Offsets& offsets, const PagedProblem& problem, const Answer& answer) {
    const PagedShape& shape = problem.shape;
    const std::string_view role = Schedules().front();
    std::array<std::uint64_t, 1> workspace_bytes{};
    Invocation question{std::string(kDecodeCudaWorkspace)};
    question.Scalar(problem.SaidSequences()).Scalar(shape.query_heads).Scalar(shape.kv_heads);
    question.Scalar(shape.head_size).Scalar(shape.page_size).Scalar(problem.table_stride);
    question.Output(workspace_bytes);
    CallExpecting(KV_OK, role, question);
    DecodeOutputs got{.out = std::vector<float>(problem.q.size()), .reply = {}};
    const auto& [q, keys, values, table, lengths, out] = offsets.bytes;
    gpu::DeviceInvocation call{std::string(kDecodeCuda)};
    call.Scalar(problem.SaidSequences()).Scalar(shape.query_heads).Scalar(shape.kv_heads);
    call.Scalar(shape.head_size).Scalar(shape.page_size).Input(problem.q, q);
    call.Input(problem.key_pages, keys).Input(problem.value_pages, values);
    call.Input(problem.page_table, table).Scalar(problem.table_stride);
    call.Input(shape.lengths, lengths).Output(got.out, out).Scratch(workspace_bytes[0]);
    call.Scalar(static_cast<std::size_t>(workspace_bytes[0]));
    call.Scalar(static_cast<std::uint32_t>(gpu::StreamKind::kDefault));
    got.reply = CallOnDeviceExpecting(KV_OK, role, call);
    ExpectRight(answer, problem, got);
  }
};

TEST_F(CudaDecode, OneToken) { ExpectRightFor({.query_heads = 4, .kv_heads = 2, .lengths = {1}}); }

TEST_F(CudaDecode, LengthsAroundAPage) {
  ExpectRightFor({.query_heads = 2, .kv_heads = 2, .lengths = {0, 1, 15, 16, 17, 31, 32, 33}});
  ExpectRightFor({.query_heads = 2, .kv_heads = 1, .page_size = 5, .lengths = {4, 5, 6, 0, 101}});
}

/// A tile of any size then ends in the midst of a page, and a page in the midst of a tile.
TEST_F(CudaDecode, PagesThatNoTileDivides) {
  for (const std::int32_t page_size : {6, 24, 33, 48, 63, 100, 200}) {
    ExpectRightFor(
        {.query_heads = 2, .kv_heads = 2, .page_size = page_size, .lengths = {64, 301, 17}});
  }
}

TEST_F(CudaDecode, EmptySequences) {
  ExpectRightFor({.query_heads = 4, .kv_heads = 1, .head_size = 128, .lengths = {0, 0, 0}});
  ExpectRightFor({.query_heads = 4, .kv_heads = 2, .lengths = {700, 0, 1}});
}

TEST_F(CudaDecode, NoSequences) {
  // Of none alone, who does nothing is right.
  ExpectRightFor({.query_heads = 4, .kv_heads = 2, .lengths = {3}});
  ExpectRightFor({.query_heads = 4, .kv_heads = 2, .lengths = {}});
}

/// Every page full, and no entry of the table to spare.
TEST_F(CudaDecode, FullTable) {
  ExpectRightFor({.query_heads = 2, .kv_heads = 2, .lengths = {64, 64, 64}, .spare_entries = 0});
}

TEST_F(CudaDecode, PagesOfOneTokenAndOfAllTokens) {
  ExpectRightFor({.query_heads = 2, .kv_heads = 1, .page_size = 1, .lengths = {50, 3}});
  ExpectRightFor({.query_heads = 2, .kv_heads = 1, .page_size = 512, .lengths = {400, 30}});
}

TEST_F(CudaDecode, SharedPages) {
  ExpectRightFor(
      {.query_heads = 4, .kv_heads = 2, .lengths = {100, 80, 64, 10}, .shared_tokens = 64});
}

TEST_F(CudaDecode, HeadSizes) {
  for (const std::int32_t head_size : {80, 96, 128, 256}) {
    ExpectRightFor(
        {.query_heads = 6, .kv_heads = 2, .head_size = head_size, .lengths = {70, 1, 33}});
  }
}

/// Each up to 130, and tokens at the beginning of pages: no quotient that is only nearly right
/// finds them all.
TEST_F(CudaDecode, EveryPageSize) {
  for (std::int32_t page_size = 1; page_size <= 130; ++page_size) {
    ExpectRightFor({.query_heads = 1,
                    .kv_heads = 1,
                    .head_size = 4,
                    .page_size = page_size,
                    .lengths = {5 * page_size + 1}});
  }
}

TEST_F(CudaDecode, OddHeadSizes) {
  for (const std::int32_t head_size : {1, 2, 3, 37, 130, 255}) {
    ExpectRightFor({.query_heads = 4, .kv_heads = 2, .head_size = head_size, .lengths = {40, 7}});
  }
}

/// More of them than a block has threads, or a byte counts.
TEST_F(CudaDecode, ManySequencesOrHeads) {
  std::vector<std::int32_t> lengths(300);
  std::ranges::generate(lengths, [&] { return static_cast<std::int32_t>(random()() % 4); });
  ExpectRightFor(
      {.query_heads = 1, .kv_heads = 1, .head_size = 4, .page_size = 2, .lengths = lengths});
  ExpectRightFor(
      {.query_heads = 300, .kv_heads = 300, .head_size = 4, .page_size = 2, .lengths = {3}});
}

TEST_F(CudaDecode, OneKvHeadForAll) {
  ExpectRightFor({.query_heads = 32, .kv_heads = 1, .head_size = 128, .lengths = {90, 20}});
}

TEST_F(CudaDecode, FourQueryHeadsForAKvHead) {
  ExpectRightFor({.query_heads = 32, .kv_heads = 8, .head_size = 128, .lengths = {90, 20}});
}

TEST_F(CudaDecode, AKvHeadForEach) {
  ExpectRightFor({.query_heads = 8, .kv_heads = 8, .head_size = 128, .lengths = {90, 20}});
}

TEST_F(CudaDecode, GroupsOfAnyNumberOfHeads) {
  for (const std::int32_t group : {3, 5, 7, 11, 71}) {
    ExpectRightFor({.query_heads = 2 * group, .kv_heads = 2, .lengths = {45}});
  }
}

/// What a thread keeps for its heads depends on how many there are and on how large they are.
TEST_F(CudaDecode, LargeGroupsOfLargeHeads) {
  for (const std::int32_t group : {9, 17, 24, 32, 33, 40}) {
    for (const std::int32_t head_size : {128, 192, 255, 256}) {
      ExpectRightFor(
          {.query_heads = group, .kv_heads = 1, .head_size = head_size, .lengths = {45}});
    }
  }
  ExpectRightFor({.query_heads = 40, .kv_heads = 1, .head_size = 256, .lengths = {700, 3}});
}

/// Long enough to be split, and not evenly.
TEST_F(CudaDecode, LongSequences) {
  ExpectRightFor({.query_heads = 4, .kv_heads = 1, .lengths = {1000, 255, 257, 4097}});
  ExpectRightFor({.query_heads = 1, .kv_heads = 1, .head_size = 80, .lengths = {3001}});
}

/// Whatever a split leaves for the merge, an odd number of floats of it.
TEST_F(CudaDecode, LongSequencesOfOddHeads) {
  for (const std::int32_t head_size : {1, 3, 33, 77}) {
    for (const std::int32_t length : {400, 700, 1000, 1200}) {
      ExpectRightFor({.query_heads = head_size == 3 ? 3 : 1,
                      .kv_heads = 1,
                      .head_size = head_size,
                      .lengths = {length},
                      .spare_entries = 0});
    }
  }
}

/// Tables that are full to their last slot, and whose tokens are shared out in parts of which no
/// power of two is a divisor.
TEST_F(CudaDecode, FullTablesThatPowersOfTwoDoNotDivide) {
  for (const std::int32_t entries : {129, 257, 300}) {
    for (const std::size_t sequences : {1U, 8U}) {
      const std::vector<std::int32_t> lengths(sequences, 16 * entries);
      const PagedProblem problem = DrawPaged(random(), {.query_heads = 8,
                                                        .kv_heads = 8,
                                                        .head_size = 4,
                                                        .lengths = lengths,
                                                        .spare_entries = 0});
      ExpectRight(Solve(problem), problem, Decode(Schedules().front(), problem, {}));
    }
  }
}

/// A table has room for more tokens than 31 and 32 bits count, of which there are few.
TEST_F(CudaDecode, TablesOfMoreTokensThan32BitsCount) {
  for (const std::int32_t entries : {32'768, 65'536, 65'537}) {
    ExpectRightFor({.query_heads = 1,
                    .kv_heads = 1,
                    .head_size = 4,
                    .page_size = 65'536,
                    .lengths = {100},
                    .spare_entries = entries - 1});
  }
  // So many heads that no sequence need be shared out: its one part is as long as the table.
  ExpectRightFor({.query_heads = 300,
                  .kv_heads = 300,
                  .head_size = 4,
                  .page_size = 4096,
                  .lengths = {700},
                  .spare_entries = 524'287});
}

/// Heads and tokens of one KV head each in several blocks.
TEST_F(CudaDecode, LongSequencesOfLargeGroups) {
  ExpectRightFor({.query_heads = 142, .kv_heads = 2, .head_size = 8, .lengths = {700, 20}});
}

/// Powers of two, so that no part of a sequence is shorter than another, nor any page.
TEST_F(CudaDecode, LongSequencesWithoutARest) {
  ExpectRightFor({.query_heads = 2,
                  .kv_heads = 1,
                  .head_size = 8,
                  .lengths = {256, 512, 128, 1024},
                  .spare_entries = 0});
  ExpectRightFor(
      {.query_heads = 1, .kv_heads = 1, .head_size = 8, .lengths = {256, 512, 1024, 4096}});
}

TEST_F(CudaDecode, LongestContext) {
  ExpectRightFor({.query_heads = 1, .kv_heads = 1, .head_size = 16, .lengths = {131'072}});
}

/// Tokens, entries of the table and pages beyond 16 bits: each query head points at one token,
/// whose value it must give. Over so many tokens a mean would hide one that is missing.
TEST_F(CudaDecode, SingleTokensFarAway) {
  constexpr std::array<std::size_t, 4> kTokens = {0, 65'535, 65'536, 65'599};
  constexpr std::size_t kSize = 8;
  PagedProblem problem =
      DrawPaged(random(), {.query_heads = static_cast<std::int32_t>(kTokens.size()),
                           .kv_heads = 1,
                           .head_size = static_cast<std::int32_t>(kSize),
                           .page_size = 1,
                           .lengths = {65'600},
                           .distribution = {.key_scale = 0.1}});
  Tokens& tokens = problem.sequences.front();
  std::ranges::fill(tokens.q, 0.0F);
  for (std::size_t head = 0; head < kTokens.size(); ++head) {
    tokens.q[head * kSize + head] = 10;
    tokens.k[kTokens[head] * kSize + head] = 10;
  }
  problem.Fill();
  ExpectRight(problem);
}

/// Offsets of 32 bits with a sign wrap.
TEST_F(CudaDecode, PoolsBeyondTwoToThe31Elements) {
  constexpr std::size_t kBeyond = std::size_t{1} << 31U;
  ExpectRightFor({.query_heads = 4, .kv_heads = 2, .lengths = {50, 20}, .pool_extent = kBeyond});
  // No step of four elements, so that elements are loaded one by one.
  ExpectRightFor({.query_heads = 3,
                  .kv_heads = 1,
                  .head_size = 37,
                  .page_size = 7,
                  .lengths = {20},
                  .pool_extent = kBeyond});
}

/// Pages of a token, so that their numbers are as large as their type holds: beyond what fits a
/// float, and beyond 30 bits.
TEST_F(CudaDecode, PageNumbersOfAllBits) {
  for (const std::int32_t head_size : {4, 1}) {
    ExpectRightFor({.query_heads = 2,
                    .kv_heads = 1,
                    .head_size = head_size,
                    .page_size = 1,
                    .lengths = {12, 9},
                    .pool_extent = (std::size_t{1} << 31U) - 64});
  }
}

/// Each score above those before it, and each below.
TEST_F(CudaDecode, ScoresThatRiseAndFall) {
  for (const float step : {0.02F, -0.02F, 1.0F}) {
    PagedProblem problem =
        DrawPaged(random(), {.query_heads = 2, .kv_heads = 1, .lengths = {1500, 40}});
    for (Tokens& tokens : problem.sequences) {
      for (std::size_t i = 0; i < tokens.k.size(); ++i) {
        const std::size_t token = i / 64;
        tokens.k[i] = step * static_cast<float>(token) / 8;
      }
      std::ranges::fill(tokens.q, 1.0F);
    }
    problem.Fill();
    ExpectRight(problem);
  }
}

TEST_F(CudaDecode, LargeScores) {
  const double scale = std::sqrt(1e6 / 8);
  ExpectRightFor({.query_heads = 2,
                  .kv_heads = 1,
                  .lengths = {300, 17},
                  .distribution = {.query_scale = scale, .key_scale = scale}});
}

/// Of all tokens: a running maximum that begins at 0 stays there.
TEST_F(CudaDecode, ScoresFarBelowZero) {
  for (const std::int32_t length : {20, 600, 1300}) {
    PagedProblem problem =
        DrawPaged(random(), {.query_heads = 2, .kv_heads = 1, .lengths = {length, 40}});
    for (Tokens& tokens : problem.sequences) {
      std::ranges::fill(tokens.q, 10.0F);
      for (float& key : tokens.k) {
        key = 0.01F * key - 10;
      }
    }
    problem.Fill();
    ExpectRight(problem);
  }
}

/// Up to the largest that are asked for: the answer is the mean of all values.
TEST_F(CudaDecode, EqualScoresOfAnySize) {
  for (const float size : {30.0F, 300.0F, 2'000.0F, 3'500.0F}) {
    for (const float sign : {1.0F, -1.0F}) {
      PagedProblem problem =
          DrawPaged(random(), {.query_heads = 2, .kv_heads = 1, .lengths = {1, 40, 1300}});
      for (Tokens& tokens : problem.sequences) {
        std::ranges::fill(tokens.q, size);
        std::ranges::fill(tokens.k, sign * size);
        for (float& value : tokens.v) {
          value += 3;  // Of 0 the bound at such scores is no number.
        }
      }
      problem.Fill();
      ExpectRight(problem);
    }
  }
}

/// As Together.ScoresThatJump.
TEST_F(CudaDecode, ScoresThatJump) {
  for (const std::size_t before : {40U, 530U}) {
    for (const float jump : {20.0F, 80.0F, 87.0F, 90.0F, 300.0F, 1e4F}) {
      const auto length = static_cast<std::int32_t>(before) + 20;
      PagedProblem problem = DrawPaged(random(), {.query_heads = 1,
                                                  .kv_heads = 1,
                                                  .lengths = {length, length},
                                                  .distribution = {.value_scale = 1e3}});
      const auto jumps_at = static_cast<std::ptrdiff_t>(before * 64);
      for (Tokens& tokens : problem.sequences) {
        std::fill(tokens.k.begin(), tokens.k.begin() + jumps_at, 0.0F);
        std::fill(tokens.k.begin() + jumps_at, tokens.k.end(), jump / 8);
        std::ranges::fill(tokens.q, 1.0F);
      }
      std::vector<float>& values = problem.sequences.back().v;
      std::fill(values.begin() + jumps_at, values.end(), 0.0F);
      problem.Fill();
      ExpectRight(problem);
    }
  }
}

TEST_F(CudaDecode, ValuesThatCancel) {
  PagedProblem problem = DrawPaged(random(), {.query_heads = 1, .kv_heads = 1, .lengths = {800}});
  Tokens& tokens = problem.sequences.front();
  std::ranges::fill(tokens.k, 0.25F);
  for (std::size_t i = 0; i < tokens.v.size(); ++i) {
    tokens.v[i] = i / 64 % 2 == 0 ? 1e4F : -1e4F;
  }
  problem.Fill();
  ExpectRight(problem);
}

/// A token that is not finite acts on what reads it, and on nothing else.
TEST_F(CudaDecode, WhatIsNotFiniteStaysWhereItIs) {
  PagedProblem problem =
      DrawPaged(random(), {.query_heads = 4, .kv_heads = 2, .lengths = {60, 60}});
  problem.sequences[0].k[10 * 128 + 5] = kNan;
  problem.sequences[1].v[20 * 128 + 64] = std::numeric_limits<float>::infinity();
  problem.Fill();
  ExpectRight(problem);
}

TEST_F(CudaDecode, BuffersAtAnyFourBytes) {
  for (const std::size_t offset_bytes : {4U, 8U, 12U}) {
    ExpectRight(DrawPaged(random(), {.query_heads = 4, .kv_heads = 2, .lengths = {40, 300}}),
                offset_bytes);
  }
}

/// Each by itself where the others are aligned to 16 bytes, and aligned where the others are not.
TEST_F(CudaDecode, EachBufferAtAnAddressOfItsOwn) {
  const PagedProblem problem =
      DrawPaged(random(), {.query_heads = 4, .kv_heads = 2, .lengths = {40, 300}});
  ExpectRight(problem);
  const Answer answer = Solve(problem);
  for (const std::size_t others : {0U, 4U}) {
    for (std::size_t alone = 0; alone < 6; ++alone) {
      Offsets offsets{};
      offsets.bytes.fill(others);
      offsets.bytes[alone] = 4 - others;
      ExpectRightAt(offsets, problem, answer);
    }
  }
}

/// A long sequence first: what it leaves in the workspace and in shared memory is not the next's.
TEST_F(CudaDecode, CallsAfterEachOther) {
  for (const std::int32_t length : {900, 900, 30, 900}) {
    ExpectRightFor({.query_heads = 2, .kv_heads = 1, .lengths = {length, 5}});
  }
}

TEST_F(CudaDecode, RandomShapes) {
  for (int i = 0; i < 8; ++i) {
    PagedShape shape{.kv_heads = static_cast<std::int32_t>(1 + random()() % 3),
                     .head_size = static_cast<std::int32_t>(1 + random()() % 160),
                     .page_size = static_cast<std::int32_t>(1 + random()() % 40),
                     .lengths = std::vector<std::int32_t>(1 + random()() % 5),
                     .spare_entries = static_cast<std::int32_t>(1 + random()() % 3)};
    shape.query_heads = shape.kv_heads * static_cast<std::int32_t>(1 + random()() % 9);
    std::ranges::generate(shape.lengths,
                          [&] { return static_cast<std::int32_t>(random()() % 400); });
    ExpectRight(DrawPaged(random(), shape), 4 * (random()() % 4));
  }
}

TEST_F(CudaDecode, Traffic) {
  const PagedProblem problem = DrawPaged(
      random(),
      {.query_heads = 16, .kv_heads = 4, .head_size = 128, .lengths = {1024, 300, 1000, 700}});
  const DecodeOutputs got = Decode(Schedules().front(), problem, {});
  if (!ExpectRight(Solve(problem), problem, got) || got.reply.launches.empty()) {
    return;
  }
  RecordLaunches("kv_paged_decode_f32_cuda 4 sequences, 16/4 heads of 128", got.reply.launches);
  const gpu::LaunchCounters total = gpu::Total(got.reply.launches);
  const double least = problem.LeastBytes();
  // Atomics, and copies beside the launches, move bytes too.
  const std::uint64_t copied = got.reply.copied.Read() + got.reply.copied.Written();
  const std::uint64_t requested = total.global_load.bytes + total.global_store.bytes +
                                  total.global_atomic.bytes + total.global_reduction.bytes;
  Metric("cuda_decode_bytes_over_floor", static_cast<double>(requested + copied) / least);
  Metric("cuda_decode_dram_over_floor",
         static_cast<double>(total.dram_read_bytes + total.dram_write_bytes + copied) / least);
  Metric("cuda_decode_launches", static_cast<double>(got.reply.launches.size()));
}

}  // namespace
}  // namespace assay::kvcache
