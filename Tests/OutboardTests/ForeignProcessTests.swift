// ForeignProcessTests.swift: plugins that copy or trace processes. SPDX-License-Identifier: MIT

import Foundation
import Testing

@Suite struct `A plugin that calls the kernel for processes` {
  private let scratch: TemporaryDirectory

  init() throws { scratch = try TemporaryDirectory() }

  /// Writes a module that does something once, in a block after a while.
  private func write(_ deed: String) throws {
    try scratch.write(
      """
      #include <signal.h>
      #include <stdlib.h>
      #include <sys/ptrace.h>
      #include <unistd.h>
      void process(void *state, const float *const *in, float *const *out, const float *parameters,
                   unsigned frames) {
        static unsigned count;
        for (unsigned i = 0; i < frames; i++) out[0][i] = in[0][i];
        if (++count == 500 && getenv("DEED")) { \(deed) }
      }
      """, to: "asks.c")
  }

  private func run(_ arguments: String...) throws -> Program.Result {
    try Program.start(
      [Program.url.path] + arguments, in: scratch, environment: ["DEED": "yes"]
    ).finish()
  }

  @Test func `and copies the host in a block is rendered once`() throws {
    try write("if (fork() == 0) return;")
    let input = try scratch.addTone(channels: 1, frames: 144_000)
    let result = try run(
      "render", "asks.c", "--isolate", "off", "--block-length", "64", "--tail", "0", "-i", "in.wav",
      "-o",
      "out.wav", "--format", "float")
    #expect(result.status == 0 && !result.error.contains("truncated"), "\(result.error)")
    #expect(try #require(scratch.samples("out.wav")).first?.count == input[0].count)
  }

  @Test func `and makes the host its tracer is bypassed, and the session ends in time`() throws {
    try write("ptrace(PTRACE_TRACEME, 0, 0, 0); raise(SIGTRAP);")
    let result = try run(
      "run", "asks.c", "--isolate", "own", "--in", "dummy", "--out", "dummy", "--period", "64",
      "--duration", "3")
    #expect(result.status == 0, "\(result.error)")
    #expect(result.error.contains("was bypassed"), "\(result.error)")
  }
}
