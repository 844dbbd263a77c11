// SPDX-License-Identifier: Apache-2.0
#include "wire/shared_memory.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <string>

namespace assay::wire {
namespace {

constexpr std::size_t kPage_bytes = 4096;
constexpr std::size_t kSize_bytes = 16 * kPage_bytes;

SharedMemory Make(PeerAccess peer) {
  auto memory = SharedMemory::Create("test", kSize_bytes, peer);
  EXPECT_TRUE(memory.has_value()) << ToString(memory.error());
  return std::move(*memory);
}

void* Map(int fd, int protection, int flags) {
  return ::mmap(nullptr, kSize_bytes, protection, flags, fd, 0);
}

TEST(SharedMemory, PeerSeesWhatWeWrite) {
  const SharedMemory memory = Make(PeerAccess::kReadOnly);
  memory.data()[4097] = std::byte{42};
  void* peer = Map(memory.fd(), PROT_READ, MAP_SHARED);
  ASSERT_NE(peer, MAP_FAILED);
  EXPECT_EQ(static_cast<std::byte*>(peer)[4097], std::byte{42});
  ::munmap(peer, kSize_bytes);
}

TEST(SharedMemory, PeerCannotMapReadOnlyMemoryForWriting) {
  const SharedMemory memory = Make(PeerAccess::kReadOnly);
  EXPECT_EQ(Map(memory.fd(), PROT_READ | PROT_WRITE, MAP_SHARED), MAP_FAILED);
  EXPECT_EQ(errno, EPERM);
}

TEST(SharedMemory, PeerCannotMakeItsMappingWritable) {
  const SharedMemory memory = Make(PeerAccess::kReadOnly);
  void* peer = Map(memory.fd(), PROT_READ, MAP_SHARED);
  ASSERT_NE(peer, MAP_FAILED);
  EXPECT_NE(::mprotect(peer, kSize_bytes, PROT_READ | PROT_WRITE), 0);
  ::munmap(peer, kSize_bytes);
}

TEST(SharedMemory, PeerCannotWriteThroughAReopenedDescriptor) {
  const SharedMemory memory = Make(PeerAccess::kReadOnly);
  const std::string path = "/proc/self/fd/" + std::to_string(memory.fd());
  const UniqueFd reopened(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  const char byte = 1;
  EXPECT_LT(::pwrite(reopened.get(), &byte, 1, 0), 0);
  EXPECT_EQ(Map(reopened.get(), PROT_READ | PROT_WRITE, MAP_SHARED), MAP_FAILED);
}

TEST(SharedMemory, PeerCanWriteReadWriteMemory) {
  const SharedMemory memory = Make(PeerAccess::kReadWrite);
  void* peer = Map(memory.fd(), PROT_READ | PROT_WRITE, MAP_SHARED);
  ASSERT_NE(peer, MAP_FAILED);
  static_cast<std::byte*>(peer)[0] = std::byte{7};
  EXPECT_EQ(memory.data()[0], std::byte{7});
  ::munmap(peer, kSize_bytes);
}

class EitherAccess : public testing::TestWithParam<PeerAccess> {};

TEST_P(EitherAccess, PeerCannotResizeOrSeal) {
  const SharedMemory memory = Make(GetParam());
  EXPECT_NE(::ftruncate(memory.fd(), 0), 0);
  EXPECT_NE(::ftruncate(memory.fd(), 2 * kSize_bytes), 0);
  EXPECT_NE(::fcntl(memory.fd(), F_ADD_SEALS, F_SEAL_WRITE), 0);
}

INSTANTIATE_TEST_SUITE_P(Access, EitherAccess,
                         testing::Values(PeerAccess::kReadOnly, PeerAccess::kReadWrite));

TEST(SharedMemory, OnlyTouchedPagesTakeMemoryUntilReleased) {
  const SharedMemory memory = Make(PeerAccess::kReadWrite);
  EXPECT_EQ(memory.UsedBytes(), 0u);
  memory.data()[0] = std::byte{1};
  memory.data()[5 * kPage_bytes] = std::byte{1};
  EXPECT_EQ(memory.UsedBytes(), 2u * 4096);
  memory.Release(0, 4096);
  EXPECT_EQ(memory.UsedBytes(), 4096u);
  EXPECT_EQ(memory.data()[0], std::byte{0});
}

TEST(SharedMemory, MovedFromOwnsNothing) {
  SharedMemory memory = Make(PeerAccess::kReadWrite);
  std::byte* data = memory.data();
  SharedMemory moved = std::move(memory);
  EXPECT_EQ(moved.data(), data);
  moved = Make(PeerAccess::kReadWrite);
  EXPECT_NE(moved.data(), nullptr);
}

}  // namespace
}  // namespace assay::wire
