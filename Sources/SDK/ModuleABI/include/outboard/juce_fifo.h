// juce_fifo.h: a JUCE-style index for queues between threads. SPDX-License-Identifier: MIT
#pragma once

#include "juce_types.h"

namespace juce {

/// The positions in a ring buffer that one thread writes and another one reads.
class AbstractFifo {
public:
  explicit AbstractFifo(int capacity) : size(capacity) {}
  int getTotalSize() const { return size; }
  int getFreeSpace() const { return size - 1 - getNumReady(); }
  int getNumReady() const {
    const int from = first.load(std::memory_order_acquire), to = last.load(std::memory_order_acquire);
    return to >= from ? to - from : size - (from - to);
  }
  void reset() { first = 0, last = 0; }
  void setTotalSize(int capacity) {
    size = capacity;
    reset();
  }
  void prepareToWrite(int wanted, int &start1, int &count1, int &start2, int &count2) const {
    split(last.load(std::memory_order_relaxed), jmin(wanted, getFreeSpace()), start1, count1, start2, count2);
  }
  void finishedWrite(int count) { last.store((last.load(std::memory_order_relaxed) + count) % size, std::memory_order_release); }
  void prepareToRead(int wanted, int &start1, int &count1, int &start2, int &count2) const {
    split(first.load(std::memory_order_relaxed), jmin(wanted, getNumReady()), start1, count1, start2, count2);
  }
  void finishedRead(int count) { first.store((first.load(std::memory_order_relaxed) + count) % size, std::memory_order_release); }

  /// Places that are finished at the end of a scope.
  template <bool writes> class Scope {
  public:
    Scope(AbstractFifo &fifo, int wanted) : owner(fifo) {
      if (writes) owner.prepareToWrite(wanted, startIndex1, blockSize1, startIndex2, blockSize2);
      else owner.prepareToRead(wanted, startIndex1, blockSize1, startIndex2, blockSize2);
    }
    Scope(const Scope &) = delete;
    ~Scope() {
      const int count = blockSize1 + blockSize2;
      if (writes) owner.finishedWrite(count);
      else owner.finishedRead(count);
    }
    template <class Function> void forEach(Function function) const {
      for (int i = 0; i < blockSize1; i++) function(startIndex1 + i);
      for (int i = 0; i < blockSize2; i++) function(startIndex2 + i);
    }
    int startIndex1 = 0, blockSize1 = 0, startIndex2 = 0, blockSize2 = 0;

  private:
    AbstractFifo &owner;
  };
  typedef Scope<false> ScopedRead;
  typedef Scope<true> ScopedWrite;
  ScopedRead read(int count) { return {*this, count}; }
  ScopedWrite write(int count) { return {*this, count}; }

private:
  void split(int start, int count, int &start1, int &count1, int &start2, int &count2) const {
    start1 = start;
    count1 = jmax(0, jmin(count, size - start));
    start2 = 0;
    count2 = jmax(0, count - count1);
  }
  int size;
  std::atomic<int> first{0}, last{0};
};

} // namespace juce
