// file_requests.c: file messages between host and plugin. SPDX-License-Identifier: MIT
//
// Everything except setup runs on the audio thread. Paths are stored until the host's worker takes them.
#define _DEFAULT_SOURCE
#include <lv2/atom/util.h>
#include <lv2/patch/patch.h>
#include <stdlib.h>
#include <string.h>

#include "files.h"

// MARK: - Memory

bool files_make(file_requests *it, const module_metadata *metadata, const host_features *host) {
  pthread_mutex_init(&it->turn, NULL);
  if (!host->map) return true;
  uint32_t count = metadata->file_count;
  it->keys = calloc(count + 1, sizeof *it->keys);
  it->due_paths = calloc(count + 1, sizeof *it->due_paths);
  it->is_due = calloc(count + 1, sizeof *it->is_due);
  it->report_pending = calloc(count + 1, sizeof *it->report_pending);
  if (!it->keys || !it->due_paths || !it->is_due || !it->report_pending) return false;
  for (uint32_t file = 0; file < count; file++)
    it->keys[file] = host_features_number(host, metadata->files[file]);
  lv2_atom_forge_init(&it->forge, host->map);
  it->set = host_features_number(host, LV2_PATCH__Set);
  it->get = host_features_number(host, LV2_PATCH__Get);
  it->property = host_features_number(host, LV2_PATCH__property);
  it->value = host_features_number(host, LV2_PATCH__value);
  it->count = count;
  return true;
}

void files_free(file_requests *it) {
  pthread_mutex_destroy(&it->turn);
  free(it->keys);
  free(it->due_paths);
  free(it->is_due);
  free(it->report_pending);
}

// MARK: - Messages from the host

/// Returns the index of the file of a property, or `count` if there is none.
static uint32_t place(const file_requests *it, const LV2_Atom *property) {
  if (property->type != it->forge.URID || property->size != sizeof(LV2_URID)) return it->count;
  LV2_URID key = ((const LV2_Atom_URID *)property)->body;
  uint32_t file = 0;
  while (file < it->count && it->keys[file] != key) file++;
  return file;
}

static void take_path(file_requests *it, const LV2_Atom *property, const LV2_Atom *value) {
  uint32_t file = place(it, property);
  if (file == it->count || (value->type != it->forge.Path && value->type != it->forge.String))
    return;
  // The final 0 may be missing.
  const char *path = LV2_ATOM_BODY_CONST(value);
  size_t length = strnlen(path, value->size);
  if (length >= longest_path) return;
  memcpy(it->due_paths[file], path, length);
  it->due_paths[file][length] = 0;
  it->is_due[file] = true;
}

void files_listen(file_requests *it, const LV2_Atom_Object *message) {
  const LV2_Atom *property = NULL, *value = NULL;
  lv2_atom_object_get(message, it->property, &property, it->value, &value, 0);
  if (message->body.otype == it->set && property && value) {
    take_path(it, property, value);
  } else if (message->body.otype == it->get) {
    uint32_t only = property ? place(it, property) : it->count;
    for (uint32_t file = 0; file < it->count; file++)
      if (!property || file == only) it->report_pending[file] = true;
  }
}

// MARK: - Requests to the worker

/// Sends one request at a time. If files arrive faster than they load, only the last one is loaded.
static bool ask(file_requests *it, const LV2_Worker_Schedule *worker, const file_request *request,
                size_t size) {
  // The worker may finish before the call returns.
  atomic_store_explicit(&it->is_working, true, memory_order_relaxed);
  if (worker->schedule_work(worker->handle, (uint32_t)size, request) == LV2_WORKER_SUCCESS)
    return true;
  // If there is no space, the request is repeated in the next block.
  atomic_store_explicit(&it->is_working, false, memory_order_relaxed);
  return false;
}

static bool is_free(file_requests *it) {
  return !atomic_load_explicit(&it->is_working, memory_order_relaxed);
}

void files_schedule(file_requests *it, const module_swap *swap, const host_features *host) {
  if (!host->worker) {
    // Files come only with states.
    for (uint32_t file = 0; file < it->count; file++) {
      if (it->is_due[file]) atomic_store_explicit(&it->is_refused, true, memory_order_relaxed);
      it->is_due[file] = false;
    }
    return;
  }
  file_request request = {file_collect, ""};
  if (is_free(it) && atomic_load_explicit(&swap->gone, memory_order_relaxed))
    ask(it, host->worker, &request, sizeof request.file);
  for (uint32_t file = 0; file < it->count && is_free(it); file++) {
    if (!it->is_due[file]) continue;
    size_t bytes = strlen(it->due_paths[file]) + 1;
    request.file = file;
    memcpy(request.path, it->due_paths[file], bytes);
    it->is_due[file] = !ask(it, host->worker, &request, sizeof request.file + bytes);
  }
}

// MARK: - Messages to the host

/// The size of a message without its path, plus padding.
enum { message_bytes = 128 };

static void report(file_requests *it, uint32_t file, const char *path, size_t length) {
  LV2_Atom_Forge *forge = &it->forge;
  LV2_Atom_Forge_Frame frame;
  lv2_atom_forge_frame_time(forge, 0);
  lv2_atom_forge_object(forge, &frame, 0, it->set);
  lv2_atom_forge_key(forge, it->property);
  lv2_atom_forge_urid(forge, it->keys[file]);
  lv2_atom_forge_key(forge, it->value);
  lv2_atom_forge_path(forge, path, (uint32_t)length);
  lv2_atom_forge_pop(forge, &frame);
}

void files_tell(file_requests *it, const module *heard, LV2_Atom_Sequence *notify) {
  // At this point the size field of an output contains its capacity.
  if (!notify || it->count == 0 || notify->atom.size < sizeof(LV2_Atom_Sequence)) return;
  // If a file was rejected, the host receives the current file, or none.
  bool is_refused = atomic_exchange_explicit(&it->is_refused, false, memory_order_relaxed);
  LV2_Atom_Forge_Frame sequence;
  lv2_atom_forge_set_buffer(&it->forge, (uint8_t *)notify, notify->atom.size);
  lv2_atom_forge_sequence_head(&it->forge, &sequence, 0);
  for (uint32_t file = 0; file < it->count; file++) {
    const char *path = heard->paths[file] ? heard->paths[file] : "";
    size_t length = strlen(path);
    if (!is_refused && (!it->report_pending[file] || length == 0)) continue;
    it->report_pending[file] = it->forge.offset + length + message_bytes > it->forge.size;
    if (!it->report_pending[file]) report(it, file, path, length);
  }
  lv2_atom_forge_pop(&it->forge, &sequence);
}
