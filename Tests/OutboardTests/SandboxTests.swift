// SandboxTests.swift: the option --sandbox of run and render. SPDX-License-Identifier: MIT

import Foundation
import LV2Fixtures
import TestWaits
import Testing

@Suite struct `The option --sandbox` {
  private let scratch: TemporaryDirectory
  private var leak: String { scratch.path("leak") }

  init() throws {
    scratch = try TemporaryDirectory()
    try scratch.addTone()
    // Also in `create`, which a preflight calls too.
    try scratch.write(
      """
      // outboard: inputs: 2, outputs: 2
      #include <stdio.h>
      #include <stdlib.h>
      #include <sys/socket.h>
      static void leak(void) {
        FILE *file = fopen("\(scratch.path("leak"))", "w");
        if (file) fclose(file);
      }
      void *create(double rate, unsigned longest) { leak(); return calloc(1, 4); }
      void destroy(void *state) { free(state); }
      void process(void *state, const float *const *in, float *const *out, const float *p, unsigned n) {
        if (!*(int *)state) socket(AF_INET, SOCK_STREAM, 0);
        *(int *)state = 1;
        for (int c = 0; c < 2; c++)
          for (unsigned i = 0; i < n; i++) out[c][i] = 0.5f * in[c][i];
      }
      """, to: "leaks.c")
  }

  private var isLeaked: Bool { scratch.exists("leak") }

  @Test(arguments: ["off", "all", "band"])
  func `is refused together with a process that is not separate`(isolation: String) throws {
    for command in [
      ["run", "--in", "dummy", "--out", "dummy"], ["render", "-i", "in.wav", "-o", "o.wav"],
    ] {
      let end = try Program.run(
        command + ["./leaks.c", "--sandbox", "--isolate", isolation], in: scratch)
      #expect(end.status == 2)
      #expect(
        end.error.hasPrefix(
          "outboard: --sandbox needs worker processes without other plugins. Use --isolate own, or"
            + " remove it.\n"), "\(end.error)")
    }
    #expect(!isLeaked)
  }

  @Test func `lets a rendering say what was refused, and changes no bit of it`() throws {
    let plain = ["render", "outboard.gain", "gain=-6", "-i", "in.wav", "--tail", "0"]
    #expect(try Program.run(plain + ["-o", "plain.wav"], in: scratch).status == 0)
    let boxed = try Program.run(plain + ["-o", "boxed.wav", "--sandbox"], in: scratch)
    #expect(boxed.status == 0 && !boxed.error.contains("refused"), "\(boxed.error)")
    #expect(try scratch.data("plain.wav") == scratch.data("boxed.wav"))
    let end = try Program.run(
      ["render", "./leaks.c", "-i", "in.wav", "-o", "out.wav", "--sandbox"], in: scratch)
    #expect(end.status == 0)
    for request in ["open a network connection", "write \(leak)"] {
      #expect(
        end.error.contains(
          "leaks was refused: it tried to \(request). Use `sandbox: off` only if you trust the"
            + " plugin.\n"), "\(end.error)")
    }
    #expect(!isLeaked)
  }

  @Test func `lets a session send events`() throws {
    let end = try Program.run(
      [
        "run", "./leaks.c", "--in", "dummy", "--out", "dummy", "--period", "2048", "--duration",
        "1",
        "--events", "json", "--sandbox",
      ], in: scratch)
    #expect(end.status == 0, "\(end.error)")
    let events = try end.text.split(separator: "\n").compactMap {
      try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
    }.filter { $0["event"] as? String == "refused" }
    func event(_ request: String) -> [String: Any]? {
      events.first { $0["request"] as? String == request }
    }
    #expect(events.count == 2)
    #expect(event("network")?["call"] as? String == "socket")
    #expect(event("write")?["path"] as? String == leak)
    #expect(!isLeaked)
  }

  /// The memory that only this process uses, in kB.
  private func privateMemory(of process: Int) throws -> Int {
    let text = try String(contentsOfFile: "/proc/\(process)/smaps_rollup", encoding: .utf8)
    return text.split(separator: "\n").filter { $0.hasPrefix("Private_") }
      .compactMap { $0.split(separator: " ").dropFirst().first.flatMap { Int($0) } }.reduce(0, +)
  }

  /// The processes that a process started.
  private func children(of process: Int32) throws -> [Int] {
    let path = "/proc/\(process)/task/\(process)/children"
    return try String(contentsOfFile: path, encoding: .utf8).split(separator: " ").compactMap {
      Int($0)
    }
  }

  // A debug build uses more.
  @Test(.enabled(if: Program.url.path.contains("/release/")), arguments: [[], ["--sandbox"]])
  func `a worker process uses at most 4 MB besides its plugin`(options: [String]) throws {
    let running = try Program.start(
      [
        Program.url.path, "run", "outboard.gain", "--isolate", "own", "--in", "dummy", "--out",
        "dummy",
      ]
        + options, in: scratch)
    defer { kill(running.process.processIdentifier, SIGKILL) }
    let deadline = Deadline()
    while try !Program.run(["status"], in: scratch).text.contains("gain") { try deadline.rest(0.1) }
    let workers = try children(of: running.process.processIdentifier)
    #expect(workers.count == 1)
    for worker in workers {
      let used = try privateMemory(of: worker)
      #expect(used > 0 && used <= 4_096, "\(used) kB")
    }
  }
}
