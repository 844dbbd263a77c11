// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_BASE_UNIQUE_FD_H_
#define ASSAY_BASE_UNIQUE_FD_H_

#include <unistd.h>

#include <utility>

namespace assay {

/// Owns one file descriptor and closes it exactly once. Move-only; -1 means it owns none.
class UniqueFd {
 public:
  UniqueFd() = default;
  explicit UniqueFd(int fd) : fd_(fd) {}
  UniqueFd(UniqueFd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  UniqueFd& operator=(UniqueFd&& other) noexcept {
    if (this != &other) {
      Reset(std::exchange(other.fd_, -1));
    }
    return *this;
  }
  UniqueFd(const UniqueFd&) = delete;
  UniqueFd& operator=(const UniqueFd&) = delete;
  ~UniqueFd() { Reset(); }

  [[nodiscard]] int get() const { return fd_; }
  [[nodiscard]] explicit operator bool() const { return fd_ >= 0; }

  /// Closes what it owns and takes `fd` instead.
  void Reset(int fd = -1) {
    if (fd_ >= 0) {
      ::close(fd_);
    }
    fd_ = fd;
  }

 private:
  int fd_ = -1;
};

}  // namespace assay

#endif  // ASSAY_BASE_UNIQUE_FD_H_
