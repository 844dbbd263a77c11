// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_EMULATOR_EXEC_BLOCK_STORAGE_H_
#define ASSAY_EMULATOR_EXEC_BLOCK_STORAGE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "emulator/core/program.h"
#include "emulator/core/warp.h"

namespace assay::gpu {

struct AlignedFree {
  void operator()(std::byte* memory) const;
};
/// 128-byte aligned.
using AlignedBytes = std::unique_ptr<std::byte[], AlignedFree>;
[[nodiscard]] AlignedBytes AllocateAligned(std::size_t size_bytes);

/// A block with the memory that its warps run in.
struct ResidentBlock {
  Block block;
  AlignedBytes registers;
  AlignedBytes local;
  AlignedBytes shared;
  std::uint64_t random_state = 1;  ///< xorshift64; never 0. What it is to run as, wherever it does.
  ~ResidentBlock();
  ResidentBlock() = default;
  ResidentBlock(const ResidentBlock&) = delete;
  ResidentBlock& operator=(const ResidentBlock&) = delete;
};

/// Makes blocks ready to start, reusing the memory of those that ended.
class BlockStorage {
 public:
  BlockStorage(const Launch& launch, Worker& worker) : launch_(launch), worker_(worker) {}

  /// Bytes that one resident block takes.
  [[nodiscard]] static std::uint64_t BytesPerBlock(const Launch& launch);

  [[nodiscard]] std::unique_ptr<ResidentBlock> Take(std::uint64_t position, std::uint64_t linear);
  void GiveBack(std::unique_ptr<ResidentBlock> block);

 private:
  [[nodiscard]] std::unique_ptr<ResidentBlock> Make();
  void Start(ResidentBlock& resident, std::uint64_t position, std::uint64_t linear);

  const Launch& launch_;
  Worker& worker_;
  std::vector<std::unique_ptr<ResidentBlock>> unused_;
};

}  // namespace assay::gpu

#endif  // ASSAY_EMULATOR_EXEC_BLOCK_STORAGE_H_
