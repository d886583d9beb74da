// vst2_types.h: the small types and constants of VST2-style code. SPDX-License-Identifier: MIT
//
// They suffice to compile effects. They are never passed to a binary plugin, so only names and meanings are
// the same, not layouts.
#pragma once

// Code that checks for the SDK's own headers finds these macros defined.
#define __audioeffect__
#define __audioeffectx__
#define __aeffect__
#define __aeffectx__
#define __AEffEditor__

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#ifdef OUTBOARD_VST2_LONG
typedef long VstInt32;
#else
typedef int32_t VstInt32;
#endif
typedef int16_t VstInt16;
typedef int64_t VstInt64;
typedef intptr_t VstIntPtr;

#define VSTCALLBACK
#define DECLARE_VST_DEPRECATED(name) name
#define CCONST(a, b, c, d)                                                                         \
  ((VstInt32(a) << 24) | (VstInt32(b) << 16) | (VstInt32(c) << 8) | VstInt32(d))

class AEffEditor;

/// The description of an effect.
struct AEffect {
  void *object = nullptr;
  VstInt32 numPrograms = 0;
  VstInt32 numParams = 0;
  VstInt32 numInputs = 2;
  VstInt32 numOutputs = 2;
  VstInt32 initialDelay = 0; // frames
  VstInt32 uniqueID = 0;
  VstInt32 version = 1;
  VstInt32 flags = 0;
};

typedef VstIntPtr (*audioMasterCallback)(AEffect *effect, VstInt32 opcode, VstInt32 index,
                                         VstIntPtr value, void *pointer, float option);

/// The requests of an effect to its host. Those without an answer return 0.
enum {
  audioMasterAutomate,
  audioMasterVersion,
  audioMasterCurrentId,
  audioMasterIdle,
  audioMasterPinConnected,
  audioMasterWantMidi = 6,
  audioMasterGetTime,
  audioMasterProcessEvents,
  audioMasterSetTime,
  audioMasterTempoAt,
  audioMasterGetNumAutomatableParameters,
  audioMasterGetParameterQuantization,
  audioMasterIOChanged,
  audioMasterNeedIdle,
  audioMasterSizeWindow,
  audioMasterGetSampleRate,
  audioMasterGetBlockSize,
  audioMasterGetInputLatency,
  audioMasterGetOutputLatency,
  audioMasterGetPreviousPlug,
  audioMasterGetNextPlug,
  audioMasterWillReplaceOrAccumulate,
  audioMasterGetCurrentProcessLevel,
  audioMasterGetAutomationState,
  audioMasterOfflineStart,
  audioMasterOfflineRead,
  audioMasterOfflineWrite,
  audioMasterOfflineGetCurrentPass,
  audioMasterOfflineGetCurrentMetaPass,
  audioMasterSetOutputSampleRate,
  audioMasterGetOutputSpeakerArrangement,
  audioMasterGetVendorString,
  audioMasterGetProductString,
  audioMasterGetVendorVersion,
  audioMasterVendorSpecific,
  audioMasterSetIcon,
  audioMasterCanDo,
  audioMasterGetLanguage,
  audioMasterOpenWindow,
  audioMasterCloseWindow,
  audioMasterGetDirectory,
  audioMasterUpdateDisplay,
  audioMasterBeginEdit,
  audioMasterEndEdit,
  audioMasterOpenFileSelector,
  audioMasterCloseFileSelector,
  audioMasterEditFile,
  audioMasterGetChunkFile,
  audioMasterGetInputSpeakerArrangement
};

enum {
  kVstMaxProgNameLen = 24,
  kVstMaxParamStrLen = 32,
  kVstMaxVendorStrLen = 64,
  kVstMaxProductStrLen = 64,
  kVstMaxEffectNameLen = 32,
  kVstMaxNameLen = 64,
  kVstMaxLabelLen = 64,
  kVstMaxShortLabelLen = 8,
  kVstVersion = 2400
};

enum VstPlugCategory {
  kPlugCategUnknown,
  kPlugCategEffect,
  kPlugCategSynth,
  kPlugCategAnalysis,
  kPlugCategMastering,
  kPlugCategSpacializer,
  kPlugCategRoomFx,
  kPlugSurroundFx,
  kPlugCategRestoration,
  kPlugCategOfflineProcess,
  kPlugCategShell,
  kPlugCategGenerator
};

enum { kVstPinIsActive = 1, kVstPinIsStereo = 2, kVstPinUseSpeaker = 4 };
struct VstPinProperties {
  char label[kVstMaxLabelLen];
  VstInt32 flags;
  VstInt32 arrangementType;
  char shortLabel[kVstMaxShortLabelLen];
};

enum {
  kVstParameterIsSwitch = 1,
  kVstParameterUsesIntegerMinMax = 1 << 1,
  kVstParameterUsesFloatStep = 1 << 2,
  kVstParameterUsesIntStep = 1 << 3,
  kVstParameterSupportsDisplayIndex = 1 << 4,
  kVstParameterSupportsDisplayCategory = 1 << 5,
  kVstParameterCanRamp = 1 << 6
};
struct VstParameterProperties {
  float stepFloat, smallStepFloat, largeStepFloat;
  char label[kVstMaxLabelLen];
  VstInt32 flags, minInteger, maxInteger, stepInteger, largeStepInteger;
  char shortLabel[kVstMaxShortLabelLen];
  VstInt16 displayIndex, category, numParametersInCategory, reserved;
  char categoryLabel[24];
};

enum {
  kVstTransportChanged = 1,
  kVstTransportPlaying = 1 << 1,
  kVstTransportCycleActive = 1 << 2,
  kVstTransportRecording = 1 << 3,
  kVstNanosValid = 1 << 8,
  kVstPpqPosValid = 1 << 9,
  kVstTempoValid = 1 << 10,
  kVstBarsValid = 1 << 11,
  kVstCyclePosValid = 1 << 12,
  kVstTimeSigValid = 1 << 13,
  kVstSmpteValid = 1 << 14,
  kVstClockValid = 1 << 15
};
struct VstTimeInfo {
  double samplePos, sampleRate, nanoSeconds, ppqPos, tempo, barStartPos, cycleStartPos, cycleEndPos;
  VstInt32 timeSigNumerator, timeSigDenominator, smpteOffset, smpteFrameRate, samplesToNextClock, flags;
};

enum {
  kSpeakerArrMono = 0,
  kSpeakerArrStereo = 1
};
struct VstSpeakerProperties {
  float azimuth, elevation, radius, reserved;
  char name[kVstMaxNameLen];
  VstInt32 type;
};
struct VstSpeakerArrangement {
  VstInt32 type, numChannels;
  VstSpeakerProperties speakers[8];
};

enum { kVstMidiType = 1, kVstSysExType = 6 };
struct VstEvent {
  VstInt32 type, byteSize, deltaFrames, flags;
};
struct VstMidiEvent {
  VstInt32 type, byteSize, deltaFrames, flags;
  VstInt32 noteLength, noteOffset;
  char midiData[4];
  char detune, noteOffVelocity;
};
struct VstEvents {
  VstInt32 numEvents;
  VstIntPtr reserved;
  VstEvent **events;
};

inline char *vst_strncpy(char *to, const char *from, size_t longest) {
  strncpy(to, from, longest);
  to[longest] = 0;
  return to;
}
inline char *vst_strncat(char *to, const char *from, size_t longest) {
  const size_t length = strlen(to);
  if (length < longest) vst_strncpy(to + length, from, longest - length);
  return to;
}

namespace outboard {

/// MIDI messages for the next block; if the queue is full, further ones are lost.
class Vst2Queue {
public:
  Vst2Queue() {
    for (VstInt32 e = 0; e < most; e++) pointers[e] = reinterpret_cast<VstEvent *>(&waiting[e]);
    list = {0, 0, pointers};
  }
  Vst2Queue(const Vst2Queue &) = delete;
  Vst2Queue &operator=(const Vst2Queue &) = delete;
  bool isEmpty() const { return list.numEvents == 0; }
  void clear() { list.numEvents = 0; }
  VstEvents *events() { return &list; }
  void add(uint32_t frame, const uint8_t *bytes, uint32_t byte_count) {
    if (list.numEvents == most || byte_count > 3) return;
    VstMidiEvent event = {};
    event.type = kVstMidiType;
    event.byteSize = sizeof event;
    event.deltaFrames = VstInt32(frame);
    memcpy(event.midiData, bytes, byte_count);
    waiting[list.numEvents++] = event;
  }

private:
  static const VstInt32 most = 1024;
  VstMidiEvent waiting[most];
  VstEvent *pointers[most];
  VstEvents list;
};

} // namespace outboard
