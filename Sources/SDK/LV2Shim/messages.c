// messages.c: the MIDI queue of a module. SPDX-License-Identifier: MIT
#include "messages.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
  uint64_t frame;
  uint64_t count;
} header;

static uint32_t whole(uint32_t count) {
  return (uint32_t)sizeof(header) + (count + 15) / 16 * 16;
}

bool messages_make(message_queue *queue, uint32_t capacity) {
  queue->bytes = calloc(1, capacity);
  queue->capacity = queue->bytes ? capacity : 0;
  return queue->bytes;
}

void messages_free(message_queue *queue) { free(queue->bytes); }

void messages_clear(message_queue *queue) { queue->start = queue->end = 0; }

/// Whether a message releases a key or pedal, or ends all sound.
static bool ends_note(const uint8_t *message, uint32_t count) {
  if (message[0] == 0xff) return true;
  if (count != 3) return false;
  switch (message[0] & 0xf0) {
  case 0x80: return true;
  case 0x90: return message[2] == 0;
  case 0xb0:
    return message[1] >= 120 || (message[1] >= 64 && message[1] <= 69 && message[2] < 64);
  default: return false;
  }
}

void messages_add(message_queue *queue, uint64_t frame, const uint8_t *message, uint32_t count) {
  // A quarter is reserved.
  uint32_t room = ends_note(message, count) ? queue->capacity : queue->capacity / 4 * 3;
  uint32_t used = queue->end - queue->start;
  if (count > queue->capacity / 2 || used + whole(count) > room) return;
  if (queue->end + whole(count) > queue->capacity) {
    memmove(queue->bytes, queue->bytes + queue->start, used);
    queue->start = 0;
    queue->end = used;
  }
  header head = {frame, count};
  memcpy(queue->bytes + queue->end, &head, sizeof head);
  memcpy(queue->bytes + queue->end + sizeof head, message, count);
  queue->end += whole(count);
}

const uint8_t *messages_take(message_queue *queue, uint64_t end, uint64_t *frame,
                             uint32_t *count) {
  if (queue->start == queue->end) return NULL;
  header head;
  memcpy(&head, queue->bytes + queue->start, sizeof head);
  if (head.frame >= end) return NULL;
  const uint8_t *message = queue->bytes + queue->start + sizeof head;
  *frame = head.frame;
  *count = (uint32_t)head.count;
  queue->start += whole(*count);
  return message;
}
