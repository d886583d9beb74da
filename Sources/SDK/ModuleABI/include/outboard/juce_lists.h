// juce_lists.h: JUCE-style lists, maps and locks. SPDX-License-Identifier: MIT
#pragma once

#include "juce_types.h"

#include <map>
#include <optional>
#include <string>

namespace juce {

template <class T> struct Optional : std::optional<T> {
  using std::optional<T>::optional;
  /// An empty one, from which code that does not check it reads a value.
  static Optional without(T instead) {
    Optional made;
    made.instead = instead;
    return made;
  }
  bool hasValue() const { return this->has_value(); }
  T &operator*() { return this->has_value() ? std::optional<T>::operator*() : instead; }
  const T &operator*() const { return this->has_value() ? std::optional<T>::operator*() : instead; }
  T *operator->() { return &**this; }
  const T *operator->() const { return &**this; }
  T orFallback(const T &otherwise) const { return this->value_or(otherwise); }
  T instead{};
};
constexpr std::nullopt_t nullopt = std::nullopt;

/// A dynamic list; an index out of range returns a default value.
template <class T> class Array {
public:
  typedef T ElementType;
  Array() {}
  Array(std::initializer_list<T> all) : list(all) {}
  Array(const T *all, int count) : list(all, all + count) {}
  template <class... More> explicit Array(const T &first, const More &...more) : list{first, T(more)...} {}
  int size() const { return int(list.size()); }
  bool isEmpty() const { return list.empty(); }
  T operator[](int at) const { return has(at) ? list[size_t(at)] : T(); }
  T getUnchecked(int at) const { return list[size_t(at)]; }
  T &getReference(int at) { return list[size_t(at)]; }
  const T &getReference(int at) const { return list[size_t(at)]; }
  T getFirst() const { return (*this)[0]; }
  T getLast() const { return (*this)[size() - 1]; }
  T *getRawDataPointer() { return list.data(); }
  const T *getRawDataPointer() const { return list.data(); }
  const T *data() const { return list.data(); }
  T *data() { return list.data(); }
  void add(const T &value) { list.push_back(value); }
  void add(T &&value) { list.push_back(std::move(value)); }
  template <class... More> void add(const T &first, const T &second, const More &...more) {
    add(first);
    add(second, more...);
  }
  bool addIfNotAlreadyThere(const T &value) {
    if (contains(value)) return false;
    add(value);
    return true;
  }
  template <class Other> void addArray(const Other &more) {
    for (const auto &value : more) add(value);
  }
  void insert(int at, const T &value) { list.insert(has(at) ? list.begin() + at : list.end(), value); }
  void insertMultiple(int at, const T &value, int count) {
    list.insert(has(at) ? list.begin() + at : list.end(), size_t(count), value);
  }
  void set(int at, const T &value) {
    if (has(at)) list[size_t(at)] = value;
    else add(value);
  }
  void setUnchecked(int at, const T &value) { list[size_t(at)] = value; }
  void fill(const T &value) { std::fill(list.begin(), list.end(), value); }
  void resize(int count) { list.resize(size_t(count)); }
  void ensureStorageAllocated(int count) { list.reserve(size_t(count)); }
  void clear() { list.clear(); }
  void clearQuick() { list.clear(); }
  void remove(int at) {
    if (has(at)) list.erase(list.begin() + at);
  }
  void removeRange(int from, int count) {
    list.erase(list.begin() + from, list.begin() + jmin(from + count, size()));
  }
  void removeLast(int count = 1) { list.resize(size_t(jmax(0, size() - count))); }
  void removeFirstMatchingValue(const T &value) { remove(indexOf(value)); }
  void removeAllInstancesOf(const T &value) { list.erase(std::remove(list.begin(), list.end(), value), list.end()); }
  void swap(int a, int b) { std::swap(list[size_t(a)], list[size_t(b)]); }
  int indexOf(const T &value) const {
    const auto found = std::find(list.begin(), list.end(), value);
    return found == list.end() ? -1 : int(found - list.begin());
  }
  bool contains(const T &value) const { return indexOf(value) >= 0; }
  void sort() { std::sort(list.begin(), list.end()); }
  T *begin() { return list.data(); }
  T *end() { return list.data() + list.size(); }
  const T *begin() const { return list.data(); }
  const T *end() const { return list.data() + list.size(); }
  bool operator==(const Array &other) const { return list == other.list; }

private:
  bool has(int at) const { return at >= 0 && at < size(); }
  // A list of bool does not use std::vector<bool>, whose elements have no addresses.
  typedef typename std::conditional<std::is_same<T, bool>::value, std::basic_string<bool>, std::vector<T>>::type List;
  List list;
};

/// A list in order, in which each value is once.
template <class T> class SortedSet {
public:
  int size() const { return list.size(); }
  bool isEmpty() const { return list.isEmpty(); }
  T operator[](int at) const { return list[at]; }
  T getFirst() const { return list.getFirst(); }
  T getLast() const { return list.getLast(); }
  bool contains(const T &value) const { return list.contains(value); }
  int indexOf(const T &value) const { return list.indexOf(value); }
  bool add(const T &value) {
    if (contains(value)) return false;
    list.add(value);
    return list.sort(), true;
  }
  void remove(int at) { list.remove(at); }
  void removeValue(const T &value) { list.removeFirstMatchingValue(value); }
  void clear() { list.clear(); }
  void clearQuick() { list.clear(); }
  const T *begin() const { return list.begin(); }
  const T *end() const { return list.end(); }

private:
  Array<T> list;
};

template <class T> class Range {
public:
  Range() {}
  Range(T low, T high) : first(low), last(high) {}
  T getStart() const { return first; }
  T getEnd() const { return last; }
  T getLength() const { return last - first; }
  T clipValue(T value) const { return jlimit(first, last, value); }
  bool contains(T value) const { return first <= value && value < last; }

private:
  T first = T(), last = T();
};

/// A list that owns the objects it points to.
template <class T> class OwnedArray {
public:
  OwnedArray() {}
  OwnedArray(const OwnedArray &) = delete;
  OwnedArray &operator=(const OwnedArray &) = delete;
  int size() const { return int(list.size()); }
  bool isEmpty() const { return list.empty(); }
  T *add(T *value) { return list.emplace_back(value), value; }
  template <class Other> T *add(std::unique_ptr<Other> value) { return add(value.release()); }
  T *operator[](int at) const { return at >= 0 && at < size() ? list[size_t(at)].get() : nullptr; }
  T *getUnchecked(int at) const { return list[size_t(at)].get(); }
  T *getFirst() const { return (*this)[0]; }
  T *getLast() const { return (*this)[size() - 1]; }
  T *set(int at, T *value, bool = true) {
    if (at >= size()) return add(value);
    list[size_t(at)].reset(value);
    return value;
  }
  void remove(int at, bool = true) {
    if (at >= 0 && at < size()) list.erase(list.begin() + at);
  }
  void removeLast(int count = 1, bool = true) { list.resize(size_t(jmax(0, size() - count))); }
  void clear(bool = true) { list.clear(); }
  void clearQuick(bool = true) { list.clear(); }
  void ensureStorageAllocated(int count) { list.reserve(size_t(count)); }
  struct Iterator {
    const std::unique_ptr<T> *at;
    T *operator*() const { return at->get(); }
    Iterator &operator++() { return at++, *this; }
    bool operator!=(const Iterator &other) const { return at != other.at; }
  };
  Iterator begin() const { return {list.data()}; }
  Iterator end() const { return {list.data() + list.size()}; }

private:
  std::vector<std::unique_ptr<T>> list;
};

/// Memory for a number of elements.
template <class T> class HeapBlock {
public:
  HeapBlock() {}
  explicit HeapBlock(size_t count, bool = true) : memory(count) {}
  void allocate(size_t count, bool = true) { memory.assign(count, T()); }
  void calloc(size_t count) { memory.assign(count, T()); }
  void malloc(size_t count) { memory.assign(count, T()); }
  void realloc(size_t count) { memory.resize(count); }
  void clear(size_t count) { std::fill_n(memory.data(), count, T()); }
  void free() { memory.clear(); }
  T *get() { return memory.data(); }
  T *getData() { return memory.data(); }
  operator T *() { return memory.data(); }
  T &operator[](size_t at) { return memory[at]; }
  T &operator[](int at) { return memory[size_t(at)]; }

private:
  std::vector<T> memory;
};

/// Values by key, in the order of the keys.
template <class Key, class Value, class...> class HashMap {
public:
  typedef std::map<Key, Value> Map;
  int size() const { return int(map.size()); }
  bool contains(const Key &key) const { return map.count(key) != 0; }
  bool containsValue(const Value &value) const {
    return std::any_of(map.begin(), map.end(), [&](const auto &one) { return one.second == value; });
  }
  void set(const Key &key, const Value &value) { map[key] = value; }
  Value operator[](const Key &key) const {
    const auto found = map.find(key);
    return found == map.end() ? Value() : found->second;
  }
  Value &getReference(const Key &key) { return map[key]; }
  void remove(const Key &key) { map.erase(key); }
  void removeValue(const Value &value) {
    for (auto at = map.begin(); at != map.end();) at = at->second == value ? map.erase(at) : std::next(at);
  }
  void clear() { map.clear(); }
  void swapWith(HashMap &other) { map.swap(other.map); }
  struct Iterator {
    Iterator(const HashMap &all) : next_one(all.map.begin()), end(all.map.end()) {}
    bool next() {
      if (next_one == end) return false;
      now = next_one++;
      return true;
    }
    Key getKey() const { return now->first; }
    Value getValue() const { return now->second; }
    // As an iterator of a range.
    const Iterator &operator*() const { return *this; }
    Iterator &operator++() { return has = next(), *this; }
    bool operator!=(const Iterator &) const { return has; }
    typename Map::const_iterator next_one, end, now{};
    bool has = true;
  };
  Iterator begin() const {
    Iterator first(*this);
    return ++first;
  }
  Iterator end() const { return begin(); }

private:
  Map map;
};

/// A lock that is free, because nothing else runs at the same time as the effect.
class SpinLock {
public:
  void enter() const {
    while (taken.exchange(true, std::memory_order_acquire)) {}
  }
  bool tryEnter() const { return !taken.exchange(true, std::memory_order_acquire); }
  void exit() const { taken.store(false, std::memory_order_release); }
  struct ScopedLockType {
    explicit ScopedLockType(const SpinLock &l) : lock(l) { lock.enter(); }
    ~ScopedLockType() { lock.exit(); }
    const SpinLock &lock;
  };
  struct ScopedTryLockType {
    explicit ScopedTryLockType(const SpinLock &l) : lock(l), has(l.tryEnter()) {}
    ~ScopedTryLockType() {
      if (has) lock.exit();
    }
    bool isLocked() const { return has; }
    const SpinLock &lock;
    bool has;
  };

private:
  mutable std::atomic<bool> taken{false};
};
typedef SpinLock CriticalSection;
typedef SpinLock::ScopedLockType ScopedLock;
typedef SpinLock::ScopedTryLockType ScopedTryLock;

template <class T> using ScopedPointer = std::unique_ptr<T>;

} // namespace juce
