// HelperProcessTests.swift: the program without helper processes, and started by other programs. SPDX-License-Identifier: MIT

import Foundation
import Testing

@Suite struct `Helper processes` {
  private let scratch: TemporaryDirectory

  init() throws {
    scratch = try TemporaryDirectory()
    try scratch.addTone()
  }

  /// Records each process in which it is created.
  private static let source = """
    #include <stdio.h>
    #include <stdlib.h>
    #include <unistd.h>
    void *create(double rate, unsigned longest) {
      FILE *file = fopen(getenv("PROCESSES"), "a");
      fprintf(file, "%d\\n", getpid());
      fclose(file);
      return malloc(1);
    }
    void destroy(void *s) { free(s); }
    void process(void *s, const float *const *in, float *const *out, const float *p, unsigned n) {
      for (unsigned i = 0; i < n; i++)
        for (unsigned c = 0; c < 2; c++) out[c][i] = in[c][i];
    }
    """

  private func processes(_ arguments: [String]) throws -> (own: Int32, found: Set<Int32>) {
    try scratch.write(Self.source, to: "noting.c")
    try? FileManager.default.removeItem(atPath: scratch.path("processes"))
    let running = try Program.start(
      [Program.url.path] + arguments, in: scratch,
      environment: ["PROCESSES": scratch.path("processes")])
    let own = running.process.processIdentifier
    let result = try running.finish()
    #expect(result.status == 0, "\(result.error)")
    let text = String(decoding: try scratch.data("processes"), as: UTF8.self)
    return (own, Set(text.split(separator: "\n").compactMap { Int32($0) }))
  }

  @Test(arguments: [
    ["render", "noting.c", "in.wav", "-o", "out.wav"],
    [
      "run", "noting.c", "--isolate", "off", "--in", "dummy", "--out", "dummy", "--duration", "0.1",
    ],
  ])
  func `are not started if they are not wanted`(arguments: [String]) throws {
    let usual = try processes(arguments)
    #expect(usual.found.count > 1 && usual.found.contains(usual.own))
    let alone = try processes(
      arguments + ["--no-helpers", "--force"].prefix(arguments[0] == "run" ? 1 : 2))
    #expect(alone.found == [alone.own])
  }

  /// glibc calls the handler at the end of the process, wherever its library then is.
  @Test func `without them, the library of a module stays loaded for profilers`() throws {
    try scratch.write(
      """
      // outboard: {inputs: 1, outputs: 1, compiler_flags: -D_DEFAULT_SOURCE}
      #include <stdint.h>
      #include <stdlib.h>
      #include <string.h>
      #include <unistd.h>
      static void at_exit(int status, void *text) { (void)!write(2, text, strlen(text)); }
      void *create(double rate, uint32_t frames) {
        on_exit(at_exit, "still loaded\\n");
        return malloc(1);
      }
      void destroy(void *state) { free(state); }
      void process(void *state, const float *const *inputs, float *const *outputs,
                   const float *parameters, uint32_t count) {
        for (uint32_t i = 0; i < count; i++) outputs[0][i] = inputs[0][i];
      }
      """, to: "kept.c")
    let result = try Program.run(
      ["render", "kept.c", "-i", "in.wav", "-o", "kept.wav", "--no-helpers"], in: scratch)
    #expect(result.status == 0)
    #expect(result.error.contains("still loaded") && !result.error.contains("crashed"))
  }

  @Test func `are not necessary to render many files`() throws {
    try scratch.addTone("b.wav")
    let usual = try expectSuccess(
      ["render", "outboard.echo", "in.wav", "b.wav", "-o", "usual/"], in: scratch)
    let alone = try expectSuccess(
      ["render", "outboard.echo", "in.wav", "b.wav", "-o", "alone/", "--no-helpers"], in: scratch)
    for name in ["in.wav", "b.wav"] {
      #expect(try scratch.data("usual/\(name)") == scratch.data("alone/\(name)"))
    }
    #expect(usual.text.split(separator: "\n").count == alone.text.split(separator: "\n").count)
  }

  @Test func `are found if another program is the process's own file`() throws {
    let linker = try #require(
      ["/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1"].first {
        FileManager.default.fileExists(atPath: $0)
      })
    let running = try Program.start(
      [linker, Program.url.path, "render", "outboard.reverb", "in.wav", "-o", "out.wav"],
      in: scratch)
    let result = try running.finish()
    #expect(result.status == 0 && result.error == "", "\(result.error)")
    #expect(scratch.exists("out.wav"))
  }
}
