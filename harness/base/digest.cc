// SPDX-License-Identifier: Apache-2.0
#include "base/digest.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <memory>

#include "base/file.h"

namespace assay {
namespace {

class Sha256Stream {
 public:
  Sha256Stream() : context_(EVP_MD_CTX_new(), &EVP_MD_CTX_free) {
    EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr);
  }

  void Add(std::string_view bytes) { EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()); }

  std::string Finish() {
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned int size_bytes = 0;
    EVP_DigestFinal_ex(context_.get(), digest, &size_bytes);
    std::string text;
    for (unsigned int i = 0; i < size_bytes; ++i) {
      text += fmt::format("{:02x}", digest[i]);
    }
    return text;
  }

 private:
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_;
};

}  // namespace

std::string Sha256(std::string_view content) {
  Sha256Stream stream;
  stream.Add(content);
  return stream.Finish();
}

Result<std::string> DigestTree(const std::filesystem::path& directory,
                               const std::function<bool(const std::filesystem::path&)>& includes) {
  ASSAY_ASSIGN_OR_RETURN(const auto files, ListFiles(directory));
  Sha256Stream stream;
  for (const auto& file : files) {
    if (!includes(file)) {
      continue;
    }
    ASSAY_ASSIGN_OR_RETURN(const std::string content,
                           ReadFile(directory / file, std::size_t{512} << 20));
    // Sizes make the concatenation unambiguous: no file can pose as the end of another.
    stream.Add(fmt::format("{} {} {}\n", file.string().size(), file.string(), content.size()));
    stream.Add(content);
  }
  return stream.Finish();
}

}  // namespace assay
