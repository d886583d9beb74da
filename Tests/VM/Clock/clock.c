/* clock.c: a drum machine for the checks of MIDI clock in the virtual machine. SPDX-License-Identifier: MIT
 *
 *   clock BPM JITTER-MS
 *
 * Waits for two receivers, sends ticks for two seconds, then plays four seconds from the start, stops, continues for three
 * seconds at sixteenth note 32, and ends without a stop. The kernel sends each tick at its time, moved by a repeatable
 * random time of up to JITTER-MS, early or late.
 */
#include <alsa/asoundlib.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static snd_seq_t *seq;
static int port, queue;
static uint64_t state = 1;

/* SplitMix64; from -1 to 1. */
static double random_number(void) {
  uint64_t value = state += 0x9e3779b97f4a7c15;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
  value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
  return (double)(value ^ (value >> 31)) / 9223372036854775808.0 - 1;
}

static void send_event(int type, int value, double seconds) {
  snd_seq_event_t event;
  snd_seq_ev_clear(&event);
  event.type = type;
  event.data.control.value = value;
  snd_seq_real_time_t time = {.tv_sec = (unsigned)seconds, .tv_nsec = (unsigned)((seconds - (unsigned)seconds) * 1e9)};
  snd_seq_ev_schedule_real(&event, queue, 0, &time);
  snd_seq_ev_set_source(&event, port);
  snd_seq_ev_set_subs(&event);
  snd_seq_event_output_direct(seq, &event);
}

static int receivers(void) {
  snd_seq_query_subscribe_t *query;
  snd_seq_query_subscribe_alloca(&query);
  snd_seq_addr_t root = {.client = snd_seq_client_id(seq), .port = port};
  snd_seq_query_subscribe_set_root(query, &root);
  snd_seq_query_subscribe_set_type(query, SND_SEQ_QUERY_SUBS_READ);
  return snd_seq_query_port_subscribers(seq, query) < 0 ? 0 : snd_seq_query_subscribe_get_num_subs(query);
}

int main(int count, char **arguments) {
  if (count != 3) return 2;
  double tick = 60 / (24 * atof(arguments[1])), jitter = atof(arguments[2]) / 1000;
  if (snd_seq_open(&seq, "default", SND_SEQ_OPEN_DUPLEX, 0) < 0) return 1;
  snd_seq_set_client_name(seq, "Drum machine");
  snd_seq_set_client_pool_output(seq, 2000);
  port = snd_seq_create_simple_port(seq, "out", SND_SEQ_PORT_CAP_READ | SND_SEQ_PORT_CAP_SUBS_READ,
                                    SND_SEQ_PORT_TYPE_MIDI_GENERIC | SND_SEQ_PORT_TYPE_APPLICATION);
  queue = snd_seq_alloc_queue(seq);
  snd_seq_queue_timer_t *timer;
  snd_seq_queue_timer_alloca(&timer);
  snd_seq_get_queue_timer(seq, queue, timer);
  snd_seq_queue_timer_set_resolution(timer, 6250);
  snd_seq_set_queue_timer(seq, queue, timer);
  for (int tries = 0; receivers() < 2 && tries < 200; tries++) usleep(20000);
  snd_seq_start_queue(seq, queue, NULL);
  snd_seq_drain_output(seq);
  int start = (int)(2 / tick), stop = start + (int)(4 / tick), resume = stop + (int)(0.5 / tick);
  int end = resume + (int)(3 / tick);
  for (int number = 0; number < end; number++) {
    double time = 0.2 + number * tick;
    if (number == start) send_event(SND_SEQ_EVENT_START, 0, time - 0.004);
    if (number == stop) send_event(SND_SEQ_EVENT_STOP, 0, time - 0.004);
    if (number == resume) send_event(SND_SEQ_EVENT_SONGPOS, 32, time - 0.006);
    if (number == resume) send_event(SND_SEQ_EVENT_CONTINUE, 0, time - 0.004);
    send_event(SND_SEQ_EVENT_CLOCK, 0, time + jitter * random_number());
  }
  snd_seq_queue_status_t *status;
  snd_seq_queue_status_alloca(&status);
  do {
    usleep(10000);
    snd_seq_get_queue_status(seq, queue, status);
  } while (snd_seq_queue_status_get_events(status) > 0);
  return 0;
}
