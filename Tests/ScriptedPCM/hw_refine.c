// hw_refine.c: the hardware parameters that a card still allows. SPDX-License-Identifier: MIT
#include "scripted.h"

#define PARAMETER(name) SNDRV_PCM_HW_PARAM_##name

static unsigned clamp(uint64_t value) { return value > UINT_MAX ? UINT_MAX : (unsigned)value; }

// MARK: - Intervals

/// Narrows an interval; 1 if it changed, 0 if not, or -EINVAL if nothing is left.
static int narrow(struct snd_interval *interval, const struct snd_interval *by) {
  int changed = 0;
  if (interval->min < by->min || (interval->min == by->min && by->openmin && !interval->openmin)) {
    interval->min = by->min;
    interval->openmin = by->openmin;
    changed = 1;
  }
  if (interval->max > by->max || (interval->max == by->max && by->openmax && !interval->openmax)) {
    interval->max = by->max;
    interval->openmax = by->openmax;
    changed = 1;
  }
  if (by->integer && !interval->integer) interval->integer = 1, changed = 1;
  if (interval->integer) {
    if (interval->openmin) interval->min++, interval->openmin = 0;
    if (interval->openmax) interval->max--, interval->openmax = 0;
  } else if (!interval->openmin && !interval->openmax && interval->min == interval->max) {
    interval->integer = 1;
  }
  if (interval->min > interval->max ||
      (interval->min == interval->max && (interval->openmin || interval->openmax))) {
    interval->empty = 1;
    return -EINVAL;
  }
  return changed;
}

/// first * factor / second, as intervals of real numbers.
static struct snd_interval ratio(const struct snd_interval *first, uint64_t factor,
                                 const struct snd_interval *second) {
  struct snd_interval result = {.max = UINT_MAX};
  uint64_t low = first->min * factor, high = first->max * factor;
  if (second->max) {
    result.min = clamp(low / second->max);
    result.openmin = low % second->max != 0 || first->openmin || second->openmax;
  }
  if (second->min) {
    bool rest = high % second->min != 0;
    result.max = clamp(high / second->min + rest);
    result.openmax = rest || first->openmax || second->openmin;
  }
  return result;
}

/// first * second / divisor.
static struct snd_interval product(const struct snd_interval *first,
                                   const struct snd_interval *second, uint64_t divisor) {
  uint64_t low = (uint64_t)first->min * second->min;
  uint64_t high = (uint64_t)first->max * second->max;
  bool rest = high % divisor != 0;
  return (struct snd_interval){
      .min = clamp(low / divisor),
      .openmin = low % divisor != 0 || first->openmin || second->openmin,
      .max = clamp(high / divisor + rest),
      .openmax = rest || first->openmax || second->openmax};
}

struct law {
  int result, first, second;
  uint64_t factor; // of a ratio
  uint64_t divisor; // of a product
};

static const struct law laws[] = {
    {PARAMETER(FRAME_BITS), PARAMETER(SAMPLE_BITS), PARAMETER(CHANNELS), 0, 1},
    {PARAMETER(SAMPLE_BITS), PARAMETER(FRAME_BITS), PARAMETER(CHANNELS), 1, 0},
    {PARAMETER(CHANNELS), PARAMETER(FRAME_BITS), PARAMETER(SAMPLE_BITS), 1, 0},
    {PARAMETER(FRAME_BITS), PARAMETER(PERIOD_BYTES), PARAMETER(PERIOD_SIZE), 8, 0},
    {PARAMETER(FRAME_BITS), PARAMETER(BUFFER_BYTES), PARAMETER(BUFFER_SIZE), 8, 0},
    {PARAMETER(RATE), PARAMETER(PERIOD_SIZE), PARAMETER(PERIOD_TIME), 1000000, 0},
    {PARAMETER(RATE), PARAMETER(BUFFER_SIZE), PARAMETER(BUFFER_TIME), 1000000, 0},
    {PARAMETER(PERIODS), PARAMETER(BUFFER_SIZE), PARAMETER(PERIOD_SIZE), 1, 0},
    {PARAMETER(PERIOD_SIZE), PARAMETER(BUFFER_SIZE), PARAMETER(PERIODS), 1, 0},
    {PARAMETER(PERIOD_SIZE), PARAMETER(PERIOD_BYTES), PARAMETER(FRAME_BITS), 8, 0},
    {PARAMETER(PERIOD_SIZE), PARAMETER(PERIOD_TIME), PARAMETER(RATE), 0, 1000000},
    {PARAMETER(BUFFER_SIZE), PARAMETER(PERIOD_SIZE), PARAMETER(PERIODS), 0, 1},
    {PARAMETER(BUFFER_SIZE), PARAMETER(BUFFER_BYTES), PARAMETER(FRAME_BITS), 8, 0},
    {PARAMETER(BUFFER_SIZE), PARAMETER(BUFFER_TIME), PARAMETER(RATE), 0, 1000000},
    {PARAMETER(PERIOD_BYTES), PARAMETER(PERIOD_SIZE), PARAMETER(FRAME_BITS), 0, 8},
    {PARAMETER(BUFFER_BYTES), PARAMETER(BUFFER_SIZE), PARAMETER(FRAME_BITS), 0, 8},
    {PARAMETER(PERIOD_TIME), PARAMETER(PERIOD_SIZE), PARAMETER(RATE), 1000000, 0},
    {PARAMETER(BUFFER_TIME), PARAMETER(BUFFER_SIZE), PARAMETER(RATE), 1000000, 0},
};

// MARK: - Formats

unsigned format_bytes(unsigned format) {
  switch (format) {
  case 0:
  case 1: return 1;
  case 2 ... 5: return 2;
  case 32 ... 39: return 3;
  case 16:
  case 17: return 8;
  default: return 4;
  }
}

/// Makes formats and bits per sample consistent. Returns 1 if something changed.
static int agree_on_format(struct snd_pcm_hw_params *parameters, struct snd_interval *bits) {
  uint32_t *mask = parameters->masks[PARAMETER(FORMAT)].bits;
  struct snd_interval found = {.min = UINT_MAX, .max = 0, .integer = 1};
  int changed = 0;
  for (unsigned format = 0; format < 64; format++) {
    if (!(mask[format / 32] >> format % 32 & 1)) continue;
    unsigned width = format_bytes(format) * 8;
    if (width < bits->min || width > bits->max) {
      mask[format / 32] &= ~(UINT32_C(1) << format % 32);
      parameters->cmask |= 1u << PARAMETER(FORMAT);
      changed = 1;
      continue;
    }
    if (width < found.min) found.min = width;
    if (width > found.max) found.max = width;
  }
  if (!found.max) return -EINVAL;
  int narrowed = narrow(bits, &found);
  return narrowed < 0 ? narrowed : changed | narrowed;
}

static int narrow_mask(struct snd_pcm_hw_params *parameters, int which, uint64_t allowed) {
  uint32_t *bits = parameters->masks[which].bits;
  uint32_t before[2] = {bits[0], bits[1]};
  bits[0] &= (uint32_t)allowed;
  bits[1] &= (uint32_t)(allowed >> 32);
  for (int i = 2; i < 8; i++) bits[i] = 0;
  if (bits[0] != before[0] || bits[1] != before[1]) parameters->cmask |= 1u << which;
  return bits[0] || bits[1] ? 0 : -EINVAL;
}

// MARK: - A card

static int narrow_rates(const struct card *card, struct snd_interval *rate) {
  struct snd_interval allowed = {.min = UINT_MAX, .max = 0, .integer = 1};
  if (card->forced_rate) {
    allowed.min = allowed.max = card->forced_rate;
  } else if (card->rates_are_range) {
    allowed.min = card->rates[0];
    allowed.max = card->rates[1];
  } else {
    for (unsigned i = 0; i < card->rate_count; i++) {
      unsigned value = card->rates[i];
      if (value < rate->min || value > rate->max) continue;
      if (value < allowed.min) allowed.min = value;
      if (value > allowed.max) allowed.max = value;
    }
    if (!allowed.max) return -EINVAL;
  }
  return narrow(rate, &allowed);
}

static int apply_laws(struct snd_pcm_hw_params *parameters, struct snd_interval *values) {
  int changed = 0;
  for (size_t i = 0; i < sizeof laws / sizeof *laws; i++) {
    const struct law *law = &laws[i];
    struct snd_interval result =
        law->factor ? ratio(&values[law->first], law->factor, &values[law->second])
                    : product(&values[law->first], &values[law->second], law->divisor);
    int status = narrow(&values[law->result], &result);
    if (status < 0) return status;
    if (status > 0) parameters->cmask |= 1u << law->result, changed = 1;
  }
  return changed;
}

int refine(const struct card *card, int direction, struct snd_pcm_hw_params *parameters) {
  struct snd_interval *values = parameters->intervals - SNDRV_PCM_HW_PARAM_FIRST_INTERVAL;
  parameters->cmask = 0;
  parameters->fifo_size = 0;
  parameters->info = SNDRV_PCM_INFO_MMAP | SNDRV_PCM_INFO_MMAP_VALID | SNDRV_PCM_INFO_INTERLEAVED;
  if (narrow_mask(parameters, PARAMETER(ACCESS), card->accesses) < 0 ||
      narrow_mask(parameters, PARAMETER(FORMAT), card->formats) < 0 ||
      narrow_mask(parameters, PARAMETER(SUBFORMAT), 1) < 0)
    return -EINVAL;
  const struct {
    int which;
    struct range range;
    bool is_whole;
  } limits[] = {{PARAMETER(CHANNELS), card->channels[direction], true},
                {PARAMETER(PERIOD_SIZE), card->period, true},
                {PARAMETER(PERIODS), card->periods, card->whole_periods},
                {PARAMETER(BUFFER_SIZE), card->buffer, true},
                {PARAMETER(SAMPLE_BITS), {1, 64}, true},
                {PARAMETER(PERIOD_BYTES), {1, 1u << 30}, true},
                {PARAMETER(BUFFER_BYTES), {1, 1u << 30}, true}};
  for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
    struct snd_interval limit = {.min = limits[i].range.least, .max = limits[i].range.most,
                                 .integer = limits[i].is_whole};
    int status = narrow(&values[limits[i].which], &limit);
    if (status < 0) return status;
    if (status > 0) parameters->cmask |= 1u << limits[i].which;
  }
  int changed = 1;
  while (changed) {
    int formats = agree_on_format(parameters, &values[PARAMETER(SAMPLE_BITS)]);
    int rates = formats < 0 ? formats : narrow_rates(card, &values[PARAMETER(RATE)]);
    if (rates < 0) return rates;
    if (formats) parameters->cmask |= 1u << PARAMETER(SAMPLE_BITS);
    if (rates) parameters->cmask |= 1u << PARAMETER(RATE);
    int applied = apply_laws(parameters, values);
    if (applied < 0) return applied;
    changed = formats | rates | applied;
  }
  if (values[PARAMETER(SAMPLE_BITS)].min == values[PARAMETER(SAMPLE_BITS)].max)
    parameters->msbits = values[PARAMETER(SAMPLE_BITS)].min;
  return 0;
}
