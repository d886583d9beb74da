// juce_processor.h: JUCE-style processors. SPDX-License-Identifier: MIT
#pragma once

#include "juce_audio.h"
#include "juce_parameters.h"

namespace juce {

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
