// SteeringFaultTests.swift: pipes, devices, stopped sessions and other users, for sessions and their clients.
// SPDX-License-Identifier: MIT

import Foundation
import TestWaits
import Testing

@Suite struct `A session with harmful requests` {
  private let scratch: TemporaryDirectory

  init() throws { scratch = try TemporaryDirectory() }

  private func outboard(_ arguments: String...) throws -> Program.Result {
    try Program.run(arguments, in: scratch)
  }

  /// Starts a run without a card, and waits until it accepts requests.
  private func start(_ name: String = "tone") throws -> Program.Running {
    let running = try Program.start(
      [Program.url.path, "run", "outboard.oscillator", "--out", "dummy", "--name", name],
      in: scratch)
    let deadline = Deadline()
    while try !outboard("status").text.contains("\(name) (") {
      try #require(running.process.isRunning)
      try deadline.rest(0.1)
    }
    return running
  }

  private func node() throws -> String {
    let runs = try outboard("status", "--json")
    let list = try JSONSerialization.jsonObject(with: runs.output) as? [[String: Any]]
    let nodes = try #require(list?.first?["nodes"] as? [[String: Any]])
    return try #require(nodes.first?["name"] as? String)
  }

  private func pipe(_ name: String) {
    #expect(mkfifo(scratch.path(name), 0o600) == 0)
  }

  @Test func `explains where the position of a new node belongs`() throws {
    let running = try start()
    for words in [["after", "Oscillator", "gain=-3"], ["befor", "out"], ["after", "in", "gate"]] {
      let refused = try Program.run(["insert", "outboard.gain"] + words, in: scratch)
      #expect(refused.status == 2)
      #expect(
        refused.error.contains("Put the position last, after all values, as in"),
        "\(refused.error)")
    }
    let shell = try Program.shell(
      "printf 'transport\nSHOW\nshow OSCILLATOR\nquit now\n' | \"$OUTBOARD\" shell", in: scratch)
    #expect(shell.text.contains("BPM") && shell.text.contains("level"), "\(shell.text)")
    #expect(shell.error.contains("Write `quit`."), "\(shell.error)")
    running.process.terminate()
    #expect(try running.finish().status == 0)
  }

  @Test func `answers others while a rig loads slowly, and cancels the load`() throws {
    let running = try start()
    let node = try node()
    pipe("late.yaml")
    let loading = try Program.start([Program.url.path, "load", "late.yaml"], in: scratch)
    // Meanwhile the session replies to requests, until the load has begun and is cancelled.
    var undone: Program.Result
    repeat {
      #expect(try outboard("set", node, "level=-40").status == 0)
      undone = try outboard("undo")
    } while undone.status != 0
    #expect(undone.error.contains(" was cancelled."))
    let loaded = try loading.finish()
    #expect(loaded.status == 1 && loaded.error.contains("was not loaded: it was cancelled"))
    #expect(try outboard("status").text.contains("-40 dB"))

    // It ends although another load is running, or has just begun.
    let again = try Program.start([Program.url.path, "load", "late.yaml"], in: scratch)
    running.process.terminate()
    #expect(try running.finish().status == 0)
    #expect(try again.finish().status != 0)
  }

  @Test func `refuses rigs that name pipes and devices`() throws {
    let running = try start()
    defer { try? end(running) }
    pipe("ir.wav")
    try scratch.write(
      "outboard: 1\nnodes: {c: {plugin: outboard.convolver, properties: {impulse: ir.wav}}}\n"
        + "connections: [in -> c -> out]\n", to: "pipe.yaml")
    let file = try outboard("load", "pipe.yaml")
    #expect(file.status == 2, "\(file.error)")
    #expect(file.error.contains("ir.wav: this is a named pipe, not a file; name a file."))
    try scratch.write(
      "outboard: 1\nnodes: {inner: {rig: /dev/zero}}\nconnections: [in -> inner -> out]\n",
      to: "device.yaml")
    let device = try outboard("load", "device.yaml")
    #expect(device.status == 2)
    #expect(device.error.contains("it is a device, not a file."), "\(device.error)")
  }

  @Test func `never replaces a pipe or a device with a saved file`() throws {
    let running = try start()
    defer { try? end(running) }
    pipe("pipe.yaml")
    try FileManager.default.createSymbolicLink(
      atPath: scratch.path("null.yaml"), withDestinationPath: "/dev/null")
    for (name, kind, mode) in [
      ("pipe.yaml", "a named pipe", S_IFIFO), ("null.yaml", "a device", S_IFLNK),
    ] {
      let saved = try outboard("save", "--force", name)
      #expect(saved.status == 1)
      #expect(
        saved.error.hasSuffix(
          "/\(name) is \(kind), which cannot be replaced by a file. Choose another name.\n"),
        "\(saved.error)")
      var status = stat()
      #expect(lstat(scratch.path(name), &status) == 0 && status.st_mode & S_IFMT == mode)
    }
    // A file keeps its mode.
    try scratch.write("old", to: "mine.yaml")
    #expect(chmod(scratch.path("mine.yaml"), 0o640) == 0)
    #expect(try outboard("save", "--force", "mine.yaml").status == 0)
    var status = stat()
    #expect(stat(scratch.path("mine.yaml"), &status) == 0 && status.st_mode & 0o777 == 0o640)
  }

  @Test func `is found although another session is stopped, which is named`() throws {
    let stopped = try start("asleep")
    let running = try start("awake")
    defer { try? end(running) }
    let node = try node()
    let number = stopped.process.processIdentifier
    kill(number, SIGSTOP)
    let runs = try outboard("status")
    #expect(runs.text.contains("awake ("))
    #expect(
      runs.error.contains(
        "The session asleep does not reply within 5 s, as process \(number) is stopped; `kill -CONT"
          + " \(number)` continues it."), "\(runs.error)")
    #expect(try outboard("set", "--session", "awake", node, "level=-40").status == 0)
    let refused = try outboard("save", "--session", "asleep", "mine.yaml")
    #expect(refused.status == 1 && refused.error.contains("The session asleep does not reply"))
    kill(number, SIGCONT)
    try end(stopped)
  }

  private func end(_ running: Program.Running) throws {
    running.process.terminate()
    #expect(try running.finish().status == 0)
  }

  // MARK: - Files

  @Test func `a rendering reads a pipe as it reads standard input`() throws {
    try scratch.addTone()
    pipe("pipe")
    let rendering = try Program.start(
      [Program.url.path, "render", "outboard.gain", "-i", "pipe", "-o", "out.wav"], in: scratch)
    let copied = try Program.shell("cat in.wav > pipe", in: scratch)
    #expect(copied.status == 0)
    let result = try rendering.finish()
    #expect(result.status == 0, "\(result.error)")
    #expect(scratch.samples("out.wav") == scratch.samples("in.wav"))
  }

  @Test func `a rendering that waits for a pipe ends with Ctrl-C`() throws {
    pipe("pipe")
    let rendering = try Program.start(
      [Program.url.path, "render", "outboard.gain", "-i", "pipe", "-o", "out.wav"], in: scratch)
    let number = rendering.process.processIdentifier
    while !hasOpen(scratch.path("pipe"), number) { sched_yield() }
    kill(number, SIGINT)
    #expect(try rendering.finish().status == 128 + SIGINT)
    #expect(!scratch.exists("out.wav"))
  }

  @Test(arguments: [
    (
      ["render", "outboard.gain", "-i", "/dev/zero", "-o", "out.wav"],
      "/dev/zero is a device, not a file."
    ),
    (
      ["render", "outboard.oscillator", "--midi", "pipe", "-o", "out.wav"],
      "pipe cannot be read: it is a named pipe, not a file."
    ),
    (["check", "/dev/null"], "it is a device, not a file."),
    (
      ["analyse", "in.wav", "--plot", "pipe.png", "--force"],
      "pipe.png is a named pipe and is never replaced by a file."
    ),
  ])
  func `a path that is not a file is refused at once`(arguments: [String], message: String) throws {
    try scratch.addTone()
    pipe("pipe")
    pipe("pipe.png")
    let result = try Program.run(arguments, in: scratch)
    #expect(result.status == 2 && result.error.contains(message), "\(result.error)")
  }
}
