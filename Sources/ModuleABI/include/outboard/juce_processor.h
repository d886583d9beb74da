// juce_processor.h: JUCE-style processors and their parameters. SPDX-License-Identifier: MIT
#pragma once

#include "juce_audio.h"
#include "juce_types.h"
#include "port.h"

namespace juce {

// Parameters, whose values here are always those of the `// outboard:` comment

template <class T> struct NormalisableRange {
  NormalisableRange(T low, T high, T step = T(), T curve = T(1), bool = false)
      : start(low), end(high), interval(step), skew(curve) {}
  T start, end, interval, skew;
};

struct ParameterID {
  ParameterID(const char *text, int = 0) : id(text) {}
  ParameterID(const String &text, int = 0) : id(text) {}
  String id;
};

/// Who wants to hear of a parameter's changes.
struct ParameterListener {
  virtual ~ParameterListener() {}
  virtual void parameterChanged(const String &id, float value) = 0;
};

/// What is said of a parameter beside its range; nothing here makes use of how it is shown.
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

/// The unit among what a parameter is told at its end: older code gives it as a text.
inline String parameterLabel() { return {}; }
template <class First, class... Rest> String parameterLabel(const First &first, const Rest &...rest) {
  if constexpr (std::is_base_of<ParameterAttributes<First>, First>::value) return first.label;
  else if constexpr (std::is_convertible<const First &, String>::value) return first;
  else return parameterLabel(rest...);
}

class AudioProcessorParameter {
public:
  enum Category { genericParameter, inputGain, outputGain };
  AudioProcessorParameter(const ParameterID &id, const String &words, const String &unit,
                          const char *kind, float low, float start, float high)
      : paramID(id.id), name(words), label(unit), scale(kind), minimum(low), standard(start),
        maximum(high), raw(start) {}
  virtual ~AudioProcessorParameter() {}
  /// Takes the host's value, and tells of it where it is another. [render]
  void take(float value) {
    const float before = raw.exchange(value, std::memory_order_relaxed);
    if (before == value) return;
    for (auto *listener : listeners) listener->parameterChanged(paramID, value);
  }
  /// What the code says of it. The names last as long as the parameter.
  virtual outboard_parameter describe() const {
    return {paramID.toRawUTF8(), name.toRawUTF8(), label.toRawUTF8(), scale,
            minimum,             standard,         maximum,           nullptr, 0};
  }
  const String &getParameterID() const { return paramID; }
  String paramID, name, label;
  const char *scale;
  float minimum, standard, maximum;
  std::atomic<float> raw;
  std::vector<ParameterListener *> listeners;
};
typedef AudioProcessorParameter RangedAudioParameter;

class AudioParameterFloat : public AudioProcessorParameter {
public:
  AudioParameterFloat(const ParameterID &id, const String &words, float low, float high, float start)
      : AudioProcessorParameter(id, words, {}, nullptr, low, start, high) {}
  template <class... Rest>
  AudioParameterFloat(const ParameterID &id, const String &words, NormalisableRange<float> range,
                      float start, const Rest &...rest)
      : AudioProcessorParameter(id, words, parameterLabel(rest...), nullptr, range.start, start,
                                range.end) {}
  float get() const { return raw.load(std::memory_order_relaxed); }
  operator float() const { return get(); }
};

class AudioParameterInt : public AudioProcessorParameter {
public:
  template <class... Rest>
  AudioParameterInt(const ParameterID &id, const String &words, int low, int high, int start,
                    const Rest &...rest)
      : AudioProcessorParameter(id, words, parameterLabel(rest...), "integer", float(low),
                                float(start), float(high)) {}
  int get() const { return roundToInt(raw.load(std::memory_order_relaxed)); }
  operator int() const { return get(); }
};

class AudioParameterBool : public AudioProcessorParameter {
public:
  template <class... Rest>
  AudioParameterBool(const ParameterID &id, const String &words, bool start, const Rest &...)
      : AudioProcessorParameter(id, words, {}, "toggle", 0, start ? 1.0f : 0.0f, 1) {}
  bool get() const { return raw.load(std::memory_order_relaxed) >= 0.5f; }
  operator bool() const { return get(); }
};

typedef std::vector<String> StringArray;
class AudioParameterChoice : public AudioProcessorParameter {
public:
  template <class... Rest>
  AudioParameterChoice(const ParameterID &id, const String &words, const StringArray &names,
                       int start, const Rest &...)
      : AudioProcessorParameter(id, words, {}, "integer", 0, float(start),
                                float(names.size()) - 1),
        choices(names) {
    for (const auto &name : choices) rows.push_back(name.toRawUTF8());
  }
  outboard_parameter describe() const override {
    outboard_parameter told = AudioProcessorParameter::describe();
    told.choices = rows.empty() ? nullptr : rows.data();
    told.choice_count = uint32_t(rows.size());
    return told;
  }
  int getIndex() const { return roundToInt(raw.load(std::memory_order_relaxed)); }
  operator int() const { return getIndex(); }
  StringArray choices;
  std::vector<const char *> rows; // of the choices
};

// Channels

struct AudioChannelSet {
  static AudioChannelSet mono() { return {1}; }
  static AudioChannelSet stereo() { return {2}; }
  static AudioChannelSet disabled() { return {0}; }
  int size() const { return count; }
  bool operator==(const AudioChannelSet &other) const { return count == other.count; }
  bool operator!=(const AudioChannelSet &other) const { return count != other.count; }
  int count;
};

// What every processor has to have, and nothing here makes use of

struct MemoryBlock {
  void append(const void *, size_t) {}
  size_t getSize() const { return 0; }
  void *getData() const { return nullptr; }
};

class AudioProcessor;
struct AudioProcessorEditor {
  explicit AudioProcessorEditor(AudioProcessor &) {}
  explicit AudioProcessorEditor(AudioProcessor *) {}
  virtual ~AudioProcessorEditor() {}
};
typedef AudioProcessorEditor GenericAudioProcessorEditor;

struct XmlElement {
  bool hasTagName(const String &) const { return false; }
};

struct ValueTree {
  std::unique_ptr<XmlElement> createXml() const {
    return std::unique_ptr<XmlElement>(new XmlElement());
  }
  static ValueTree fromXml(const XmlElement &) { return {}; }
  bool isValid() const { return false; }
  String getType() const { return {}; }
};

/// The base of processors.
class AudioProcessor {
public:
  struct BusesProperties {
    BusesProperties withInput(const String &, AudioChannelSet set, bool = true) const {
      return {set.size(), outputs};
    }
    BusesProperties withOutput(const String &, AudioChannelSet set, bool = true) const {
      return {inputs, set.size()};
    }
    int inputs = 0, outputs = 0;
  };
  struct BusesLayout {
    AudioChannelSet getMainInputChannelSet() const { return AudioChannelSet::stereo(); }
    AudioChannelSet getMainOutputChannelSet() const { return AudioChannelSet::stereo(); }
  };

  AudioProcessor() : AudioProcessor(BusesProperties{2, 2}) {}
  AudioProcessor(const BusesProperties &counts) : buses(counts) {}
  virtual ~AudioProcessor() {}
  AudioProcessor(const AudioProcessor &) = delete;
  AudioProcessor &operator=(const AudioProcessor &) = delete;

  virtual void prepareToPlay(double hz, int maximum_frame_count) = 0;
  virtual void releaseResources() {}
  virtual const String getName() const { return {}; }
  virtual bool acceptsMidi() const { return false; }
  virtual bool producesMidi() const { return false; }
  virtual bool isMidiEffect() const { return false; }
  virtual double getTailLengthSeconds() const { return 0; }
  virtual int getNumPrograms() { return 1; }
  virtual int getCurrentProgram() { return 0; }
  virtual void setCurrentProgram(int) {}
  virtual const String getProgramName(int) { return {}; }
  virtual void changeProgramName(int, const String &) {}
  virtual bool isBusesLayoutSupported(const BusesLayout &) const { return true; }
  virtual bool hasEditor() const { return false; }
  virtual AudioProcessorEditor *createEditor() { return nullptr; }
  virtual void getStateInformation(MemoryBlock &) {}
  virtual void setStateInformation(const void *, int) {}
  static void copyXmlToBinary(const XmlElement &, MemoryBlock &) {}
  static std::unique_ptr<XmlElement> getXmlFromBinary(const void *, int) { return {}; }
  virtual void processBlock(AudioBuffer<float> &buffer, MidiBuffer &messages) = 0;
  /// Processors without one clear themselves as they are prepared.
  virtual void reset() { prepareToPlay(rate, longest); }

  void addParameter(AudioProcessorParameter *parameter) {
    owned.emplace_back(parameter);
    parameters.push_back(parameter);
  }
  const std::vector<AudioProcessorParameter *> &getParameters() const { return parameters; }
  double getSampleRate() const { return rate; }
  int getBlockSize() const { return longest; }
  int getTotalNumInputChannels() const { return buses.inputs; }
  int getTotalNumOutputChannels() const { return buses.outputs; }
  int getMainBusNumInputChannels() const { return buses.inputs; }
  int getMainBusNumOutputChannels() const { return buses.outputs; }
  void setLatencySamples(int frame_count) { delay = frame_count; }
  int getLatencySamples() const { return delay; }
  bool isNonRealtime() const { return false; }
  void setRateAndBufferSizeDetails(double hz, int maximum_frame_count) {
    rate = hz;
    longest = maximum_frame_count;
  }

private:
  BusesProperties buses;
  std::vector<std::unique_ptr<AudioProcessorParameter>> owned;
  std::vector<AudioProcessorParameter *> parameters;
  double rate = 44100;
  int longest = 512;
  int delay = 0;
};

class UndoManager;

/// Parameters by name, owned by a processor.
class AudioProcessorValueTreeState {
public:
  typedef ParameterListener Listener;
  class ParameterLayout {
  public:
    ParameterLayout() {}
    template <class... Rest> ParameterLayout(std::unique_ptr<Rest>... all) {
      (list.emplace_back(std::move(all)), ...);
    }
    template <class It> ParameterLayout(It first, It last) {
      for (; first != last; ++first) list.emplace_back(std::move(*first));
    }
    template <class... More> void add(std::unique_ptr<More>... all) {
      (list.emplace_back(std::move(all)), ...);
    }
    std::vector<std::unique_ptr<RangedAudioParameter>> list;
  };

  AudioProcessorValueTreeState(AudioProcessor &owner, UndoManager *, const String &,
                               ParameterLayout layout)
      : processor(owner) {
    for (auto &parameter : layout.list) owner.addParameter(parameter.release());
  }
  RangedAudioParameter *getParameter(const String &id) const {
    for (auto *parameter : processor.getParameters())
      if (parameter->paramID == id) return parameter;
    return nullptr;
  }
  std::atomic<float> *getRawParameterValue(const String &id) const {
    auto *parameter = getParameter(id);
    return parameter == nullptr ? nullptr : &parameter->raw;
  }

  void addParameterListener(const String &id, Listener *listener) {
    if (auto *parameter = getParameter(id)) parameter->listeners.push_back(listener);
  }
  void removeParameterListener(const String &id, Listener *listener) {
    if (auto *parameter = getParameter(id)) {
      auto &all = parameter->listeners;
      for (size_t i = all.size(); i-- > 0;)
        if (all[i] == listener) all.erase(all.begin() + long(i));
    }
  }
  ValueTree copyState() const { return {}; }
  void replaceState(const ValueTree &) {}

  AudioProcessor &processor;
  ValueTree state;
};

} // namespace juce
