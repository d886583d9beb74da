// clv2events.c: the feature of event ports in the form before 2012. SPDX-License-Identifier: MIT
#include "clv2events.h"

/// Events are in the buffer, so there are no other references to count.
static uint32_t count_holders(void *callback_data, clv2_event *event) {
  (void)callback_data, (void)event;
  return 0;
}

clv2_event_functions clv2_event_feature(void) {
  return (clv2_event_functions){.ref = count_holders, .unref = count_holders};
}
