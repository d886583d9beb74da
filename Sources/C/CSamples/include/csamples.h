// csamples.h: converts a sound card's samples to floats and back, exactly. SPDX-License-Identifier: MIT
//
// Full scale is 1. An integer code of n bits means code / 2^(n-1). Every code of up to 24 bits is exactly a
// float, and converts back to itself. Of 32 bits the upper 24 significant bits are kept, the precision of a
// float. Memory need not be aligned. Nothing here allocates or waits.
#pragma once

#include <stdint.h>

/// Declares to the Swift compiler that a function neither locks nor allocates.
#define CSAMPLES_SAFE __attribute__((swift_attr("@_noLocks")))

/// The memory layout of a sample. The numbers are those of ALSA, which the kernel guarantees.
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

/// Returns the size of a sample in bytes. [any]
CSAMPLES_SAFE uint32_t csamples_byte_count(csamples_format format);

/// With a value other than 0, restricts the conversions to vector instructions that every processor of this
/// architecture has. The results do not change, which a test verifies. [any]
CSAMPLES_SAFE void csamples_narrow(uint32_t is_narrow);

// MARK: - One channel

/// Reads `count` samples, `stride` bytes apart, as floats. The stride is at least the size of a sample.
///
/// Floats are copied unchanged, including NaN; 64-bit floats are rounded to the nearest. [render]
CSAMPLES_SAFE void csamples_read(csamples_format format, const void *_Nonnull from, uint32_t stride,
                                 float *_Nonnull to, uint32_t count);

/// Writes `count` floats as samples `stride` bytes apart, and returns how many were out of range.
///
/// Those are clipped; NaN becomes 0; others are rounded to the nearest code, a half to the even one. Assumes
/// the processor's default rounding mode. [render]
CSAMPLES_SAFE uint32_t csamples_write(csamples_format format, const float *_Nonnull from,
                                      void *_Nonnull to, uint32_t stride, uint32_t count);

/// Writes `count` samples of silence, `stride` bytes apart. [render]
CSAMPLES_SAFE void csamples_silence(csamples_format format, void *_Nonnull to, uint32_t stride,
                                    uint32_t count);

// MARK: - Dither

/// The position in a sequence of dither. Use one for each channel or for each stream.
typedef struct csamples_dither {
  /// The index of the next sample in the sequence, which repeats after 2^32.
  uint32_t next;
} csamples_dither;

/// Returns the start of a sequence; sequences of different numbers begin far apart. [any]
CSAMPLES_SAFE csamples_dither csamples_dither_start(uint32_t number);

/// Writes like `csamples_write`, and dithers before rounding if a code has 16 bits or 8.
///
/// The dither has a triangular distribution from -1 to 1 codes and no memory. This makes mean and power of
/// the rounding error independent of the audio: white noise of half a code, 93.3 dB below a full-scale sine
/// at 16 bits. Samples out of range are counted before the dither. The result does not depend on how the
/// samples are split into calls. [render]
CSAMPLES_SAFE uint32_t csamples_write_dithered(csamples_format format, const float *_Nonnull from,
                                               void *_Nonnull to, uint32_t stride, uint32_t count,
                                               csamples_dither *_Nonnull dither);

// MARK: - All channels

/// The memory of one channel of a device: its first sample, and the distance between samples in bytes.
typedef struct csamples_channel {
  uint8_t *_Nonnull first;
  uint32_t stride;
} csamples_channel;

/// All channels of a device, and the channel buffers that are read or written.
typedef struct csamples_frames {
  csamples_format format;
  uint32_t channel_count;
  /// Frame 0 of each channel. Interleaved channels in order are converted faster; any other layout is correct
  /// too.
  const csamples_channel *_Nonnull channels;
  /// The buffer of each channel; NULL for none. Several channels may be written from one buffer.
  float *_Nullable const *_Nonnull rows;
  /// One sequence for all channels; NULL for no dither.
  csamples_dither *_Nullable dither;
} csamples_frames;

/// Reads `frame_count` frames from `device_frame` on, to `rows[channel][row_frame]` and on.
///
/// A channel without a buffer is skipped. [render]
CSAMPLES_SAFE void csamples_read_frames(const csamples_frames *_Nonnull all,
                                        uint32_t device_frame, uint32_t row_frame,
                                        uint32_t frame_count);

/// Writes `frame_count` frames from `device_frame` on, from `rows[channel][row_frame]` and on. Returns how
/// many samples were out of range.
///
/// A channel without a buffer is silenced. Dithers like `csamples_write_dithered`. [render]
CSAMPLES_SAFE uint32_t csamples_write_frames(const csamples_frames *_Nonnull all,
                                             uint32_t device_frame, uint32_t row_frame,
                                             uint32_t frame_count);

/// Silences `frame_count` frames from `device_frame` on. [render]
CSAMPLES_SAFE void csamples_silence_frames(const csamples_frames *_Nonnull all,
                                           uint32_t device_frame, uint32_t frame_count);
