// juce_synth.h: JUCE-style synthesisers: voices, sounds and MIDI. SPDX-License-Identifier: MIT
#pragma once

#include "juce_adsr.h"
#include "juce_audio.h"
#include "juce_midi.h"
#include "juce_objects.h"

namespace juce {

/// A sound that a synthesiser can play, for some notes and channels.
class SynthesiserSound : public ReferenceCountedObject {
public:
  typedef ReferenceCountedObjectPtr<SynthesiserSound> Ptr;
  virtual bool appliesToNote(int note) = 0;
  virtual bool appliesToChannel(int channel) = 0;
};

/// One note of a synthesiser.
class SynthesiserVoice {
public:
  SynthesiserVoice() {}
  virtual ~SynthesiserVoice() {}
  SynthesiserVoice(const SynthesiserVoice &) = delete;
  SynthesiserVoice &operator=(const SynthesiserVoice &) = delete;

  virtual bool canPlaySound(SynthesiserSound *) = 0;
  virtual void startNote(int note, float velocity, SynthesiserSound *sound, int wheel) = 0;
  virtual void stopNote(float velocity, bool allowTailOff) = 0;
  virtual void pitchWheelMoved(int value) = 0;
  virtual void controllerMoved(int number, int value) = 0;
  virtual void aftertouchChanged(int) {}
  virtual void channelPressureChanged(int) {}
  virtual void renderNextBlock(AudioBuffer<float> &buffer, int start, int count) = 0;
  virtual void renderNextBlock(AudioBuffer<double> &, int, int) {}
  virtual bool isVoiceActive() const { return note >= 0; }
  virtual void setCurrentPlaybackSampleRate(double hz) { rate = hz; }
  virtual bool isPlayingChannel(int number) const { return channel == number; }

  int getCurrentlyPlayingNote() const { return note; }
  SynthesiserSound::Ptr getCurrentlyPlayingSound() const { return sound; }
  double getSampleRate() const { return rate; }
  bool isKeyDown() const { return key; }
  void setKeyDown(bool is) { key = is; }
  bool isSustainPedalDown() const { return sustain; }
  void setSustainPedalDown(bool is) { sustain = is; }
  bool isSostenutoPedalDown() const { return sostenuto; }
  void setSostenutoPedalDown(bool is) { sostenuto = is; }
  bool isPlayingButReleased() const { return isVoiceActive() && !(key || sostenuto || sustain); }
  bool wasStartedBefore(const SynthesiserVoice &other) const { return age < other.age; }

protected:
  /// A voice calls this when its note has ended.
  void clearCurrentNote() {
    note = -1;
    channel = 0;
    sound = nullptr;
  }

private:
  friend class Synthesiser;
  double rate = 44100;
  int note = -1, channel = 0;
  uint32 age = 0;
  bool key = false, sustain = false, sostenuto = false;
  SynthesiserSound::Ptr sound;
};

/// Voices that MIDI messages start and stop.
class Synthesiser {
public:
  Synthesiser() { std::fill(std::begin(wheels), std::end(wheels), 0x2000); }
  virtual ~Synthesiser() {}
  Synthesiser(const Synthesiser &) = delete;
  Synthesiser &operator=(const Synthesiser &) = delete;

  void clearVoices() { voices.clear(); }
  int getNumVoices() const { return voices.size(); }
  SynthesiserVoice *getVoice(int at) const { return voices[at]; }
  SynthesiserVoice *addVoice(SynthesiserVoice *voice) {
    voice->setCurrentPlaybackSampleRate(rate);
    return voices.add(voice);
  }
  void removeVoice(int at) { voices.remove(at); }
  void clearSounds() { sounds.clear(); }
  int getNumSounds() const { return sounds.size(); }
  SynthesiserSound::Ptr getSound(int at) const { return sounds[at]; }
  SynthesiserSound *addSound(const SynthesiserSound::Ptr &sound) { return sounds.add(sound); }
  void removeSound(int at) { sounds.remove(at); }
  void setNoteStealingEnabled(bool is) { steals = is; }
  bool isNoteStealingEnabled() const { return steals; }
  void setMinimumRenderingSubdivisionSize(int count, bool isStrict = false) { shortest = jmax(1, count), strict = isStrict; }

  virtual void setCurrentPlaybackSampleRate(double hz) {
    if (hz == rate) return;
    allNotesOff(0, false);
    rate = hz;
    for (auto *voice : voices) voice->setCurrentPlaybackSampleRate(hz);
  }
  double getSampleRate() const { return rate; }

  /// Renders frames, and starts and stops notes at the frames of the messages. [render]
  void renderNextBlock(AudioBuffer<float> &buffer, const MidiBuffer &messages, int start, int count) {
    const int last = start + count;
    for (const auto &event : messages) {
      if (event.samplePosition >= last) break;
      if (event.samplePosition > start) {
        // Messages that follow each other closely are handled together, but for the first of a block.
        const int part = event.samplePosition - start;
        if (part >= (start == last - count && !strict ? 1 : shortest)) {
          renderVoices(buffer, start, part);
          start += part;
        }
      }
      handleMidiEvent(event.message);
    }
    if (start < last) renderVoices(buffer, start, last - start);
    for (const auto &event : messages)
      if (event.samplePosition >= last) handleMidiEvent(event.message);
  }

  virtual void noteOn(int channel, int note, float velocity) {
    for (const auto &sound : sounds) {
      if (!sound->appliesToNote(note) || !sound->appliesToChannel(channel)) continue;
      // The same key again ends the note that it left.
      for (auto *voice : voices)
        if (voice->note == note && voice->isPlayingChannel(channel)) stopVoice(voice, 1.0f, true);
      startVoice(findFreeVoice(sound.get(), channel, note, steals), sound.get(), channel, note, velocity);
    }
  }
  virtual void noteOff(int channel, int note, float velocity, bool allowTailOff) {
    for (auto *voice : voices) {
      if (voice->note != note || !voice->isPlayingChannel(channel) || !voice->sound) continue;
      if (!voice->sound->appliesToNote(note) || !voice->sound->appliesToChannel(channel)) continue;
      voice->key = false;
      if (!voice->sustain && !voice->sostenuto) stopVoice(voice, velocity, allowTailOff);
    }
  }
  /// Stops all notes of a channel; 0 means all channels.
  virtual void allNotesOff(int channel, bool allowTailOff) {
    for (auto *voice : voices)
      if (channel <= 0 || voice->isPlayingChannel(channel)) voice->stopNote(1.0f, allowTailOff);
    pedals = 0;
  }
  virtual void handlePitchWheel(int channel, int value) {
    for (auto *voice : voices)
      if (channel <= 0 || voice->isPlayingChannel(channel)) voice->pitchWheelMoved(value);
  }
  virtual void handleController(int channel, int number, int value) {
    if (number == 64) handleSustainPedal(channel, value >= 64);
    if (number == 66) handleSostenutoPedal(channel, value >= 64);
    if (number == 67) handleSoftPedal(channel, value >= 64);
    for (auto *voice : voices)
      if (channel <= 0 || voice->isPlayingChannel(channel)) voice->controllerMoved(number, value);
  }
  virtual void handleAftertouch(int channel, int note, int value) {
    for (auto *voice : voices)
      if (voice->note == note && (channel <= 0 || voice->isPlayingChannel(channel))) voice->aftertouchChanged(value);
  }
  virtual void handleChannelPressure(int channel, int value) {
    for (auto *voice : voices)
      if (channel <= 0 || voice->isPlayingChannel(channel)) voice->channelPressureChanged(value);
  }
  virtual void handleSustainPedal(int channel, bool isDown) {
    const uint32 bit = 1u << (channel & 31);
    pedals = isDown ? pedals | bit : pedals & ~bit;
    for (auto *voice : voices) {
      if (!voice->isPlayingChannel(channel)) continue;
      if (isDown) {
        if (voice->key) voice->sustain = true;
      } else {
        voice->sustain = false;
        if (!voice->key && !voice->sostenuto) stopVoice(voice, 1.0f, true);
      }
    }
  }
  virtual void handleSostenutoPedal(int channel, bool isDown) {
    for (auto *voice : voices) {
      if (!voice->isPlayingChannel(channel)) continue;
      if (isDown) voice->sostenuto = true;
      else if (voice->sostenuto) stopVoice(voice, 1.0f, true);
    }
  }
  virtual void handleSoftPedal(int, bool) {}
  virtual void handleProgramChange(int, int) {}

protected:
  virtual void renderVoices(AudioBuffer<float> &buffer, int start, int count) {
    for (auto *voice : voices) voice->renderNextBlock(buffer, start, count);
  }
  virtual void handleMidiEvent(const MidiMessage &m) {
    const int channel = m.getChannel();
    if (m.isNoteOn()) noteOn(channel, m.getNoteNumber(), m.getFloatVelocity());
    else if (m.isNoteOff()) noteOff(channel, m.getNoteNumber(), m.getFloatVelocity(), true);
    else if (m.isAllNotesOff() || m.isAllSoundOff()) allNotesOff(channel, true);
    else if (m.isPitchWheel()) handlePitchWheel(channel, wheels[channel - 1] = m.getPitchWheelValue());
    else if (m.isAftertouch()) handleAftertouch(channel, m.getNoteNumber(), m.getAfterTouchValue());
    else if (m.isChannelPressure()) handleChannelPressure(channel, m.getChannelPressureValue());
    else if (m.isController()) handleController(channel, m.getControllerNumber(), m.getControllerValue());
    else if (m.isProgramChange()) handleProgramChange(channel, m.getProgramChangeNumber());
  }
  virtual SynthesiserVoice *findFreeVoice(SynthesiserSound *sound, int channel, int note, bool stealIfNone) const {
    for (auto *voice : voices)
      if (!voice->isVoiceActive() && voice->canPlaySound(sound)) return voice;
    return stealIfNone ? findVoiceToSteal(sound, channel, note) : nullptr;
  }
  /// The oldest of: voices of this note, released ones, ones without a key, ones between the lowest and highest note.
  virtual SynthesiserVoice *findVoiceToSteal(SynthesiserSound *sound, int, int note) const {
    SynthesiserVoice *low = nullptr, *top = nullptr;
    for (auto *voice : voices) {
      if (!voice->canPlaySound(sound) || voice->isPlayingButReleased()) continue;
      if (low == nullptr || voice->note < low->note) low = voice;
      if (top == nullptr || voice->note > top->note) top = voice;
    }
    if (top == low) top = nullptr;
    auto oldest = [&](auto suits) {
      SynthesiserVoice *found = nullptr;
      for (auto *voice : voices)
        if (voice->canPlaySound(sound) && suits(*voice) && (found == nullptr || voice->wasStartedBefore(*found)))
          found = voice;
      return found;
    };
    if (auto *voice = oldest([&](auto &v) { return v.note == note; })) return voice;
    auto isEnd = [&](auto &v) { return &v == low || &v == top; };
    if (auto *voice = oldest([&](auto &v) { return !isEnd(v) && v.isPlayingButReleased(); })) return voice;
    if (auto *voice = oldest([&](auto &v) { return !isEnd(v) && !v.key; })) return voice;
    if (auto *voice = oldest([&](auto &v) { return !isEnd(v); })) return voice;
    return top != nullptr ? top : low;
  }
  void startVoice(SynthesiserVoice *voice, SynthesiserSound *sound, int channel, int note, float velocity) {
    if (voice == nullptr || sound == nullptr) return;
    if (voice->sound) voice->stopNote(0.0f, false);
    voice->note = note;
    voice->channel = channel;
    voice->age = ++counter;
    voice->sound = sound;
    voice->key = true;
    voice->sostenuto = false;
    voice->sustain = (pedals & 1u << (channel & 31)) != 0;
    voice->startNote(note, velocity, sound, wheels[(channel - 1) & 15]);
  }
  void stopVoice(SynthesiserVoice *voice, float velocity, bool allowTailOff) { voice->stopNote(velocity, allowTailOff); }

  CriticalSection lock;
  OwnedArray<SynthesiserVoice> voices;
  ReferenceCountedArray<SynthesiserSound> sounds;

private:
  double rate = 0;
  int wheels[16];
  int shortest = 32;
  uint32 counter = 0, pedals = 0;
  bool steals = true, strict = false;
};

} // namespace juce
