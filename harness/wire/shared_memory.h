// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_WIRE_SHARED_MEMORY_H_
#define ASSAY_WIRE_SHARED_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/error.h"
#include "base/unique_fd.h"

namespace assay::wire {

/// What the process that gets the descriptor may do with the memory.
enum class PeerAccess {
  kReadOnly,  ///< Not even by mapping it anew or by reopening the descriptor.
  kReadWrite,
};

/// Anonymous memory of a fixed size, mapped here for reading and writing, whose descriptor may be
/// given to an untrusted process. That process can neither resize it (so no access of ours can end
/// in SIGBUS) nor, with kReadOnly, ever write to it. Sparse and zeroed. Move-only.
class SharedMemory {
 public:
  /// `name` shows in /proc; it need not be unique. `size_bytes` is a multiple of the page size.
  [[nodiscard]] static Result<SharedMemory> Create(const std::string& name, std::size_t size_bytes,
                                                   PeerAccess peer);

  SharedMemory(SharedMemory&& other) noexcept;
  SharedMemory& operator=(SharedMemory&& other) noexcept;
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  ~SharedMemory();

  [[nodiscard]] int fd() const { return fd_.get(); }
  [[nodiscard]] std::byte* data() const { return data_; }
  [[nodiscard]] std::size_t size_bytes() const { return size_bytes_; }

  /// Memory taken by the pages that anyone has touched so far.
  [[nodiscard]] std::uint64_t UsedBytes() const;
  /// Gives the pages of [offset, offset + size) back; they read as zero from then on. Whole pages.
  /// Only for kReadWrite: the seal that keeps a peer from writing forbids this too.
  void Release(std::size_t offset_bytes, std::size_t size_bytes) const;

 private:
  SharedMemory(UniqueFd fd, std::byte* data, std::size_t size_bytes);

  UniqueFd fd_;
  std::byte* data_ = nullptr;
  std::size_t size_bytes_ = 0;
};

}  // namespace assay::wire

#endif  // ASSAY_WIRE_SHARED_MEMORY_H_
