// SPDX-License-Identifier: Apache-2.0
#include "host/adapter.h"

#include "gpu/remote/testhosts/submission.h"

ASSAY_OPERATION("vector_add", vector_add);
ASSAY_OPERATION("vector_add_off_by_one", vector_add_off_by_one);
ASSAY_OPERATION("vector_add_on_a_thread", vector_add_on_a_thread);
ASSAY_OPERATION("vector_total", vector_total);
ASSAY_OPERATION("allocated_at_start", allocated_at_start);
ASSAY_OPERATION("print_much", print_much);
ASSAY_OPERATION("dereference_on_host", dereference_on_host);
ASSAY_OPERATION("allocate", allocate);
ASSAY_OPERATION("allocate_without_end", allocate_without_end);
ASSAY_OPERATION("run_forever", run_forever);
ASSAY_OPERATION("launch_forever", launch_forever);
ASSAY_OPERATION("leak", leak);
ASSAY_OPERATION("launch_late", launch_late);
ASSAY_OPERATION("late_error", late_error);
ASSAY_OPERATION("send_garbage", send_garbage);
