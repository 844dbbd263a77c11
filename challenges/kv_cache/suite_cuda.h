// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CHALLENGES_KV_CACHE_SUITE_CUDA_H_
#define ASSAY_CHALLENGES_KV_CACHE_SUITE_CUDA_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/adapter/device_stream.h"
#include "gpu/suite/gpu_case.h"
#include "oracle.h"
#include "suite_driver.h"

namespace assay::kvcache {

inline constexpr std::string_view kDecodeCuda = "kv_paged_decode_f32_cuda";
inline constexpr std::string_view kDecodeCudaWorkspace = "kv_paged_decode_cuda_workspace_bytes";

/// What a paged problem is drawn from.
struct PagedShape {
  std::int32_t query_heads = 1;
  std::int32_t kv_heads = 1;
  std::int32_t head_size = 64;
  std::int32_t page_size = 16;
  std::vector<std::int32_t> lengths;
  /// Entries of the page table beyond those that the longest sequence needs.
  std::int32_t spare_entries = 2;
  /// Tokens, a multiple of page_size, that all sequences as long as that share, in the same pages.
  std::int32_t shared_tokens = 0;
  Distribution distribution = {};
  /// How far behind the first page of a pool its last begins, at least, in elements: pages then lie
  /// apart, and the first token's is the last. Memory between pages is never touched.
  std::size_t pool_extent = 0;
};

/// Tokens of some sequences, and the same in pages as interface.h lays them out: in random places
/// of a pool with pages to spare; every slot that holds no token is NaN; entries of the page table
/// that are not to be read are -1 and 2^31 - 1 in turn. Of the pools it has only the pages whose
/// numbers are multiples of page_step.
struct PagedProblem {
  PagedShape shape;
  Config config;                  ///< For the oracle.
  std::vector<Tokens> sequences;  ///< With one query each, that of the last token.
  std::int32_t table_stride = 0;
  std::int32_t page_step = 1;
  std::size_t page_elements = 0;  ///< As drawn, whatever becomes of `shape`.
  /// What a call says instead of the number of sequences.
  std::optional<std::int32_t> said_sequences = std::nullopt;
  std::vector<float> q;
  std::vector<float> key_pages;
  std::vector<float> value_pages;
  std::vector<std::int32_t> page_table;

  [[nodiscard]] std::int32_t SaidSequences() const {
    return said_sequences.value_or(static_cast<std::int32_t>(shape.lengths.size()));
  }
  /// Where K or V of a token begins in the pages that there are.
  [[nodiscard]] std::size_t Slot(std::size_t sequence, std::size_t token,
                                 std::size_t kv_head) const;
  /// Bytes that have to be loaded and stored: interface.h has the formula.
  [[nodiscard]] double LeastBytes() const;
  /// Bytes of the keys of all tokens, those in pages that sequences share once. No values are among
  /// them, which may be left out where a score is too low to count.
  [[nodiscard]] std::uint64_t DistinctKeyBytes() const;
  /// Puts the sequences' tokens into their pages, and their queries into q.
  void Fill();
};

[[nodiscard]] PagedProblem DrawPaged(std::mt19937_64& random, const PagedShape& shape);

/// The right outputs, [sequences][query_heads][head_size].
[[nodiscard]] Answer Solve(const PagedProblem& problem);

/// How a call is made, beside what it computes.
struct CallPlace {
  std::size_t offset_bytes = 0;  ///< Of each buffer, from an address aligned to 256.
  gpu::StreamKind stream = gpu::StreamKind::kDefault;
};

struct DecodeOutputs {
  std::vector<float> out;
  gpu::DeviceReply reply;
};

/// What the cases of paged decode in CUDA share. KV_UNSUPPORTED skips a case, any other status but
/// KV_OK is a wrong answer.
class KvCudaTest : public gpu::GpuCaseTest {
 protected:
  /// Every case begins with it.
  void NeedDecode();

  DecodeOutputs Decode(std::string_view role, const PagedProblem& problem, CallPlace place);
  /// Whether it is; if not, the case is a wrong answer. One whose work kernels cannot have done
  /// ends it.
  bool ExpectRight(const Answer& answer, const PagedProblem& problem, const DecodeOutputs& got);
  /// On all schedules, each on another kind of stream than the one before.
  void ExpectRight(const PagedProblem& problem, std::size_t offset_bytes = 0);
  void ExpectRightFor(const PagedShape& shape) { ExpectRight(DrawPaged(random(), shape)); }
  /// The call gets that status, and writes nothing of its output.
  void ExpectRefused(int status, const PagedProblem& problem, std::uint64_t more_workspace = 0);

 private:
  static gpu::KernelDuty DutyOfKernels(const PagedProblem& problem);
  std::uint64_t WorkspaceBytes(std::string_view role, const PagedProblem& problem);
  static gpu::DeviceInvocation Invoke(const PagedProblem& problem, std::vector<float>& out,
                                      std::uint64_t workspace_bytes, CallPlace place);
};

}  // namespace assay::kvcache

#endif  // ASSAY_CHALLENGES_KV_CACHE_SUITE_CUDA_H_
