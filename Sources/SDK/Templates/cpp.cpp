// Effect: a tremolo in C++, to begin with. Change anything and save: it is heard at once.
//
//   outboard run effect.cpp                    from the microphone
//   outboard render effect.cpp -i in.wav -o out.wav
//   outboard validate ./effect.cpp             test it
//
// The comment below says what the module is. Parameters come to `process` in this order.

// outboard:
//   inputs: 2
//   outputs: 2
//   parameters:
//     - {symbol: rate, name: Rate, unit: Hz, minimum: 0.1, default: 5, maximum: 20}
//     - {symbol: depth, name: Depth, minimum: 0, default: 0.7, maximum: 1, smoothing: 20 ms}

#include <outboard/port.h>

#include <cmath>

namespace {

enum { rate, depth };

// All that the effect remembers from one block to the next is a member.
class Effect : public outboard::Port {
public:
  // On the main thread, the only place that takes memory: vectors get their sizes here. What it throws
  // is a refusal. No block is longer than `maximum_frame_count`.
  Effect(double sample_rate_hz, uint32_t maximum_frame_count) : sample_rate_hz(sample_rate_hz) {
    (void)maximum_frame_count;
  }

  // Goes back to silence, on the audio thread: as if it had just been made.
  void reset() { phase = 0; }

  // Renders a block, on the audio thread: no new, no push_back, no locks, no files. Every sample of
  // every output is written. A block may have any length.
  void process(const float *const *inputs, float *const *outputs, const float *parameters,
               uint32_t frame_count) {
    const double step = parameters[rate] / sample_rate_hz;
    for (uint32_t i = 0; i < frame_count; i++) {
      const float wave = 0.5f - 0.5f * std::cos(6.2831853f * float(phase));
      const float gain = 1 - parameters[depth] * wave;
      for (int c = 0; c < 2; c++) outputs[c][i] = inputs[c][i] * gain;
      phase += step;
      if (phase >= 1) phase -= 1;
    }
  }

  // With `midi: true` in the comment: one message, `frame` frames after the start of the next block.
  //   void midi(uint32_t frame, const uint8_t *bytes, uint32_t byte_count);
  // Where the effect is late: by how many frames.
  //   uint32_t latency() const;

private:
  double sample_rate_hz;
  double phase = 0; // 0 to 1
};

} // namespace

// Exports `create`, `process` and the others.
OUTBOARD_ENTRIES(Effect)
