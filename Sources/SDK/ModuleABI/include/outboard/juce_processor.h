// juce_processor.h: JUCE-style processors. SPDX-License-Identifier: MIT
#pragma once

#include "juce_audio.h"
#include "juce_buses.h"
#include "juce_fifo.h"
#include "juce_midi.h"
#include "juce_parameters.h"
#include "juce_tree.h"

namespace juce {

class AudioProcessor;
struct AudioProcessorEditor;

/// The base of processors.
class AudioProcessor {
public:
  typedef juce::BusProperties BusProperties;
  typedef juce::BusesProperties BusesProperties;
  typedef juce::BusesLayout BusesLayout;
  typedef juce::Bus Bus;

  AudioProcessor() : AudioProcessor(BusesProperties(2, 2)) {}
  AudioProcessor(const BusesProperties &properties) : buses(properties) {}
  virtual ~AudioProcessor() {}
  AudioProcessor(const AudioProcessor &) = delete;
  AudioProcessor &operator=(const AudioProcessor &) = delete;

  virtual void prepareToPlay(double hz, int maximum_frame_count) = 0;
  enum WrapperType { wrapperType_Undefined, wrapperType_VST3, wrapperType_AudioUnit, wrapperType_Standalone };
  enum ProcessingPrecision { singlePrecision, doublePrecision };
  WrapperType wrapperType = wrapperType_Undefined;
  Bus *getBus(bool isInput, int number) { return buses.list(isInput).at(number); }
  const Bus *getBus(bool isInput, int number) const { return buses.list(isInput).at(number); }
  int getBusCount(bool isInput) const { return int(buses.list(isInput).buses.size()); }
  int getChannelCountOfBus(bool isInput, int number) const {
    const Bus *bus = getBus(isInput, number);
    return bus == nullptr ? 0 : bus->getNumberOfChannels();
  }
  BusesLayout getBusesLayout() const { return {buses.in.sets(), buses.out.sets()}; }
  AudioChannelSet getChannelLayoutOfBus(bool isInput, int number) const { return AudioChannelSet{getChannelCountOfBus(isInput, number)}; }
  int getChannelIndexInProcessBlockBuffer(bool isInput, int number, int channel) const {
    const Bus *bus = getBus(isInput, number);
    return bus == nullptr ? -1 : bus->first + channel;
  }
  /// Returns the channels of a bus. Those of a disabled bus are silent for code that does not ask for their number.
  template <class T> AudioBuffer<T> getBusBuffer(AudioBuffer<T> &buffer, bool isInput, int number) const {
    const Bus *bus = getBus(isInput, number);
    if (bus == nullptr) return AudioBuffer<T>(buffer.getArrayOfWritePointers(), 0, buffer.getNumSamples());
    AudioBuffer<T> part(buffer.getArrayOfWritePointers() + bus->first, bus->count, buffer.getNumSamples());
    if (!bus->isEnabled()) part.hideChannels();
    return part;
  }
  /// Enables further input buses that are not silent, and counts the frames of the play head. [render]
  void outboardBegin(const float *const *rows, int channels, int frames) {
    buses.in.listen(rows, channels, frames);
    head.begin(rate, frames);
  }
  const BusList &outboardChannels(bool isInput) const { return buses.list(isInput); }
  void outboardReset() { buses.in.disableFurther(), head.rewind(); }
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
    buses = Buses(BusesProperties(inputs, outputs));
    setRateAndBufferSizeDetails(hz, maximum_frame_count);
  }
  int getNumInputChannels() const { return buses.in.total(); }
  int getNumOutputChannels() const { return buses.out.total(); }
  AudioProcessorEditor *getActiveEditor() const { return nullptr; }
  AudioPlayHead *getPlayHead() const { return &head; }
  void setPlayHead(AudioPlayHead *) {}
  const SpinLock &getCallbackLock() const { return lock; }
  void suspendProcessing(bool) {}
  bool isSuspended() const { return false; }
  void updateHostDisplay() {}
  void sendParamChangeMessageToListeners(int, float) {}
  void setParameterNotifyingHost(int, float) {}
  template <class... Details> void updateHostDisplay(const Details &...) {}
  double getSampleRate() const { return rate; }
  int getBlockSize() const { return longest; }
  int getTotalNumInputChannels() const { return buses.in.total(); }
  int getTotalNumOutputChannels() const { return buses.out.total(); }
  int getMainBusNumInputChannels() const { return getChannelCountOfBus(true, 0); }
  int getMainBusNumOutputChannels() const { return getChannelCountOfBus(false, 0); }
  void setLatencySamples(int frame_count) { delay = frame_count; }
  int getLatencySamples() const { return delay; }
  bool isNonRealtime() const { return false; }
  void setRateAndBufferSizeDetails(double hz, int maximum_frame_count) {
    rate = hz;
    longest = maximum_frame_count;
    buses.in.enable();
  }

private:
  Buses buses;
  mutable AudioPlayHead head;
  std::vector<std::unique_ptr<AudioProcessorParameter>> owned;
  Array<AudioProcessorParameter *> parameters;
  SpinLock lock;
  double rate = 44100;
  int longest = 512;
  int delay = 0;
};

} // namespace juce
