// cprocess_state.h: process and thread state that plugin code may change. SPDX-License-Identifier: MIT
#pragma once

#include <stdint.h>

/// The parts of the state, as bits.
enum {
  CPROCESS_FLOATING_POINT = 1 << 0,
  CPROCESS_SIGNAL_MASK = 1 << 1,
  CPROCESS_FOLDER = 1 << 2,
  CPROCESS_FILE_MODE = 1 << 3,
  CPROCESS_LOCALE = 1 << 4,
  CPROCESS_SIGNAL_HANDLERS = 1 << 5,
  CPROCESS_PRIORITY = 1 << 6,
  CPROCESS_LIMITS = 1 << 7,
  CPROCESS_TIMER = 1 << 8,
  CPROCESS_PROCESSORS = 1 << 9,
  CPROCESS_ENVIRONMENT = 1 << 10,
  CPROCESS_TIMER_SLACK = 1 << 11,
};

/// A snapshot of the state.
typedef struct cprocess_state cprocess_state;

/// Reads the state of the process and of this thread with about 60 system calls; returns NULL if there is no
/// memory. [any]
cprocess_state *_Nullable cprocess_state_read(void);

/// The parts that all threads share and that the host does not change while it runs.
enum {
  CPROCESS_SHARED =
      CPROCESS_FOLDER | CPROCESS_FILE_MODE | CPROCESS_LOCALE | CPROCESS_TIMER | CPROCESS_ENVIRONMENT,
};

/// Restores the given parts if they have changed, and frees the state. [the same thread]
///
/// A plugin may install a handler for SIGUSR1 or SIGUSR2 if the host has none, and may ignore SIGPIPE; that is kept.
/// Returns the parts that had changed, including those that cannot be restored.
uint32_t cprocess_state_restore(cprocess_state *_Nonnull state, uint32_t parts);
