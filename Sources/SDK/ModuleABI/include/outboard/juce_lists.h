// juce_lists.h: JUCE-style lists, pointers and random numbers. SPDX-License-Identifier: MIT
#pragma once

#include "juce_types.h"

#include <optional>
#include <string>

namespace juce {

template <class T> struct Optional : std::optional<T> {
  using std::optional<T>::optional;
  T orFallback(const T &otherwise) const { return this->value_or(otherwise); }
};

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

/// The base class of objects with a reference count.
class ReferenceCountedObject {
public:
  ReferenceCountedObject() {}
  ReferenceCountedObject(const ReferenceCountedObject &) {}
  ReferenceCountedObject &operator=(const ReferenceCountedObject &) { return *this; }
  virtual ~ReferenceCountedObject() {}
  void incReferenceCount() { count++; }
  void decReferenceCount() {
    if (--count == 0) delete this;
  }
  int getReferenceCount() const { return count; }

private:
  std::atomic<int> count{0};
};
template <class T> class ReferenceCountedObjectPtr {
public:
  ReferenceCountedObjectPtr() {}
  ReferenceCountedObjectPtr(std::nullptr_t) {}
  ReferenceCountedObjectPtr(T *object) : held(object) { retain(); }
  ReferenceCountedObjectPtr(T &object) : held(&object) { retain(); }
  ReferenceCountedObjectPtr(const ReferenceCountedObjectPtr &other) : held(other.held) { retain(); }
  template <class U>
  ReferenceCountedObjectPtr(const ReferenceCountedObjectPtr<U> &other) : held(other.get()) { retain(); }
  ~ReferenceCountedObjectPtr() { release(); }
  ReferenceCountedObjectPtr &operator=(const ReferenceCountedObjectPtr &other) {
    ReferenceCountedObjectPtr copy(other);
    std::swap(held, copy.held);
    return *this;
  }
  T *get() const { return held; }
  T *operator->() const { return held; }
  T &operator*() const { return *held; }
  operator T *() const { return held; }

private:
  void retain() {
    if (held != nullptr) held->incReferenceCount();
  }
  void release() {
    if (held != nullptr) held->decReferenceCount();
  }
  T *held = nullptr;
};

/// Random numbers from a 48-bit linear congruential generator.
class Random {
public:
  explicit Random(int64 seed = 0x5deece66d) { setSeed(seed); }
  void setSeed(int64 seed) { state = uint64(seed); }
  void setSeedRandomly() {}
  int nextInt() {
    state = (state * 0x5deece66dULL + 11) & 0xffffffffffffULL;
    return int(state >> 16);
  }
  int nextInt(int limit) { return int((uint64(uint32(nextInt())) * uint64(limit)) >> 32); }
  float nextFloat() { return float(uint32(nextInt()) >> 8) / 16777216.0f; }
  double nextDouble() { return double(uint32(nextInt())) / 4294967296.0; }
  bool nextBool() { return nextInt() < 0; }
  static Random &getSystemRandom() {
    static thread_local Random random;
    return random;
  }

private:
  uint64 state;
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

template <class T> using Atomic = std::atomic<T>;
template <class T> using ScopedPointer = std::unique_ptr<T>;

} // namespace juce
