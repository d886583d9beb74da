// juce_audio.h: JUCE-style buffers and blocks. SPDX-License-Identifier: MIT
#pragma once

#include "juce_lists.h"
#include "juce_types.h"

namespace juce {

/// Channels of samples, in own or external memory.
template <class T> class AudioBuffer {
public:
  AudioBuffer() {}
  AudioBuffer(int channels, int count) { setSize(channels, count); }
  AudioBuffer(T *const *data, int channels, int count) : channel_count(channels), length(count) {
    for (int c = 0; c < channels; c++) rows[size_t(c)] = data[c];
  }
  AudioBuffer(T *const *data, int channels, int start, int count) : channel_count(channels), length(count) {
    for (int c = 0; c < channels; c++) rows[size_t(c)] = data[c] + start;
  }
  /// Refers to the same memory if it is external.
  AudioBuffer(const AudioBuffer &other) {
    if (other.own.empty()) setDataToReferTo(other.rows.data(), other.channel_count, other.length);
    else makeCopyOf(other);
  }
  AudioBuffer(AudioBuffer &&) = default;
  AudioBuffer &operator=(AudioBuffer &&) = default;
  AudioBuffer &operator=(const AudioBuffer &other) {
    if (this != &other) makeCopyOf(other);
    return *this;
  }
  /// Allocates only if the memory is too small.
  void setSize(int channels, int count, bool keeps = false, bool clears = false, bool = false) {
    channels = jlimit(0, int(rows.size()), channels);
    count = jmax(0, count);
    const int same_channels = jmin(channels, channel_count), same_length = jmin(count, length);
    if (channels > own_channels || count > own_length) {
      const int stride = jmax(count, own_length);
      std::vector<T> more(size_t(jmax(channels, own_channels)) * size_t(stride));
      for (int c = 0; keeps && c < same_channels; c++)
        std::copy_n(rows[size_t(c)], same_length, more.data() + size_t(c) * size_t(stride));
      own.swap(more);
      own_channels = jmax(channels, own_channels);
      own_length = stride;
    } else if (keeps && same_channels > 0 && rows[0] != own.data()) {
      for (int c = 0; c < same_channels; c++) std::copy_n(rows[size_t(c)], same_length, ownRow(c));
    }
    channel_count = channels;
    length = count;
    for (int c = 0; c < channels; c++) {
      rows[size_t(c)] = ownRow(c);
      const int kept = !keeps || c >= same_channels ? 0 : same_length;
      if (clears) clear(c, kept, count - kept);
    }
  }
  template <class U> void makeCopyOf(const AudioBuffer<U> &other, bool = false) {
    setSize(other.getNumChannels(), other.getNumSamples());
    for (int c = 0; c < channel_count; c++)
      std::copy_n(other.getReadPointer(c), length, getWritePointer(c));
  }
  void setDataToReferTo(T *const *data, int channels, int count) {
    channel_count = channels;
    length = count;
    for (int c = 0; c < channels; c++) rows[size_t(c)] = data[c];
  }
  /// Reports no channels; reads of the present ones are still valid.
  void hideChannels() { channel_count = 0; }
  bool hasBeenCleared() const { return false; }
  void reverse(int start, int count) {
    for (int c = 0; c < channel_count; c++) std::reverse(rows[size_t(c)] + start, rows[size_t(c)] + start + count);
  }
  int getNumChannels() const { return channel_count; }
  int getNumSamples() const { return length; }
  const T *getReadPointer(int c, int start = 0) const { return rows[size_t(c)] + start; }
  T *getWritePointer(int c, int start = 0) { return rows[size_t(c)] + start; }
  const T *const *getArrayOfReadPointers() const { return rows.data(); }
  T *const *getArrayOfWritePointers() { return rows.data(); }
  T getSample(int c, int i) const { return rows[size_t(c)][i]; }
  void setSample(int c, int i, T value) { rows[size_t(c)][i] = value; }
  void addSample(int c, int i, T value) { rows[size_t(c)][i] += value; }
  void clear() {
    for (int c = 0; c < channel_count; c++) clear(c, 0, length);
  }
  void clear(int start, int count) {
    for (int c = 0; c < channel_count; c++) clear(c, start, count);
  }
  void clear(int c, int start, int count) { std::fill_n(rows[size_t(c)] + start, count, T()); }
  void applyGain(T gain) {
    for (int c = 0; c < channel_count; c++) applyGain(c, 0, length, gain);
  }
  void applyGain(int start, int count, T gain) {
    for (int c = 0; c < channel_count; c++) applyGain(c, start, count, gain);
  }
  void applyGain(int c, int start, int count, T gain) {
    for (int i = start; i < start + count; i++) rows[size_t(c)][i] *= gain;
  }
  void applyGainRamp(int start, int count, T first, T last) {
    for (int c = 0; c < channel_count; c++) applyGainRamp(c, start, count, first, last);
  }
  void applyGainRamp(int c, int start, int count, T first, T last) {
    const T step = (last - first) / T(count);
    for (int i = start; i < start + count; i++, first += step) rows[size_t(c)][i] *= first;
  }
  void copyFrom(int c, int start, const AudioBuffer &from, int from_c, int from_start, int count) {
    std::copy_n(from.rows[size_t(from_c)] + from_start, count, rows[size_t(c)] + start);
  }
  void copyFrom(int c, int start, const T *from, int count) {
    std::copy_n(from, count, rows[size_t(c)] + start);
  }
  void copyFrom(int c, int start, const T *from, int count, T gain) {
    for (int i = 0; i < count; i++) rows[size_t(c)][start + i] = from[i] * gain;
  }
  void copyFromWithRamp(int c, int start, const T *from, int count, T first, T last) {
    const T step = (last - first) / T(count);
    for (int i = 0; i < count; i++, first += step) rows[size_t(c)][start + i] = from[i] * first;
  }
  void addFromWithRamp(int c, int start, const T *from, int count, T first, T last) {
    const T step = (last - first) / T(count);
    for (int i = 0; i < count; i++, first += step) rows[size_t(c)][start + i] += from[i] * first;
  }
  void addFrom(int c, int start, const AudioBuffer &from, int from_c, int from_start, int count,
               T gain = T(1)) {
    addFrom(c, start, from.rows[size_t(from_c)] + from_start, count, gain);
  }
  void addFrom(int c, int start, const T *from, int count, T gain = T(1)) {
    for (int i = 0; i < count; i++) rows[size_t(c)][start + i] += from[i] * gain;
  }
  T getMagnitude(int c, int start, int count) const {
    T peak = T();
    for (int i = start; i < start + count; i++) peak = jmax(peak, std::abs(rows[size_t(c)][i]));
    return peak;
  }
  T getMagnitude(int start, int count) const {
    T peak = T();
    for (int c = 0; c < channel_count; c++) peak = jmax(peak, getMagnitude(c, start, count));
    return peak;
  }
  Range<T> findMinMax(int c, int start, int count) const {
    const T *from = rows[size_t(c)] + start;
    return count > 0 ? Range<T>(*std::min_element(from, from + count), *std::max_element(from, from + count))
                     : Range<T>();
  }
  T getRMSLevel(int c, int start, int count) const {
    double sum = 0;
    for (int i = start; i < start + count; i++) sum += double(rows[size_t(c)][i]) * rows[size_t(c)][i];
    return count > 0 ? T(std::sqrt(sum / count)) : T();
  }

private:
  T *ownRow(int c) { return own.data() + size_t(c) * size_t(own_length); }
  std::array<T *, 64> rows{};
  int channel_count = 0, length = 0;
  std::vector<T> own; // the memory of the buffer itself, which may be larger
  int own_channels = 0, own_length = 0;
};
typedef AudioBuffer<float> AudioSampleBuffer;

} // namespace juce
