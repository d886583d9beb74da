// juce_processor.h: JUCE-style processors. SPDX-License-Identifier: MIT
#pragma once

#include "juce_audio.h"
#include "juce_fifo.h"
#include "juce_midi.h"
#include "juce_parameters.h"
#include "juce_tree.h"

namespace juce {

// Channels

struct AudioChannelSet {
  static AudioChannelSet mono() { return {1}; }
  static AudioChannelSet stereo() { return {2}; }
  static AudioChannelSet disabled() { return {0}; }
  static AudioChannelSet discreteChannels(int count) { return {count}; }
  static AudioChannelSet canonicalChannelSet(int count) { return {count}; }
  bool isDisabled() const { return count == 0; }
  String getDescription() const { return count == 1 ? "Mono" : "Stereo"; }
  int size() const { return count; }
  bool operator==(const AudioChannelSet &other) const { return count == other.count; }
  bool operator!=(const AudioChannelSet &other) const { return count != other.count; }
  int count;
};

// Required overrides that this implementation does not use.

/// Musical time is not available.
struct AudioPlayHead {
  struct CurrentPositionInfo {
    double bpm = 120, timeInSeconds = 0, ppqPosition = 0, ppqPositionOfLastBarStart = 0;
    int timeSigNumerator = 4, timeSigDenominator = 4;
    int64 timeInSamples = 0;
    bool isPlaying = false, isRecording = false, isLooping = false;
    void resetToDefault() { *this = CurrentPositionInfo(); }
  };
  bool getCurrentPosition(CurrentPositionInfo &) { return false; }
  struct TimeSignature {
    int numerator = 4, denominator = 4;
  };
  struct PositionInfo {
    Optional<double> getBpm() const { return {}; }
    Optional<double> getPpqPosition() const { return {}; }
    Optional<double> getPpqPositionOfLastBarStart() const { return {}; }
    Optional<double> getTimeInSeconds() const { return {}; }
    Optional<int64> getTimeInSamples() const { return {}; }
    Optional<TimeSignature> getTimeSignature() const { return {}; }
    bool getIsPlaying() const { return false; }
    bool getIsRecording() const { return false; }
    bool getIsLooping() const { return false; }
  };
  Optional<PositionInfo> getPosition() const { return {}; }
};

class AudioProcessor;
struct AudioProcessorEditor;

/// The base of processors.
class AudioProcessor {
public:
  struct BusesProperties {
    BusesProperties withInput(const String &, AudioChannelSet set, bool = true) const {
      return {inputs == 0 ? set.size() : inputs, outputs};
    }
    BusesProperties withOutput(const String &, AudioChannelSet set, bool = true) const {
      return {inputs, outputs == 0 ? set.size() : outputs};
    }
    int inputs = 0, outputs = 0;
  };
  struct BusesLayout {
    AudioChannelSet getMainInputChannelSet() const { return AudioChannelSet::stereo(); }
    AudioChannelSet getMainOutputChannelSet() const { return AudioChannelSet::stereo(); }
    AudioChannelSet getChannelSet(bool, int) const { return AudioChannelSet::stereo(); }
    Array<AudioChannelSet> inputBuses{AudioChannelSet::stereo()}, outputBuses{AudioChannelSet::stereo()};
  };

  AudioProcessor() : AudioProcessor(BusesProperties{2, 2}) {}
  AudioProcessor(const BusesProperties &counts) : buses(counts) {}
  virtual ~AudioProcessor() {}
  AudioProcessor(const AudioProcessor &) = delete;
  AudioProcessor &operator=(const AudioProcessor &) = delete;

  virtual void prepareToPlay(double hz, int maximum_frame_count) = 0;
  enum WrapperType { wrapperType_Undefined, wrapperType_VST3, wrapperType_AudioUnit, wrapperType_Standalone };
  enum ProcessingPrecision { singlePrecision, doublePrecision };
  WrapperType wrapperType = wrapperType_Undefined;
  struct Bus {
    int getNumberOfChannels() const { return count; }
    bool isEnabled() const { return count > 0; }
    int count = 0;
  };
  Bus *getBus(bool isInput, int number) {
    bus.count = number > 0 ? 0 : isInput ? buses.inputs : buses.outputs;
    return &bus;
  }
  int getBusCount(bool) const { return 1; }
  int getChannelCountOfBus(bool isInput, int number) const { return number > 0 ? 0 : isInput ? buses.inputs : buses.outputs; }
  BusesLayout getBusesLayout() const { return {}; }
  AudioBuffer<float> getBusBuffer(AudioBuffer<float> &buffer, bool isInput, int number) const {
    return AudioBuffer<float>(buffer.getArrayOfWritePointers(), getChannelCountOfBus(isInput, number), buffer.getNumSamples());
  }
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
  virtual bool supportsDoublePrecisionProcessing() const { return false; }
  virtual StringArray getAlternateDisplayNames() const { return {}; }
  virtual AudioProcessorParameter *getBypassParameter() const { return nullptr; }
  virtual void processBlock(AudioBuffer<double> &, MidiBuffer &) {}
  virtual void processBlockBypassed(AudioBuffer<float> &, MidiBuffer &) {}
  virtual void numChannelsChanged() {}
  virtual void numBusesChanged() {}
  virtual void setNonRealtime(bool) {}
  // Parameters by index, the interface before parameter objects.
  virtual int getNumParameters() { return int(parameters.size()); }
  virtual float getParameter(int) { return 0; }
  virtual void setParameter(int, float) {}
  virtual const String getParameterName(int) { return {}; }
  virtual const String getParameterText(int) { return {}; }
  virtual const String getInputChannelName(int) const { return {}; }
  virtual const String getOutputChannelName(int) const { return {}; }
  virtual bool isInputChannelStereoPair(int) const { return true; }
  virtual bool isOutputChannelStereoPair(int) const { return true; }
  virtual bool silenceInProducesSilenceOut() const { return false; }
  virtual bool hasEditor() const { return false; }
  virtual AudioProcessorEditor *createEditor() { return nullptr; }
  virtual void getStateInformation(MemoryBlock &) {}
  virtual void setStateInformation(const void *, int) {}
  static void copyXmlToBinary(const XmlElement &, MemoryBlock &) {}
  static std::unique_ptr<XmlElement> getXmlFromBinary(const void *, int) { return {}; }
  virtual void processBlock(AudioBuffer<float> &buffer, MidiBuffer &messages) = 0;
  /// A processor without `reset` clears itself in `prepareToPlay`.
  virtual void reset() { prepareToPlay(rate, longest); }

  void addParameter(AudioProcessorParameter *parameter) {
    owned.emplace_back(parameter);
    parameter->index = parameters.size();
    parameters.add(parameter);
  }
  void addParameterGroup(std::unique_ptr<AudioProcessorParameterGroup> group) {
    for (auto &parameter : group->list) addParameter(parameter.release());
  }
  const Array<AudioProcessorParameter *> &getParameters() const { return parameters; }
  void setPlayConfigDetails(int inputs, int outputs, double hz, int maximum_frame_count) {
    buses = {inputs, outputs};
    setRateAndBufferSizeDetails(hz, maximum_frame_count);
  }
  int getNumInputChannels() const { return buses.inputs; }
  int getNumOutputChannels() const { return buses.outputs; }
  AudioProcessorEditor *getActiveEditor() const { return nullptr; }
  AudioPlayHead *getPlayHead() const { return nullptr; }
  const SpinLock &getCallbackLock() const { return lock; }
  void suspendProcessing(bool) {}
  bool isSuspended() const { return false; }
  void updateHostDisplay() {}
  void sendParamChangeMessageToListeners(int, float) {}
  void setParameterNotifyingHost(int, float) {}
  template <class... Details> void updateHostDisplay(const Details &...) {}
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
  Array<AudioProcessorParameter *> parameters;
  Bus bus;
  SpinLock lock;
  double rate = 44100;
  int longest = 512;
  int delay = 0;
};

} // namespace juce
