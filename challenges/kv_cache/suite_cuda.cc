// SPDX-License-Identifier: Apache-2.0
#include "suite_cuda.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <set>

#include "interface.h"

namespace assay::kvcache {
namespace {

constexpr std::int32_t kNoPage[] = {-1, std::numeric_limits<std::int32_t>::max()};
constexpr std::int32_t kSparePages = 3;

std::int32_t PagesOf(std::int32_t tokens, std::int32_t page_size) {
  return tokens / page_size + (tokens % page_size == 0 ? 0 : 1);
}

/// Puts page numbers, in random order, where sequences need pages.
void DealOutPages(std::mt19937_64& random, PagedProblem& problem, std::int32_t pages) {
  std::vector<std::int32_t> free(static_cast<std::size_t>(pages));
  std::iota(free.begin(), free.end(), 0);
  std::ranges::shuffle(free, random);
  if (problem.page_step > 1) {
    std::ranges::iter_swap(std::ranges::max_element(free), std::prev(free.end()));
  }
  const PagedShape& shape = problem.shape;
  const std::int32_t shared_pages = shape.shared_tokens / shape.page_size;
  std::vector<std::int32_t> shared;
  for (std::size_t s = 0; s < shape.lengths.size(); ++s) {
    const std::int32_t needed = PagesOf(shape.lengths[s], shape.page_size);
    const bool shares = shape.lengths[s] >= shape.shared_tokens;
    for (std::int32_t entry = 0; entry < problem.table_stride; ++entry) {
      const auto at = static_cast<std::size_t>(entry);
      std::int32_t& page =
          problem.page_table[s * static_cast<std::size_t>(problem.table_stride) + at];
      if (entry >= needed) {
        page = kNoPage[entry % 2];
      } else if (shares && at < shared.size()) {
        page = shared[at];
      } else {
        page = free.back() * problem.page_step;
        free.pop_back();
        if (shares && entry < shared_pages) {
          shared.push_back(page);
        }
      }
    }
  }
}

gpu::StreamKind Other(gpu::StreamKind kind) {
  return kind == gpu::StreamKind::kDefault ? gpu::StreamKind::kNonBlocking
                                           : gpu::StreamKind::kDefault;
}

}  // namespace

std::size_t PagedProblem::Slot(std::size_t sequence, std::size_t token, std::size_t kv_head) const {
  const auto page_size = static_cast<std::size_t>(shape.page_size);
  const auto page = static_cast<std::size_t>(
      page_table[sequence * static_cast<std::size_t>(table_stride) + token / page_size] /
      page_step);
  return ((page * static_cast<std::size_t>(shape.kv_heads) + kv_head) * page_size +
          token % page_size) *
         static_cast<std::size_t>(shape.head_size);
}

double PagedProblem::LeastBytes() const {
  double tokens = 0;
  double entries = 0;
  for (const std::int32_t length : shape.lengths) {
    tokens += length;
    entries += PagesOf(length, shape.page_size);
  }
  const auto count = static_cast<double>(shape.lengths.size());
  return 8.0 * static_cast<double>(config.KeyElements()) * tokens +
         8.0 * static_cast<double>(config.QueryElements()) * count + 4 * entries + 4 * count;
}

std::uint64_t PagedProblem::DistinctKeyBytes() const {
  std::set<std::size_t> slots;
  for (std::size_t s = 0; s < sequences.size(); ++s) {
    for (std::size_t token = 0; token < sequences[s].count; ++token) {
      slots.insert(Slot(s, token, 0));
    }
  }
  return std::uint64_t{slots.size()} * config.KeyElements() * sizeof(float);
}

void PagedProblem::Fill() {
  const auto head = static_cast<std::ptrdiff_t>(shape.head_size);
  q.clear();
  for (std::size_t s = 0; s < sequences.size(); ++s) {
    q.insert(q.end(), sequences[s].q.begin(), sequences[s].q.end());
    std::ptrdiff_t from = 0;
    for (std::size_t token = 0; token < sequences[s].count; ++token) {
      for (std::size_t g = 0; g < static_cast<std::size_t>(shape.kv_heads); ++g, from += head) {
        const auto to = static_cast<std::ptrdiff_t>(Slot(s, token, g));
        std::copy_n(sequences[s].k.begin() + from, head, key_pages.begin() + to);
        std::copy_n(sequences[s].v.begin() + from, head, value_pages.begin() + to);
      }
    }
  }
}

PagedProblem DrawPaged(std::mt19937_64& random, const PagedShape& shape) {
  PagedProblem problem{.shape = shape,
                       .config = {.query_heads = shape.query_heads,
                                  .kv_heads = shape.kv_heads,
                                  .head_size = shape.head_size},
                       .sequences = {},
                       .q = {},
                       .key_pages = {},
                       .value_pages = {},
                       .page_table = {}};
  problem.page_elements = static_cast<std::size_t>(shape.page_size) * problem.config.KeyElements();
  std::int32_t pages = kSparePages;
  for (const std::int32_t length : shape.lengths) {
    const auto count = static_cast<std::size_t>(length);
    Tokens tokens = DrawTokens(random, problem.config, count, shape.distribution);
    const Tokens query = DrawTokens(random, problem.config, 1, shape.distribution);
    tokens.q = query.q;
    if (!problem.sequences.empty() && length >= shape.shared_tokens) {
      // What is shared is the same; the first sequence has it.
      const std::size_t shared =
          static_cast<std::size_t>(shape.shared_tokens) * problem.config.KeyElements();
      std::copy_n(problem.sequences.front().k.begin(), shared, tokens.k.begin());
      std::copy_n(problem.sequences.front().v.begin(), shared, tokens.v.begin());
    }
    problem.sequences.push_back(std::move(tokens));
    pages += PagesOf(length, shape.page_size);
    problem.table_stride = std::max(problem.table_stride, PagesOf(length, shape.page_size));
  }
  problem.table_stride += shape.spare_entries;
  if (shape.pool_extent > 0) {
    const std::size_t steps = static_cast<std::size_t>(pages - 1) * problem.page_elements;
    problem.page_step = static_cast<std::int32_t>((shape.pool_extent + steps - 1) / steps);
  }
  problem.page_table.resize(shape.lengths.size() * static_cast<std::size_t>(problem.table_stride));
  DealOutPages(random, problem, pages);
  const std::size_t pool = static_cast<std::size_t>(pages) * problem.page_elements;
  problem.key_pages.assign(pool, std::numeric_limits<float>::quiet_NaN());
  problem.value_pages = problem.key_pages;
  problem.Fill();
  return problem;
}

Answer Solve(const PagedProblem& problem) {
  Answer all;
  for (const Tokens& tokens : problem.sequences) {
    const History history{.k = tokens.k, .v = tokens.v};
    const Answer answer =
        Attend(problem.config, history, tokens.count == 0 ? 0 : tokens.count - 1, tokens.q);
    all.out.insert(all.out.end(), answer.out.begin(), answer.out.end());
    all.bound.insert(all.bound.end(), answer.bound.begin(), answer.bound.end());
  }
  return all;
}

void KvCudaTest::NeedDecode() {
  NeedOptionalOperation(kDecodeCuda);
  NeedOptionalOperation(kDecodeCudaWorkspace);
}

std::uint64_t KvCudaTest::WorkspaceBytes(std::string_view role, const PagedProblem& problem) {
  const PagedShape& shape = problem.shape;
  std::vector<std::uint64_t> bytes(1);
  Invocation call{std::string(kDecodeCudaWorkspace)};
  call.Scalar(problem.SaidSequences())
      .Scalar(shape.query_heads)
      .Scalar(shape.kv_heads)
      .Scalar(shape.head_size)
      .Scalar(shape.page_size)
      .Scalar(problem.table_stride)
      .Output(bytes);
  CallExpecting(KV_OK, role, call);
  return bytes[0];
}

gpu::DeviceInvocation KvCudaTest::Invoke(const PagedProblem& problem, std::vector<float>& out,
                                         std::uint64_t workspace_bytes, CallPlace place) {
  const PagedShape& shape = problem.shape;
  const std::size_t page = problem.page_elements;
  const std::size_t stride = page * static_cast<std::size_t>(problem.page_step);
  gpu::DeviceInvocation call{std::string(kDecodeCuda)};
  call.Scalar(problem.SaidSequences())
      .Scalar(shape.query_heads)
      .Scalar(shape.kv_heads)
      .Scalar(shape.head_size)
      .Scalar(shape.page_size)
      .Input(problem.q, place.offset_bytes)
      .Rows(problem.key_pages, page, stride, place.offset_bytes)
      .Rows(problem.value_pages, page, stride, place.offset_bytes)
      .Input(problem.page_table, place.offset_bytes)
      .Scalar(problem.table_stride)
      .Input(shape.lengths, place.offset_bytes)
      .Output(out, place.offset_bytes)
      .Scratch(workspace_bytes)
      .Scalar(static_cast<std::size_t>(workspace_bytes))
      .Scalar(static_cast<std::uint32_t>(place.stream));
  return call;
}

DecodeOutputs KvCudaTest::Decode(std::string_view role, const PagedProblem& problem,
                                 CallPlace place) {
  DecodeOutputs got{.out = std::vector<float>(problem.q.size()), .reply = {}};
  const std::uint64_t workspace_bytes = WorkspaceBytes(role, problem);
  got.reply = CallOnDeviceExpectingOneOf({KV_OK, KV_UNSUPPORTED}, role,
                                         Invoke(problem, got.out, workspace_bytes, place));
  if (got.reply.reply.status == KV_UNSUPPORTED) {
    Skip(std::string(kDecodeCuda) + " says KV_UNSUPPORTED");
  }
  return got;
}

gpu::KernelDuty KvCudaTest::DutyOfKernels(const PagedProblem& problem) {
  const auto with_tokens = static_cast<std::uint64_t>(
      std::ranges::count_if(problem.shape.lengths, [](std::int32_t length) { return length > 0; }));
  return {.operation = kDecodeCuda,
          .input = "keys",
          // Each key decides over an output.
          .input_bytes = problem.DistinctKeyBytes(),
          // The others are zeros, which a fill may write.
          .output_bytes = with_tokens * problem.config.QueryElements() * sizeof(float),
          // To deal out work by; a page table is none's business but the kernels'.
          .plan_bytes = problem.shape.lengths.size() * sizeof(std::int32_t)};
}

bool KvCudaTest::ExpectRight(const Answer& answer, const PagedProblem& problem,
                             const DecodeOutputs& got) {
  ExpectWorkOfKernels(DutyOfKernels(problem), got.reply);
  Answer admitted = answer;
  for (std::size_t i = 0; i < admitted.out.size(); ++i) {
    if (std::isnan(admitted.out[i])) {  // Anything is right there.
      admitted.out[i] = static_cast<double>(got.out[i]);
      admitted.bound[i] = 0;
    }
  }
  const PagedShape& shape = problem.shape;
  const double worst =
      ExpectWithin({"out", fmt::format(" of {} sequences, {} query heads, {} KV heads of {}",
                                       shape.lengths.size(), shape.query_heads, shape.kv_heads,
                                       shape.head_size)},
                   got.out, admitted.out, admitted.bound);
  return worst <= 1;
}

void KvCudaTest::ExpectRight(const PagedProblem& problem, std::size_t offset_bytes) {
  const Answer answer = Solve(problem);
  CallPlace place{.offset_bytes = offset_bytes};
  for (const std::string_view role : Schedules()) {
    ExpectRight(answer, problem, Decode(role, problem, place));
    place.stream = Other(place.stream);
  }
}

void KvCudaTest::ExpectRefused(int status, const PagedProblem& problem,
                               std::uint64_t more_workspace) {
  for (const std::string_view role : Schedules()) {
    std::vector<float> out(problem.q.size());
    const std::uint64_t workspace_bytes = WorkspaceBytes(role, problem) + more_workspace;
    CallOnDeviceExpecting(status, role, Invoke(problem, out, workspace_bytes, {}));
  }
}

}  // namespace assay::kvcache
