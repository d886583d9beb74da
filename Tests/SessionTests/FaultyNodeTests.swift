// FaultyNodeTests.swift: faulty nodes that are created again or bypassed in a session. SPDX-License-Identifier: MIT

import Foundation
import RigSchema
import RigTestSupport
import TestWaits
import Testing

@testable import Session

@Suite(.serialized) struct `A faulty node` {
  /// Copies audio.
  ///
  /// On request, or after a count, it outputs invalid samples.
  private let source = """
    // outboard: inputs: 2, outputs: 2, parameters: [{symbol: ill, name: Ill, minimum: 0, default: 0, maximum: 2}]
    #include <math.h>
    #include <stdlib.h>
    void *create(double rate, unsigned longest) { return calloc(1, sizeof(int)); }
    void destroy(void *state) { free(state); }
    void process(void *state, const float *const *in, float *const *out, const float *p, unsigned n) {
      int *poisoned = state;
      if (p[0] >= 1) *poisoned = 1;
      for (int c = 0; c < 2; c++)
        for (unsigned i = 0; i < n; i++) out[c][i] = *poisoned ? NAN : 0.5f * in[c][i];
    }
    """

  private func report(
    _ session: LiveSession, until isRight: (LiveSession.Report) -> Bool
  ) throws {
    let deadline = Deadline()
    while true {
      if isRight(try session.report()) { return }
      try deadline.rest()
    }
  }

  @Test func `a faulty node is created again, and bypassed if that does not help`() throws {
    let workshop = try RigTestEnvironment(modules: ["oscillator"])
    let path = try workshop.write(source, as: "ill.c")
    let session = try LiveSession(
      try PreparedRig(try workshop.chain("outboard.oscillator", path), workshop.library),
      workshop.library
    ) { try UnhurriedDriver(request: $0) }
    try session.start()
    defer { session.stop() }
    let name = session.nodeValues[1].name
    var level: Float = 0
    // Faded in when it no longer grows.
    try report(session) {
      let peak = $0.outputPeaks.max() ?? 0
      defer { level = peak }
      return peak > 0.03 && abs(peak - level) < 0.01 * peak
    }
    var messages: [String] = []
    _ = try session.set(name, to: [("ill", "1")])
    // Re-created with its values, it is faulty again, until it is bypassed.
    try report(session) {
      messages += $0.notices.map { "\($0)" }
      return messages.count == 3
    }
    let what = "\(name) output NaN or infinity and was muted."
    #expect(
      messages == [
        "\(what) It was re-created and fades in.", "\(what) It was re-created and fades in.",
        "\(what) The fault repeats. The node stays bypassed until the rig changes.",
      ])
    // Twice as loud as through it, because it is bypassed.
    try report(session) { abs(($0.outputPeaks.max() ?? 0) - 2 * level) < level / 10 }
  }

  @Test
  func `a faulty node returns when its source is fixed, and nodes after it are not reported`()
    throws
  {
    let workshop = try RigTestEnvironment(modules: ["oscillator", "delay"])
    let path = try workshop.write(source, as: "ill.c")
    let session = try LiveSession(
      try PreparedRig(
        try workshop.chain("outboard.oscillator", path, "outboard.delay", "feedback=80", "mix=50"),
        workshop.library), workshop.library
    ) { try UnhurriedDriver(request: $0) }
    session.followSources {}
    try session.start()
    defer { session.stop() }
    let name = session.nodeValues[1].name
    _ = try session.set(name, to: [("ill", "1")])
    var messages: [String] = []
    try report(session) {
      messages += $0.notices.map { "\($0)" }
      return messages.contains { $0.contains("The fault repeats") }
    }
    #expect(!messages.contains { $0.hasPrefix(session.nodeValues[2].name + " output") })
    try workshop.write(source.replacing("NAN", with: "0.001f"), as: "ill.c")
    // Faint: the bypass signal would be as loud as the oscillator. The echoes decay before
    // that.
    try report(session) {
      guard let peak = $0.outputPeaks.max() else { return false }
      return peak > 0 && peak < 0.005
    }
  }

  @Test func `a plugin that turns an overloaded input into NaN is not reported as faulty`() throws {
    let workshop = try RigTestEnvironment(modules: ["oscillator"])
    let path = try workshop.write(
      """
      // outboard: inputs: 2, outputs: 2, in_place: true
      #include <math.h>
      void process(void *s, const float *const *in, float *const *out, const float *p, unsigned n) {
        for (int c = 0; c < 2; c++)
          for (unsigned i = 0; i < n; i++) out[c][i] = fabsf(in[c][i]) > 500 ? NAN : in[c][i];
      }
      """, as: "brittle.c")
    var rig = try workshop.chain("outboard.oscillator", path)
    for index in rig.connections.indices { rig.connections[index].gainDecibels = 80 }
    let session = try LiveSession(
      try PreparedRig(rig, workshop.library), workshop.library
    ) { try UnhurriedDriver(request: $0) }
    try session.start()
    defer { session.stop() }
    let name = session.nodeValues[1].name
    var messages: [String] = []
    try report(session) {
      messages += $0.notices.map { "\($0)" }
      return messages.contains { $0.hasPrefix("\(name) receives a signal above +40 dBFS") }
    }
    #expect(
      !messages.contains { $0.contains(" output NaN") || $0.contains(" output a ") },
      "\(messages)")
  }

  @Test func `an overload caused only by gains is reported as such, without a faulty node`() throws
  {
    let workshop = try RigTestEnvironment(modules: ["oscillator"])
    var rig = try workshop.chain("outboard.oscillator")
    for index in rig.connections.indices { rig.connections[index].gainDecibels = 80 }
    let session = try LiveSession(
      try PreparedRig(rig, workshop.library), workshop.library
    ) { try UnhurriedDriver(request: $0) }
    try session.start()
    defer { session.stop() }
    var messages: [String] = []
    try report(session) {
      messages += $0.notices.map { "\($0)" }
      return !messages.isEmpty
    }
    #expect(messages[0].contains("Check the connection gains"))
    try report(session) { $0.outputPeaks.max() == 0 }
  }
}
