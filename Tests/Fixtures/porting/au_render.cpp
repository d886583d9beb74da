// outboard:
//   inputs: 2
//   outputs: 2
//   parameters: [{symbol: depth, name: Depth, minimum: 0, default: 0.8, maximum: 1}]
#include <outboard/au.h>

// The original render function of an Audio Unit graph.

struct Chopper {
  double period; // frames
  float depth;
};

static OSStatus chop(void *context, AudioUnitRenderActionFlags *, const AudioTimeStamp *time,
                     UInt32, UInt32 frames, AudioBufferList *list) {
  const Chopper *chopper = (const Chopper *)context;
  for (UInt32 b = 0; b < list->mNumberBuffers; b++) {
    float *samples = (float *)list->mBuffers[b].mData;
    for (UInt32 i = 0; i < frames; i++)
      if (fmod(time->mSampleTime + i, chopper->period) * 2 >= chopper->period)
        samples[i] *= 1 - chopper->depth;
  }
  return noErr;
}

// The adapter.

static void init(Chopper *chopper, double sample_rate_hz) { chopper->period = sample_rate_hz / 8; }
static void set(Chopper *chopper, const float *parameters) { chopper->depth = parameters[0]; }

OUTBOARD_AU_RENDER(Chopper, 2, 1, init, set, chop)
