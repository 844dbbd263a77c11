// SPDX-License-Identifier: Apache-2.0
#include "sandbox/capture.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <string>
#include <utility>

#include "process/retry.h"

namespace assay {

Capture::Capture(UniqueFd file, UniqueFd writer, std::int64_t limit_bytes)
    : file_(std::move(file)), writer_(std::move(writer)), limit_bytes_(limit_bytes) {}

Result<Capture> Capture::Create(std::int64_t limit_bytes) {
  UniqueFd file(::memfd_create("assay-output", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!file) {
    return std::unexpected(SystemError("memfd_create for captured output", errno));
  }
  if (::ftruncate(file.get(), limit_bytes) != 0 ||
      ::fcntl(file.get(), F_ADD_SEALS, F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL) != 0) {
    return std::unexpected(SystemError("size the captured output", errno));
  }
  const std::string path = "/proc/self/fd/" + std::to_string(file.get());
  UniqueFd writer(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  // Without a mode nobody opens it again, by the same path, for more.
  if (!writer || ::fchmod(file.get(), 0) != 0) {
    return std::unexpected(SystemError("open the captured output for writing", errno));
  }
  return Capture(std::move(file), std::move(writer), limit_bytes);
}

std::string Capture::Read() const {
  const off_t position = ::lseek(writer_.get(), 0, SEEK_CUR);
  const auto length = static_cast<std::size_t>(std::clamp<off_t>(position, 0, limit_bytes_));
  std::string text(length, '\0');
  std::size_t done = 0;
  while (done < length) {
    const ssize_t got = RetryOnEintr([&] {
      return ::pread(file_.get(), text.data() + done, length - done, static_cast<off_t>(done));
    });
    if (got <= 0) {
      break;
    }
    done += static_cast<std::size_t>(got);
  }
  text.resize(done);
  return text;
}

}  // namespace assay
