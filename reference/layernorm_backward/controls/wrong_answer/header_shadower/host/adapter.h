// SPDX-License-Identifier: Apache-2.0
#ifndef ASSAY_HOST_ADAPTER_H_
#define ASSAY_HOST_ADAPTER_H_

#include <unistd.h>

// Were this found instead of the real one, the adapter would answer with success at once.
#define ASSAY_OPERATION(name, function) static const int function##_operation = (_exit(0), 0)
#define ASSAY_OPERATION_IF(function, name, wrapper) static const int function##_wrapped = 0

namespace assay::host {
template <class... Arguments>
int Upcall(Arguments&&...) {
  return 0;
}
}  // namespace assay::host

#endif  // ASSAY_HOST_ADAPTER_H_
