// outboard:
//   inputs: 2
//   outputs: 2
//   parameters: [{symbol: bits, name: Bits, minimum: 1, default: 6, maximum: 16, scale: integer}]
#include <outboard/interleaved.h>

// The original algorithm, as in games and phones: interleaved 16-bit frames.

typedef struct {
  int16_t left, right;
} Frame;

typedef struct {
  int bits;
} Crusher;

static void crush(const Crusher *crusher, Frame *frames, int count) {
  const int16_t mask = (int16_t)(0xffffu << (16 - crusher->bits));
  for (int i = 0; i < count; i++) {
    frames[i].left = (int16_t)(frames[i].left & mask);
    frames[i].right = (int16_t)(frames[i].right & mask);
  }
}

// The adapter.

static void set(Crusher *crusher, const float *parameters) { crusher->bits = (int)parameters[0]; }
static void run(Crusher *crusher, int16_t *samples, uint32_t frame_count) {
  crush(crusher, (Frame *)samples, (int)frame_count);
}

OUTBOARD_INTERLEAVED_INT16(Crusher, 2, 1, outboard_none, set, run)
