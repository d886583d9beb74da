// vst2_programs.cpp: a VST2 instrument with programs and chunks that queries its host. SPDX-License-Identifier: MIT
#include "public.sdk/source/vst2.x/audioeffectx.h"
#include <math.h>
#include <string.h>

enum { kLevel, kTone, kParameterCount, kProgramCount = 2 };

struct Program {
  float level, tone;
  char name[kVstMaxProgNameLen + 1];
};

class Saw : public AudioEffectX {
public:
  Saw(audioMasterCallback master) : AudioEffectX(master, kProgramCount, kParameterCount) {
    programs = new Program[kProgramCount];
    for (int i = 0; i < kProgramCount; i++) {
      programs[i].level = 1.0f - 0.5f * i;
      programs[i].tone = 1.0f;
      vst_strncpy(programs[i].name, i == 0 ? "Loud" : "Soft", kVstMaxProgNameLen);
    }
    if (master) {
      setNumInputs(0);
      setNumOutputs(2);
      canProcessReplacing();
      canDoubleReplacing(false);
      isSynth();
      programsAreChunks(true);
      setUniqueID(CCONST('S', 'a', 'w', '1'));
    }
    setProgram(1);
    suspend();
  }
  ~Saw() { delete[] programs; }
  void setProgram(VstInt32 index) override {
    curProgram = index;
    for (VstInt32 i = 0; i < kParameterCount; i++) setParameter(i, getParameter(i));
  }
  void setProgramName(char *name) override { vst_strncpy(programs[curProgram].name, name, kVstMaxProgNameLen); }
  void getProgramName(char *name) override { vst_strncpy(name, programs[curProgram].name, kVstMaxProgNameLen); }
  bool getProgramNameIndexed(VstInt32, VstInt32 index, char *text) override {
    if (index >= kProgramCount) return false;
    vst_strncpy(text, programs[index].name, kVstMaxProgNameLen);
    return true;
  }
  void setParameter(VstInt32 index, float value) override {
    (index == kLevel ? programs[curProgram].level : programs[curProgram].tone) = value;
  }
  float getParameter(VstInt32 index) override {
    return index == kLevel ? programs[curProgram].level : programs[curProgram].tone;
  }
  void getParameterName(VstInt32 index, char *text) override {
    vst_strncpy(text, index == kLevel ? "Level" : "Tone", kVstMaxParamStrLen);
  }
  bool getParameterProperties(VstInt32 index, VstParameterProperties *p) override {
    p->flags = kVstParameterUsesFloatStep | kVstParameterSupportsDisplayIndex | kVstParameterCanRamp;
    p->stepFloat = 0.01f;
    p->displayIndex = VstInt16(index);
    return true;
  }
  VstInt32 getChunk(void **data, bool isPreset) override {
    *data = isPreset ? &programs[curProgram] : programs;
    return VstInt32(sizeof(Program)) * (isPreset ? 1 : kProgramCount);
  }
  VstInt32 setChunk(void *data, VstInt32 size, bool isPreset) override {
    if (isPreset) memcpy(&programs[curProgram], data, size_t(size));
    return 1;
  }
  VstInt32 canDo(char *text) override { return strcmp(text, "receiveVstMidiEvent") == 0 ? 1 : -1; }
  bool getOutputProperties(VstInt32 index, VstPinProperties *p) override {
    if (index > 1) return false;
    vst_strncpy(p->label, "Out ", kVstMaxLabelLen - 1);
    p->flags = kVstPinIsActive | kVstPinIsStereo;
    return true;
  }
  bool setSpeakerArrangement(VstSpeakerArrangement *, VstSpeakerArrangement *to) override {
    return to->type == kSpeakerArrStereo && to->numChannels == 2;
  }
  bool getEffectName(char *name) override { return vst_strncpy(name, "Saw", kVstMaxEffectNameLen), true; }
  VstPlugCategory getPlugCategory() override { return kPlugCategSynth; }
  VstIntPtr vendorSpecific(VstInt32, VstIntPtr, void *, float) override { return 0; }
  VstInt32 processEvents(VstEvents *list) override {
    for (VstInt32 i = 0; i < list->numEvents; i++) {
      if (list->events[i]->type != kVstMidiType) continue;
      const char *data = reinterpret_cast<VstMidiEvent *>(list->events[i])->midiData;
      const int status = data[0] & 0xf0;
      if (status == 0x90 && data[2] != 0) note = data[1] & 0x7f;
      else if (status == 0x80 || status == 0x90) note = -1;
    }
    return 1;
  }
  void processReplacing(float **, float **outputs, VstInt32 frames) override {
    VstTimeInfo *time = getTimeInfo(kVstTempoValid | kVstPpqPosValid | kVstTransportPlaying);
    const double bend = time != NULL && (time->flags & kVstTransportRecording) ? 0 : 1;
    const double step = 440.0 * pow(2.0, (note - 69) / 12.0) / getSampleRate() * bend;
    for (VstInt32 i = 0; i < frames; i++) {
      phase = note < 0 ? 0 : fmod(phase + step, 1.0);
      const float sample = note < 0 ? 0 : float(2 * phase - 1) * getParameter(kLevel);
      outputs[0][i] = outputs[1][i] = sample;
    }
  }
  void resume() override {
    wantEvents();
    AudioEffectX::resume();
  }

private:
  Program *programs;
  int note = -1;
  double phase = 0;
};

AudioEffect *createEffectInstance(audioMasterCallback master) { return new Saw(master); }
