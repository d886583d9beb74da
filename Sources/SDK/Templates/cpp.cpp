// Effect: a tremolo in C++. Edit and save: the running session reloads it.
//
//   outboard run effect.cpp                    from the microphone
//   outboard render effect.cpp -i in.wav -o out.wav
//   outboard validate ./effect.cpp             test it
//
// The comment below is the manifest. Parameters are passed to `process` in this order.

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

// Members are the state that the effect keeps from one block to the next.
class Effect : public outboard::Port {
public:
  // Runs on the main thread. Allocate all memory here, including vectors. An exception means failure.
  // `maximum_frame_count` is the longest block.
  Effect(double sample_rate_hz, uint32_t maximum_frame_count) : sample_rate_hz(sample_rate_hz) {
    (void)maximum_frame_count;
  }

  // Clears the signal state, on the audio thread.
  void reset() { phase = 0; }

  // Renders a block, on the audio thread: no new, push_back, locks or file access. Write every output
  // sample. A block may have any length.
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

  // With `midi: true` in the comment: one message for frame `frame` of the next block.
  //   void midi(uint32_t frame, const uint8_t *bytes, uint32_t byte_count);
  // The latency in frames.
  //   uint32_t latency() const;

private:
  double sample_rate_hz;
  double phase = 0; // 0 to 1
};

} // namespace

// Exports `create`, `process` and the other functions.
OUTBOARD_ENTRIES(Effect)
