// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_GPU_REAL_TIMED_DEVICE_CALL_H_
#define ASSAY_GPU_REAL_TIMED_DEVICE_CALL_H_

#include <cstddef>
#include <cstdint>
#include <expected>
#include <random>
#include <string>
#include <vector>

#include "client/host.h"
#include "gpu/real/call_text.h"

namespace assay::gpu::real {

/// What is asked of the GPU that a host reaches. Its word, for people.
struct DeviceDescription {
  std::string name;
  std::uint64_t l2_bytes = 0;
};
[[nodiscard]] std::expected<DeviceDescription, HostFailure> DescribeDevice(Host& host);

/// Bytes read and written a second by the device's own copy between two buffers of `bytes`: the
/// median of `repeats`, by our clock. The practical limit of a memory-bound kernel.
[[nodiscard]] std::expected<double, HostFailure> MeasureCopyBandwidth(Host& host,
                                                                      std::uint64_t bytes,
                                                                      int repeats);

/// One timed call. `wall_ns` is what counts; `event_ns` is the host's word, of the same stretch and
/// some microseconds around it, and serves to see where the two tell different stories.
struct TimedSample {
  double wall_ns = 0;   ///< Our clock: the operation, and a synchronisation of the whole device.
  double event_ns = 0;  ///< The device's clock, by two events of the host.
};

/// A CUDA operation that is timed again and again on a GPU: buffers in `sets` sets, used in turn;
/// before each call fresh inputs, outputs of a fresh random pattern, and an L2 that holds nothing
/// of them. Behind the call every element of every output must have been written. Not thread-safe;
/// memory is given back when the host ends.
class TimedDeviceCall {
 public:
  struct Options {
    int sets = 3;                   ///< At least 1.
    std::uint64_t flush_bytes = 0;  ///< What is written before each call; 0: four times L2.
    std::uint64_t seed = 1;         ///< Of inputs and patterns.
  };

  /// `host` must outlive it. Errors: as Host::Call, kRuntimeError when the device or an operation
  /// refuses, kMemoryLimit when it has no memory left.
  [[nodiscard]] static std::expected<TimedDeviceCall, HostFailure> Create(Host* host, CallText call,
                                                                          const Options& options);
  /// kWrongAnswer: an output was not written; the operation returned something but 0.
  [[nodiscard]] std::expected<TimedSample, HostFailure> Run();

 private:
  /// Device addresses by argument; 0 for those that have none.
  using Buffers = std::vector<std::uint64_t>;
  struct Placed {
    std::uint64_t address = 0;
    std::vector<std::byte> pattern;  ///< What an output held before the call.
    std::uint64_t element_bytes = 0;
  };

  TimedDeviceCall(Host* host, CallText call, const Options& options)
      : host_(host), call_(std::move(call)), random_(options.seed) {}

  std::expected<void, HostFailure> SizeScratch();
  std::expected<void, HostFailure> AddSet();
  std::expected<std::vector<Placed>, HostFailure> Fill(const Buffers& set);
  [[nodiscard]] Invocation Call(const Buffers& set) const;
  std::expected<void, HostFailure> CheckWritten(const Placed& output);

  Host* host_;
  CallText call_;
  std::mt19937_64 random_;
  std::uint64_t scratch_bytes_ = 0;
  std::uint64_t flush_address_ = 0;
  std::uint64_t flush_bytes_ = 0;
  std::vector<Buffers> sets_;
  std::size_t next_set_ = 0;
};

}  // namespace assay::gpu::real

#endif  // ASSAY_GPU_REAL_TIMED_DEVICE_CALL_H_
