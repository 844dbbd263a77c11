// SPDX-License-Identifier: Apache-2.0
// Keeps its tokens in a file, out of the memory that is measured: in /tmp, or in a file without a
// name where that cannot be opened.

#include <sys/mman.h>

#include <cstdio>

#include "plain_export.h"

namespace {

class Spoilt : public plain::Cache {
 public:
  explicit Spoilt(const kv_config& config) : Cache(config), file_(std::fopen("/tmp/tokens", "w+")) {
    if (file_ == nullptr) file_ = fdopen(memfd_create("tokens", 0), "w+");
  }
  ~Spoilt() override {
    if (file_ != nullptr) std::fclose(file_);
  }

 protected:
  void Store(int layer, int sequence, const float* k, const float* v) override {
    Cache::Store(layer, sequence, k, v);
    if (file_ != nullptr) std::fwrite(k, sizeof(float), TokenSize(), file_);
  }

 private:
  std::FILE* file_;
};

}  // namespace

PLAIN_EXPORT(Spoilt);
