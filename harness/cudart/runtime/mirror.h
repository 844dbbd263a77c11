// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_CUDART_RUNTIME_MIRROR_H_
#define ASSAY_CUDART_RUNTIME_MIRROR_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "cudart/runtime/cuda_types.h"

namespace assay::gpu::runtime {

struct State;

/// Memory that host and device both see: managed memory, and host memory that a kernel was given a
/// pointer to. The host's copy is the truth between launches. Every launch first copies all
/// mirrors to the device, and copies them back before it returns, whether the kernel touched them
/// or not: no finer order of accesses by host and device is modelled. A device in this process
/// shares whole pages of managed memory instead, which costs launches nothing.
struct Mirror {
  std::uint64_t host = 0;
  std::uint64_t device = 0;  ///< Equal to `host` for managed memory.
  std::uint64_t size_bytes = 0;
  std::uint64_t shared_begin = 0;  ///< Bytes [shared_begin, shared_end) are one memory for both.
  std::uint64_t shared_end = 0;
};

/// Mirrors by either address, and the pages of this process that lie at device addresses.
class Mirrors {
 public:
  void Add(const Mirror& mirror);
  void Remove(const Mirror& mirror);
  void Clear();
  /// The mirror that holds the address; null: none.
  [[nodiscard]] const Mirror* FindByHost(std::uint64_t address) const;
  [[nodiscard]] const Mirror* FindByDevice(std::uint64_t address) const;
  [[nodiscard]] const std::map<std::uint64_t, Mirror>& by_device() const { return by_device_; }

  /// Maps zeroed pages of this process so that [address, address + size) can be read and written.
  /// False: something else is there, or there is no memory.
  [[nodiscard]] bool MapPages(std::uint64_t address, std::uint64_t size_bytes);
  void UnmapPages(std::uint64_t address, std::uint64_t size_bytes);
  /// Address and bytes of the pages of such a range that no other mirror can lie on.
  [[nodiscard]] static std::pair<std::uint64_t, std::uint64_t> OwnPages(std::uint64_t address,
                                                                        std::uint64_t size_bytes);

 private:
  std::map<std::uint64_t, Mirror> by_host_;
  std::map<std::uint64_t, Mirror> by_device_;
  /// Pages that more than one mirror lies on: how many, by address. Pages inside one mirror are
  /// not listed.
  std::map<std::uint64_t, unsigned> edge_pages_;
};

/// Host memory that the runtime pinned for a program.
struct HostBuffer {
  std::uint64_t size_bytes = 0;
  unsigned flags = 0;
  bool registered = false;   ///< By cudaHostRegister: not ours to free.
  std::uint64_t device = 0;  ///< Its mirror's device address; 0: none yet.
};

/// A device allocation of `size_bytes` whose address is host memory too: managed memory.
cudaError_t AllocateManaged(State& state, std::uint64_t size_bytes, std::uint64_t* address);
/// Of a `__managed__` variable: the device's memory is there already, and has its initial value.
cudaError_t AdoptManaged(State& state, std::uint64_t address, std::uint64_t size_bytes);
/// Ends a mirror of managed memory; the device's memory stays.
void ReleaseManaged(State& state, std::uint64_t address);

/// The device address that mirrors `host`, of a live host buffer.
cudaError_t MirrorHostBuffer(State& state, const void* base, HostBuffer& buffer);
/// The live host buffer that holds `address`, and its base; null: none.
HostBuffer* FindHostBuffer(State& state, const void* address, const void** base);

/// Replaces pointers to pinned host memory among the 8-byte words of a launch's parameters by
/// their device addresses, as unified addressing would have it.
cudaError_t TranslateHostPointers(State& state, std::span<std::byte> parameters);

cudaError_t CopyMirrorsToDevice(State& state);
cudaError_t CopyMirrorsFromDevice(State& state);

}  // namespace assay::gpu::runtime

#endif  // ASSAY_CUDART_RUNTIME_MIRROR_H_
