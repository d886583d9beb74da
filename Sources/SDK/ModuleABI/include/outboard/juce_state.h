// juce_state.h: JUCE-style streams and XML for the state of processors. SPDX-License-Identifier: MIT
//
// The host stores the parameter values; state that a processor writes is discarded.
#pragma once

#include "juce_objects.h"
#include "juce_types.h"

namespace juce {

struct MemoryBlock {
  void append(const void *, size_t) {}
  void setSize(size_t, bool = false) {}
  void reset() {}
  size_t getSize() const { return 0; }
  void *getData() const { return nullptr; }
};

struct MemoryOutputStream {
  MemoryOutputStream() {}
  MemoryOutputStream(MemoryBlock &, bool) {}
  void writeFloat(float) {}
  void writeDouble(double) {}
  void writeInt(int) {}
  void writeInt64(int64) {}
  void writeBool(bool) {}
  void writeString(const String &) {}
};
struct MemoryInputStream {
  MemoryInputStream(const void *, size_t, bool) {}
  bool isExhausted() const { return true; }
  size_t getDataSize() const { return 0; }
  float readFloat() { return 0; }
  double readDouble() { return 0; }
  int readInt() { return 0; }
  int64 readInt64() { return 0; }
  bool readBool() { return false; }
  String readString() { return {}; }
};

struct XmlElement {
  XmlElement() {}
  explicit XmlElement(const String &) {}
  bool hasTagName(const String &) const { return false; }
  String getTagName() const { return {}; }
  bool hasAttribute(const String &) const { return false; }
  template <class Value> void setAttribute(const String &, const Value &) {}
  double getDoubleAttribute(const String &, double otherwise = 0) const { return otherwise; }
  int getIntAttribute(const String &, int otherwise = 0) const { return otherwise; }
  bool getBoolAttribute(const String &, bool otherwise = false) const { return otherwise; }
  String getStringAttribute(const String &, const String &otherwise = {}) const { return otherwise; }
  XmlElement *getChildByName(const String &) const { return nullptr; }
};

struct Logger {
  static void writeToLog(const String &) {}
  static void outputDebugString(const String &) {}
};

/// A point in time; always 0 on the audio thread.
struct Time {
  static int64 currentTimeMillis() { return 0; }
  static uint32 getMillisecondCounter() { return 0; }
  static double getMillisecondCounterHiRes() { return 0; }
  static int64 getHighResolutionTicks() { return 0; }
};

} // namespace juce
