// juce_types.h: the basic JUCE types that usual effects use. SPDX-License-Identifier: MIT
#pragma once

#include "juce_text.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
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
#define DBG(text) ((void)0)
#define JUCE_PREVENT_HEAP_ALLOCATION
#define TRANS(text) juce::String(text)
#define forcedinline inline
#define JUCE_LIVE_CONSTANT(value) (value)
#define JUCE_LIVE_CONSTANT_OFF(value) (value)

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
template <class T> constexpr T jmap(T value, T low, T high, float) { return low + value * (high - low); }
template <class T> T mapToLog10(T value, T low, T high) {
  return std::pow(T(10), std::log10(low) + value * (std::log10(high) - std::log10(low)));
}
template <class T> T mapFromLog10(T value, T low, T high) {
  return (std::log10(value) - std::log10(low)) / (std::log10(high) - std::log10(low));
}
template <class T> constexpr T degreesToRadians(T degrees) { return degrees * T(0.017453292519943295); }
template <class T> constexpr T radiansToDegrees(T radians) { return radians * T(57.29577951308232); }
template <class T> T findMaximum(const T *values, int count) { return *std::max_element(values, values + count); }
template <class T> T findMinimum(const T *values, int count) { return *std::min_element(values, values + count); }
template <class T> bool exactlyEqual(T a, T b) { return a == b; }
template <class T> int signum(T value) { return value > T() ? 1 : value < T() ? -1 : 0; }
template <class T> constexpr T square(T value) { return value * value; }
template <class T> bool approximatelyEqual(T a, T b) {
  if constexpr (std::is_floating_point<T>::value)
    return a == b || std::abs(a - b) <= std::max(std::numeric_limits<T>::min(), std::numeric_limits<T>::epsilon() * std::max(std::abs(a), std::abs(b)));
  else return a == b;
}
template <class T> int roundToInt(T value) { return int(std::lrint(double(value))); }
template <class T> bool isPositiveAndBelow(T value, T limit) { return T() <= value && value < limit; }
template <class T> bool isPositiveAndNotGreaterThan(T value, T limit) { return T() <= value && value <= limit; }
template <class T> bool isWithin(T a, T b, T most) { return std::abs(a - b) <= most; }
template <class T> void zerostruct(T &value) { value = T(); }
inline int roundFloatToInt(float value) { return int(std::lrintf(value)); }
inline int roundDoubleToInt(double value) { return int(std::lrint(value)); }
inline bool isPowerOfTwo(int n) { return n > 0 && (n & (n - 1)) == 0; }
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
const double double_Pi = 3.141592653589793238;
const float float_Pi = 3.14159265f;

struct Decibels {
  template <class T> static T decibelsToGain(T decibels, T silence = T(-100)) {
    return decibels > silence ? std::pow(T(10), decibels * T(0.05)) : T();
  }
  template <class T> static T gainToDecibels(T gain, T silence = T(-100)) {
    return gain > T() ? jmax(silence, T(20) * std::log10(gain)) : silence;
  }
  template <class T> static String toString(T decibels, int places = 2, T silence = T(-100), bool suffix = true) {
    if (decibels <= silence) return suffix ? "-INF dB" : "-INF";
    return String(double(decibels), places) + (suffix ? " dB" : "");
  }
};

/// Has no effect: the host has disabled denormals on render threads.
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
  template <class T> static void add(T *to, T value, int count) {
    for (int i = 0; i < count; i++) to[i] += value;
  }
  template <class T> static void add(T *to, const T *a, const T *b, int count) {
    for (int i = 0; i < count; i++) to[i] = a[i] + b[i];
  }
  template <class T> static void subtract(T *to, const T *from, int count) {
    for (int i = 0; i < count; i++) to[i] -= from[i];
  }
  template <class T> static void addWithMultiply(T *to, const T *from, T factor, int count) {
    for (int i = 0; i < count; i++) to[i] += from[i] * factor;
  }
  template <class T> static void copyWithMultiply(T *to, const T *from, T factor, int count) {
    for (int i = 0; i < count; i++) to[i] = from[i] * factor;
  }
  template <class T> static void multiply(T *to, T factor, int count) {
    for (int i = 0; i < count; i++) to[i] *= factor;
  }
  template <class T> static void multiply(T *to, const T *from, int count) {
    for (int i = 0; i < count; i++) to[i] *= from[i];
  }
  template <class T> static void abs(T *to, const T *from, int count) {
    for (int i = 0; i < count; i++) to[i] = std::abs(from[i]);
  }
  template <class T> static void clip(T *to, const T *from, T low, T high, int count) {
    for (int i = 0; i < count; i++) to[i] = jlimit(low, high, from[i]);
  }
  static void disableDenormalisedNumberSupport(bool = true) {}
};

/// A value that ramps to its target linearly or exponentially.
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
    length = jmax(0, count);
    setCurrentAndTargetValue(target);
  }
  void setCurrentAndTargetValue(T value) {
    current = target = value;
    countdown = 0;
  }
  void setTargetValue(T value) {
    if (approximatelyEqual(value, target)) return;
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
    if (count >= countdown) return setCurrentAndTargetValue(target), target;
    countdown -= count;
    return current = isRatio ? current * std::pow(step, T(count)) : current + step * T(count);
  }
  void setValue(T value, bool isAtOnce = false) { isAtOnce ? setCurrentAndTargetValue(value) : setTargetValue(value); }
  void applyGain(T *samples, int count) {
    for (int i = 0; i < count; i++) samples[i] *= getNextValue();
  }
  void applyGain(T *to, const T *from, int count) {
    for (int i = 0; i < count; i++) to[i] = from[i] * getNextValue();
  }
  template <class Buffer> void applyGain(Buffer &buffer, int count) {
    for (int i = 0; i < count; i++) {
      const T gain = getNextValue();
      for (int c = 0; c < buffer.getNumChannels(); c++) buffer.getWritePointer(c)[i] *= gain;
    }
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

} // namespace juce
