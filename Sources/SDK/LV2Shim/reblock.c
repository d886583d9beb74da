// reblock.c: converts blocks to the lengths that the module supports. SPDX-License-Identifier: MIT
//
// Runs on the audio thread. The samples are the same as from Sources/Formats/Reblocking. Blocks of a suitable
// length pass directly. From the first unsuitable block on, frames are collected until a block is full, while
// the previous block is output. The latency is one block minus one frame, the minimum.
#include <string.h>

#include "instance.h"

uint32_t reblock_latency(const instance *it) {
  return it->is_collecting ? it->metadata->block_frames - 1 : 0;
}

static void hand_on(instance *it, float *const *rows, uint32_t frame_count) {
  // Only a host that breaks its promise passes more than the maximum.
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
    // Frame `filled` of this block is output with frame `filled + 1` of the previous one. The last frame is
    // output with the first frame of the block that it completes.
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
    // Re-blocking stays on, because turning it off would cause another gap.
    it->is_collecting = true;
    collect_and_give_out(it, rows, frame_count);
  }
}
