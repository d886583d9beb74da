// clv2events.h: event ports in the form before 2012. SPDX-License-Identifier: MIT
//
// lv2/event/event.h is deprecated and causes a warning. A host needs only a small part of it.
#pragma once

#include <stddef.h>
#include <stdint.h>

/// `LV2_Event_Buffer`: the header of a port's buffer, whose events are at `data`.
typedef struct clv2_event_buffer {
  uint8_t *_Nullable data;
  uint16_t header_size;
  uint16_t stamp_type;
  uint32_t event_count;
  uint32_t capacity;
  uint32_t size;
} clv2_event_buffer;
_Static_assert(offsetof(clv2_event_buffer, event_count) == sizeof(void *) + 4, "as in event.h");
_Static_assert(offsetof(clv2_event_buffer, size) == sizeof(void *) + 12, "as in event.h");

/// `LV2_Event`: the header of an event, before its bytes. The next one begins at a multiple of 8.
typedef struct clv2_event {
  uint32_t frames;
  uint32_t subframes;
  uint16_t type;
  uint16_t size;
} clv2_event;
_Static_assert(sizeof(clv2_event) == 12, "as in event.h");

/// `LV2_Event_Feature`: reference counts of events that are objects outside of the buffer. This host sends
/// none.
typedef struct clv2_event_functions {
  void *_Nullable callback_data;
  uint32_t (*_Nonnull ref)(void *_Nullable callback_data, clv2_event *_Nullable event);
  uint32_t (*_Nonnull unref)(void *_Nullable callback_data, clv2_event *_Nullable event);
} clv2_event_functions;

/// Returns the feature. [main]
clv2_event_functions clv2_event_feature(void);

/// Returns the size of a header, rounded up so that events begin at a multiple of 8. [any]
static inline size_t clv2_event_header_bytes(void) { return (sizeof(clv2_event_buffer) + 7) / 8 * 8; }
