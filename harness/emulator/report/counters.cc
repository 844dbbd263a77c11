// SPDX-License-Identifier: Apache-2.0
#include "emulator/report/counters.h"

namespace assay::gpu {

AccessCounters& AccessCounters::operator+=(const AccessCounters& other) {
  requests += other.requests;
  threads += other.threads;
  bytes += other.bytes;
  sectors += other.sectors;
  ideal_sectors += other.ideal_sectors;
  wavefronts += other.wavefronts;
  ideal_wavefronts += other.ideal_wavefronts;
  return *this;
}

LaunchCounters& LaunchCounters::operator+=(const LaunchCounters& other) {
  warp_instructions += other.warp_instructions;
  thread_instructions += other.thread_instructions;
  branches += other.branches;
  divergent_branches += other.divergent_branches;
  barriers += other.barriers;
  shuffles += other.shuffles;
  global_load += other.global_load;
  global_store += other.global_store;
  global_atomic += other.global_atomic;
  global_reduction += other.global_reduction;
  vector16_load_bytes += other.vector16_load_bytes;
  local_load += other.local_load;
  local_store += other.local_store;
  shared_load += other.shared_load;
  shared_store += other.shared_store;
  shared_atomic += other.shared_atomic;
  compulsory_read_bytes += other.compulsory_read_bytes;
  compulsory_write_bytes += other.compulsory_write_bytes;
  dram_read_bytes += other.dram_read_bytes;
  dram_write_bytes += other.dram_write_bytes;
  l2_read_sectors += other.l2_read_sectors;
  l2_write_sectors += other.l2_write_sectors;
  for (std::size_t kind = 0; kind < flops.size(); ++kind) {
    flops[kind] += other.flops[kind];
  }
  special_function_ops += other.special_function_ops;
  for (const auto& [opcode, count] : other.mix) {
    mix[opcode] += count;
  }
  return *this;
}

}  // namespace assay::gpu
