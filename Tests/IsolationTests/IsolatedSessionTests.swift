// IsolatedSessionTests.swift: sessions with isolated nodes. SPDX-License-Identifier: MIT

import DummyDriver
import Foundation
import Glibc
import PluginLoading
import PluginModel
import RenderGraph
import RigPlanning
import RigSchema
import RigTestSupport
import TestWaits
import Testing

@testable import Isolation
@testable import Session

@Suite(.serialized) struct `A session with isolated nodes` {
  private func session(
    _ workshop: RigTestEnvironment, _ nodes: String, _ connections: String,
    periodFrames: Int = 2_048
  ) throws -> LiveSession {
    // With long periods, a busy test machine delays no answer.
    let rig = try workshop.rig(
      """
      period: \(periodFrames)
      input: dummy
      output: dummy
      nodes: {\(nodes)}
      connections: [\(connections)]
      """)
    return try LiveSession(try PreparedRig(rig, workshop.library), workshop.library) {
      try DummyDriver(request: $0)
    }
  }

  private func report(
    _ session: LiveSession, until isRight: (LiveSession.Report) throws -> Bool
  ) throws {
    let deadline = Deadline()
    while try !isRight(try session.report()) { try deadline.rest() }
  }

  /// The notices of a report without those about single late blocks, which a busy machine causes.
  private func faults(_ report: LiveSession.Report) -> [String] {
    report.notices.map { "\($0)" }.filter { !$0.contains(" passed unprocessed.") }
  }

  private func worker(_ session: LiveSession, _ name: String) throws -> IsolatedNode {
    let member = try #require(session.graph.members.first { $0.name == name })
    return try #require(member.nodes[0].inside.capabilities[IsolatedNode.self])
  }

  @Test func `leave out a node that is always too late, and advise a longer period`() throws {
    let workshop = try RigTestEnvironment()
    // A quarter of a second for each block of 171 ms. The plugin counts as hung after eight blocks.
    let code = """
      #include <time.h>
      void process(void *state, const float *const *inputs, float *const *outputs, const float *parameters,
                   unsigned frame_count) {
        const struct timespec pause = {0, 250000000};
        if (inputs[0][0] == inputs[0][0]) nanosleep(&pause, 0);
        for (unsigned i = 0; i < frame_count; i++) outputs[0][i] = inputs[0][i];
      }
      """
    let path = try workshop.write(code, as: "slow.c")
    let session = try session(
      workshop, "slow: {plugin: \"\(path)\", isolate: own}", "in -> slow -> out",
      periodFrames: 8_192)
    try session.start()
    defer { session.stop() }
    var last = ""
    try report(session) {
      last = faults($0).last ?? last
      return last.contains("stays bypassed")
    }
    #expect(last.contains("answered too late in several periods in its worker process"), "\(last)")
    #expect(
      last.hasSuffix("Use a longer period, or isolate it with `latency: block`."), "\(last)")
  }

  @Test func `tell in how many blocks a node was late, because its input passed`() throws {
    let workshop = try RigTestEnvironment()
    // Longer than a block of 171 ms, once.
    let code = """
      #include <time.h>
      void process(void *state, const float *const *inputs, float *const *outputs, const float *parameters,
                   unsigned frame_count) {
        static int count;
        const struct timespec pause = {0, 250000000};
        if (++count == 4 && inputs[0][0] == inputs[0][0]) nanosleep(&pause, 0);
        for (unsigned i = 0; i < frame_count; i++) outputs[0][i] = 0;
      }
      """
    let path = try workshop.write(code, as: "once.c")
    let session = try session(
      workshop, "once: {plugin: \"\(path)\", isolate: own}", "in -> once -> out",
      periodFrames: 8_192)
    try session.start()
    defer { session.stop() }
    var messages: [String] = []
    try report(session) {
      messages += $0.notices.map { "\($0)" }
      return messages.contains { $0.contains("once was too late in ") }
    }
    #expect(messages.allSatisfy { $0.hasSuffix(" passed unprocessed.") }, "\(messages)")
  }

  @Test func `blame no plugin if several processes hang at once`() throws {
    let workshop = try RigTestEnvironment(modules: ["gain", "reverb"])
    let session = try session(
      workshop,
      "a: {plugin: outboard.gain, isolate: own}, b: {plugin: outboard.reverb, isolate: own}",
      "in -> a -> b -> out")
    try session.start()
    defer { session.stop() }
    let processes = try ["a", "b"].map { try worker(session, $0).worker.process }
    for process in processes { kill(process, SIGSTOP) }
    let deadline = Deadline()
    while try ["a", "b"].contains(where: { try worker(session, $0).fault == nil }) {
      try deadline.rest()
    }
    #expect(
      faults(try session.report()) == [
        "a and b did not return from a block at the same time and were bypassed, because the machine"
          + " was busy. They were re-created and fade in."
      ])
    #expect(session.bypassedNodes.isEmpty)
  }

  @Test func `re-create a node with its values, and leave it out after three faults`() throws {
    let workshop = try RigTestEnvironment(modules: ["oscillator", "gain"])
    let session = try session(
      workshop,
      "tone: {plugin: outboard.oscillator}, gain: {plugin: outboard.gain, isolate: own}",
      "tone -> gain -> out")
    try session.start()
    defer { session.stop() }
    _ = try session.set("gain", to: [("gain", "-6")])
    var level: Float = 0
    try report(session) {
      // Between two periods there is no block, and no peak.
      guard let peak = $0.outputPeaks.max(), peak > 0.01 else { return false }
      defer { level = peak }
      return abs(peak - level) < 0.01 * peak
    }
    let plain = level
    // On a busy machine the worker may also answer too late, which counts as another fault.
    var messages: [String] = []
    while !messages.contains(where: { $0.contains("stays bypassed") }) {
      try #require(messages.count < 3, "\(messages)")
      let count = messages.count
      kill(try worker(session, "gain").worker.process, SIGKILL)
      try report(session) {
        messages += faults($0)
        return messages.count > count
      }
      #expect(session.nodeValues[1].values[0] == -6)
      guard messages.count < 3 else { continue }
      try report(session) {
        messages += faults($0)
        return messages.count == 3 || abs(($0.outputPeaks.max() ?? 0) - plain) < 0.01 * plain
      }
    }
    let what = "gain (Gain) was killed by signal 9 in its worker process and was bypassed."
    #expect(messages.contains("\(what) It was re-created and fades in."), "\(messages)")
    #expect(messages.count == 3, "\(messages)")
    let last = try #require(messages.last)
    let remedy =
      last.contains("too late")
      ? "a longer period, or isolate it with `latency: block`." : "another version of the plugin."
    #expect(
      last.hasSuffix(
        "The fault repeats. The node stays bypassed until the rig changes. Use \(remedy)"),
      "\(messages)")
    // Twice as loud as through it.
    try report(session) { ($0.outputPeaks.max() ?? 0) > 1.9 * plain }
  }

  @Test func `re-create all nodes of a group together`() throws {
    let workshop = try RigTestEnvironment(modules: ["gain", "reverb"])
    let session = try session(
      workshop,
      "a: {plugin: outboard.gain, isolate: band}, b: {plugin: outboard.reverb, isolate: band}",
      "in -> a -> b -> out")
    try session.start()
    defer { session.stop() }
    let process = try worker(session, "a").worker.process
    #expect(try worker(session, "b").worker.process == process)
    kill(process, SIGKILL)
    var messages: [String] = []
    try report(session) {
      messages += faults($0)
      return !messages.isEmpty
    }
    #expect(
      messages == [
        "One of a and b was killed by signal 9 in their worker process, and all were bypassed. They"
          + " were re-created and fade in."
      ])
    let next = try worker(session, "a").worker.process
    #expect(next != process)
    #expect(try worker(session, "b").worker.process == next)
  }

  @Test func `blame the node of a group that was rendered`() throws {
    let workshop = try RigTestEnvironment(modules: ["gain"])
    let trigger = workshop.path + "/crash"
    let path = try workshop.write(
      """
      // outboard: inputs: 2, outputs: 2
      #include <unistd.h>
      void process(void *state, const float *const *in, float *const *out, const float *p, unsigned n) {
        if (unlink("\(trigger)") == 0) *(volatile int *)0 = 1;
        for (int c = 0; c < 2; c++) for (unsigned i = 0; i < n; i++) out[c][i] = in[c][i];
      }
      """, as: "ill.c")
    let session = try session(
      workshop,
      "a: {plugin: outboard.gain, isolate: all}, b: {plugin: \"\(path)\", isolate: all},"
        + " c: {plugin: outboard.gain, isolate: all}", "in -> a -> b -> c -> out")
    try session.start()
    defer { session.stop() }
    var messages: [String] = []
    for count in 1 ... 3 {
      let process = try worker(session, "c").worker.process
      try workshop.write("", as: "crash")
      try report(session) {
        messages += faults($0)
        return messages.count == count
      }
      #expect(
        messages[count - 1].hasPrefix(
          "b (ill) crashed (signal 11, segmentation fault) at \(path):4, "), "\(messages)")
      #expect(
        messages[count - 1].contains(
          " (process) in the worker process of b, a and c, and all were bypassed. "),
        "\(messages)")
      // The others go on in another process.
      let next = try worker(session, "c").worker
      #expect(next.process != process && !next.hasEnded)
      #expect(try worker(session, "a").worker.process == next.process)
      guard count < 3 else { break }
      #expect(messages[count - 1].hasSuffix("They were re-created and fade in."), "\(messages)")
    }
    #expect(messages[2].contains("The fault repeats. The node stays bypassed"), "\(messages)")
    #expect(session.bypassedNodes == ["b"])
  }

  @Test func `keep the state of a node that moves to another process`() throws {
    let workshop = try RigTestEnvironment()
    let path = try workshop.write(countingSource, as: "counting.c")
    let session = try session(
      workshop, "count: {plugin: \"\(path)\"}", "in -> count -> out")
    try session.start()
    // One second.
    try report(session) { ($0.outputPeaks.max() ?? 0) > 0.048 }
    var next = session.rig
    next.rig.nodes[0].isolation = .own
    _ = try session.edit(to: next)
    let bytes = try #require(try worker(session, "count").save())
    #expect(bytes.reversed().reduce(0) { $0 << 8 | Int($1) } > 40_000)
    let directory = try #require(try worker(session, "count").kept?.directory)
    #expect(FileManager.default.fileExists(atPath: directory))
    session.stop()
    #expect(!FileManager.default.fileExists(atPath: directory))
  }

  @Test func `restore the last saved state of a node`() throws {
    let workshop = try RigTestEnvironment()
    let path = try workshop.write(countingSource, as: "counting.c")
    let session = try session(
      workshop, "count: {plugin: \"\(path)\", isolate: own}", "in -> count -> out")
    try session.start()
    defer { session.stop() }
    let kept = try #require(try worker(session, "count").kept)
    try report(session) { _ in kept.path(.older) != nil && kept.path(.newer) != nil }
    let process = try worker(session, "count").worker.process
    let saved = try Data(contentsOf: URL(fileURLWithPath: "\(kept.directory)/newer/state.bin"))
    kill(process, SIGKILL)
    try report(session) { _ in try worker(session, "count").worker.process != process }
    let bytes = try #require(try worker(session, "count").save())
    func count(_ bytes: [UInt8]) -> Int {
      bytes.reversed().reduce(0) { $0 << 8 | Int($1) }
    }
    #expect(count(bytes) >= count(Array(saved)))
    #expect(count(Array(saved)) > 0)
  }
}
