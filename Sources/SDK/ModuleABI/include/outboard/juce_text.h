// juce_text.h: JUCE-style text, mostly for displaying values. SPDX-License-Identifier: MIT
#pragma once

#include <cctype>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <string>
#include <vector>

namespace juce {

class String : public std::string {
public:
  String() {}
  String(const char *text) : std::string(text == nullptr ? "" : text) {}
  String(const char *text, size_t longest) : std::string(text, longest) {}
  String(const std::string &text) : std::string(text) {}
  explicit String(char letter) : std::string(1, letter) {}
  explicit String(int value) : std::string(std::to_string(value)) {}
  explicit String(unsigned value) : std::string(std::to_string(value)) {}
  explicit String(long value) : std::string(std::to_string(value)) {}
  explicit String(long long value) : std::string(std::to_string(value)) {}
  explicit String(size_t value) : std::string(std::to_string(value)) {}
  explicit String(float value) : String(double(value)) {}
  explicit String(double value) : String(value, 6) {}
  String(float value, int decimals, bool = false) : String(double(value), decimals) {}
  String(double value, int decimals, bool = false) {
    char text[64];
    snprintf(text, sizeof text, "%.*f", decimals, value);
    assign(text);
  }
  template <class... Values> static String formatted(const String &format, Values... values) {
    char text[512];
    snprintf(text, sizeof text, format.c_str(), values...);
    return text;
  }
  static String fromUTF8(const char *text, int = -1) { return text; }
  static String charToString(char letter) { return String(letter); }
  static String repeatedString(const String &text, int count) {
    String all;
    for (int i = 0; i < count; i++) all.append(text);
    return all;
  }
  static String toHexString(int64_t value) {
    char text[32];
    snprintf(text, sizeof text, "%llx", static_cast<unsigned long long>(value));
    return text;
  }

  // Whole text
  const char *toRawUTF8() const { return c_str(); }
  const char *toUTF8() const { return c_str(); }
  const std::string &toStdString() const { return *this; }
  const String &toString() const { return *this; }
  int length() const { return int(size()); }
  bool isEmpty() const { return empty(); }
  bool isNotEmpty() const { return !empty(); }
  int getIntValue() const { return atoi(c_str()); }
  int64_t getLargeIntValue() const { return atoll(c_str()); }
  float getFloatValue() const { return strtof(c_str(), nullptr); }
  double getDoubleValue() const { return strtod(c_str(), nullptr); }
  int hashCode() const { return int(std::hash<std::string>()(*this)); }
  char getLastCharacter() const { return empty() ? char(0) : back(); }

  // Parts
  bool contains(const String &part) const { return find(part) != npos; }
  bool containsIgnoreCase(const String &part) const { return toLowerCase().contains(part.toLowerCase()); }
  bool containsChar(char letter) const { return find(letter) != npos; }
  bool containsAnyOf(const String &letters) const { return find_first_of(letters) != npos; }
  bool containsOnly(const String &letters) const { return find_first_not_of(letters) == npos; }
  bool startsWith(const String &part) const { return compare(0, part.size(), part) == 0; }
  bool startsWithChar(char letter) const { return !empty() && front() == letter; }
  bool endsWith(const String &part) const {
    return size() >= part.size() && compare(size() - part.size(), part.size(), part) == 0;
  }
  bool endsWithIgnoreCase(const String &part) const { return toLowerCase().endsWith(part.toLowerCase()); }
  bool endsWithChar(char letter) const { return !empty() && back() == letter; }
  bool equalsIgnoreCase(const String &other) const { return toLowerCase() == other.toLowerCase(); }
  int compareIgnoreCase(const String &other) const { return toLowerCase().compare(other.toLowerCase()); }
  int indexOf(const String &part) const { return place(find(part)); }
  int indexOf(int from, const String &part) const { return place(find(part, size_t(from))); }
  int indexOfChar(char letter) const { return place(find(letter)); }
  int lastIndexOf(const String &part) const { return place(rfind(part)); }
  int lastIndexOfChar(char letter) const { return place(rfind(letter)); }
  String substring(int from) const { return from < int(size()) ? substr(size_t(from)) : std::string(); }
  String substring(int from, int to) const {
    return from < int(size()) && to > from ? substr(size_t(from), size_t(to - from)) : std::string();
  }
  String dropLastCharacters(int count) const { return substring(0, int(size()) - count); }
  String getLastCharacters(int count) const { return substring(count > int(size()) ? 0 : int(size()) - count); }
  String upToFirstOccurrenceOf(const String &part, bool includes, bool) const {
    const size_t at = find(part);
    return at == npos ? *this : String(substr(0, at + (includes ? part.size() : 0)));
  }
  String upToLastOccurrenceOf(const String &part, bool includes, bool) const {
    const size_t at = rfind(part);
    return at == npos ? *this : String(substr(0, at + (includes ? part.size() : 0)));
  }
  String fromFirstOccurrenceOf(const String &part, bool includes, bool) const {
    const size_t at = find(part);
    return at == npos ? String() : String(substr(includes ? at : at + part.size()));
  }
  String fromLastOccurrenceOf(const String &part, bool includes, bool) const {
    const size_t at = rfind(part);
    return at == npos ? *this : String(substr(includes ? at : at + part.size()));
  }

  // Modified copies
  String removeCharacters(const String &letters) const {
    return filtered([&](char c) { return letters.find(c) == npos; });
  }
  String retainCharacters(const String &letters) const {
    return filtered([&](char c) { return letters.find(c) != npos; });
  }
  String replace(const String &from, const String &to, bool = false) const {
    String all;
    size_t done = 0;
    for (size_t at = find(from); at != npos && !from.empty(); at = find(from, done)) {
      all.append(*this, done, at - done).append(to);
      done = at + from.size();
    }
    return String(all + String(substr(done)));
  }
  String replaceCharacter(char from, char to) const {
    String all = *this;
    for (char &c : all)
      if (c == from) c = to;
    return all;
  }
  String replaceCharacters(const String &from, const String &to) const {
    String all = *this;
    for (char &c : all)
      if (const size_t at = from.find(c); at != npos && at < to.size()) c = to[at];
    return all;
  }
  String toUpperCase() const { return mapped(toupper); }
  String toLowerCase() const { return mapped(tolower); }
  String trim() const { return trimStart().trimEnd(); }
  String trimStart() const {
    const size_t from = find_first_not_of(" \t\r\n");
    return from == npos ? String() : String(substr(from));
  }
  String trimEnd() const { return String(substr(0, find_last_not_of(" \t\r\n") + 1)); }
  String trimCharactersAtEnd(const String &letters) const {
    return String(substr(0, find_last_not_of(letters) + 1));
  }
  String trimCharactersAtStart(const String &letters) const {
    const size_t from = find_first_not_of(letters);
    return from == npos ? String() : String(substr(from));
  }
  String paddedLeft(char letter, int width) const {
    return String(std::string(size() < size_t(width) ? size_t(width) - size() : 0, letter) + std::string(*this));
  }
  String paddedRight(char letter, int width) const {
    return String(std::string(*this) + std::string(size() < size_t(width) ? size_t(width) - size() : 0, letter));
  }
  String quoted(char mark = '"') const { return String(mark + std::string(*this) + mark); }
  template <class Value> String &operator<<(const Value &value) {
    append(String(value));
    return *this;
  }

private:
  static int place(size_t at) { return at == npos ? -1 : int(at); }
  template <class Keeps> String filtered(Keeps keeps) const {
    String kept;
    for (char c : *this)
      if (keeps(c)) kept.push_back(c);
    return kept;
  }
  template <class Change> String mapped(Change change) const {
    String all = *this;
    for (char &c : all) c = char(change(static_cast<unsigned char>(c)));
    return all;
  }
};
inline String operator+(const String &a, const String &b) {
  return static_cast<const std::string &>(a) + static_cast<const std::string &>(b);
}
inline String operator+(const String &a, const char *b) { return a + String(b); }
inline String operator+(const char *a, const String &b) { return String(a) + b; }
inline String operator+(const String &a, char b) { return a + String(b); }
template <class Number, class = typename std::enable_if<std::is_arithmetic<Number>::value &&
                                                        !std::is_same<Number, char>::value>::type>
String operator+(const String &a, Number b) {
  return a + String(b);
}

struct Identifier : String {
  using String::String;
  Identifier() {}
  Identifier(const String &text) : String(text) {}
};

/// A list of texts.
class StringArray {
public:
  StringArray() {}
  StringArray(std::initializer_list<const char *> all) : strings(all.begin(), all.end()) {}
  template <class... More> StringArray(const String &first, const More &...more) {
    strings.push_back(first);
    (strings.push_back(String(more)), ...);
  }
  StringArray(const char *const *all, int count) : strings(all, all + count) {}
  int size() const { return int(strings.size()); }
  bool isEmpty() const { return strings.empty(); }
  void add(const String &text) { strings.push_back(text); }
  bool addIfNotAlreadyThere(const String &text, bool ignoresCase = false) {
    if (contains(text, ignoresCase)) return false;
    add(text);
    return true;
  }
  void addArray(const StringArray &more) { strings.insert(strings.end(), more.begin(), more.end()); }
  void insert(int at, const String &text) {
    strings.insert(at < 0 || at > size() ? strings.end() : strings.begin() + at, text);
  }
  void set(int at, const String &text) {
    if (at < size()) strings[size_t(at)] = text;
    else add(text);
  }
  void remove(int at) {
    if (at >= 0 && at < size()) strings.erase(strings.begin() + at);
  }
  void removeString(const String &text, bool ignoresCase = false) {
    for (int at = indexOf(text, ignoresCase); at >= 0; at = indexOf(text, ignoresCase)) remove(at);
  }
  void clear() { strings.clear(); }
  int indexOf(const String &text, bool ignoresCase = false, int from = 0) const {
    for (int i = from; i < size(); i++)
      if (ignoresCase ? (*this)[i].equalsIgnoreCase(text) : (*this)[i] == text) return i;
    return -1;
  }
  bool contains(const String &text, bool ignoresCase = false) const { return indexOf(text, ignoresCase) >= 0; }
  const String &operator[](int at) const {
    static const String none;
    return at >= 0 && at < size() ? strings[size_t(at)] : none;
  }
  String &getReference(int at) { return strings[size_t(at)]; }
  String joinIntoString(const String &between, int from = 0) const {
    String all;
    for (int i = from; i < size(); i++) all.append(i > from ? between : String()).append((*this)[i]);
    return all;
  }
  int addTokens(const String &text, const String &breaks, const String &) {
    const int before = size();
    size_t from = 0;
    for (size_t to; (to = text.find_first_of(breaks, from)) != String::npos; from = to + 1)
      add(String(text.substr(from, to - from)));
    add(String(text.substr(from)));
    return size() - before;
  }
  static StringArray fromTokens(const String &text, const String &breaks, const String &quotes) {
    StringArray all;
    all.addTokens(text, breaks, quotes);
    return all;
  }
  const String *begin() const { return strings.data(); }
  const String *end() const { return strings.data() + strings.size(); }
  bool operator==(const StringArray &other) const { return strings == other.strings; }

  std::vector<String> strings;
};

} // namespace juce
