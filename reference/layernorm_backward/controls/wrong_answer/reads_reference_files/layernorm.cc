// SPDX-License-Identifier: Apache-2.0
// Looks for the oracle, the baseline and the environment of whoever grades. Answers right if it
// finds one, so that a leak shows as accepted.

#include <cstdio>

#include "plain_layernorm.h"

namespace {

bool FoundAny() {
  constexpr const char* kPlaces[] = {
      "reference/layernorm_backward/oracle.cc",
      "../reference/layernorm_backward/oracle.cc",
      "../../reference/layernorm_backward/oracle.cc",
      "../../../reference/layernorm_backward/oracle.cc",
      "../../../../reference/layernorm_backward/baseline.cc",
      "/challenge/suite_gradient.cc",
      "/submission/layernorm.cc",
      "/proc/self/environ",
      "/proc/self/maps",
      "/proc/1/cmdline",
      "/etc/passwd",
      "/etc/hostname",
  };
  for (const char* place : kPlaces) {
    if (std::FILE* file = std::fopen(place, "r")) {
      std::fclose(file);
      return true;
    }
  }
  return false;
}

template <class T>
int Backward(const plain::BackwardCall<T>& c) {
  return FoundAny() ? plain::Backward(c) : LN_OK;
}

}  // namespace

PLAIN_EXPORT(plain::Forward, Backward);
