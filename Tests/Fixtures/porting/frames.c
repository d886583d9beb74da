// outboard:
//   inputs: 2
//   outputs: 2
//   parameters: [{symbol: floor, name: Floor, minimum: 0, default: 200, maximum: 4000}]
//   block: {fixed: 480}
#define OUTBOARD_LATENCY 480
#include <outboard/frames.h>

// The denoiser, as it came: 480 samples at 48 kHz, as large as 16-bit integers. It looks one frame ahead.

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

// The port.

static Denoiser *make(double sample_rate_hz) {
  (void)sample_rate_hz; // made for 48 kHz; at another rate its frame is of another duration
  return denoiser_create();
}
static void set(Denoiser *d, const float *parameters) { d->floor = parameters[0]; }

OUTBOARD_FRAMES(Denoiser, 480, 32768, 2, 1, make, set, denoiser_process_frame, denoiser_destroy)
