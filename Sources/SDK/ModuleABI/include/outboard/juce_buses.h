// juce_buses.h: JUCE-style buses of channels, and play heads. SPDX-License-Identifier: MIT
#pragma once

#include "juce_lists.h"
#include "juce_types.h"
#include "describe.h"

namespace juce {

struct AudioChannelSet {
  static AudioChannelSet mono() { return {1}; }
  static AudioChannelSet stereo() { return {2}; }
  static AudioChannelSet disabled() { return {0}; }
  static AudioChannelSet createLCR() { return {3}; }
  static AudioChannelSet quadraphonic() { return {4}; }
  static AudioChannelSet create5point0() { return {5}; }
  static AudioChannelSet create5point1() { return {6}; }
  static AudioChannelSet create7point1() { return {8}; }
  static AudioChannelSet discreteChannels(int count) { return {count}; }
  static AudioChannelSet canonicalChannelSet(int count) { return {count}; }
  static AudioChannelSet namedChannelSet(int count) { return {count}; }
  bool isDisabled() const { return count == 0; }
  String getDescription() const { return count == 0 ? "Disabled" : count == 1 ? "Mono" : count == 2 ? "Stereo" : "Discrete"; }
  int size() const { return count; }
  bool operator==(const AudioChannelSet &other) const { return count == other.count; }
  bool operator!=(const AudioChannelSet &other) const { return count != other.count; }
  int count = 0;
};

struct BusProperties {
  String busName;
  AudioChannelSet defaultLayout;
  bool isActivatedByDefault;
};
struct BusesProperties {
  BusesProperties() {}
  BusesProperties(int inputs, int outputs) {
    if (inputs > 0) addBus(true, "Input", {inputs});
    if (outputs > 0) addBus(false, "Output", {outputs});
  }
  void addBus(bool isInput, const String &name, const AudioChannelSet &set, bool isActive = true) {
    (isInput ? inputLayouts : outputLayouts).add(BusProperties{name, set, isActive});
  }
  BusesProperties withInput(const String &name, const AudioChannelSet &set, bool isActive = true) const {
    BusesProperties more = *this;
    more.addBus(true, name, set, isActive);
    return more;
  }
  BusesProperties withOutput(const String &name, const AudioChannelSet &set, bool isActive = true) const {
    BusesProperties more = *this;
    more.addBus(false, name, set, isActive);
    return more;
  }
  Array<BusProperties> inputLayouts, outputLayouts;
};
struct BusesLayout {
  AudioChannelSet getChannelSet(bool isInput, int number) const { return (isInput ? inputBuses : outputBuses)[number]; }
  AudioChannelSet &getChannelSet(bool isInput, int number) { return (isInput ? inputBuses : outputBuses).getReference(number); }
  int getNumChannels(bool isInput, int number) const { return getChannelSet(isInput, number).size(); }
  AudioChannelSet getMainInputChannelSet() const { return getChannelSet(true, 0); }
  AudioChannelSet getMainOutputChannelSet() const { return getChannelSet(false, 0); }
  int getMainInputChannels() const { return getMainInputChannelSet().size(); }
  int getMainOutputChannels() const { return getMainOutputChannelSet().size(); }
  Array<AudioChannelSet> inputBuses, outputBuses;
};

/// A bus of a processor.
struct Bus {
  const String &getName() const { return name; }
  int getNumberOfChannels() const { return isOn ? count : 0; }
  bool isEnabled() const { return isOn && count > 0; }
  bool isEnabledByDefault() const { return count > 0; }
  bool isMain() const { return number == 0; }
  bool isInput() const { return is_input; }
  int getBusIndex() const { return number; }
  AudioChannelSet getCurrentLayout() const { return {getNumberOfChannels()}; }
  AudioChannelSet getLastEnabledLayout() const { return {count}; }
  const AudioChannelSet getDefaultLayout() const { return {count}; }
  bool enable(bool = true) { return false; }
  bool setCurrentLayout(const AudioChannelSet &set) { return set.size() == getNumberOfChannels(); }
  String name;
  int number = 0, count = 0, first = 0; // the first channel in a block
  bool is_input = false, isOn = true;
};

/// The buses of one direction. Inputs are all there; outputs only if they are active by default.
struct BusList {
  BusList(const Array<BusProperties> &all, bool isInput) {
    for (const auto &one : all) {
      Bus bus;
      bus.name = one.busName;
      bus.number = int(buses.size());
      bus.first = total();
      bus.count = isInput || one.isActivatedByDefault ? one.defaultLayout.size() : 0;
      bus.is_input = isInput;
      buses.push_back(bus);
    }
  }
  Bus *at(int number) { return number >= 0 && number < int(buses.size()) ? &buses[size_t(number)] : nullptr; }
  const Bus *at(int number) const { return const_cast<BusList *>(this)->at(number); }
  int total() const { return buses.empty() ? 0 : buses.back().first + buses.back().count; }
  Array<AudioChannelSet> sets() const {
    Array<AudioChannelSet> all;
    for (const auto &bus : buses) all.add(bus.getCurrentLayout());
    return all;
  }
  /// Enables the buses after the first one whose channels are not silent. [render]
  void listen(const float *const *rows, int channels, int frames) {
    for (auto &bus : buses)
      for (int c = 0; c < bus.count && bus.first + c < channels && !bus.isOn; c++)
        bus.isOn = std::any_of(rows[bus.first + c], rows[bus.first + c] + frames, [](float x) { return x != 0; });
  }
  /// Enables all buses, as hosts do while a processor prepares.
  void enable() {
    for (auto &bus : buses) bus.isOn = true;
  }
  /// Disables them until something arrives, as hosts do if nothing is connected. [render]
  void disableFurther() {
    for (size_t b = 1; b < buses.size(); b++) buses[b].isOn = false;
  }
  /// Writes the channels with the names of their buses, for a manifest.
  void describe(outboard_description &d, const char *key) const {
    outboard_say(&d, "%s: [", key);
    for (const auto &bus : buses)
      for (int c = 0; c < bus.count; c++) {
        const String main = bus.count == 1 ? "Mono" : bus.count > 2 ? String(c + 1) : c == 0 ? "Left" : "Right";
        const String part = bus.count == 1 ? String() : String(" ") + main;
        const String name = bus.number == 0 ? main : bus.name + part;
        outboard_say(&d, "%s{name: ", bus.first + c == 0 ? "" : ", ");
        outboard_say_text(&d, name.toRawUTF8());
        if (bus.number > 0) {
          outboard_say(&d, ", group: ");
          outboard_say_text(&d, group(bus.name).toRawUTF8());
        }
        outboard_say(&d, "}");
      }
    outboard_say(&d, "]\n");
  }
  /// A group in lower case; that of a side chain has the name by which the host finds it.
  static String group(const String &name) {
    String word;
    for (const char c : name.toLowerCase())
      if (isalnum(static_cast<unsigned char>(c))) word += c;
    if (word.contains("sidechain")) return "sidechain";
    return word.isEmpty() || word == "main" ? String("further") : word;
  }
  std::vector<Bus> buses;
};
struct Buses {
  Buses(const BusesProperties &all) : in(all.inputLayouts, true), out(all.outputLayouts, false) {}
  BusList &list(bool isInput) { return isInput ? in : out; }
  const BusList &list(bool isInput) const { return isInput ? in : out; }
  BusList in, out;
};

/// The time of a session: samples since the start. The tempo is not known; code that does not check reads 120.
class AudioPlayHead {
public:
  struct CurrentPositionInfo {
    double bpm = 120, timeInSeconds = 0, ppqPosition = 0, ppqPositionOfLastBarStart = 0;
    int timeSigNumerator = 4, timeSigDenominator = 4;
    int64 timeInSamples = 0;
    bool isPlaying = false, isRecording = false, isLooping = false;
    double ppqLoopStart = 0, ppqLoopEnd = 0;
    void resetToDefault() { *this = CurrentPositionInfo(); }
  };
  struct TimeSignature {
    int numerator = 4, denominator = 4;
  };
  struct PositionInfo {
    Optional<double> getBpm() const { return Optional<double>::without(120); }
    Optional<double> getPpqPosition() const { return {}; }
    Optional<double> getPpqPositionOfLastBarStart() const { return {}; }
    Optional<double> getTimeInSeconds() const { return seconds; }
    Optional<int64> getTimeInSamples() const { return samples; }
    Optional<int64> getBarCount() const { return {}; }
    Optional<TimeSignature> getTimeSignature() const { return {}; }
    bool getIsPlaying() const { return false; }
    bool getIsRecording() const { return false; }
    bool getIsLooping() const { return false; }
    int64 samples = 0;
    double seconds = 0;
  };
  bool getCurrentPosition(CurrentPositionInfo &to) {
    to.resetToDefault();
    to.timeInSamples = now.samples;
    to.timeInSeconds = now.seconds;
    return true;
  }
  Optional<PositionInfo> getPosition() const { return now; }

  /// Starts a block. [render]
  void begin(double rate, int frames) {
    now.samples = next;
    now.seconds = double(next) / rate;
    next += frames;
  }
  void rewind() { next = 0; }

private:
  PositionInfo now;
  int64 next = 0;
};

} // namespace juce
