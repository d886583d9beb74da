// audio_file.h: loads an audio file at a sample rate. SPDX-License-Identifier: MIT
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
  /// A planar buffer per channel.
  float **channels;
  uint32_t channel_count, frame_count;
} sound;

/// Loads a whole audio file in any format of libsndfile, up to 10 minutes. Converts it to `rate` (Hz) with
/// libsamplerate's best filter if needed. The samples are the same as from
/// Sources/Files/AudioFiles/AudioFileLoader.swift.
///
/// Both libraries are loaded on demand, so a bundle also loads without them. On failure, `reason` is the end
/// of a message that starts with the path, without a full stop. [any single thread except render]
bool sound_read(sound *it, const char *path, double rate, char *reason, size_t reason_size);
/// Frees the samples. [any]
void sound_free(sound *it);
