// juce_state.h: JUCE-style trees and streams for the state of processors. SPDX-License-Identifier: MIT
//
// The host stores the parameter values; state that a processor writes is discarded.
#pragma once

#include "juce_lists.h"
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

/// A value of any kind.
class var {
public:
  var() {}
  var(const String &value) : text(value) {}
  var(const char *value) : text(value) {}
  var(bool value) : text(value ? "1" : "0") {}
  var(int value) : text(value) {}
  var(int64 value) : text(long(value)) {}
  var(float value) : text(double(value), 9) {}
  var(double value) : text(value, 12) {}
  operator float() const { return text.getFloatValue(); }
  operator double() const { return text.getDoubleValue(); }
  operator int() const { return int(text.getDoubleValue()); }
  operator bool() const { return text.getDoubleValue() != 0; }
  operator String() const { return text; }
  String toString() const { return text; }
  bool isVoid() const { return text.isEmpty(); }

private:
  String text;
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

class UndoManager {};

class ValueTree {
public:
  struct Listener {
    virtual ~Listener() {}
    virtual void valueTreePropertyChanged(ValueTree &, const Identifier &) {}
    virtual void valueTreeChildAdded(ValueTree &, ValueTree &) {}
    virtual void valueTreeChildRemoved(ValueTree &, ValueTree &, int) {}
    virtual void valueTreeChildOrderChanged(ValueTree &, int, int) {}
    virtual void valueTreeParentChanged(ValueTree &) {}
    virtual void valueTreeRedirected(ValueTree &) {}
  };
  ValueTree() {}
  explicit ValueTree(const Identifier &name) : type(name) {}
  std::unique_ptr<XmlElement> createXml() const { return std::unique_ptr<XmlElement>(new XmlElement()); }
  static ValueTree fromXml(const XmlElement &) { return {}; }
  static ValueTree readFromData(const void *, size_t) { return {}; }
  void writeToStream(MemoryOutputStream &) const {}
  bool isValid() const { return type.isNotEmpty(); }
  Identifier getType() const { return type; }
  bool hasType(const Identifier &name) const { return type == name; }
  bool hasProperty(const Identifier &) const { return false; }
  var getProperty(const Identifier &) const { return {}; }
  var getProperty(const Identifier &, const var &otherwise) const { return otherwise; }
  var operator[](const Identifier &) const { return {}; }
  ValueTree &setProperty(const Identifier &, const var &, UndoManager *) { return *this; }
  ValueTree getChildWithName(const Identifier &) const { return {}; }
  ValueTree getOrCreateChildWithName(const Identifier &name, UndoManager *) { return ValueTree(name); }
  ValueTree createCopy() const { return *this; }
  void addChild(const ValueTree &, int, UndoManager *) {}
  void appendChild(const ValueTree &, UndoManager *) {}
  int getNumChildren() const { return 0; }
  void addListener(Listener *listener) { listeners->addIfNotAlreadyThere(listener); }
  void removeListener(Listener *listener) { listeners->removeFirstMatchingValue(listener); }
  /// Notifies listeners of a changed value. [render]
  void tell(const Identifier &property) {
    for (auto *listener : *listeners) listener->valueTreePropertyChanged(*this, property);
  }

private:
  Identifier type;
  std::shared_ptr<Array<Listener *>> listeners = std::make_shared<Array<Listener *>>();
};

/// A point in time; always 0 on the audio thread.
struct Time {
  static int64 currentTimeMillis() { return 0; }
  static uint32 getMillisecondCounter() { return 0; }
  static double getMillisecondCounterHiRes() { return 0; }
  static int64 getHighResolutionTicks() { return 0; }
};

} // namespace juce
