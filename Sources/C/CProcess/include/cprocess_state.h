// cprocess_state.h: what foreign code may change of the process and its thread. SPDX-License-Identifier: MIT
#pragma once

#include <stdint.h>

/// Parts of the state that were changed, as bits.
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
};

/// The state at one moment.
typedef struct cprocess_state cprocess_state;

/// Reads the state of the process and of this thread: some 60 system calls; NULL if there is no memory. [any]
cprocess_state *_Nullable cprocess_state_read(void);

/// Parts that other threads share and that the host does not change itself while it runs.
enum {
  CPROCESS_SHARED = CPROCESS_FOLDER | CPROCESS_FILE_MODE | CPROCESS_LOCALE | CPROCESS_TIMER,
};

/// Restores those of some parts that have changed since, and frees the state. [the same thread]
///
/// SIGUSR1 and SIGUSR2 may have been given a handler if the host has none; it stays.
/// Returns the parts that had changed, those that cannot be restored as well.
uint32_t cprocess_state_restore(cprocess_state *_Nonnull state, uint32_t parts);
