// outboard:
//   inputs: 2
//   outputs: 2
//   parameters: [{symbol: rate, name: Rate, unit: Hz, minimum: 0.1, default: 5, maximum: 20}]
#include <outboard/tick.h>

// The original algorithm, as in a textbook: one sample per call.

typedef struct {
  double sample_rate_hz, phase, step;
} Tremolo;

static float tremolo_tick(Tremolo *t, float x) {
  t->phase += t->step;
  if (t->phase >= 1) t->phase -= 1;
  return x * (float)(0.5 + fabs(t->phase - 0.5));
}

// The adapter.

static void init(Tremolo *t, double sample_rate_hz) { t->sample_rate_hz = sample_rate_hz; }
static void set(Tremolo *t, const float *parameters) { t->step = parameters[0] / t->sample_rate_hz; }

OUTBOARD_TICK(Tremolo, 2, 1, init, set, tremolo_tick)
