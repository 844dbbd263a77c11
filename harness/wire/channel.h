// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_WIRE_CHANNEL_H_
#define ASSAY_WIRE_CHANNEL_H_

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "wire/protocol.h"

/// Both ends of a conversation use this; it needs nothing but libc, and neither end trusts the
/// other's memory: what was read is copied once, and a message has come only when the peer's
/// sequence number is exactly the next one.
namespace assay::wire {

/// Nanoseconds of the monotonic clock. No system call (vDSO), so fit for spinning.
inline std::uint64_t Now_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000u +
         static_cast<std::uint64_t>(now.tv_nsec);
}

enum class Arrival {
  kNothing,
  kMessage,
  kOutOfTurn,  ///< The peer's sequence number is neither the last nor the next: a broken peer.
};

/// One end of the conversation: puts messages into one mailbox and takes them from the other. The
/// ends alternate, so a mailbox is never written while its last message may still be read. One
/// thread at a time.
class Channel {
 public:
  /// `spin_ns`: how long Spin looks before it gives up; 0 where only one processor is usable.
  Channel(Mailbox* outgoing, Mailbox* incoming, std::uint64_t spin_ns)
      : outgoing_(outgoing), incoming_(incoming), spin_ns_(spin_ns) {}

  /// Copies the frame into the mailbox, publishes it, and wakes the peer if it sleeps.
  /// `length_bytes` is at most kFrameBytes.
  void Put(const void* frame, std::size_t length_bytes) {
    std::memcpy(outgoing_->frame, frame, length_bytes);
    Publish();
  }

  /// Publishes what Stage wrote: the part of Put that is inside a measured time.
  void Publish() {
    // Sequentially consistent on both sides: either we see `waiting`, or the peer, who sets it
    // before it looks once more, sees the new number. Release alone would allow neither.
    outgoing_->sequence.store(++sent_, std::memory_order_seq_cst);
    if (outgoing_->waiting.load(std::memory_order_seq_cst) != 0) {
      Futex(&outgoing_->sequence, FUTEX_WAKE, 1, nullptr);
    }
  }

  /// Copies the frame into the mailbox without publishing it.
  void Stage(const void* frame, std::size_t length_bytes) {
    std::memcpy(outgoing_->frame, frame, length_bytes);
  }

  /// Looks once.
  [[nodiscard]] Arrival Poll() const {
    const std::uint32_t sequence = incoming_->sequence.load(std::memory_order_acquire);
    if (sequence == taken_ + 1) {
      return Arrival::kMessage;
    }
    return sequence == taken_ ? Arrival::kNothing : Arrival::kOutOfTurn;
  }

  /// Looks until something comes or the spin budget is used up.
  [[nodiscard]] Arrival Spin() const {
    Arrival arrival = Poll();
    if (spin_ns_ == 0 || arrival != Arrival::kNothing) {
      return arrival;
    }
    const std::uint64_t end_ns = Now_ns() + spin_ns_;
    do {
      for (int i = 0; i < kLooksPerClock && arrival == Arrival::kNothing; ++i) {
        __builtin_ia32_pause();
        arrival = Poll();
      }
    } while (arrival == Arrival::kNothing && Now_ns() < end_ns);
    return arrival;
  }

  /// Sleeps until something comes, at most `timeout_ns`; may return early with kNothing.
  [[nodiscard]] Arrival Sleep(std::uint64_t timeout_ns) {
    incoming_->waiting.store(1, std::memory_order_seq_cst);
    Arrival arrival = Peek();
    if (arrival == Arrival::kNothing) {
      const timespec timeout{static_cast<time_t>(timeout_ns / 1'000'000'000u),
                             static_cast<long>(timeout_ns % 1'000'000'000u)};
      Futex(&incoming_->sequence, FUTEX_WAIT, taken_, &timeout);
      arrival = Poll();
    }
    incoming_->waiting.store(0, std::memory_order_relaxed);
    return arrival;
  }

  /// Takes the message that has come: copies it, once, into `frame`, which has room for
  /// `capacity_bytes` (at least a header's). Returns its length, or 0 if the length in its header
  /// is less than a header, more than the room, or more than a frame.
  [[nodiscard]] std::size_t Take(void* frame, std::size_t capacity_bytes) {
    ++taken_;
    FrameHeader header{};
    std::memcpy(&header, incoming_->frame, sizeof header);
    CopiedOnce(&header);
    const std::size_t length_bytes = header.length_bytes;
    if (length_bytes < sizeof header || length_bytes > capacity_bytes ||
        length_bytes > kFrameBytes) {
      return 0;
    }
    // The header that was checked, not whatever is there by now.
    std::memcpy(frame, &header, sizeof header);
    std::memcpy(static_cast<std::byte*>(frame) + sizeof header, incoming_->frame + sizeof header,
                length_bytes - sizeof header);
    CopiedOnce(frame);
    return length_bytes;
  }

 private:
  /// A clock read costs as much as a few looks; this many looks take well under a microsecond.
  static constexpr int kLooksPerClock = 16;

  [[nodiscard]] Arrival Peek() const {
    const std::uint32_t sequence = incoming_->sequence.load(std::memory_order_seq_cst);
    return sequence == taken_ ? Arrival::kNothing : Poll();
  }

  /// Keeps the compiler from reading the shared source a second time instead of the copy.
  static void CopiedOnce(const void* copy) { asm volatile("" : : "r"(copy) : "memory"); }

  static void Futex(std::atomic<std::uint32_t>* word, int operation, std::uint32_t value,
                    const timespec* timeout) {
    // Not FUTEX_PRIVATE: the word is in memory of two processes. Errors (EAGAIN, EINTR, ETIMEDOUT)
    // all mean "look again", which every caller does.
    syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(word), operation, value, timeout, nullptr,
            0);
  }

  Mailbox* outgoing_;
  Mailbox* incoming_;
  std::uint64_t spin_ns_;
  std::uint32_t sent_ = 0;
  std::uint32_t taken_ = 0;
};

}  // namespace assay::wire

#endif  // ASSAY_WIRE_CHANNEL_H_
