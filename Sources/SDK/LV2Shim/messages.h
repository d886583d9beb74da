// messages.h: the MIDI queue of a module. SPDX-License-Identifier: MIT
#pragma once

#include <stdbool.h>
#include <stdint.h>

/// MIDI messages in order, each with a frame of the stream. Only the audio thread uses the queue.
///
/// If the queue is nearly full, it accepts only messages that end a note: a missing note is less disturbing
/// than one that never ends.
typedef struct {
  uint8_t *bytes;
  uint32_t capacity;
  /// The start of the oldest message, and the end of the newest.
  uint32_t start, end;
} message_queue;

/// Allocates a queue of this many bytes; returns false if there is not enough memory. [main]
bool messages_make(message_queue *queue, uint32_t capacity);
/// Frees the queue. [main]
void messages_free(message_queue *queue);
/// Removes all messages. [render]
void messages_clear(message_queue *queue);
/// Adds a message if there is space. [render]
void messages_add(message_queue *queue, uint64_t frame, const uint8_t *message, uint32_t count);
/// Returns the oldest message if it is due before frame `end`, otherwise NULL. Valid until the next add. [render]
const uint8_t *messages_take(message_queue *queue, uint64_t end, uint64_t *frame, uint32_t *count);
