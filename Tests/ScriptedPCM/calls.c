// calls.c: counts the program's calls of alsa-lib, and makes them fail. SPDX-License-Identifier: MIT
//
// Calls within alsa-lib are not counted.
#include "scripted.h"

// Only for the prototypes: the constants have the same values as the kernel's above.
typedef struct _snd_pcm snd_pcm_t;
typedef struct snd_opaque opaque;
typedef snd_pcm_uframes_t frames;
typedef snd_pcm_sframes_t moved;

extern int snd_pcm_stream(snd_pcm_t *);

/// The duration of each call.
#define COST 500

static struct verdict enter(const char *function, snd_pcm_t *pcm) {
  if (!is_scripted || depth > 0) {
    depth++;
    return (struct verdict){0, -1};
  }
  depth++;
  spend(COST);
  return judge(function, pcm ? REAL(snd_pcm_stream)(pcm) : -1);
}

#define CALL(type, name, parameters, arguments, pcm)             \
  extern type name parameters;                                   \
  EXPORTED type name parameters {                                \
    struct verdict verdict = enter(#name, pcm);                  \
    type result = (type)-verdict.error;                          \
    if (!verdict.error) result = REAL(name) arguments;           \
    depth--;                                                     \
    return result;                                               \
  }

/// A call that the script can limit to fewer frames.
#define CUT(name, parameters, arguments, pcm, count)             \
  extern moved name parameters;                                  \
  EXPORTED moved name parameters {                               \
    struct verdict verdict = enter(#name, pcm);                  \
    if (verdict.at_most >= 0 && (long)count > verdict.at_most) count = (frames)verdict.at_most; \
    moved result = -verdict.error;                               \
    if (!verdict.error) result = REAL(name) arguments;           \
    depth--;                                                     \
    return result;                                               \
  }

/// A call whose result the script can limit.
#define ANSWER(name)                                             \
  extern moved name(snd_pcm_t *pcm);                             \
  EXPORTED moved name(snd_pcm_t *pcm) {                          \
    struct verdict verdict = enter(#name, pcm);                  \
    moved result = -verdict.error;                               \
    if (!verdict.error) result = REAL(name)(pcm);                \
    if (verdict.at_most >= 0 && result > verdict.at_most) result = verdict.at_most; \
    depth--;                                                     \
    return result;                                               \
  }

#define SIMPLE(name) CALL(int, name, (snd_pcm_t * pcm), (pcm), pcm)

SIMPLE(snd_pcm_close)
SIMPLE(snd_pcm_prepare)
SIMPLE(snd_pcm_start)
SIMPLE(snd_pcm_drop)
SIMPLE(snd_pcm_drain)
SIMPLE(snd_pcm_resume)
SIMPLE(snd_pcm_reset)
SIMPLE(snd_pcm_unlink)
SIMPLE(snd_pcm_hwsync)
SIMPLE(snd_pcm_hw_free)
SIMPLE(snd_pcm_poll_descriptors_count)
ANSWER(snd_pcm_avail_update)
ANSWER(snd_pcm_avail)
CALL(int, snd_pcm_open, (snd_pcm_t * *pcm, const char *name, int stream, int mode),
     (pcm, name, stream, mode), NULL)
CALL(int, snd_pcm_link, (snd_pcm_t * pcm, snd_pcm_t *other), (pcm, other), pcm)
CALL(int, snd_pcm_wait, (snd_pcm_t * pcm, int timeout), (pcm, timeout), pcm)
CALL(int, snd_pcm_pause, (snd_pcm_t * pcm, int enable), (pcm, enable), pcm)
CALL(int, snd_pcm_nonblock, (snd_pcm_t * pcm, int on), (pcm, on), pcm)
CALL(int, snd_pcm_delay, (snd_pcm_t * pcm, moved *delay), (pcm, delay), pcm)
CALL(int, snd_pcm_avail_delay, (snd_pcm_t * pcm, moved *avail, moved *delay),
     (pcm, avail, delay), pcm)
CALL(int, snd_pcm_htimestamp, (snd_pcm_t * pcm, frames *avail, void *time), (pcm, avail, time), pcm)
CALL(int, snd_pcm_status, (snd_pcm_t * pcm, opaque *status), (pcm, status), pcm)
CALL(int, snd_pcm_info, (snd_pcm_t * pcm, opaque *info), (pcm, info), pcm)
CALL(int, snd_pcm_recover, (snd_pcm_t * pcm, int error, int silent), (pcm, error, silent), pcm)
CALL(int, snd_pcm_poll_descriptors, (snd_pcm_t * pcm, struct pollfd *list, unsigned space),
     (pcm, list, space), pcm)
CALL(int, snd_pcm_poll_descriptors_revents,
     (snd_pcm_t * pcm, struct pollfd *list, unsigned count, unsigned short *events),
     (pcm, list, count, events), pcm)
CALL(int, snd_pcm_hw_params, (snd_pcm_t * pcm, opaque *parameters), (pcm, parameters), pcm)
CALL(int, snd_pcm_hw_params_any, (snd_pcm_t * pcm, opaque *parameters), (pcm, parameters), pcm)
CALL(int, snd_pcm_hw_params_set_access, (snd_pcm_t * pcm, opaque *parameters, int access),
     (pcm, parameters, access), pcm)
CALL(int, snd_pcm_hw_params_set_format, (snd_pcm_t * pcm, opaque *parameters, int format),
     (pcm, parameters, format), pcm)
CALL(int, snd_pcm_hw_params_set_channels_near, (snd_pcm_t * pcm, opaque *parameters, unsigned *count),
     (pcm, parameters, count), pcm)
CALL(int, snd_pcm_hw_params_set_rate, (snd_pcm_t * pcm, opaque *parameters, unsigned rate, int side),
     (pcm, parameters, rate, side), pcm)
CALL(int, snd_pcm_hw_params_set_period_size,
     (snd_pcm_t * pcm, opaque *parameters, frames size, int side), (pcm, parameters, size, side), pcm)
CALL(int, snd_pcm_hw_params_set_buffer_size_near,
     (snd_pcm_t * pcm, opaque *parameters, frames *size), (pcm, parameters, size), pcm)
CALL(int, snd_pcm_hw_params_malloc, (opaque * *parameters), (parameters), NULL)
CALL(int, snd_pcm_sw_params_malloc, (opaque * *parameters), (parameters), NULL)
CALL(int, snd_pcm_sw_params_current, (snd_pcm_t * pcm, opaque *parameters), (pcm, parameters), pcm)
CALL(int, snd_pcm_sw_params, (snd_pcm_t * pcm, opaque *parameters), (pcm, parameters), pcm)
CALL(int, snd_ctl_open, (opaque * *control, const char *name, int mode), (control, name, mode), NULL)
CALL(int, snd_ctl_card_info, (opaque * control, opaque *info), (control, info), NULL)
CALL(int, snd_card_next, (int *number), (number), NULL)
CALL(int, snd_card_get_index, (const char *name), (name), NULL)

CUT(snd_pcm_readi, (snd_pcm_t * pcm, void *memory, frames count), (pcm, memory, count), pcm, count)
CUT(snd_pcm_writei, (snd_pcm_t * pcm, const void *memory, frames count), (pcm, memory, count), pcm,
    count)
CUT(snd_pcm_readn, (snd_pcm_t * pcm, void **rows, frames count), (pcm, rows, count), pcm, count)
CUT(snd_pcm_writen, (snd_pcm_t * pcm, void **rows, frames count), (pcm, rows, count), pcm, count)
CUT(snd_pcm_mmap_commit, (snd_pcm_t * pcm, frames offset, frames count), (pcm, offset, count), pcm,
    count)
CUT(snd_pcm_rewind, (snd_pcm_t * pcm, frames count), (pcm, count), pcm, count)
CUT(snd_pcm_forward, (snd_pcm_t * pcm, frames count), (pcm, count), pcm, count)

extern int snd_pcm_state(snd_pcm_t *pcm);
EXPORTED int snd_pcm_state(snd_pcm_t *pcm) {
  // This call cannot fail, but a rule can run an event at it.
  enter("snd_pcm_state", pcm);
  int state = REAL(snd_pcm_state)(pcm);
  depth--;
  return state;
}

extern int snd_pcm_mmap_begin(snd_pcm_t *pcm, const void **areas, frames *offset, frames *count);
EXPORTED int snd_pcm_mmap_begin(snd_pcm_t *pcm, const void **areas, frames *offset, frames *count) {
  struct verdict verdict = enter("snd_pcm_mmap_begin", pcm);
  if (verdict.at_most >= 0 && (long)*count > verdict.at_most) *count = (frames)verdict.at_most;
  int result = verdict.error ? -verdict.error
                             : REAL(snd_pcm_mmap_begin)(pcm, areas, offset, count);
  depth--;
  return result;
}

// MARK: - Channel maps, which a card can report wrongly

extern unsigned *snd_pcm_get_chmap(snd_pcm_t *pcm);
EXPORTED unsigned *snd_pcm_get_chmap(snd_pcm_t *pcm) {
  enter("snd_pcm_get_chmap", pcm);
  depth--;
  unsigned claimed = card_count ? cards[0].claimed_channels : 0;
  if (!is_scripted || !claimed) return REAL(snd_pcm_get_chmap)(pcm);
  unsigned *map = calloc(claimed + 1, sizeof *map);
  map[0] = claimed;
  // All entries are equal except the last, which is not a position of the card.
  for (unsigned i = 1; i <= claimed; i++) map[i] = i == claimed ? 0xffff : SNDRV_CHMAP_FL;
  return map;
}
