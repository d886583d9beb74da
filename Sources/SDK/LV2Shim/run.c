// run.c: renders a block of the host. SPDX-License-Identifier: MIT
//
// Runs on the audio thread: no allocation, freeing, locks or waiting.
#include <lv2/atom/util.h>
#include <string.h>

// Only its inline functions: a bundle for other hosts contains only C code.
#define CREALTIME_HEADERS_ALONE
#include "crealtime.h"
#include "instance.h"

/// Stores the MIDI of the host's block until the module renders the frames, and handles file messages.
static void take_messages(instance *it) {
  if (!it->control_port) return;
  uint64_t start = it->position + it->filled;
  LV2_ATOM_SEQUENCE_FOREACH (it->control_port, event) {
    if (it->files.count > 0 && lv2_atom_forge_is_object_type(&it->files.forge, event->body.type))
      files_listen(&it->files, (const LV2_Atom_Object *)&event->body);
    if (!it->metadata->takes_midi || event->body.type != it->midi_type || event->body.size == 0)
      continue;
    uint64_t frame = event->time.frames > 0 ? (uint64_t)event->time.frames : 0;
    messages_add(&it->messages, start + frame, (const uint8_t *)(event + 1), event->body.size);
  }
}

/// Requests new files and activates a module that has them.
static void exchange_module(instance *it) {
  if (it->files.count == 0) return;
  files_schedule(&it->files, &it->swap, &it->host);
  int expected = HOLD_FREE;
  if (!atomic_compare_exchange_strong_explicit(&it->holder, &expected, HOLD_RENDERING,
                                               memory_order_acquire, memory_order_relaxed))
    return;
  if (swap_take(&it->swap, &it->module))
    memset(it->files.report_pending, true, it->files.count * sizeof *it->files.report_pending);
  atomic_store_explicit(&it->holder, HOLD_FREE, memory_order_release);
}

/// Whether the module would overwrite an input that it, or another output, still reads.
static bool shares_memory(const instance *it) {
  uint32_t inputs = it->metadata->input_count;
  for (uint32_t in = 0; in < inputs; in++)
    for (uint32_t out = 0; out < it->metadata->output_count; out++) {
      bool is_allowed = it->metadata->runs_in_place && in == out;
      if (it->audio_ports[in] && it->audio_ports[in] == it->audio_ports[inputs + out] &&
          !is_allowed)
        return true;
    }
  return false;
}

/// Points the channel buffers at frames of the host's block, or at own memory if the host's is unusable.
static void set_rows(instance *it, uint32_t start, uint32_t frame_count) {
  uint32_t inputs = it->metadata->input_count;
  for (uint32_t row = 0; row < inputs + it->metadata->output_count; row++) {
    float *port = it->audio_ports[row];
    it->rows[row] = port ? port + start : row < inputs ? it->silence : it->waste;
  }
  if (!it->shares_memory) return;
  for (uint32_t row = 0; row < inputs; row++) {
    float *copy = it->copies + (size_t)row * it->host_maximum;
    memcpy(copy, it->rows[row], frame_count * sizeof(float));
    it->rows[row] = copy;
  }
}

static void render(instance *it, uint32_t frame_count) {
  if (it->is_reconnected) it->shares_memory = shares_memory(it);
  it->is_reconnected = false;
  if (it->is_fresh) settle(it);
  it->is_fresh = false;
  for (uint32_t done = 0; done < frame_count;) {
    uint32_t left = frame_count - done;
    uint32_t part = left < it->host_maximum ? left : it->host_maximum;
    set_rows(it, done, part);
    if (it->block) {
      reblock(it, it->rows, part);
    } else {
      step(it, it->rows, part);
    }
    done += part;
  }
}

/// Writes the readouts to the host's ports.
static void tell_readouts(instance *it) {
  if (it->metadata->readout_count == 0) return;
  it->module->functions.readouts(it->module->state, it->readouts);
  for (uint32_t i = 0; i < it->metadata->readout_count; i++)
    if (it->readout_ports[i]) *it->readout_ports[i] = it->readouts[i];
}

void run(LV2_Handle handle, uint32_t frame_count) {
  instance *it = handle;
  // The module needs flush-to-zero, as in Outboard. The LV2 host may have another mode.
  uint64_t mode = crealtime_flush_denormals();
  take_messages(it);
  exchange_module(it);
  // A block of 0 frames only queries the latency.
  if (frame_count > 0) {
    render(it, frame_count);
    tell_readouts(it);
  }
  crealtime_restore_denormals(mode);
  files_tell(&it->files, it->module, it->notify_port);
  if (it->latency_port)
    *it->latency_port = (float)(it->module->latency_frames + (it->block ? reblock_latency(it) : 0));
}
