// SPDX-License-Identifier: Apache-2.0
#include "base/error.h"

#include <cstring>

namespace assay {

std::string ToString(const Error& error) {
  std::string text = error.where;
  if (!text.empty()) {
    text += ": ";
  }
  text += error.cause;
  if (!error.remedy.empty()) {
    text += "; " + error.remedy;
  }
  return text;
}

Error SystemError(std::string operation, int error_number) {
  char buffer[256];
  return Error{
      .kind = ErrorKind::kJudge,
      .where = "",
      .cause = std::move(operation) + ": " + strerror_r(error_number, buffer, sizeof buffer),
      .remedy = ""};
}

}  // namespace assay
