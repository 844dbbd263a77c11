// SPDX-License-Identifier: Apache-2.0
// What the tests of fat binaries and cubins share.
#ifndef ASSAY_CUDART_FATBIN_READ_FOR_TEST_H_
#define ASSAY_CUDART_FATBIN_READ_FOR_TEST_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "cudart/fatbin/fat_binary.h"

namespace assay::gpu {

using Bytes = std::vector<std::byte>;

inline Bytes ReadTestdata(const std::string& name) {
  std::ifstream file(std::filesystem::path(ASSAY_FATBIN_TESTDATA) / name, std::ios::binary);
  EXPECT_TRUE(file) << name;
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  Bytes bytes(text.size());
  std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

/// The entries of a fat binary that has to be whole.
inline FatBinary MustRead(const std::string& name) {
  auto binary = ReadFatBinary(std::span<const std::byte>(ReadTestdata(name)));
  EXPECT_TRUE(binary.has_value()) << name << ": " << ToString(binary.error());
  return binary ? std::move(*binary) : FatBinary{};
}

template <class T>
void WriteAt(Bytes& bytes, std::size_t offset, T value) {
  ASSERT_LE(offset + sizeof(T), bytes.size());
  std::memcpy(bytes.data() + offset, &value, sizeof(T));
}

}  // namespace assay::gpu

#endif  // ASSAY_CUDART_FATBIN_READ_FOR_TEST_H_
