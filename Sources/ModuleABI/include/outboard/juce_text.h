// juce_text.h: text as JUCE-style code makes it, mostly to show values. SPDX-License-Identifier: MIT
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>

namespace juce {

class String : public std::string {
public:
  String() {}
  String(const char *text) : std::string(text == nullptr ? "" : text) {}
  String(const std::string &text) : std::string(text) {}
  explicit String(char letter) : std::string(1, letter) {}
  explicit String(int value) : std::string(std::to_string(value)) {}
  explicit String(unsigned value) : std::string(std::to_string(value)) {}
  explicit String(long value) : std::string(std::to_string(value)) {}
  explicit String(size_t value) : std::string(std::to_string(value)) {}
  explicit String(float value) : String(double(value)) {}
  explicit String(double value) : String(value, 6) {}
  String(float value, int decimals, bool = false) : String(double(value), decimals) {}
  String(double value, int decimals, bool = false) {
    char text[64];
    snprintf(text, sizeof text, "%.*f", decimals, value);
    assign(text);
  }
  static String fromUTF8(const char *text) { return text; }
  const char *toRawUTF8() const { return c_str(); }
  const std::string &toStdString() const { return *this; }
  bool isEmpty() const { return empty(); }
  bool isNotEmpty() const { return !empty(); }
  bool contains(const String &part) const { return find(part) != npos; }
  bool startsWith(const String &part) const { return compare(0, part.size(), part) == 0; }
  int getIntValue() const { return atoi(c_str()); }
  float getFloatValue() const { return strtof(c_str(), nullptr); }
  double getDoubleValue() const { return strtod(c_str(), nullptr); }
  String substring(int from) const { return from < int(size()) ? substr(size_t(from)) : std::string(); }
  String substring(int from, int to) const {
    return from < int(size()) && to > from ? substr(size_t(from), size_t(to - from)) : std::string();
  }
  template <class Value> String &operator<<(const Value &value) {
    append(String(value));
    return *this;
  }
};
inline String operator+(const String &a, const String &b) {
  return static_cast<const std::string &>(a) + static_cast<const std::string &>(b);
}
inline String operator+(const String &a, const char *b) { return a + String(b); }
inline String operator+(const char *a, const String &b) { return String(a) + b; }

} // namespace juce
