// juce_parameters.h: JUCE-style parameters and their attributes. SPDX-License-Identifier: MIT
#pragma once

#include "juce_types.h"
#include "port.h"

namespace juce {

// Parameters. Values are always those of the `// outboard:` comment.

template <class T> struct NormalisableRange {
  typedef std::function<T(T, T, T)> Mapping;
  NormalisableRange() : NormalisableRange(T(0), T(1)) {}
  NormalisableRange(T low, T high, T step = T(), T curve = T(1), bool both = false)
      : start(low), end(high), interval(step), skew(curve), symmetricSkew(both) {}
  NormalisableRange(Range<T> range, T step = T()) : NormalisableRange(range.getStart(), range.getEnd(), step) {}
  NormalisableRange(T low, T high, Mapping from0, Mapping to0, Mapping legal = {})
      : start(low), end(high), from(std::move(from0)), to(std::move(to0)), snap(std::move(legal)) {}
  void setSkewForCentre(T centre) {
    symmetricSkew = false;
    skew = std::log(T(0.5)) / std::log((centre - start) / (end - start));
  }
  T convertFrom0to1(T share) const {
    if (from) return from(start, end, share);
    share = jlimit(T(0), T(1), share);
    if (symmetricSkew) {
      const T side = 2 * share - 1;
      const T bent = skew == T(1) ? side : (side < 0 ? T(-1) : T(1)) * std::pow(std::abs(side), T(1) / skew);
      return start + (end - start) * (1 + bent) / 2;
    }
    return start + (end - start) * (skew == T(1) || share <= 0 ? share : std::pow(share, T(1) / skew));
  }
  T convertTo0to1(T value) const {
    if (to) return to(start, end, value);
    const T share = jlimit(T(0), T(1), (value - start) / (end - start));
    if (symmetricSkew) {
      const T side = 2 * share - 1;
      return (1 + (side < 0 ? T(-1) : T(1)) * std::pow(std::abs(side), skew)) / 2;
    }
    return skew == T(1) ? share : std::pow(share, skew);
  }
  T snapToLegalValue(T value) const {
    if (snap) return snap(start, end, value);
    if (interval > T()) value = start + interval * std::floor((value - start) / interval + T(0.5));
    return jlimit(start, end, value);
  }
  Range<T> getRange() const { return {start, end}; }
  T start, end, interval = T(), skew = T(1);
  bool symmetricSkew = false;

private:
  Mapping from, to, snap;
};

struct ParameterID {
  ParameterID(const char *text, int = 0) : id(text) {}
  ParameterID(const String &text, int = 0) : id(text) {}
  String id;
};

/// A listener for parameter changes.
struct ParameterListener {
  virtual ~ParameterListener() {}
  virtual void parameterChanged(const String &id, float value) = 0;
};

/// The attributes of a parameter; text conversion is not used.
template <class Attributes> struct ParameterAttributes {
  Attributes withLabel(const String &text) const {
    Attributes changed = static_cast<const Attributes &>(*this);
    changed.label = text;
    return changed;
  }
  template <class Function> Attributes withStringFromValueFunction(Function) const { return same(); }
  template <class Function> Attributes withValueFromStringFunction(Function) const { return same(); }
  template <class Category> Attributes withCategory(Category) const { return same(); }
  Attributes withAutomatable(bool) const { return same(); }
  Attributes withInverted(bool) const { return same(); }
  Attributes withMeta(bool) const { return same(); }
  Attributes same() const { return static_cast<const Attributes &>(*this); }
  String label;
};
struct AudioParameterFloatAttributes : ParameterAttributes<AudioParameterFloatAttributes> {};
struct AudioParameterIntAttributes : ParameterAttributes<AudioParameterIntAttributes> {};
struct AudioParameterBoolAttributes : ParameterAttributes<AudioParameterBoolAttributes> {};
struct AudioParameterChoiceAttributes : ParameterAttributes<AudioParameterChoiceAttributes> {};

/// The unit among the last constructor arguments; older code passes it as a text.
inline String parameterLabel() { return {}; }
template <class First, class... Rest> String parameterLabel(const First &first, const Rest &...rest) {
  if constexpr (std::is_base_of<ParameterAttributes<First>, First>::value) return first.label;
  else if constexpr (std::is_convertible<const First &, String>::value) return first;
  else return parameterLabel(rest...);
}

class AudioProcessorParameter {
public:
  enum Category { genericParameter, inputGain, outputGain, inputMeter, outputMeter, otherMeter };
  AudioProcessorParameter(const ParameterID &id, const String &words, const String &unit,
                          const char *kind, const NormalisableRange<float> &legal, float start)
      : paramID(id.id), name(words), label(unit), scale(kind), range(legal), standard(start),
        raw(start) {}
  virtual ~AudioProcessorParameter() {}
  struct Listener {
    virtual ~Listener() {}
    virtual void parameterValueChanged(int index, float share) = 0;
    virtual void parameterGestureChanged(int index, bool starts) = 0;
  };
  void addListener(Listener *listener) { observers.push_back(listener); }
  void removeListener(Listener *listener) {
    observers.erase(std::remove(observers.begin(), observers.end(), listener), observers.end());
  }
  /// Sets the nearest legal value to the host's, and notifies listeners of a change. [render]
  void take(float value) {
    value = range.snapToLegalValue(value);
    const float before = raw.exchange(value, std::memory_order_relaxed);
    if (before == value) return;
    for (auto *listener : listeners) listener->parameterChanged(paramID, value);
    for (auto *observer : observers) observer->parameterValueChanged(index, getValue());
  }
  // Accessors with values from 0 to 1.
  float getValue() const { return convertTo0to1(raw.load(std::memory_order_relaxed)); }
  float getDefaultValue() const { return convertTo0to1(standard); }
  void setValueNotifyingHost(float share) { take(convertFrom0to1(share)); }
  void setValue(float share) { take(convertFrom0to1(share)); }
  void beginChangeGesture() {}
  void endChangeGesture() {}
  float convertTo0to1(float value) const { return range.convertTo0to1(range.snapToLegalValue(value)); }
  float convertFrom0to1(float share) const {
    return range.snapToLegalValue(range.convertFrom0to1(jlimit(0.0f, 1.0f, share)));
  }
  const NormalisableRange<float> &getNormalisableRange() const { return range; }
  int getNumSteps() const {
    return range.interval > 0 ? 1 + roundToInt((range.end - range.start) / range.interval) : 0x7fffffff;
  }
  bool isDiscrete() const { return scale != nullptr; }
  bool isBoolean() const { return scale != nullptr && *scale == 't'; }
  String getName(int) const { return name; }
  String getLabel() const { return label; }
  int getParameterIndex() const { return index; }
  /// The description by the code. The names live as long as the parameter.
  virtual outboard_parameter describe() const {
    const bool is_whole = range.interval == 1 && range.skew == 1 && range.start == std::floor(range.start);
    return {paramID.toRawUTF8(), name.toRawUTF8(), label.toRawUTF8(), is_whole && scale == nullptr ? "integer" : scale,
            range.start,         standard,         range.end,         nullptr, 0};
  }
  const String &getParameterID() const { return paramID; }
  String paramID, name, label;
  const char *scale;
  NormalisableRange<float> range;
  float standard;
  std::atomic<float> raw;
  std::vector<ParameterListener *> listeners;
  std::vector<Listener *> observers;
  int index = 0; // among the processor's parameters
};
typedef AudioProcessorParameter RangedAudioParameter;
typedef AudioProcessorParameter AudioProcessorParameterWithID;

/// Parameters that a host may show together; here they only keep their order.
struct AudioProcessorParameterGroup {
  template <class... All>
  AudioProcessorParameterGroup(const String &, const String &, const String &, std::unique_ptr<All>... all) {
    addChild(std::move(all)...);
  }
  template <class... All> void addChild(std::unique_ptr<All>... all) { (addOne(std::move(all)), ...); }
  std::vector<std::unique_ptr<RangedAudioParameter>> list;

private:
  void addOne(std::unique_ptr<RangedAudioParameter> parameter) { list.push_back(std::move(parameter)); }
  void addOne(std::unique_ptr<AudioProcessorParameterGroup> group) {
    for (auto &parameter : group->list) list.push_back(std::move(parameter));
  }
};

class AudioParameterFloat : public AudioProcessorParameter {
public:
  /// Without a range, values are multiples of 0.01.
  AudioParameterFloat(const ParameterID &id, const String &words, float low, float high, float start)
      : AudioProcessorParameter(id, words, {}, nullptr, {low, high, 0.01f}, start) {}
  template <class... Rest>
  AudioParameterFloat(const ParameterID &id, const String &words, NormalisableRange<float> range,
                      float start, const Rest &...rest)
      : AudioProcessorParameter(id, words, parameterLabel(rest...), nullptr, range, start) {}
  AudioParameterFloat &operator=(float value) { return take(value), *this; }
  float get() const { return raw.load(std::memory_order_relaxed); }
  operator float() const { return get(); }
};

class AudioParameterInt : public AudioProcessorParameter {
public:
  template <class... Rest>
  AudioParameterInt(const ParameterID &id, const String &words, int low, int high, int start,
                    const Rest &...rest)
      : AudioProcessorParameter(id, words, parameterLabel(rest...), "integer",
                                {float(low), float(high), 1}, float(start)) {}
  AudioParameterInt &operator=(int value) { return take(float(value)), *this; }
  Range<int> getRange() const { return {int(range.start), int(range.end)}; }
  int get() const { return roundToInt(raw.load(std::memory_order_relaxed)); }
  operator int() const { return get(); }
};

class AudioParameterBool : public AudioProcessorParameter {
public:
  template <class... Rest>
  AudioParameterBool(const ParameterID &id, const String &words, bool start, const Rest &...)
      : AudioProcessorParameter(id, words, {}, "toggle", {0, 1, 1}, start ? 1.0f : 0.0f) {}
  AudioParameterBool &operator=(bool value) { return take(value ? 1.0f : 0.0f), *this; }
  bool get() const { return raw.load(std::memory_order_relaxed) >= 0.5f; }
  operator bool() const { return get(); }
};

class AudioParameterChoice : public AudioProcessorParameter {
public:
  template <class... Rest>
  AudioParameterChoice(const ParameterID &id, const String &words, const StringArray &names,
                       int start, const Rest &...)
      : AudioProcessorParameter(id, words, {}, "integer", {0, float(names.size()) - 1, 1},
                                float(start)),
        choices(names) {
    for (const auto &one : choices) rows.push_back(one.toRawUTF8());
  }
  outboard_parameter describe() const override {
    outboard_parameter told = AudioProcessorParameter::describe();
    told.choices = rows.empty() ? nullptr : rows.data();
    told.choice_count = uint32_t(rows.size());
    return told;
  }
  AudioParameterChoice &operator=(int value) { return take(float(value)), *this; }
  String getCurrentChoiceName() const { return choices[getIndex()]; }
  int getIndex() const { return roundToInt(raw.load(std::memory_order_relaxed)); }
  operator int() const { return getIndex(); }
  StringArray choices;
  std::vector<const char *> rows; // of the choices
};

} // namespace juce
