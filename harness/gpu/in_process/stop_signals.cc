// SPDX-License-Identifier: Apache-2.0
#include "gpu/in_process/stop_signals.h"

#include <csignal>

namespace assay::gpu::runtime {
namespace {

StopRequest g_request;  // A signal handler has nowhere else to look. Trivially destroyed.

void DieOf(int signal) {
  struct sigaction by_default = {};
  by_default.sa_handler = SIG_DFL;
  ::sigaction(signal, &by_default, nullptr);
  ::raise(signal);  // In the handler: comes when it returns.
}

// The order here and in HeedStopSignal: one of the two sees what the other wrote.
void OnSignal(int signal) {
  g_request.signal = signal;
  if (!g_request.kernel_runs) {
    DieOf(signal);
  }
}

}  // namespace

StopRequest* CatchStopSignals() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before = {};
    if (::sigaction(signal, nullptr, &before) == 0 && before.sa_handler == SIG_DFL) {
      struct sigaction ours = {};
      ours.sa_handler = &OnSignal;
      ours.sa_flags = SA_RESTART;
      ::sigaction(signal, &ours, nullptr);
    }
  }
  return &g_request;
}

void HeedStopSignal() {
  g_request.kernel_runs = false;
  if (const int signal = g_request.signal; signal != 0) {
    DieOf(signal);
  }
}

}  // namespace assay::gpu::runtime
