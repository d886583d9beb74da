// cisolation.h: memory that the host and a worker process share. SPDX-License-Identifier: MIT
//
// The host writes a request, and the worker answers it. Each side sleeps on a word of the memory until the other
// side has changed it. The host does not trust what it reads here: a plugin may have written anything.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "crealtime.h"

/// The version of the layout and of the messages between host and worker.
enum { CISOLATION_VERSION = 4 };
/// The size of each of the two areas for MIDI, in bytes: as many messages as an event queue holds.
enum { CISOLATION_EVENT_BYTES = 81920 };
/// The room for the musical position, in bytes.
enum { CISOLATION_TIME_BYTES = 128 };

/// The most pieces of a request.
enum { CISOLATION_PIECES = 64 };

/// Frames of a request with the same parameter values. Its values and MIDI follow those of the piece before it.
typedef struct cisolation_piece {
  /// The offset of the frames from the start of their block.
  int64_t start;
  uint32_t frame_count;
  /// The number of parameter values, and the used bytes of the host's MIDI area, up to this piece.
  uint32_t change_end;
  uint32_t event_end;
} cisolation_piece;

/// The most nodes that one request renders.
enum { CISOLATION_CHAIN = 16 };

/// Where an input comes from: the memory of its node, nowhere, or otherwise an output of a node before it in the
/// chain, as the place of the node plus 1 in the high half, and the output in the low half.
enum { CISOLATION_OWN = 0, CISOLATION_UNCONNECTED = 1 };

/// The start of the memory of one node. The areas for parameters, MIDI and audio follow.
typedef struct cisolation_block {
  /// The number of the last request; the worker sleeps on it.
  uint32_t request;
  uint32_t request_line[15];
  /// The worker's thread id: with FUTEX_WAITERS while a request is open. The kernel replaces it by
  /// FUTEX_OWNER_DIED if the thread ends. The host sleeps on it.
  uint32_t owner;
  /// The number of the last answer.
  uint32_t answered;
  /// The signal that ended the worker; 0 for none.
  uint32_t signal;
  /// The used bytes of the worker's MIDI area.
  uint32_t sent_bytes;
  /// Whether the thread of this node caused the signal.
  uint32_t has_crashed;
  /// The place in the chain of the node that is rendered.
  uint32_t progress;
  /// The number of nodes that the last answer contains.
  uint32_t rendered_count;
  uint32_t answer_line[9];
  /// Whether the worker's thread shall end.
  uint32_t is_closing;
  /// The thread that waits for the answer, and the processor that it runs on; -1 if it does not wait in the block.
  int32_t waiter;
  int32_t processor;
  /// The number of pieces; one unless the node is a block late.
  uint32_t piece_count;
  cisolation_piece pieces[CISOLATION_PIECES];
  /// The number of nodes to render, and the numbers of those after this one.
  uint32_t chain_count;
  uint32_t chain[CISOLATION_CHAIN];
  /// Whether `time` is valid.
  uint32_t has_time;
  uint8_t time[CISOLATION_TIME_BYTES];
} cisolation_block;

/// A parameter value for the frames of a request.
typedef struct cisolation_change {
  uint32_t index;
  float value;
  uint32_t is_jump;
} cisolation_change;

/// Returns the piece at an index below `CISOLATION_PIECES`. [render]
CREALTIME_SAFE static inline cisolation_piece *_Nonnull cisolation_piece_at(
    cisolation_block *_Nonnull block, uint32_t index) {
  return &block->pieces[index];
}

/// Returns the number of the node at a place of the chain below `CISOLATION_CHAIN`. [render]
CREALTIME_SAFE static inline uint32_t *_Nonnull cisolation_chain_at(cisolation_block *_Nonnull block,
                                                                    uint32_t place) {
  return &block->chain[place];
}

/// Returns the number of nodes that an answer contains, read once: from 1 to `limit`. [render]
CREALTIME_SAFE static inline uint32_t cisolation_rendered_count(
    const cisolation_block *_Nonnull block, uint32_t limit) {
  const uint32_t count = __atomic_load_n(&block->rendered_count, __ATOMIC_RELAXED);
  return count < 1 ? 1 : count > limit ? limit : count;
}

/// Whether two buffers have the same bytes. [render]
CREALTIME_SAFE static inline bool cisolation_is_same(const float *_Nonnull one,
                                                     const float *_Nonnull other, uint32_t count) {
  return memcmp(one, other, count * sizeof *one) == 0;
}

// MARK: - MIDI

/// Appends a message to an area with `*used` bytes; returns false if it does not fit. [render]
CREALTIME_SAFE static inline bool cisolation_add_event(uint8_t *_Nonnull area,
                                                       uint32_t *_Nonnull used, uint32_t frame,
                                                       const uint8_t *_Nonnull bytes,
                                                       uint32_t count) {
  if (count > CISOLATION_EVENT_BYTES - 8 || *used > CISOLATION_EVENT_BYTES - 8 - count) return false;
  memcpy(area + *used, &frame, 4);
  memcpy(area + *used + 4, &count, 4);
  memcpy(area + *used + 8, bytes, count);
  *used += 8 + ((count + 3) & ~UINT32_C(3));
  if (*used > CISOLATION_EVENT_BYTES) *used = CISOLATION_EVENT_BYTES;
  return true;
}

/// A message in an area; its bytes lie in the shared memory.
typedef struct cisolation_event {
  uint32_t frame;
  uint32_t count;
  const uint8_t *_Nullable bytes;
} cisolation_event;

/// Returns the message at `*offset` of an area with `used` bytes, and moves the offset; without bytes at the
/// end, and if the area is invalid. Reads each length once, because the other side may change it. [render]
CREALTIME_SAFE static inline cisolation_event cisolation_next_event(const uint8_t *_Nonnull area,
                                                                    uint32_t used,
                                                                    uint32_t *_Nonnull offset) {
  cisolation_event event = {0, 0, NULL};
  if (used > CISOLATION_EVENT_BYTES || *offset > used || used - *offset < 8) return event;
  event.frame = __atomic_load_n((const uint32_t *)(const void *)(area + *offset), __ATOMIC_RELAXED);
  event.count =
      __atomic_load_n((const uint32_t *)(const void *)(area + *offset + 4), __ATOMIC_RELAXED);
  if (event.count == 0 || event.count > used - *offset - 8) return event;
  event.bytes = area + *offset + 8;
  *offset += 8 + ((event.count + 3) & ~UINT32_C(3));
  if (*offset > used) *offset = used;
  return event;
}

/// Copies bytes. [render]
CREALTIME_SAFE static inline void cisolation_copy(void *_Nonnull to, const void *_Nonnull from,
                                                  size_t count) {
  memcpy(to, from, count);
}

/// Returns the used bytes of the worker's MIDI area, read once. [render]
CREALTIME_SAFE static inline uint32_t cisolation_sent_bytes(const cisolation_block *_Nonnull block) {
  return __atomic_load_n(&block->sent_bytes, __ATOMIC_RELAXED);
}

// MARK: - The host's side

/// The state of a request.
enum {
  CISOLATION_ANSWERED = 0,
  /// There is no answer yet.
  CISOLATION_LATE = 1,
  /// The worker's thread has ended, or its words are invalid.
  CISOLATION_ENDED = 2,
};

/// Passes a request to the worker with the thread id `owner`. Returns false if the thread has ended. [render]
CREALTIME_SAFE bool cisolation_hand_over(cisolation_block *_Nonnull block, uint32_t owner,
                                         uint32_t request);

/// Waits until the request is answered, at most until `deadline` on CLOCK_MONOTONIC in nanoseconds. A system
/// call, which is intended and excluded from observation. Returns a state. [render]
CREALTIME_SAFE int cisolation_await(cisolation_block *_Nonnull block, uint32_t owner,
                                    uint32_t request, uint64_t deadline);

/// Returns the state of a request without waiting. [render]
CREALTIME_SAFE int cisolation_state(const cisolation_block *_Nonnull block, uint32_t owner,
                                    uint32_t request);

/// Keeps the calling thread on its processor from now on if it has real-time scheduling, so that a worker can run on
/// the same processor. Otherwise the kernel moves the thread away from the worker in each block. At most one thread
/// stays on each processor. System calls only at the first call of each thread. [render]
CREALTIME_SAFE void cisolation_stay_on_processor(void);

/// Kills a process and those that it started. Does not wait. [render]
CREALTIME_SAFE void cisolation_kill(int32_t process);

/// Gives a thread with real-time scheduling a priority, and returns the one before; 0 without real-time scheduling.
/// Returns at once. [render]
CREALTIME_SAFE int32_t cisolation_set_priority(int32_t thread, int32_t priority);

/// Returns the id of the calling thread. [render]
CREALTIME_SAFE int32_t cisolation_own_thread(void);

/// Returns the processor of the calling thread; -1 if unknown. [render]
CREALTIME_SAFE int32_t cisolation_own_processor(void);

/// Requests the end of the worker's thread. [main]
void cisolation_close(cisolation_block *_Nonnull block);

/// Creates memory that cannot change its size, and reserves it. Returns a descriptor, or a negative errno
/// value. [main]
int cisolation_create_memory(size_t byte_count);

/// Maps the memory, or returns NULL with errno set. [any]
void *_Nullable cisolation_map(int descriptor, size_t byte_count);

/// Ends the mapping. [any]
void cisolation_unmap(void *_Nonnull address, size_t byte_count);

/// Sends a descriptor over a socket. Returns whether the other end took it. [main]
bool cisolation_send_descriptor(int socket, int descriptor);

/// Receives a descriptor; returns -1 if none came. [main]
int cisolation_receive_descriptor(int socket);

/// Removes a directory with everything in it; does nothing if there is none. [any but render]
void cisolation_remove_tree(const char *_Nonnull path);

// MARK: - The worker's side

/// Prepares a worker process: no core files, and crashes are reported in all memory that is owned. [main]
void cisolation_begin_worker(void);

/// Locks the memory that the process uses, page by page at its first use. Returns 0 or an errno value. [main]
int cisolation_lock_memory(void);

/// Makes the calling thread the owner of the memory, which the kernel marks when the thread ends. Returns the
/// thread id; 0 on failure. [a worker's thread, once]
uint32_t cisolation_own(cisolation_block *_Nonnull block);

/// Ends the reports of crashes in memory that is about to be unmapped. [main]
void cisolation_disown(cisolation_block *_Nonnull block);

/// Sleeps until there is another request than `last`. Returns its number; `last` if the thread shall end.
/// [a worker's thread]
CREALTIME_SAFE uint32_t cisolation_next_request(cisolation_block *_Nonnull block, uint32_t last);

/// Answers a request. [a worker's thread]
CREALTIME_SAFE void cisolation_answer(cisolation_block *_Nonnull block, uint32_t owner,
                                      uint32_t request);

/// Gives the calling thread the scheduling of the waiter, one priority below it, so that a plugin that never
/// returns cannot keep the waiter from the processor. System calls only if the waiter has changed. [a worker's
/// thread]
CREALTIME_SAFE void cisolation_follow_waiter(int32_t waiter);

/// Moves the calling thread to the processor of the waiter, if both have real-time scheduling. A system call
/// only if the processor has changed. [a worker's thread]
CREALTIME_SAFE void cisolation_follow_processor(int32_t processor);
