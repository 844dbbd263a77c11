// SPDX-License-Identifier: Apache-2.0
#include "base/digest.h"

#include <gtest/gtest.h>

#include "base/file.h"
#include "base/temporary.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

TEST(DigestTest, KnownVectors) {
  // FIPS 180-4, examples for "" and "abc".
  EXPECT_EQ(Sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(Sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(DigestTest, TreeDigestSeesNamesContentsAndTheFilter) {
  const auto folder = TemporaryDirectory::Create(fs::path(testing::TempDir()), "digest").value();
  ASSERT_TRUE(WriteFileAtomically(folder.path() / "a", "1"));
  ASSERT_TRUE(WriteFileAtomically(folder.path() / "b.md", "2"));
  const std::string whole = DigestTree(folder.path()).value();
  const auto is_code = [](const fs::path& path) { return path.extension() != ".md"; };
  const std::string code = DigestTree(folder.path(), is_code).value();
  EXPECT_NE(whole, code);

  ASSERT_TRUE(WriteFileAtomically(folder.path() / "b.md", "3"));
  EXPECT_NE(DigestTree(folder.path()).value(), whole);
  EXPECT_EQ(DigestTree(folder.path(), is_code).value(), code);

  fs::rename(folder.path() / "a", folder.path() / "c");
  EXPECT_NE(DigestTree(folder.path(), is_code).value(), code);
}

}  // namespace
}  // namespace assay
