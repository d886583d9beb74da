// csamples.h: a sound card's samples to floats and back, exactly. SPDX-License-Identifier: MIT
//
// Full scale is 1. An integer code of n bits stands for code / 2^(n-1), so that every code of up to
// 24 bits is a float exactly and comes back as itself; of 32 bits the upper 24 that count are kept,
// as a float has no more. Memory need not be aligned. Nothing here allocates or waits.
#pragma once

#include <stdint.h>

/// Tells the Swift compiler that the function neither locks nor allocates.
#define CSAMPLES_SAFE __attribute__((swift_attr("@_noLocks")))

/// How a sample lies in memory. The numbers are those of ALSA, a fixed interface of the kernel.
typedef enum csamples_format {
  CSAMPLES_S8 = 0,           ///< 8 bits
  CSAMPLES_U8 = 1,           ///< 8 bits, silence at 128
  CSAMPLES_S16 = 2,          ///< 16 bits, little-endian
  CSAMPLES_S16_BE = 3,       ///< 16 bits, big-endian
  CSAMPLES_U16 = 4,          ///< 16 bits, silence at 32768, little-endian
  CSAMPLES_U16_BE = 5,       ///< 16 bits, silence at 32768, big-endian
  CSAMPLES_S24 = 6,          ///< 24 bits, sign-extended to four bytes, little-endian
  CSAMPLES_S24_BE = 7,       ///< 24 bits, sign-extended to four bytes, big-endian
  CSAMPLES_S32 = 10,         ///< 32 bits, little-endian
  CSAMPLES_S32_BE = 11,      ///< 32 bits, big-endian
  CSAMPLES_U32 = 12,         ///< 32 bits, silence at 2^31, little-endian
  CSAMPLES_U32_BE = 13,      ///< 32 bits, silence at 2^31, big-endian
  CSAMPLES_FLOAT = 14,       ///< 32-bit float, little-endian
  CSAMPLES_FLOAT_BE = 15,    ///< 32-bit float, big-endian
  CSAMPLES_FLOAT64 = 16,     ///< 64-bit float, little-endian
  CSAMPLES_FLOAT64_BE = 17,  ///< 64-bit float, big-endian
  CSAMPLES_S20 = 25,         ///< 20 bits, sign-extended to four bytes, little-endian
  CSAMPLES_S20_BE = 26,      ///< 20 bits, sign-extended to four bytes, big-endian
  CSAMPLES_S24_3 = 32,       ///< 24 bits in three bytes, little-endian
  CSAMPLES_S24_3_BE = 33,    ///< 24 bits in three bytes, big-endian
  CSAMPLES_S20_3 = 36,       ///< 20 bits, sign-extended to three bytes, little-endian
  CSAMPLES_S20_3_BE = 37,    ///< 20 bits, sign-extended to three bytes, big-endian
  CSAMPLES_S18_3 = 40,       ///< 18 bits, sign-extended to three bytes, little-endian
  CSAMPLES_S18_3_BE = 41,    ///< 18 bits, sign-extended to three bytes, big-endian
} csamples_format;

/// Bytes that a sample takes. [any]
CSAMPLES_SAFE uint32_t csamples_byte_count(csamples_format format);

/// With anything but 0, keeps the conversions to the vectors that every processor of this kind has.
/// The results are the same as with wider ones; a test sees to that. [any]
CSAMPLES_SAFE void csamples_narrow(uint32_t is_narrow);

// MARK: - One channel

/// Reads `count` samples, `stride` bytes apart, as floats. A stride is at least a sample's bytes.
///
/// Floats are taken as they are, not-a-number too; 64-bit ones are rounded to the nearest. [render]
CSAMPLES_SAFE void csamples_read(csamples_format format, const void *_Nonnull from, uint32_t stride,
                                 float *_Nonnull to, uint32_t count);

/// Writes `count` floats as samples `stride` bytes apart, and returns how many were out of range.
///
/// Those are clipped; what is not a number becomes 0; the rest is rounded to the nearest code, a
/// half to the even one. Assumes the processor's default rounding mode. [render]
CSAMPLES_SAFE uint32_t csamples_write(csamples_format format, const float *_Nonnull from,
                                      void *_Nonnull to, uint32_t stride, uint32_t count);

/// Writes `count` samples of silence, `stride` bytes apart. [render]
CSAMPLES_SAFE void csamples_silence(csamples_format format, void *_Nonnull to, uint32_t stride,
                                    uint32_t count);

// MARK: - Dither

/// Where a sequence of dither stands. Who writes keeps one for each channel, or for each stream.
typedef struct csamples_dither {
  /// The place of the next sample in the sequence, which repeats after 2^32.
  uint32_t next;
} csamples_dither;

/// The start of a sequence; those of different numbers begin far apart. [any]
CSAMPLES_SAFE csamples_dither csamples_dither_start(uint32_t number);

/// Writes as `csamples_write` does, and dithers before rounding where a code has 16 bits or 8.
///
/// The dither has a triangular distribution from -1 to 1 codes and no memory, which makes mean and
/// power of the rounding error independent of the sound: white noise of half a code, 93.3 dB
/// below a full-scale sine at 16 bits. What is out of range counts as it would without. The same
/// samples come out however they are parted into calls. [render]
CSAMPLES_SAFE uint32_t csamples_write_dithered(csamples_format format, const float *_Nonnull from,
                                               void *_Nonnull to, uint32_t stride, uint32_t count,
                                               csamples_dither *_Nonnull dither);

// MARK: - All channels

/// Where one channel of a device lies: its first sample, and the bytes from one to the next.
typedef struct csamples_channel {
  uint8_t *_Nonnull first;
  uint32_t stride;
} csamples_channel;

/// All channels of a device, and the rows they are read to or written from.
typedef struct csamples_frames {
  csamples_format format;
  uint32_t channel_count;
  /// Where frame 0 of each channel lies. Interleaved channels in their order take the fast way, any
  /// other layout is right too.
  const csamples_channel *_Nonnull channels;
  /// The row of each channel; NULL for one that has none. Several channels may be written from one.
  float *_Nullable const *_Nonnull rows;
  /// One sequence for all channels; NULL for no dither.
  csamples_dither *_Nullable dither;
} csamples_frames;

/// Reads `frame_count` frames from `device_frame` on, to `rows[channel][row_frame]` and on.
///
/// A channel without a row is left out. [render]
CSAMPLES_SAFE void csamples_read_frames(const csamples_frames *_Nonnull all,
                                        uint32_t device_frame, uint32_t row_frame,
                                        uint32_t frame_count);

/// Writes `frame_count` frames from `device_frame` on, from `rows[channel][row_frame]` and on, and
/// returns how many samples were out of range.
///
/// A channel without a row is silenced. Dithers as `csamples_write_dithered`. [render]
CSAMPLES_SAFE uint32_t csamples_write_frames(const csamples_frames *_Nonnull all,
                                             uint32_t device_frame, uint32_t row_frame,
                                             uint32_t frame_count);

/// Silences `frame_count` frames from `device_frame` on. [render]
CSAMPLES_SAFE void csamples_silence_frames(const csamples_frames *_Nonnull all,
                                           uint32_t device_frame, uint32_t frame_count);
