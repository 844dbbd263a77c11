// SPDX-License-Identifier: Apache-2.0
#include "wire/shared_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace assay::wire {
namespace {

constexpr int kFixedSizeSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;

}  // namespace

Result<SharedMemory> SharedMemory::Create(const std::string& name, std::size_t size_bytes,
                                          PeerAccess peer) {
  UniqueFd fd(::memfd_create(name.c_str(), MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!fd) {
    return std::unexpected(SystemError("memfd_create " + name, errno));
  }
  if (::ftruncate(fd.get(), static_cast<off_t>(size_bytes)) != 0) {
    return std::unexpected(SystemError("size shared memory " + name, errno));
  }
  // Our writable mapping must exist before the seal that forbids new ones.
  void* data = ::mmap(nullptr, size_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0);
  if (data == MAP_FAILED) {
    return std::unexpected(SystemError("map shared memory " + name, errno));
  }
  SharedMemory memory(std::move(fd), static_cast<std::byte*>(data), size_bytes);
  // A descriptor opened read-only would not do: /proc/self/fd reopens it for writing.
  const int seals = kFixedSizeSeals | (peer == PeerAccess::kReadOnly ? F_SEAL_FUTURE_WRITE : 0);
  if (::fcntl(memory.fd(), F_ADD_SEALS, seals) != 0) {
    return std::unexpected(SystemError("seal shared memory " + name, errno));
  }
  return memory;
}

SharedMemory::SharedMemory(UniqueFd fd, std::byte* data, std::size_t size_bytes)
    : fd_(std::move(fd)), data_(data), size_bytes_(size_bytes) {}

SharedMemory::SharedMemory(SharedMemory&& other) noexcept
    : fd_(std::move(other.fd_)),
      data_(std::exchange(other.data_, nullptr)),
      size_bytes_(std::exchange(other.size_bytes_, 0)) {}

SharedMemory& SharedMemory::operator=(SharedMemory&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(data_, other.data_);
  std::swap(size_bytes_, other.size_bytes_);
  return *this;
}

SharedMemory::~SharedMemory() {
  if (data_ != nullptr) {
    ::munmap(data_, size_bytes_);
  }
}

std::uint64_t SharedMemory::UsedBytes() const {
  struct stat status{};
  if (::fstat(fd_.get(), &status) != 0) {
    return 0;
  }
  constexpr std::uint64_t kStatBlockBytes = 512;
  return static_cast<std::uint64_t>(status.st_blocks) * kStatBlockBytes;
}

void SharedMemory::Release(std::size_t offset_bytes, std::size_t size_bytes) const {
  ::fallocate(fd_.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
              static_cast<off_t>(offset_bytes), static_cast<off_t>(size_bytes));
}

}  // namespace assay::wire
