// outboard:
//   inputs: 1
//   outputs: 1
//   parameters: [{symbol: hold, name: Hold, minimum: 1, default: 8, maximum: 64, scale: integer}]
#define OUTBOARD_SINGLE_INSTANCE
#define OUTBOARD_CLEAR(none) decimate_init()
#include <outboard/tick.h>

// The original algorithm: its whole state is in globals.

static float held;
static int countdown, hold_count;

static void decimate_init(void) { held = 0, countdown = 0; }

static float decimate(float x) {
  if (countdown-- == 0) {
    held = x;
    countdown = hold_count - 1;
  }
  return held;
}

// The adapter: an empty state, and functions that ignore it.

typedef struct {
  char nothing;
} None;

#define init(none, rate) decimate_init()
#define set(none, parameters) (hold_count = (int)(parameters)[0])
#define tick(none, x) decimate(x)

OUTBOARD_TICK(None, 1, 1, init, set, tick)
