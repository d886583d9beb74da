// vst2.h: VST2-style effect classes, without the SDK. SPDX-License-Identifier: MIT
//
//   OUTBOARD_VST2(Effect)        below the class: creates an instance with `new Effect(audioMaster)`
//   OUTBOARD_VST2_COPIED(Effect) for a class without `suspend` and without pointers to own memory: a
//                                reset assigns a copy of its initial value
//   OUTBOARD_VST2_FACTORY        for code with `createEffectInstance`, which creates an instance; a source
//                                with that function needs no line
//
// Parameters range from 0 to 1. Names and defaults are those of the effect, or of the `// outboard:` comment, in the
// order of parameter indices. `setInitialDelay` sets the latency. `suspend` and `resume` are the reset. For code with
// `long` arguments, use `#define OUTBOARD_VST2_LONG` before the include. If several files include `audioeffectx.h`,
// put both lines into a local file with that name.
#pragma once

#include "port.h"
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
  VstInt32 getMasterVersion() { return 2400; }
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
};

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
  VstTimeInfo *getTimeInfo(VstInt32) { return nullptr; }
  bool sendVstEventsToHost(VstEvents *) { return false; }
  bool updateDisplay() { return false; }
  bool ioChanged() { return false; }
  bool beginEdit(VstInt32) { return false; }
  bool endEdit(VstInt32) { return false; }
  bool sizeWindow(VstInt32, VstInt32) { return false; }
  VstInt32 getCurrentProcessLevel() { return 2; } // the audio thread
  bool getHostVendorString(char *text) { return *text = 0, false; }
  bool getHostProductString(char *text) { return *text = 0, false; }
  VstInt32 getHostVendorVersion() { return 0; }
  VstInt32 canHostDo(char *) { return 0; }
};

#include "vst2_port.h"

/// The function that older code exports and OUTBOARD_VST2_FACTORY calls.
AudioEffect *createEffectInstance(audioMasterCallback master);

#define OUTBOARD_VST2_FACTORY OUTBOARD_ENTRIES(outboard::Vst2Made<createEffectInstance>)
#define OUTBOARD_VST2_MAKE(Effect)                                                                 \
  static AudioEffect *outboard_make_effect(audioMasterCallback master) {                           \
    return new Effect(master);                                                                     \
  }
#define OUTBOARD_VST2(Effect)                                                                      \
  OUTBOARD_VST2_MAKE(Effect)                                                                       \
  OUTBOARD_ENTRIES(outboard::Vst2Made<outboard_make_effect>)
#define OUTBOARD_VST2_COPIED(Effect)                                                               \
  OUTBOARD_VST2_MAKE(Effect)                                                                       \
  typedef outboard::Vst2Copied<Effect, outboard_make_effect> outboard_port;                        \
  OUTBOARD_ENTRIES(outboard_port)
