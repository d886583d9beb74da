// audio_file.h: a sound file in memory, at the rate that is wanted. SPDX-License-Identifier: MIT
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
  /// A row of samples for each channel.
  float **channels;
  uint32_t channel_count, frame_count;
} sound;

/// Reads all of a file, as Sources/Files/AudioFiles/AudioFileLoader.swift does, to the sample: of any kind that
/// libsndfile knows, up to 10 minutes, converted by libsamplerate's best filter where it has another rate
/// than `rate`, in Hz.
///
/// Neither library is needed until then: a bundle loads where they are not installed, and says what is
/// missing. Where it fails, `reason` is what there is to say of the path, without a full stop. [any one
/// thread but render]
bool sound_read(sound *it, const char *path, double rate, char *reason, size_t reason_size);
/// Frees what was read. [any]
void sound_free(sound *it);
