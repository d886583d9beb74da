// messages.h: MIDI on its way to the module. SPDX-License-Identifier: MIT
#pragma once

#include <stdbool.h>
#include <stdint.h>

/// Messages in the order in which they came, each stamped with a frame of the stream.
///
/// Where it fills up, what is left is kept for messages that end a note: a note that is missing is
/// heard less than one that never ends. Only the audio thread uses it.
typedef struct {
  uint8_t *bytes;
  uint32_t capacity;
  /// Where the oldest message begins, and where the next one goes.
  uint32_t start, end;
} message_queue;

/// A queue for so many bytes; false if there is no memory. [main]
bool messages_make(message_queue *queue, uint32_t capacity);
/// [main]
void messages_free(message_queue *queue);
/// Forgets all. [render]
void messages_clear(message_queue *queue);
/// Keeps a message, unless there is no room. [render]
void messages_add(message_queue *queue, uint64_t frame, const uint8_t *message, uint32_t count);
/// The oldest message if it is due before frame `end`, else NULL; valid until one is added. [render]
const uint8_t *messages_take(message_queue *queue, uint64_t end, uint64_t *frame, uint32_t *count);
