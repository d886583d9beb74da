// juce_objects.h: JUCE-style counted objects and random numbers. SPDX-License-Identifier: MIT
#pragma once

#include "juce_lists.h"

namespace juce {

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

/// A list of counted objects.
template <class T> class ReferenceCountedArray {
public:
  typedef ReferenceCountedObjectPtr<T> ObjectClassPtr;
  int size() const { return int(list.size()); }
  bool isEmpty() const { return list.empty(); }
  T *add(T *object) { return list.emplace_back(object), object; }
  T *add(T &object) { return add(&object); }
  T *add(const ObjectClassPtr &object) { return add(object.get()); }
  ObjectClassPtr operator[](int at) const { return at >= 0 && at < size() ? list[size_t(at)] : ObjectClassPtr(); }
  T *getObjectPointer(int at) const { return (*this)[at].get(); }
  T *getUnchecked(int at) const { return list[size_t(at)].get(); }
  void remove(int at) {
    if (at >= 0 && at < size()) list.erase(list.begin() + at);
  }
  void removeObject(const T *object) {
    list.erase(std::remove_if(list.begin(), list.end(), [&](auto &one) { return one.get() == object; }), list.end());
  }
  void clear() { list.clear(); }
  const ObjectClassPtr *begin() const { return list.data(); }
  const ObjectClassPtr *end() const { return list.data() + list.size(); }

private:
  std::vector<ObjectClassPtr> list;
};

template <class T> class Atomic {
public:
  Atomic() : Atomic(T()) {}
  Atomic(T start) : value(start) {}
  Atomic(const Atomic &other) : Atomic(other.get()) {}
  Atomic &operator=(const Atomic &other) { return *this = other.get(); }
  Atomic &operator=(T now) { return set(now), *this; }
  T get() const { return value.load(); }
  void set(T now) { value.store(now); }
  T exchange(T now) { return value.exchange(now); }
  bool compareAndSetBool(T now, T expected) { return value.compare_exchange_strong(expected, now); }
  T operator+=(T more) { return value += more; }
  T operator-=(T less) { return value -= less; }
  T operator++() { return ++value; }
  T operator--() { return --value; }
  std::atomic<T> value;
};

/// Random numbers from a 48-bit linear congruential generator. Without a seed, they are the same in each run.
class Random {
public:
  explicit Random(int64 seed = 0x5deece66d) { setSeed(seed); }
  void setSeed(int64 seed) { state = uint64(seed); }
  int64 getSeed() const { return int64(state); }
  void setSeedRandomly() {}
  int nextInt() {
    state = (state * 0x5deece66dULL + 11) & 0xffffffffffffULL;
    return int(state >> 16);
  }
  int nextInt(int limit) { return int((uint64(uint32(nextInt())) * uint64(limit)) >> 32); }
  int nextInt(Range<int> range) { return range.getStart() + nextInt(range.getLength()); }
  int64 nextInt64() {
    const uint64 high = uint32(nextInt());
    return int64(high << 32 | uint32(nextInt()));
  }
  float nextFloat() { return jmin(float(uint32(nextInt())) / 4294967296.0f, 1 - std::numeric_limits<float>::epsilon()); }
  double nextDouble() { return double(uint32(nextInt())) / 4294967296.0; }
  bool nextBool() { return (nextInt() & 0x40000000) != 0; }
  static Random &getSystemRandom() {
    static thread_local Random random;
    return random;
  }

private:
  uint64 state;
};

} // namespace juce
