// outboard:
//   inputs: 2
//   outputs: 2
//   parameters: [{symbol: floor, name: Floor, minimum: 0, default: 200, maximum: 4000}]
//   block: {fixed: 480}
#define OUTBOARD_LATENCY 480
#include <outboard/frames.h>

// The original denoiser: 480 samples at 48 kHz, in the range of 16-bit integers, delayed by one frame.

typedef struct Denoiser {
  float waiting[480];
  float floor;
} Denoiser;

Denoiser *denoiser_create(void) { return calloc(1, sizeof(Denoiser)); }

void denoiser_destroy(Denoiser *d) { free(d); }

float denoiser_process_frame(Denoiser *d, float *out, const float *in) {
  float now = 0, next = 0;
  for (int i = 0; i < 480; i++) {
    now = fmaxf(now, fabsf(d->waiting[i]));
    next = fmaxf(next, fabsf(in[i]));
  }
  const float gain = fmaxf(now, next) >= d->floor ? 1 : 0.1f;
  for (int i = 0; i < 480; i++) {
    out[i] = d->waiting[i] * gain;
    d->waiting[i] = in[i];
  }
  return gain;
}

// The adapter.

static Denoiser *make(double sample_rate_hz) {
  (void)sample_rate_hz; // designed for 48 kHz: at another rate, a frame has another duration
  return denoiser_create();
}
static void set(Denoiser *d, const float *parameters) { d->floor = parameters[0]; }

OUTBOARD_FRAMES(Denoiser, 480, 32768, 2, 1, make, set, denoiser_process_frame, denoiser_destroy)
