// juce_blocks.h: JUCE-style blocks and contexts of DSP classes. SPDX-License-Identifier: MIT
#pragma once

#include "juce_audio.h"

namespace juce {

namespace dsp {

struct ProcessSpec {
  double sampleRate;
  uint32 maximumBlockSize;
  uint32 numChannels;
};

/// A view of channels.
template <class T> class AudioBlock {
public:
  typedef typename std::remove_const<T>::type Sample, SampleType;
  AudioBlock() : AudioBlock(nullptr, 0, 0) {}
  AudioBlock(T *const *data, size_t channels, size_t count, size_t start = 0)
      : rows(data), channel_count(channels), length(count), first(start) {}
  AudioBlock(AudioBuffer<Sample> &buffer)
      : AudioBlock(buffer.getArrayOfWritePointers(), size_t(buffer.getNumChannels()), size_t(buffer.getNumSamples())) {}
  AudioBlock(const AudioBuffer<Sample> &buffer)
      : AudioBlock(buffer.getArrayOfReadPointers(), size_t(buffer.getNumChannels()), size_t(buffer.getNumSamples())) {}
  /// Allocates memory in a heap block, which must outlive this.
  AudioBlock(HeapBlock<char> &heap, size_t channels, size_t count) : AudioBlock(nullptr, channels, count) {
    const size_t list = (channels * sizeof(T *) + 63) / 64 * 64;
    heap.allocate(list + channels * count * sizeof(T));
    auto **made = reinterpret_cast<T **>(heap.getData());
    for (size_t c = 0; c < channels; c++) made[c] = reinterpret_cast<T *>(heap.getData() + list) + c * count;
    rows = made;
  }
  /// A block for reading of one that can be written.
  template <class U, typename std::enable_if<std::is_same<const U, T>::value>::type * = nullptr>
  AudioBlock(const AudioBlock<U> &other)
      : rows(other.rows), channel_count(other.channel_count), length(other.length), first(other.first) {}
  size_t getNumChannels() const { return channel_count; }
  size_t getNumSamples() const { return length; }
  T *getChannelPointer(size_t c) const { return rows[c] + first; }
  T getSample(int c, int i) const { return getChannelPointer(size_t(c))[i]; }
  void setSample(int c, int i, T value) const { getChannelPointer(size_t(c))[i] = value; }
  void addSample(int c, int i, T value) const { getChannelPointer(size_t(c))[i] += value; }
  AudioBlock getSubsetChannelBlock(size_t c, size_t count) const { return AudioBlock(rows + c, count, length, first); }
  const AudioBlock &operator*=(Sample gain) const { return multiplyBy(gain); }
  template <class Kind> const AudioBlock &operator*=(SmoothedValue<Sample, Kind> &gain) const { return multiplyBy(gain); }
  template <class From> const AudioBlock &operator+=(const From &from) const { return add(from); }
  template <class From> const AudioBlock &operator-=(const From &from) const { return subtract(from); }
  template <class From> const AudioBlock &replaceWithProductOf(const From &from, Sample gain) const { return copyFrom(from).multiplyBy(gain); }
  template <class From> const AudioBlock &addProductOf(const From &from, Sample gain) const {
    return change(from, [gain](T &to, Sample x) { to += x * gain; });
  }
  AudioBlock getSubBlock(size_t start, size_t count) const {
    return AudioBlock(rows, channel_count, count, first + start);
  }
  AudioBlock getSubBlock(size_t start) const { return getSubBlock(start, length - start); }
  AudioBlock getSingleChannelBlock(size_t c) const { return AudioBlock(rows + c, 1, length, first); }
  const AudioBlock &clear() const { return fill(T()); }
  const AudioBlock &fill(Sample value) const {
    for (size_t c = 0; c < channel_count; c++) std::fill_n(getChannelPointer(c), length, value);
    return *this;
  }
  template <class From> const AudioBlock &copyFrom(const From &from) const {
    return change(from, [](T &to, Sample x) { to = x; });
  }
  void copyTo(AudioBuffer<Sample> &to) const { AudioBlock<Sample>(to).copyFrom(*this); }
  template <class From> const AudioBlock &add(const From &from) const {
    return change(from, [](T &to, Sample x) { to += x; });
  }
  template <class From> const AudioBlock &subtract(const From &from) const {
    return change(from, [](T &to, Sample x) { to -= x; });
  }
  template <class From, typename From::Sample * = nullptr> const AudioBlock &multiplyBy(const From &from) const {
    return change(from, [](T &to, Sample x) { to *= x; });
  }
  const AudioBlock &multiplyBy(Sample gain) const {
    for (size_t c = 0; c < channel_count; c++)
      for (size_t i = 0; i < length; i++) getChannelPointer(c)[i] *= gain;
    return *this;
  }
  template <class Kind> const AudioBlock &multiplyBy(SmoothedValue<Sample, Kind> &gain) const {
    for (size_t i = 0; i < length; i++) {
      const Sample factor = gain.getNextValue();
      for (size_t c = 0; c < channel_count; c++) getChannelPointer(c)[i] *= factor;
    }
    return *this;
  }

private:
  template <class> friend class AudioBlock;
  /// Calls a function with the samples of another block, for the channels and frames that both have.
  template <class From, class Function> const AudioBlock &change(const From &other, Function function) const {
    const AudioBlock<const Sample> from(other);
    for (size_t c = 0; c < jmin(channel_count, from.getNumChannels()); c++)
      for (size_t i = 0; i < jmin(length, from.getNumSamples()); i++) function(getChannelPointer(c)[i], from.getChannelPointer(c)[i]);
    return *this;
  }
  T *const *rows;
  size_t channel_count, length, first;
};

/// An input block and an output block, which may be the same.
template <class T, bool isSeparate> struct ProcessContext {
  typedef T SampleType;
  typedef AudioBlock<T> AudioBlockType;
  typedef AudioBlock<const T> ConstAudioBlockType;
  ProcessContext(AudioBlock<const T> from, AudioBlock<T> to) : input(from), block(to) {}
  const AudioBlock<const T> &getInputBlock() const { return input; }
  AudioBlock<T> &getOutputBlock() const { return block; }
  static constexpr bool usesSeparateInputAndOutputBlocks() { return isSeparate; }
  bool isBypassed = false;
  AudioBlock<const T> input;
  mutable AudioBlock<T> block;
};

/// One block that is processed in place.
template <class T> struct ProcessContextReplacing : ProcessContext<T, false> {
  explicit ProcessContextReplacing(AudioBlock<T> b) : ProcessContext<T, false>(b, b) {}
};

/// An input block and an output block.
template <class T> struct ProcessContextNonReplacing : ProcessContext<T, true> {
  ProcessContextNonReplacing(AudioBlock<const T> from, AudioBlock<T> to) : ProcessContext<T, true>(from, to) {}
};

} // namespace dsp

} // namespace juce
