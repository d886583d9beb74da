// RestartTests.swift: sessions that continue after a plugin ended their process. SPDX-License-Identifier: MIT

import Foundation
import TestWaits
import Testing

/// A module that crashes, hangs or exits once in the block after the file `ill` was created.
private let illModule = """
  // outboard: inputs: 2, outputs: 2, parameters: [{symbol: gain, name: Gain, minimum: 0, default: 1, maximum: 2}]
  #include <signal.h>
  #include <stdlib.h>
  #include <unistd.h>
  void process(void *state, const float *const *in, float *const *out, const float *p, unsigned n) {
    if (unlink("crash") == 0) {
      signal(SIGINT, SIG_IGN);
      signal(SIGTERM, SIG_IGN);
      *(volatile int *)0 = 1;
    }
    if (unlink("hang") == 0) for (;;) __asm__ volatile("");
    if (unlink("exit") == 0) exit(7);
    for (int c = 0; c < 2; c++) for (unsigned i = 0; i < n; i++) out[c][i] = p[0] * in[c][i];
  }
  """

@Suite struct `A session whose plugin ends the process` {
  private let scratch: TemporaryDirectory

  init() throws {
    scratch = try TemporaryDirectory()
    try scratch.write(illModule, to: "ill.c")
    // Otherwise it is isolated because it is new.
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -1_000)], ofItemAtPath: scratch.path("ill.c"))
    try scratch.write(
      """
      outboard: 1
      input: dummy
      output: dummy
      nodes: {ill: {plugin: ./ill.c}, other: {plugin: outboard.gain}}
      connections: [in -> ill -> other -> out]
      """, to: "rig.yaml")
  }

  private func start(_ arguments: String...) throws -> Program.Running {
    let running = try Program.start(
      [Program.url.path, "run", "--rig", "rig.yaml", "--duration", "200"] + arguments, in: scratch)
    try wait(for: "ill")
    return running
  }

  private func status() throws -> String { try Program.run(["status"], in: scratch).text.squeezed }

  private func wait(for text: String) throws {
    let deadline = Deadline()
    while try !status().contains(text) { try deadline.rest(0.1) }
  }

  private func isLoaded(_ isIsolated: Bool) throws {
    let deadline = Deadline()
    while true {
      let top = try Program.run(["top", "--count", "1", "--interval", "0.1"], in: scratch).text
      if top.contains("NODE"), top.contains("own (fault)") == isIsolated { return }
      try deadline.rest(0.1)
    }
  }

  private func fault(_ word: String) throws {
    try scratch.write("", to: word)
    let deadline = Deadline()
    while scratch.exists(word) { try deadline.rest() }
  }

  @Test(arguments: ["crash", "hang", "exit"])
  func `continues in the same process with the plugin isolated`(word: String) throws {
    let running = try start("--record", "out.wav", "--events", "json")
    let process = running.process.processIdentifier
    #expect(try Program.run(["set", "ill", "gain=0.5"], in: scratch).status == 0)
    #expect(try Program.run(["set", "other", "gain=-12"], in: scratch).status == 0)
    #expect(
      try Program.run(
        ["insert", "outboard.gain", "after", "other", "--name", "extra"], in: scratch
      ).status == 0)
    #expect(try Program.run(["undo"], in: scratch).status == 0)
    try isLoaded(false)
    try fault(word)
    try isLoaded(true)
    #expect(kill(process, 0) == 0)
    let status = try status()
    #expect(status.contains("gain 0.5") && status.contains("gain -12 dB"), "\(status)")
    // The history and the recorder of the command line are those before the crash.
    #expect(try Program.run(["redo"], in: scratch).status == 0)
    try wait(for: "extra")
    for _ in 1 ... 2 { #expect(try Program.run(["undo"], in: scratch).status == 0) }
    try wait(for: "gain 0 dB")
    #expect(try self.status().contains("gain 0.5"))
    // In its own process it harms nothing.
    try fault("crash")
    try isLoaded(true)
    kill(process, SIGINT)
    let result = try running.finish()
    #expect(result.status == 0, "\(result.error)")
    #expect(result.error.components(separatedBy: "The session restarts.").count == 2)
    #expect(
      result.error.contains("ill runs in a worker process, because it "), "\(result.error)")
    #expect(result.text.contains("\"restarts\":true"))
    #expect(
      result.text.components(separatedBy: "\"event\":\"started\"").count == 3, "\(result.text)")
    #expect(try scratch.files().filter { $0.hasPrefix("out") } == ["out-2.wav", "out.wav"])
    for file in ["out.wav", "out-2.wav"] {
      let frames = scratch.samples(file)?[0].count ?? 0
      #expect(frames > 0, "\(file)")
    }
    let faults = try Program.run(["faults"], in: scratch).text
    #expect(faults.contains(scratch.path("ill.c")), "\(faults)")
    #expect(try Program.run(["info", "ill.c"], in: scratch).text.squeezed.contains("Isolated yes"))
    let graph = try Program.run(["graph", "rig.yaml"], in: scratch).text
    #expect(graph.contains("ill runs in a separate worker process, because it "), "\(graph)")
    #expect(try Program.run(["faults", "--forget", "ill"], in: scratch).status == 0)
    #expect(try Program.run(["info", "ill.c"], in: scratch).text.squeezed.contains("Isolated no"))
  }

  @Test func `ends after three faults in a minute, or at once if restarts are off`() throws {
    var running = try start("--isolate", "off")
    for count in 1 ... 3 {
      try fault("crash")
      if count < 3 { try wait(for: "ill") }
    }
    var result = try running.finish()
    #expect(result.status != 0)
    #expect(result.error.components(separatedBy: "The session restarts.").count == 3)
    #expect(result.error.components(separatedBy: "which ended the program.").count == 2)
    running = try start("--isolate", "off", "--no-restart")
    try fault("crash")
    result = try running.finish()
    #expect(result.status != 0)
    #expect(!result.error.contains("The session restarts."))
  }

  @Test func `keeps the names of plugins on the command line`() throws {
    let running = try Program.start(
      [
        Program.url.path, "run", "outboard.gain", "outboard.reverb", "ill.c", "--in", "dummy",
        "--out", "dummy", "--duration", "200", "--isolate", "off",
      ], in: scratch)
    try wait(for: "ill")
    #expect(try Program.run(["set", "Gain", "gain=-3"], in: scratch).status == 0)
    let before = try status()
    let modules = try FileManager.default.subpathsOfDirectory(
      atPath: scratch.path("home/cache/outboard/compiled"))
    try fault("crash")
    let deadline = Deadline()
    while try status() != before { try deadline.rest(0.1) }
    running.process.terminate()
    #expect(try running.finish().status == 0)
    // Nothing was compiled again.
    #expect(
      try FileManager.default.subpathsOfDirectory(
        atPath: scratch.path("home/cache/outboard/compiled")
      ).sorted() == modules.sorted())
  }

  @Test func `stays one service for its manager`() throws {
    let manager = try ServiceManagerSocket()
    let running = try Program.start(
      [Program.url.path, "run", "--rig", "rig.yaml", "--service"], in: scratch,
      environment: ["NOTIFY_SOCKET": manager.name, "WATCHDOG_USEC": "20000000"])
    _ = try #require(manager.messages(until: "READY=1"))
    try wait(for: "ill")
    try fault("crash")
    let messages = try #require(manager.messages(until: "READY=1"))
    #expect(!messages.contains { $0.hasPrefix("STOPPING") }, "\(messages)")
    try isLoaded(true)
    kill(running.process.processIdentifier, SIGTERM)
    #expect(manager.messages(until: "STOPPING=1") != nil)
    let result = try running.finish()
    #expect(result.status == 0)
    let lines = result.error.split(separator: "\n")
    #expect(lines.contains { $0.hasPrefix("<3>") && $0.hasSuffix("The session restarts.") })
    #expect(lines.last?.hasPrefix("<6>Stopped after ") == true, "\(result.error)")
  }

  @Test func `stays one client for its session manager`() throws {
    let manager = try SessionManagerSocket()
    let running = try Program.start(
      [Program.url.path, "run", "--rig", "rig.yaml"], in: scratch,
      environment: ["NSM_URL": manager.url])
    try #require(manager.hasMessage("/nsm/server/announce"))
    let client = manager.peerPort
    manager.send("/nsm/client/open", scratch.path("song"), "Song", "Outboard.nABCD")
    try #require(manager.hasMessage("The rig is open."))
    #expect(try Program.run(["set", "ill", "gain=0.5"], in: scratch).status == 0)
    try isLoaded(false)
    try fault("crash")
    try isLoaded(true)
    manager.send("/nsm/client/save")
    try #require(manager.hasMessage("The rig is saved."))
    #expect(manager.peerPort == client && !manager.skipped.contains("/nsm/server/announce"))
    let song = try String(contentsOfFile: scratch.path("song.yaml"), encoding: .utf8)
    #expect(song.contains("gain: 0.5"), "\(song)")
    kill(running.process.processIdentifier, SIGTERM)
    #expect(try running.finish().status == 0)
  }

  @Test func `continues the recorders of its rig in other files`() throws {
    let text = try String(contentsOfFile: scratch.path("rig.yaml"), encoding: .utf8)
    try scratch.write(
      text.replacingOccurrences(
        of: "other: {", with: "take: {builtin: recorder, file: take.wav}, other: {"
      )
      .replacingOccurrences(of: "[in ->", with: "[in -> take, in ->"), to: "rig.yaml")
    let running = try start()
    try fault("crash")
    try isLoaded(true)
    running.process.terminate()
    let result = try running.finish()
    #expect(result.status == 0, "\(result.error)")
    for file in ["take.wav", "take-2.wav"] {
      #expect((scratch.samples(file)?[0].count ?? 0) > 0, "\(file)")
    }
  }

  @Test func `ends if it reads standard input`() throws {
    let running = try Program.start(
      [
        "/bin/sh", "-c",
        "exec $OUTBOARD run ./ill.c --in - --raw 48000:2:S16 --out dummy --duration 200 < /dev/zero",
      ], in: scratch)
    try wait(for: "ill")
    try fault("crash")
    let result = try running.finish()
    #expect(result.status != 0)
    #expect(result.error.contains("which ended the program."), "\(result.error)")
    #expect(!result.error.contains("restarts"), "\(result.error)")
  }
}
