// reblock.c: blocks of the lengths that the module can be given. SPDX-License-Identifier: MIT
//
// A run file, which does to the sample what Sources/Formats/Reblocking does. Blocks that fit are handed on at
// once. With the first that does not fit, frames are collected until a block is full, and the last
// block is given out meanwhile: a delay of one block less a frame, the least possible.
#include <string.h>

#include "instance.h"

uint32_t reblock_latency(const instance *it) {
  return it->is_collecting ? it->metadata->block_frames - 1 : 0;
}

static void hand_on(instance *it, float *const *rows, uint32_t frame_count) {
  // More than the module was made for comes only from a host that breaks its word.
  uint32_t piece = it->metadata->block == BLOCK_FIXED ? it->metadata->block_frames : it->terms.maximum;
  for (uint32_t done = 0; done < frame_count;) {
    uint32_t part = frame_count - done < piece ? frame_count - done : piece;
    for (uint32_t row = 0; row < it->metadata->input_count + it->metadata->output_count; row++)
      it->part_rows[row] = rows[row] + done;
    uncut_step(it, it->part_rows, part);
    done += part;
  }
}

static void collect_and_give_out(instance *it, float *const *rows, uint32_t frame_count) {
  uint32_t unit = it->metadata->block_frames, inputs = it->metadata->input_count;
  uint32_t row_count = inputs + it->metadata->output_count;
  for (uint32_t done = 0; done < frame_count;) {
    uint32_t left = frame_count - done, room = unit - it->filled;
    uint32_t part = left < room ? left : room;
    bool is_full = part == room;
    for (uint32_t row = 0; row < inputs; row++)
      memcpy(it->block[row] + it->filled, rows[row] + done, part * sizeof(float));
    // Frame `filled` of this block goes out with frame `filled + 1` of the last one, and the last
    // frame with the first of the block that it completes.
    for (uint32_t row = inputs; row < row_count; row++)
      memcpy(rows[row] + done, it->block[row] + it->filled + 1,
             (is_full ? part - 1 : part) * sizeof(float));
    done += part;
    it->filled = is_full ? 0 : it->filled + part;
    if (!is_full) continue;
    uncut_step(it, it->block, unit);
    for (uint32_t row = inputs; row < row_count; row++) rows[row][done - 1] = it->block[row][0];
  }
}

void reblock(instance *it, float *const *rows, uint32_t frame_count) {
  if (!it->is_collecting && frame_count % it->metadata->block_frames == 0) {
    hand_on(it, rows, frame_count);
  } else {
    // Not left again, as that would be another gap in the sound.
    it->is_collecting = true;
    collect_and_give_out(it, rows, frame_count);
  }
}
