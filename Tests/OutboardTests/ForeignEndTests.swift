// ForeignEndTests.swift: plugins that delay the end of a run. SPDX-License-Identifier: MIT

import Foundation
import Testing

@Suite struct `Code that prevents the exit` {
  private let scratch: TemporaryDirectory

  init() throws { scratch = try TemporaryDirectory() }

  private func start(_ arguments: [String], _ deed: String) throws -> Program.Running {
    try Program.start(
      [Program.url.path] + arguments, in: scratch, environment: ["DEED": deed])
  }

  @Test func `is named while the loader waits for it`() throws {
    try scratch.write(
      "__attribute__((constructor)) static void begin(void) { for (volatile int i = 0;; i = 0) ; }",
      to: "endless.c")
    let library = scratch.path("endless.so")
    let built = try Program.shell("cc -shared -fPIC -o endless.so endless.c", in: scratch)
    #expect(built.status == 0, "\(built.error)")
    try scratch.write(
      """
      #include <dlfcn.h>
      #include <stdlib.h>
      void process(void *state, const float *const *in, float *const *out, const float *parameters,
                   unsigned frames) {
        static unsigned count;
        for (unsigned i = 0; i < frames; i++) out[0][i] = in[0][i];
        if (++count == 500 && getenv("DEED")) dlopen("\(library)", RTLD_NOW);
      }
      """, to: "loads.c")
    let result = try start(
      [
        "run", "--isolate", "off", "--no-restart", "loads.c", "--in", "dummy", "--out", "dummy",
        "--period", "16",
      ], "load"
    ).finish()
    #expect(result.status == 1, "\(result.error)")
    #expect(result.error.contains("loads.c (loads) has not returned"), "\(result.error)")
  }

  @Test func `cannot cancel the thread that renders it`() throws {
    try scratch.write(
      """
      #include <pthread.h>
      #include <stdlib.h>
      void process(void *state, const float *const *in, float *const *out, const float *parameters,
                   unsigned frames) {
        static unsigned count;
        for (unsigned i = 0; i < frames; i++) out[0][i] = in[0][i];
        if (++count == 500 && getenv("DEED")) pthread_cancel(pthread_self());
      }
      """, to: "cancels.c")
    let result = try start(
      [
        "run", "--isolate", "off", "--no-restart", "cancels.c", "--in", "dummy", "--out", "dummy",
        "--period", "16", "--duration", "2",
        "--record", "take.wav",
      ], "cancel"
    ).finish()
    #expect(result.status == 0, "\(result.error)")
    // 500 blocks have 8000 frames of 8 bytes.
    #expect(scratch.size("take.wav") > 200_000)
    try scratch.addTone(frames: 24_000)
    let rendered = try start(
      ["render", "cancels.c", "-i", "in.wav", "-o", "out.wav", "--block-length", "16"], "cancel"
    ).finish()
    #expect(rendered.status == 0, "\(rendered.error)")
  }

  @Test func `is named when it removes itself from memory`() throws {
    try scratch.write(
      """
      #include <stdint.h>
      #include <stdlib.h>
      #include <sys/mman.h>
      void process(void *state, const float *const *in, float *const *out, const float *parameters,
                   unsigned frames) {
        static unsigned count;
        for (unsigned i = 0; i < frames; i++) out[0][i] = in[0][i];
        if (++count == 500 && getenv("DEED")) munmap((void *)((uintptr_t)process & ~4095ul), 4096);
      }
      """, to: "unmaps.c")
    let result = try start(
      [
        "run", "--isolate", "off", "--no-restart", "unmaps.c", "--in", "dummy", "--out", "dummy",
        "--period", "16",
      ], "unmap"
    ).finish()
    #expect(result.error.contains("unmaps.c (unmaps) crashed (signal 11"), "\(result.error)")
  }

  @Test func `cannot delay the end by a function that runs at exit`() throws {
    try scratch.write(
      """
      #include <stdlib.h>
      static volatile int sink;
      static void loop(void) { for (;;) sink++; }
      void process(void *state, const float *const *in, float *const *out, const float *parameters,
                   unsigned frames) {
        static unsigned count;
        for (unsigned i = 0; i < frames; i++) out[0][i] = in[0][i];
        if (++count == 500) atexit(loop);
      }
      """, to: "stays.c")
    let result = try start(
      [
        "run", "--isolate", "off", "--no-restart", "stays.c", "--in", "dummy", "--out", "dummy",
        "--period", "16", "--duration", "1",
      ], "none"
    ).finish()
    #expect(result.status == 0, "\(result.error)")
    // On a loaded machine it gets 2 s of a processor later.
    #expect(
      result.error.contains(
        /stays\.c \(stays\) has not returned from a destructor or `atexit` function for [2-8]/),
      "\(result.error)")
  }

  @Test func `cannot delay the end by its worker`() throws {
    let bundle = "lv2/worker.lv2"
    try FileManager.default.createDirectory(
      atPath: scratch.path(bundle), withIntermediateDirectories: true)
    try scratch.write(
      """
      @prefix lv2: <http://lv2plug.in/ns/lv2core#> .
      @prefix work: <http://lv2plug.in/ns/ext/worker#> .
      <urn:test:endless> a lv2:Plugin ; lv2:binary <worker.so> ;
        <http://usefulinc.com/ns/doap#name> "Endless" ;
        lv2:requiredFeature work:schedule ; lv2:extensionData work:interface ;
        lv2:port [ a lv2:OutputPort, lv2:AudioPort ; lv2:index 0 ; lv2:symbol "out" ; lv2:name "Out" ] .
      """, to: "\(bundle)/manifest.ttl")
    try scratch.write(
      """
      #include <lv2/core/lv2.h>
      #include <lv2/worker/worker.h>
      #include <stdlib.h>
      #include <string.h>
      #include <unistd.h>
      static const LV2_Worker_Schedule *schedule;
      static unsigned count;
      static float *out;
      static LV2_Handle make(const LV2_Descriptor *d, double rate, const char *path,
                             const LV2_Feature *const *features) {
        for (; *features; features++)
          if (!strcmp((*features)->URI, LV2_WORKER__schedule)) schedule = (*features)->data;
        return &count;
      }
      static void connect(LV2_Handle self, uint32_t port, void *data) {
        out = data;
      }
      static void run(LV2_Handle self, uint32_t frames) {
        memset(out, 0, frames * sizeof(float));
        if (++count == 500 && getenv("DEED")) schedule->schedule_work(schedule->handle, 0, 0);
      }
      static void end(LV2_Handle self) {}
      static LV2_Worker_Status work(LV2_Handle self, LV2_Worker_Respond_Function respond,
                                    LV2_Worker_Respond_Handle handle, uint32_t size, const void *data) {
        for (;;) pause();
      }
      static const void *extension(const char *uri) {
        static const LV2_Worker_Interface interface = {work, 0, 0};
        return strcmp(uri, LV2_WORKER__interface) ? 0 : &interface;
      }
      static const LV2_Descriptor plugin = {"urn:test:endless", make, connect, 0, run, 0, end, extension};
      const LV2_Descriptor *lv2_descriptor(uint32_t index) { return index ? 0 : &plugin; }
      """, to: "worker.c")
    let built = try Program.shell(
      "cc -shared -fPIC -o \(bundle)/worker.so worker.c", in: scratch)
    #expect(built.status == 0, "\(built.error)")
    let result = try Program.start(
      [
        Program.url.path, "run", "--isolate", "off", "--no-restart", "urn:test:endless", "--out",
        "dummy", "--period", "16",
        "--duration", "1",
      ], in: scratch, environment: ["DEED": "work", "LV2_PATH": scratch.path("lv2")]
    ).finish()
    #expect(result.status == 1, "\(result.error)")
    #expect(
      result.error.contains("ndless) has not returned from `work` for "), "\(result.error)")
  }
}
