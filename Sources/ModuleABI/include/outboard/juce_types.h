// juce_types.h: the small part of JUCE's vocabulary that usual effects speak. SPDX-License-Identifier: MIT
#pragma once

#include "juce_text.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#define JUCE_DECLARE_NON_COPYABLE(Class)                                                           \
  Class(const Class &) = delete;                                                                   \
  Class &operator=(const Class &) = delete;
#define JUCE_LEAK_DETECTOR(Class)
#define JUCE_DECLARE_NON_COPYABLE_WITH_LEAK_DETECTOR(Class) JUCE_DECLARE_NON_COPYABLE(Class)
#define JUCE_CALLTYPE
#ifndef JucePlugin_Name
#define JucePlugin_Name "Effect"
#endif
#define jassert(condition) ((void)0)
#define jassertfalse ((void)0)

namespace juce {

typedef uint8_t uint8;
typedef int8_t int8;
typedef uint16_t uint16;
typedef int16_t int16;
typedef uint32_t uint32;
typedef int32_t int32;
typedef uint64_t uint64;
typedef int64_t int64;

// Arithmetic

template <class T> constexpr T jmin(T a, T b) { return b < a ? b : a; }
template <class T> constexpr T jmax(T a, T b) { return a < b ? b : a; }
template <class T> constexpr T jmin(T a, T b, T c) { return jmin(a, jmin(b, c)); }
template <class T> constexpr T jmax(T a, T b, T c) { return jmax(a, jmax(b, c)); }
template <class T> constexpr T jlimit(T low, T high, T value) {
  return value < low ? low : (high < value ? high : value);
}
template <class T> constexpr T jmap(T value, T low, T high) { return low + value * (high - low); }
template <class T> constexpr T jmap(T value, T from_low, T from_high, T low, T high) {
  return low + (value - from_low) * (high - low) / (from_high - from_low);
}
template <class T> constexpr T square(T value) { return value * value; }
template <class T> bool approximatelyEqual(T a, T b) { return a == b; }
template <class T> int roundToInt(T value) { return int(std::lrint(double(value))); }
template <class T> bool isPositiveAndBelow(T value, T limit) { return T() <= value && value < limit; }
template <class... T> void ignoreUnused(const T &...) {}
inline int nextPowerOfTwo(int n) {
  int power = 1;
  while (power < n) power *= 2;
  return power;
}

template <class T> struct MathConstants {
  static constexpr T pi = T(3.141592653589793238);
  static constexpr T twoPi = T(6.283185307179586477);
  static constexpr T halfPi = T(1.570796326794896619);
  static constexpr T euler = T(2.718281828459045235);
  static constexpr T sqrt2 = T(1.414213562373095049);
};

struct Decibels {
  template <class T> static T decibelsToGain(T decibels, T silence = T(-100)) {
    return decibels > silence ? std::pow(T(10), decibels * T(0.05)) : T();
  }
  template <class T> static T gainToDecibels(T gain, T silence = T(-100)) {
    return gain > T() ? jmax(silence, T(20) * std::log10(gain)) : silence;
  }
};

/// The host has switched denormals off in the thread that renders.
struct ScopedNoDenormals {
  ScopedNoDenormals() {}
};

struct FloatVectorOperations {
  template <class T> static void clear(T *to, int count) { std::fill_n(to, count, T()); }
  template <class T> static void copy(T *to, const T *from, int count) {
    std::copy_n(from, count, to);
  }
  template <class T> static void fill(T *to, T value, int count) { std::fill_n(to, count, value); }
  template <class T> static void add(T *to, const T *from, int count) {
    for (int i = 0; i < count; i++) to[i] += from[i];
  }
  template <class T> static void multiply(T *to, T factor, int count) {
    for (int i = 0; i < count; i++) to[i] *= factor;
  }
};

/// A value that goes to its target in a straight line, or in equal ratios.
struct ValueSmoothingTypes {
  struct Linear {};
  struct Multiplicative {};
};
template <class T, class Kind = ValueSmoothingTypes::Linear> class SmoothedValue {
public:
  SmoothedValue() : SmoothedValue(isRatio ? T(1) : T(0)) {}
  SmoothedValue(T value) : current(value), target(value), step(rest()) {}
  void reset(double hz, double seconds) { reset(int(std::floor(hz * seconds))); }
  void reset(int count) {
    length = count;
    setCurrentAndTargetValue(target);
  }
  void setCurrentAndTargetValue(T value) {
    current = target = value;
    countdown = 0;
  }
  void setTargetValue(T value) {
    if (value == target) return;
    if (length <= 0) return setCurrentAndTargetValue(value);
    target = value;
    countdown = length;
    step = isRatio ? std::exp((std::log(std::abs(target)) - std::log(std::abs(current))) / T(length))
                   : (target - current) / T(length);
  }
  T getNextValue() {
    if (countdown <= 0) return target;
    countdown--;
    if (countdown == 0) return current = target;
    return current = isRatio ? current * step : current + step;
  }
  T skip(int count) {
    while (count-- > 0 && countdown > 0) getNextValue();
    return current;
  }
  T getCurrentValue() const { return current; }
  T getTargetValue() const { return target; }
  bool isSmoothing() const { return countdown > 0; }

private:
  static constexpr bool isRatio = std::is_same<Kind, ValueSmoothingTypes::Multiplicative>::value;
  static constexpr T rest() { return isRatio ? T(1) : T(0); }
  T current, target, step;
  int length = 0, countdown = 0;
};
template <class T> using LinearSmoothedValue = SmoothedValue<T>;

// MIDI

class MidiMessage {
public:
  MidiMessage() {}
  MidiMessage(const void *from, int count) : length(jmin(count, int(sizeof bytes))) {
    memcpy(bytes, from, size_t(length));
  }
  const uint8 *getRawData() const { return bytes; }
  int getRawDataSize() const { return length; }
  int getChannel() const { return (bytes[0] & 0x0f) + 1; }
  bool isNoteOn(bool withSilent = false) const { return is(0x90) && (withSilent || bytes[2] > 0); }
  bool isNoteOff(bool orSilent = true) const {
    return is(0x80) || (orSilent && is(0x90) && bytes[2] == 0);
  }
  bool isController() const { return is(0xb0); }
  bool isPitchWheel() const { return is(0xe0); }
  bool isProgramChange() const { return is(0xc0); }
  bool isAllNotesOff() const { return is(0xb0) && bytes[1] == 123; }
  bool isAllSoundOff() const { return is(0xb0) && bytes[1] == 120; }
  int getNoteNumber() const { return bytes[1]; }
  uint8 getVelocity() const { return bytes[2]; }
  float getFloatVelocity() const { return float(bytes[2]) / 127; }
  int getControllerNumber() const { return bytes[1]; }
  int getControllerValue() const { return bytes[2]; }
  int getPitchWheelValue() const { return bytes[1] | bytes[2] << 7; }
  static double getMidiNoteInHertz(int note, double a = 440) {
    return a * std::pow(2.0, (note - 69) / 12.0);
  }

private:
  bool is(int kind) const { return (bytes[0] & 0xf0) == kind; }
  uint8 bytes[3] = {};
  int length = 0;
};

struct MidiMessageMetadata {
  const uint8 *data;
  int numBytes;
  int samplePosition; // frame of the block
  MidiMessage message;
  MidiMessage getMessage() const { return message; }
};

/// Short messages of a block, in order; what comes when it is full is lost.
class MidiBuffer {
public:
  MidiBuffer() { events.reserve(most); }
  bool isEmpty() const { return events.empty(); }
  int getNumEvents() const { return int(events.size()); }
  void clear() { events.clear(); }
  void addEvent(const MidiMessage &message, int frame) {
    addEvent(message.getRawData(), message.getRawDataSize(), frame);
  }
  void addEvent(const void *bytes, int count, int frame) {
    if (events.size() == most || count > 3) return;
    events.push_back({nullptr, count, frame, MidiMessage(bytes, count)});
    events.back().data = events.back().message.getRawData();
  }
  const MidiMessageMetadata *begin() const { return events.data(); }
  const MidiMessageMetadata *end() const { return events.data() + events.size(); }

private:
  static constexpr size_t most = 1024;
  std::vector<MidiMessageMetadata> events;
};

} // namespace juce
