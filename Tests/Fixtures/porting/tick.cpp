// outboard:
//   inputs: 2
//   outputs: 2
//   parameters: [{symbol: width, name: Width, minimum: 0, default: 1.5, maximum: 2}]
#include <outboard/tick.h>

// The original class: it processes both channels of a frame per call, and allocates memory.

class Widener {
public:
  void prepare(double sampleRate) { line.assign(size_t(sampleRate / 1000), 0.0f); }
  void setWidth(float value) { width = value; }
  void clear() { std::fill(line.begin(), line.end(), 0.0f); }
  void processSample(float &left, float &right) {
    const float middle = (left + right) * 0.5f, side = (left - right) * 0.5f * width;
    const float late = line[position];
    line[position] = side;
    position = (position + 1) % line.size();
    left = middle + late;
    right = middle - late;
  }

private:
  std::vector<float> line;
  size_t position = 0;
  float width = 1;
};

// The adapter.

OUTBOARD_TICK_STEREO(
    Widener, 1, [](Widener *w, double rate) { w->prepare(rate); },
    [](Widener *w, const float *parameters) { w->setWidth(parameters[0]); },
    [](Widener *w, float *left, float *right) { w->processSample(*left, *right); })
