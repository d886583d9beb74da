// juce_midi.h: JUCE-style MIDI messages and buffers. SPDX-License-Identifier: MIT
#pragma once

#include "juce_types.h"

namespace juce {

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
  bool isNoteOnOrOff() const { return isNoteOn(true) || is(0x80); }
  bool isAftertouch() const { return is(0xa0); }
  bool isChannelPressure() const { return is(0xd0); }
  bool isSustainPedalOn() const { return is(0xb0) && bytes[1] == 64 && bytes[2] >= 64; }
  bool isSustainPedalOff() const { return is(0xb0) && bytes[1] == 64 && bytes[2] < 64; }
  bool isControllerOfType(int number) const { return isController(number); }
  bool isController(int number) const { return is(0xb0) && bytes[1] == number; }
  int getAfterTouchValue() const { return bytes[2]; }
  int getChannelPressureValue() const { return bytes[1]; }
  int getProgramChangeNumber() const { return bytes[1]; }
  double getTimeStamp() const { return time; }
  void setTimeStamp(double stamp) { time = stamp; }
  void setNoteNumber(int note) { bytes[1] = uint8(note); }
  void setVelocity(float velocity) { bytes[2] = byte(velocity); }
  void multiplyVelocity(float factor) { setVelocity(getFloatVelocity() * factor); }
  bool isForChannel(int channel) const { return bytes[0] < 0xf0 && getChannel() == channel; }
  void setChannel(int channel) { bytes[0] = uint8((bytes[0] & 0xf0) | ((channel - 1) & 0x0f)); }
  static MidiMessage noteOn(int channel, int note, float velocity) { return three(0x90, channel, note, byte(velocity)); }
  static MidiMessage noteOn(int channel, int note, uint8 velocity) { return three(0x90, channel, note, velocity); }
  static MidiMessage noteOff(int channel, int note, float velocity = 0) {
    return three(0x80, channel, note, byte(velocity));
  }
  static MidiMessage controllerEvent(int channel, int number, int value) { return three(0xb0, channel, number, value); }
  static MidiMessage pitchWheel(int channel, int value) { return three(0xe0, channel, value & 127, value >> 7); }
  static MidiMessage allNotesOff(int channel) { return three(0xb0, channel, 123, 0); }
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
  static uint8 byte(float share) { return uint8(jlimit(0, 127, roundToInt(share * 127))); }
  static MidiMessage three(int kind, int channel, int first, int second) {
    const uint8 all[] = {uint8(kind | ((channel - 1) & 0x0f)), uint8(first), uint8(second)};
    return MidiMessage(all, 3);
  }
  bool is(int kind) const { return (bytes[0] & 0xf0) == kind; }
  uint8 bytes[3] = {};
  int length = 0;
  double time = 0;
};

struct MidiMessageMetadata {
  const uint8 *data;
  int numBytes;
  int samplePosition; // frame of the block
  MidiMessage message;
  MidiMessage getMessage() const { return message; }
};

/// Short messages of a block, sorted by frame; if the buffer is full, further ones are lost.
class MidiBuffer {
public:
  MidiBuffer() { events.reserve(most); }
  bool isEmpty() const { return events.empty(); }
  int getNumEvents() const { return int(events.size()); }
  void clear() { events.clear(); }
  void clear(int start, int count) {
    events.erase(std::remove_if(events.begin(), events.end(), [&](const auto &one) {
      return one.samplePosition >= start && one.samplePosition < start + count;
    }), events.end());
    for (auto &one : events) one.data = one.message.getRawData();
  }
  void addEvent(const MidiMessage &message, int frame) {
    addEvent(message.getRawData(), message.getRawDataSize(), frame);
  }
  void addEvent(const void *bytes, int count, int frame) {
    if (events.size() == most || count > 3) return;
    // After those of the same frame.
    const auto at = std::upper_bound(events.begin(), events.end(), frame, [](int a, const auto &b) { return a < b.samplePosition; });
    const MidiMessage message(bytes, count);
    for (size_t i = size_t(events.insert(at, {nullptr, count, frame, message}) - events.begin()); i < events.size(); i++)
      events[i].data = events[i].message.getRawData();
  }
  void addEvents(const MidiBuffer &other, int from, int count, int later) {
    for (const auto &event : other)
      if (event.samplePosition >= from && (count < 0 || event.samplePosition < from + count))
        addEvent(event.message, event.samplePosition + later);
  }
  void swapWith(MidiBuffer &other) { events.swap(other.events); }
  int getFirstEventTime() const { return events.empty() ? 0 : events.front().samplePosition; }
  int getLastEventTime() const { return events.empty() ? 0 : events.back().samplePosition; }
  /// The iterator of older code.
  class Iterator {
  public:
    explicit Iterator(const MidiBuffer &buffer) : next(buffer.begin()), last(buffer.end()) {}
    bool getNextEvent(MidiMessage &message, int &frame) {
      if (next == last) return false;
      message = next->message;
      frame = next++->samplePosition;
      return true;
    }

  private:
    const MidiMessageMetadata *next, *last;
  };
  const MidiMessageMetadata *begin() const { return events.data(); }
  const MidiMessageMetadata *end() const { return events.data() + events.size(); }

private:
  static constexpr size_t most = 1024;
  std::vector<MidiMessageMetadata> events;
};

/// The keys that are down, by messages or by calls, whose notes are injected into the next block.
class MidiKeyboardState {
public:
  struct Listener {
    virtual ~Listener() {}
    virtual void handleNoteOn(MidiKeyboardState *, int channel, int note, float velocity) = 0;
    virtual void handleNoteOff(MidiKeyboardState *, int channel, int note, float velocity) = 0;
  };
  void addListener(Listener *one) { listeners.push_back(one); }
  void removeListener(Listener *one) { listeners.erase(std::remove(listeners.begin(), listeners.end(), one), listeners.end()); }
  void reset() {
    std::fill(std::begin(keys), std::end(keys), uint16(0));
    called.clear();
  }
  bool isNoteOn(int channel, int note) const { return isNoteOnForChannels(1 << (channel - 1), note); }
  bool isNoteOnForChannels(int channels, int note) const { return isPositiveAndBelow(note, 128) && (keys[note] & channels) != 0; }
  void noteOn(int channel, int note, float velocity) {
    if (!isPositiveAndBelow(note, 128)) return;
    called.addEvent(MidiMessage::noteOn(channel, note, velocity), 0);
    press(channel, note, velocity);
  }
  void noteOff(int channel, int note, float velocity) {
    if (!isNoteOn(channel, note)) return;
    called.addEvent(MidiMessage::noteOff(channel, note), 0);
    release(channel, note, velocity);
  }
  /// Releases the keys of a channel; 0 means all channels.
  void allNotesOff(int channel) {
    for (int c = 1; c <= 16; c++)
      for (int note = 0; note < 128; note++)
        if (channel <= 0 || channel == c) noteOff(c, note, 0);
  }
  void processNextMidiEvent(const MidiMessage &m) {
    if (m.isNoteOn()) press(m.getChannel(), m.getNoteNumber(), m.getFloatVelocity());
    else if (m.isNoteOff()) release(m.getChannel(), m.getNoteNumber(), m.getFloatVelocity());
    else if (m.isAllNotesOff())
      for (int note = 0; note < 128; note++) release(m.getChannel(), note, 0);
  }
  void processNextMidiBuffer(MidiBuffer &messages, int start, int, bool injects) {
    for (const auto &event : messages) processNextMidiEvent(event.message);
    if (injects) messages.addEvents(called, 0, -1, start);
    called.clear();
  }

private:
  void press(int channel, int note, float velocity) {
    if (!isPositiveAndBelow(note, 128)) return;
    keys[note] = uint16(keys[note] | 1 << (channel - 1));
    for (auto *one : listeners) one->handleNoteOn(this, channel, note, velocity);
  }
  void release(int channel, int note, float velocity) {
    if (!isNoteOn(channel, note)) return;
    keys[note] = uint16(keys[note] & ~(1 << (channel - 1)));
    for (auto *one : listeners) one->handleNoteOff(this, channel, note, velocity);
  }
  uint16 keys[128] = {};
  MidiBuffer called;
  std::vector<Listener *> listeners;
};
typedef MidiKeyboardState::Listener MidiKeyboardStateListener;

} // namespace juce
