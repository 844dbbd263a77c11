// SPDX-License-Identifier: Apache-2.0
// A submission that uses the device of its host, honestly and otherwise.
#include "host/device.h"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <span>
#include <thread>
#include <vector>

#include "host/adapter.h"
#include "testhosts/control.h"

namespace wire = assay::wire;

namespace {

int HasDevice() { return assay::host::HasDevice() ? 1 : 0; }

/// Sends `text` of so many bytes; the size of the reply, or -1.
int Ask(std::uint64_t size_bytes, const std::uint8_t* text, std::uint8_t* reply) {
  // In two parts, as callers with a head and a body do.
  const std::size_t half = size_bytes / 2;
  const auto answer = assay::host::CallDevice(
      {{text, half}, {text + half, size_bytes - half}},
      {reinterpret_cast<std::byte*>(reply), static_cast<std::size_t>(size_bytes)});
  return answer ? static_cast<int>(*answer) : -1;
}

/// Sends the same short message so many times; whether each was answered.
int AskOften(std::uint32_t count, const std::uint8_t* text, std::uint64_t size_bytes) {
  std::byte reply[64];
  for (std::uint32_t i = 0; i < count; ++i) {
    if (!assay::host::CallDevice({{text, static_cast<std::size_t>(size_bytes)}}, reply)) {
      return 0;
    }
  }
  return 1;
}

/// As AskOften, each time from another thread, while the operation runs.
int AskFromThreads(std::uint32_t count, const std::uint8_t* text, std::uint64_t size_bytes) {
  int answered = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    std::thread([&] { answered += AskOften(1, text, size_bytes); }).join();
  }
  return answered;
}

// ---- Speaking out of turn -----------------------------------------------------------------------

std::atomic<int> g_late_answer = -1;

/// Asks politely after the reply.
void AskLate() {
  std::thread([go = GoAhead()] {
    go.Wait();
    std::byte reply[8];
    g_late_answer = assay::host::CallDevice({{"e", 1}}, reply).has_value() ? 1 : 0;
    Say("asked\n");
  }).detach();
}
int LateAnswer() { return g_late_answer; }

void PutCall(std::uint32_t length_bytes, std::uint64_t size_bytes) {
  wire::DeviceFrame frame{};
  frame.header = {wire::FrameType::kDeviceCall, length_bytes};
  frame.size_bytes = size_bytes;
  RawPut(&frame, 64);
}

/// Asks impolitely after the reply.
void PutLate() {
  std::thread([go = GoAhead()] {
    go.Wait();
    PutCall(17, 1);
    Say("put\n");
  }).detach();
}

void PutFrame(std::uint32_t length_bytes, std::uint64_t size_bytes) {
  PutCall(length_bytes, size_bytes);
  SleepForever();
}

/// Writes a message and never says so.
void StopInTheMiddle() {
  wire::DeviceFrame frame{};
  std::memcpy(RawControl().to_client.frame, &frame, sizeof frame / 2);
  SleepForever();
}

void PutFromTwoThreads() {
  for (int i = 0; i < 2; ++i) {
    std::thread([] {
      while (true) {
        PutCall(17, 1);
      }
    }).detach();
  }
  SleepForever();
}

std::byte* MapDeviceMemory() {
  static auto* memory = static_cast<std::byte*>(::mmap(
      nullptr, wire::kDeviceMessageBytes, PROT_READ | PROT_WRITE, MAP_SHARED, wire::kDeviceFd, 0));
  return memory;
}

/// Asks with long and short messages that change all the while, head and body.
void ChangeWhileItIsRead(std::uint32_t count) {
  std::atomic<bool> stop = false;
  std::thread changer([&] {
    auto* words = reinterpret_cast<volatile std::uint64_t*>(MapDeviceMemory());
    auto* frame = reinterpret_cast<volatile std::uint64_t*>(RawControl().to_client.frame);
    for (std::uint64_t i = 0; !stop; ++i) {
      words[i % 1024] = i;
      frame[1 + i % 2] = i * 0x9e37'79b9'7f4a'7c15;
    }
  });
  std::vector<std::uint8_t> text(100'000, 'e');
  std::vector<std::byte> reply(text.size());
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::size_t size = i % 2 == 0 ? 100 : text.size();
    (void)assay::host::CallDevice({{text.data(), size}}, reply);
  }
  stop = true;
  changer.join();
}

void AskForever(const std::uint8_t* text, std::uint64_t size_bytes) {
  while (AskOften(1, text, size_bytes) == 1) {
  }
}

/// Fills memory on one thread while the device answers the other.
void AllocateWhileItWorks(const std::uint8_t* text, std::uint64_t size_bytes) {
  std::thread([] {
    constexpr std::size_t kBlock = std::size_t{16} << 20;
    while (true) {
      std::memset(::operator new(kBlock), 1, kBlock);
    }
  }).detach();
  (void)AskOften(1, text, size_bytes);
  SleepForever();
}

/// Burns processor time on one thread while the device answers the other.
void BurnWhileItWorks(const std::uint8_t* text, std::uint64_t size_bytes) {
  std::atomic<bool> stop = false;
  std::thread burner([&] {
    while (!stop) {
    }
  });
  (void)AskOften(1, text, size_bytes);
  stop = true;
  burner.join();
}

// ---- A place to keep something ------------------------------------------------------------------

void FillDeviceMemory() { std::memset(MapDeviceMemory(), 1, wire::kDeviceMessageBytes); }
void CountDeviceMemory(std::uint64_t* left) {
  *left = static_cast<std::uint64_t>(
      std::count(MapDeviceMemory(), MapDeviceMemory() + wire::kDeviceMessageBytes, std::byte{1}));
}

}  // namespace

ASSAY_OPERATION("has_device", HasDevice);
ASSAY_OPERATION("ask", Ask);
ASSAY_OPERATION("ask_often", AskOften);
ASSAY_OPERATION("ask_from_threads", AskFromThreads);
ASSAY_OPERATION("ask_late", AskLate);
ASSAY_OPERATION("late_answer", LateAnswer);
ASSAY_OPERATION("put_late", PutLate);
ASSAY_OPERATION("put_frame", PutFrame);
ASSAY_OPERATION("stop_in_the_middle", StopInTheMiddle);
ASSAY_OPERATION("put_from_two_threads", PutFromTwoThreads);
ASSAY_OPERATION("change_while_it_is_read", ChangeWhileItIsRead);
ASSAY_OPERATION("ask_forever", AskForever);
ASSAY_OPERATION("allocate_while_it_works", AllocateWhileItWorks);
ASSAY_OPERATION("burn_while_it_works", BurnWhileItWorks);
ASSAY_OPERATION("fill_device_memory", FillDeviceMemory);
ASSAY_OPERATION("count_device_memory", CountDeviceMemory);
