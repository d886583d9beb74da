// GuardSessionTests.swift: slow plugins and plugins with a constant offset in a session. SPDX-License-Identifier: MIT

import AudioDriver
import Foundation
import PluginModel
import RenderGraph
import RigSchema
import RigTestSupport
import TestWaits
import Testing

@testable import Session

@Suite(.serialized) struct GuardSessionTests {
  /// Copies audio; uses `slow` times the duration of the block in processor time, not in wall time; adds `offset`.
  private let source = """
    // outboard:
    //   inputs: 2
    //   outputs: 2
    //   parameters:
    //     - {symbol: slow, name: Slow, minimum: 0, default: 0, maximum: 10}
    //     - {symbol: offset, name: Offset, minimum: -1, default: 0, maximum: 1}
    #include <time.h>
    static double now(void) {
      struct timespec time;
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
      return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
    }
    void process(void *state, const float *const *in, float *const *out, const float *p, unsigned n) {
      const double end = now() + p[0] * n / 48000.0;
      while (p[0] > 0 && now() < end) {
      }
      for (int c = 0; c < 2; c++)
        for (unsigned i = 0; i < n; i++) out[c][i] = in[c][i] + p[1];
    }
    """

  private func session(_ workshop: RigTestEnvironment, deadline: Bool = true) throws -> LiveSession
  {
    let path = try workshop.write(source, as: "ill.c")
    let chain = try workshop.chain("outboard.oscillator", path)
    var rig = try PreparedRig(chain, workshop.library)
    rig.rig.watchesDeadline = deadline
    let session = try LiveSession(rig, workshop.library) { try UnhurriedDriver(request: $0) }
    try session.start()
    return session
  }

  @Test func `a node that is too slow is created again, and bypassed if that does not help`() throws
  {
    let workshop = try RigTestEnvironment(modules: ["oscillator"])
    let session = try session(workshop)
    defer { session.stop() }
    let name = session.nodeValues[1].name
    // Three times the load, because the machine may be busy.
    _ = try session.set(name, to: [("slow", "3")])
    var messages: [String] = []
    let deadline = Deadline()
    while messages.count < 3 {
      // A busy machine interrupts many blocks, so the whole load may be reported before the
      // guard decides.
      messages += try session.report().notices.map { "\($0)" }.filter { !isOverload($0, of: name) }
      try deadline.rest()
    }
    for (message, end) in zip(
      messages,
      [
        "to prevent dropouts. It was re-created and fades in.",
        "to prevent dropouts. It was re-created and fades in.",
        "The node stays bypassed until the rig changes. Use a longer period, or another plugin.",
      ])
    {
      #expect(message.hasPrefix("\(name) used ") && message.hasSuffix(end), "\(message)")
      let share = message.split(separator: " ").compactMap { Int($0) }.first ?? 0
      #expect(share >= 290, "\(message)")
    }
    #expect(session.nodeLoads()[1].faultCount == 3)
    #expect(session.nodeLoads().map(\.lastFault) == [nil, .overload])
    // Audio continues without late blocks.
    var report = try session.report()
    let deadline2 = Deadline()
    while (report.outputPeaks.max() ?? 0) <= 0.05 || report.meanLoad >= 1 {
      try deadline2.rest()
      report = try session.report()
    }
  }

  @Test func `a node that is too slow stays in use with fault protection off`() throws {
    let workshop = try RigTestEnvironment(modules: ["oscillator"])
    let session = try session(workshop, deadline: false)
    defer { session.stop() }
    _ = try session.set(session.nodeValues[1].name, to: [("slow", "3")])
    var rendered = session.renderedFrameCount
    rendered += 20 * UInt64(session.stream.periodFrames)
    var messages: [String] = []
    let deadline = Deadline()
    while session.renderedFrameCount < rendered {
      messages += try session.report().notices.map { "\($0)" }
      try deadline.rest()
    }
    messages += try session.report().notices.map { "\($0)" }
    // The load of the graph may be reported, because the node stays in it.
    #expect(messages.allSatisfy { isOverload($0, of: session.nodeValues[1].name) }, "\(messages)")
    #expect(session.nodeLoads().map(\.faultCount) == [0, 0])
  }

  /// Whether a message is about the load of the whole graph, most of which is that of the node.
  private func isOverload(_ message: String, of name: String) -> Bool {
    message.hasPrefix("The nodes use ") && message.contains(". \(name) (")
  }

  @Test func `a node with a constant offset is reported with the offset`() throws {
    let workshop = try RigTestEnvironment(modules: ["oscillator"])
    let session = try session(workshop)
    defer { session.stop() }
    let name = session.nodeValues[1].name
    _ = try session.set(name, to: [("offset", "0.9")])
    var messages: [String] = []
    let deadline = Deadline()
    while messages.isEmpty {
      messages += try session.report().notices.map { "\($0)" }
      try deadline.rest(0.02)
    }
    #expect(
      messages == [
        "\(name) output a DC offset of -1 dBFS and was bypassed to protect the loudspeakers."
          + " It was re-created and fades in."
      ])
  }
}
