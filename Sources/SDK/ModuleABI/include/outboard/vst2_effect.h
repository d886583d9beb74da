// vst2_effect.h: the classes of VST2-style effects, and the host's answers. SPDX-License-Identifier: MIT
#pragma once

#include "vst2_types.h"

namespace outboard {

/// The values for an effect's constructor, which may query them before they are set. [main]
struct Vst2Setup {
  float sample_rate_hz = 44100;
  VstInt32 block_size = 1024;
};
inline Vst2Setup vst2_setup;

} // namespace outboard

/// The base class of all effects.
class AudioEffect {
public:
  AudioEffect(audioMasterCallback master, VstInt32 program_count, VstInt32 parameter_count)
      : audioMaster(master), numPrograms(program_count), numParams(parameter_count) {
    cEffect.object = this;
    cEffect.numPrograms = program_count;
    cEffect.numParams = parameter_count;
  }
  virtual ~AudioEffect() {}

  // Functions that the host calls.
  virtual void setParameter(VstInt32, float) {}
  virtual float getParameter(VstInt32) { return 0; }
  virtual void processReplacing(float **inputs, float **outputs, VstInt32 frame_count) = 0;
  virtual void process(float **, float **, VstInt32) {}
  virtual void processDoubleReplacing(double **, double **, VstInt32) {}
  virtual void open() {}
  virtual void close() {}
  virtual void suspend() {}
  virtual void resume() {}
  virtual VstIntPtr dispatcher(VstInt32, VstInt32, VstIntPtr, void *, float) { return 0; }
  virtual void setProgram(VstInt32 program) { curProgram = program; }
  virtual VstInt32 getProgram() { return curProgram; }
  virtual void setProgramName(char *) {}
  virtual void getProgramName(char *name) { *name = 0; }
  virtual void getParameterName(VstInt32, char *text) { *text = 0; }
  virtual void getParameterLabel(VstInt32, char *text) { *text = 0; }
  virtual void getParameterDisplay(VstInt32, char *text) { *text = 0; }
  virtual VstInt32 getChunk(void **, bool = false) { return 0; }
  virtual VstInt32 setChunk(void *, VstInt32, bool = false) { return 0; }
  virtual void setSampleRate(float hz) { sampleRate = hz; }
  virtual void setBlockSize(VstInt32 frame_count) { blockSize = frame_count; }

  // Functions that the effect calls.
  virtual float getSampleRate() { return sampleRate; }
  virtual float updateSampleRate() { return sampleRate; }
  virtual VstInt32 getBlockSize() { return blockSize; }
  virtual VstInt32 updateBlockSize() { return blockSize; }
  AEffect *getAeffect() { return &cEffect; }
  /// The musical time, in which the port counts frames.
  VstTimeInfo &outboardTime() { return outboard_time; }
  void setNumInputs(VstInt32 count) { cEffect.numInputs = count; }
  void setNumOutputs(VstInt32 count) { cEffect.numOutputs = count; }
  void setUniqueID(VstInt32 id) { cEffect.uniqueID = id; }
  void setInitialDelay(VstInt32 frame_count) { cEffect.initialDelay = frame_count; }
  void setEditor(AEffEditor *) {}
  void canProcessReplacing(bool = true) {}
  void canDoubleReplacing(bool = true) {}
  void programsAreChunks(bool = true) {}
  void canMono(bool = true) {}
  void hasVu(bool = true) {}
  void hasClip(bool = true) {}
  void noTail(bool = true) {}
  bool isInputConnected(VstInt32 input) { return input < cEffect.numInputs; }
  bool isOutputConnected(VstInt32 output) { return output < cEffect.numOutputs; }
  virtual void setParameterAutomated(VstInt32 index, float value) { setParameter(index, value); }
  VstInt32 getMasterVersion() { return kVstVersion; }
  VstInt32 getCurrentUniqueId() { return cEffect.uniqueID; }
  void masterIdle() {}

  // Values as text.
  virtual void float2string(float value, char *text, VstInt32 length = kVstMaxParamStrLen) {
    snprintf(text, size_t(length), "%.4f", double(value));
  }
  virtual void int2string(VstInt32 value, char *text, VstInt32 length = kVstMaxParamStrLen) {
    snprintf(text, size_t(length), "%d", int(value));
  }
  virtual void long2string(long value, char *text) { int2string(VstInt32(value), text); }
  virtual void dB2string(float value, char *text, VstInt32 length = kVstMaxParamStrLen) {
    float2string(20 * log10f(fmaxf(value, 1e-10f)), text, length);
  }
  virtual void Hz2string(float frame_count, char *text, VstInt32 length = kVstMaxParamStrLen) {
    float2string(frame_count > 0 ? sampleRate / frame_count : 0, text, length);
  }
  virtual void ms2string(float frame_count, char *text, VstInt32 length = kVstMaxParamStrLen) {
    float2string(frame_count * 1000 / sampleRate, text, length);
  }

protected:
  // Only OUTBOARD_VST2_COPIED does so.
  AudioEffect(const AudioEffect &) = default;
  AudioEffect &operator=(const AudioEffect &) = default;

  audioMasterCallback audioMaster;
  AEffect cEffect;
  AEffEditor *editor = nullptr;
  float sampleRate = outboard::vst2_setup.sample_rate_hz;
  VstInt32 blockSize = outboard::vst2_setup.block_size;
  VstInt32 numPrograms;
  VstInt32 numParams;
  VstInt32 curProgram = 0;

private:
  VstTimeInfo outboard_time = {};
};

namespace outboard {

inline VstTimeInfo &vst2_time(AudioEffect &effect) {
  VstTimeInfo &time = effect.outboardTime();
  time.sampleRate = double(effect.getSampleRate());
  time.tempo = 120;
  time.timeSigNumerator = time.timeSigDenominator = 4;
  time.ppqPos = time.samplePos / time.sampleRate * time.tempo / 60;
  time.barStartPos = 4 * floor(time.ppqPos / 4);
  time.flags = kVstTransportPlaying | kVstPpqPosValid | kVstTempoValid | kVstBarsValid | kVstTimeSigValid;
  return time;
}

inline VstInt32 vst2_can_do(const char *text) {
  for (const char *known : {"sendVstEvents", "sendVstMidiEvent", "sendVstTimeInfo"})
    if (strcmp(text, known) == 0) return 1;
  return 0;
}

/// The host's answers to an effect, which is not known while it is created.
inline VstIntPtr vst2_master(AEffect *description, VstInt32 opcode, VstInt32, VstIntPtr, void *pointer, float) {
  auto *effect = description == nullptr ? nullptr : static_cast<AudioEffect *>(description->object);
  switch (opcode) {
  case audioMasterVersion: return kVstVersion;
  case audioMasterCurrentId: return effect == nullptr ? 0 : effect->getCurrentUniqueId();
  case audioMasterGetTime: return effect == nullptr ? 0 : reinterpret_cast<VstIntPtr>(&vst2_time(*effect));
  case audioMasterTempoAt: return 120 * 10000;
  case audioMasterGetSampleRate: return VstIntPtr(lrintf(effect == nullptr ? vst2_setup.sample_rate_hz : effect->getSampleRate()));
  case audioMasterGetBlockSize: return effect == nullptr ? vst2_setup.block_size : effect->getBlockSize();
  case audioMasterGetCurrentProcessLevel: return 2; // the audio thread
  case audioMasterWillReplaceOrAccumulate:
  case audioMasterGetAutomationState:
  case audioMasterGetLanguage:
  case audioMasterGetVendorVersion: return 1;
  case audioMasterGetVendorString:
  case audioMasterGetProductString: return strcpy(static_cast<char *>(pointer), "Outboard"), 1;
  case audioMasterCanDo: return vst2_can_do(static_cast<const char *>(pointer));
  default: return 0;
  }
}

} // namespace outboard

/// The base class of version 2: names, MIDI and time.
class AudioEffectX : public AudioEffect {
public:
  using AudioEffect::AudioEffect;

  virtual VstInt32 processEvents(VstEvents *) { return 0; }
  virtual VstInt32 canDo(char *) { return 0; }
  virtual VstPlugCategory getPlugCategory() { return kPlugCategEffect; }
  virtual bool getEffectName(char *) { return false; }
  virtual bool getVendorString(char *) { return false; }
  virtual bool getProductString(char *) { return false; }
  virtual VstInt32 getVendorVersion() { return 0; }
  virtual VstInt32 getVstVersion() { return kVstVersion; }
  virtual bool getProgramNameIndexed(VstInt32, VstInt32, char *) { return false; }
  virtual bool copyProgram(VstInt32) { return false; }
  virtual bool beginSetProgram() { return false; }
  virtual bool endSetProgram() { return false; }
  virtual bool getParameterProperties(VstInt32, VstParameterProperties *) { return false; }
  virtual bool getInputProperties(VstInt32, VstPinProperties *) { return false; }
  virtual bool getOutputProperties(VstInt32, VstPinProperties *) { return false; }
  virtual bool setBypass(bool) { return false; }
  virtual bool setSpeakerArrangement(VstSpeakerArrangement *, VstSpeakerArrangement *) { return false; }
  virtual bool getSpeakerArrangement(VstSpeakerArrangement **, VstSpeakerArrangement **) { return false; }
  virtual bool setProcessPrecision(VstInt32) { return false; }
  virtual VstIntPtr vendorSpecific(VstInt32, VstIntPtr, void *, float) { return 0; }
  virtual VstInt32 getMidiProgramName(VstInt32, struct MidiProgramName *) { return 0; }
  virtual VstInt32 getCurrentMidiProgram(VstInt32, struct MidiProgramName *) { return -1; }
  virtual VstInt32 getGetTailSize() { return 0; }
  virtual VstInt32 getTailSize() { return 0; }
  virtual VstInt32 getNumMidiInputChannels() { return 0; }
  virtual VstInt32 getNumMidiOutputChannels() { return 0; }
  virtual VstInt32 startProcess() { return 0; }
  virtual VstInt32 stopProcess() { return 0; }

  void wantEvents(VstInt32 = 1) {}
  void isSynth(bool = true) {}
  /// Returns the time since the start at 120 beats a minute in 4/4, because the host's transport is not available.
  VstTimeInfo *getTimeInfo(VstInt32) { return &outboard::vst2_time(*this); }
  bool sendVstEventsToHost(VstEvents *) { return false; }
  bool updateDisplay() { return false; }
  bool ioChanged() { return false; }
  bool beginEdit(VstInt32) { return false; }
  bool endEdit(VstInt32) { return false; }
  bool sizeWindow(VstInt32, VstInt32) { return false; }
  VstInt32 getCurrentProcessLevel() { return 2; } // the audio thread
  bool getHostVendorString(char *text) { return strcpy(text, "Outboard"), true; }
  bool getHostProductString(char *text) { return strcpy(text, "Outboard"), true; }
  VstInt32 getHostVendorVersion() { return 1; }
  VstInt32 canHostDo(char *text) { return outboard::vst2_can_do(text); }
};
