// juce_checks.h: a processor whose output lists the lines of failed checks. SPDX-License-Identifier: MIT
#pragma once

#include <JuceHeader.h>

static std::vector<int> failures; // line numbers

static void check(bool isTrue, int line) {
  if (!isTrue) failures.push_back(line);
}
static void checkNear(double value, double expected, double distance, int line) {
  if (std::abs(value - expected) <= distance) return;
  failures.push_back(line);
  fprintf(stderr, "line %d: %.7g instead of %.7g\n", line, value, expected);
}
#define CHECK(...) check(__VA_ARGS__, __LINE__)
#define NEAR(value, expected, distance) checkNear(value, expected, distance, __LINE__)

static void runChecks();

class Checks : public AudioProcessor {
public:
  void prepareToPlay(double, int) override {
    failures.clear();
    runChecks();
  }
  void processBlock(AudioBuffer<float> &buffer, MidiBuffer &) override {
    buffer.clear();
    for (size_t i = 0; i < failures.size() && int(i) < buffer.getNumSamples(); i++)
      buffer.setSample(0, int(i), float(failures[i]));
  }
};
