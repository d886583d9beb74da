// SourceSessionTests.swift: modules that are compiled again while they render. SPDX-License-Identifier: MIT

import AudioDriver
import Foundation
import PluginModel
import RigPlanning
import RigTestSupport
import TestWaits
import Testing

@testable import Session

@Suite(.serialized) struct SourceSessionTests {
  /// A module that outputs a constant.
  private func constant(_ value: String, also more: String = "") -> String {
    """
    // outboard: inputs: 0, outputs: 2, parameters: [{symbol: level, name: Level, minimum: 0, default: 1, maximum: 1}]
    \(more)
    void process(void *s, const float *const *in, float *const *out, const float *p, unsigned n) {
      for (unsigned i = 0; i < n; i++) out[0][i] = out[1][i] = \(value) * p[0];
    }
    """
  }

  private func session(_ workshop: RigTestEnvironment, _ words: String...) throws -> LiveSession {
    let rig = try workshop.chain(words)
    let session = try LiveSession(try PreparedRig(rig, workshop.library), workshop.library) {
      request in
      var request = request
      request.periodFrames = 64
      return try UnhurriedDriver(request: request)
    }
    session.followSources {}
    try session.start()
    return session
  }

  /// Reports until a condition holds.
  ///
  /// If it never does, the time limit of the test run ends it.
  @discardableResult
  private func report(
    _ session: LiveSession, until isRight: (LiveSession.Report) -> Bool
  ) throws -> LiveSession.Report {
    let deadline = Deadline()
    while true {
      let report = try session.report()
      if isRight(report) { return report }
      try deadline.rest()
    }
  }

  /// Returns the notices of a report, except that a version is being tested, which depends on the speed of the machine.
  private func outcomes(_ report: LiveSession.Report) -> [String] {
    report.notices.map { "\($0)" }.filter { !$0.contains(" is being tested. ") }
  }

  /// Waits for the next notices that do not depend on the speed of the machine.
  private func nextOutcomes(_ session: LiveSession) throws -> [String] {
    outcomes(try report(session) { !outcomes($0).isEmpty })
  }

  private func peak(_ report: LiveSession.Report) -> Float { report.outputPeaks.max() ?? 0 }

  @Test func `a saved source replaces its module and keeps the set values`() throws {
    let workshop = try RigTestEnvironment()
    let path = try workshop.write(constant("0.25f"), as: "tone.c")
    let session = try session(workshop, path, "level=0.5")
    defer { session.stop() }
    try report(session) { abs(peak($0) - 0.125) < 0.001 }
    try workshop.write(constant("0.75f"), as: "tone.c")
    var messages: [String] = []
    try report(session) {
      messages += outcomes($0)
      return abs(peak($0) - 0.375) < 0.001
    }
    #expect(messages.count == 1)
    #expect(messages.first?.hasPrefix("Reloaded \(path) in ") == true)
  }

  @Test func `a source that does not compile keeps the old module and reports the error`() throws {
    let workshop = try RigTestEnvironment()
    let path = try workshop.write(constant("0.25f"), as: "tone.c")
    let session = try session(workshop, path)
    defer { session.stop() }
    try workshop.write("nonsense", as: "tone.c")
    let failed = try nextOutcomes(session)
    #expect(failed[0].hasPrefix("\(path) was not reloaded. \(path) does not compile:\n"))
    #expect(failed[0].contains("tone.c:1:"))
    try report(session) { abs(peak($0) - 0.25) < 0.001 }
    try workshop.write(constant("0.25f"), as: "tone.c")
    #expect(try nextOutcomes(session) == ["\(path) equals the active version again."])
  }

  @Test(
    arguments: [
      ("abort();", "#include <stdlib.h>"), ("out[0][100000000] = 1;", ""),
    ])
  func `code that would crash the session crashes only the test process`(
    fault: String, header: String
  ) throws {
    let workshop = try RigTestEnvironment()
    let path = try workshop.write(constant("0.25f"), as: "tone.c")
    let session = try session(workshop, path)
    defer { session.stop() }
    try workshop.write(
      constant("0.5f", also: header).replacing(
        "  for (unsigned", with: "  \(fault)\n  for (unsigned"), as: "tone.c")
    #expect(try nextOutcomes(session)[0].hasPrefix("\(path) was not reloaded. "))
    try report(session) { abs(peak($0) - 0.25) < 0.001 }
  }

  @Test func `a deleted source stays active, and is read again when it returns`() throws {
    let workshop = try RigTestEnvironment()
    let path = try workshop.write(constant("0.25f"), as: "tone.c")
    let session = try session(workshop, path)
    defer { session.stop() }
    try FileManager.default.removeItem(atPath: path)
    #expect(try nextOutcomes(session)[0].hasPrefix("\(path) was not reloaded. "))
    try workshop.write(constant("0.5f"), as: "tone.c")
    try report(session) { abs(peak($0) - 0.5) < 0.001 }
  }

  @Test func `a module's state is preserved`() throws {
    let workshop = try RigTestEnvironment()
    func source(step: String) -> String {
      """
      // outboard: inputs: 0, outputs: 2
      #include <stdlib.h>
      #include <string.h>
      void *create(double rate, unsigned longest) { return calloc(1, sizeof(float)); }
      void destroy(void *state) { free(state); }
      unsigned save(const void *state, void *bytes, unsigned capacity) {
        if (capacity >= sizeof(float)) memcpy(bytes, state, sizeof(float));
        return sizeof(float);
      }
      int restore(void *state, const void *bytes, unsigned count) {
        if (count != sizeof(float)) return 1;
        memcpy(state, bytes, count);
        return 0;
      }
      void process(void *state, const float *const *in, float *const *out, const float *p, unsigned n) {
        float *level = state;
        if (*level < 0.5f) *level += \(step);
        for (unsigned i = 0; i < n; i++) out[0][i] = out[1][i] = *level;
      }
      """
    }
    let path = try workshop.write(source(step: "0.01f"), as: "rise.c")
    let session = try session(workshop, path)
    defer { session.stop() }
    try report(session) { peak($0) >= 0.5 }
    try workshop.write(source(step: "0"), as: "rise.c")
    try report(session) { $0.notices.contains { "\($0)".contains("Reloaded ") } }
    // The old module has faded out long before.
    for _ in 0 ..< 20 {
      Thread.sleep(forTimeInterval: 0.01)
      _ = try session.report()
    }
    try report(session) { peak($0) >= 0.5 }
  }

  @Test func `a source with other channels or parameters replaces the old one`() throws {
    let workshop = try RigTestEnvironment()
    let path = try workshop.write(constant("0.25f"), as: "tone.c")
    let session = try session(workshop, path, "level=0.5")
    defer { session.stop() }
    try report(session) { abs(peak($0) - 0.125) < 0.001 }
    let mono = """
      // outboard: inputs: 0, outputs: 1
      void process(void *s, const float *const *in, float *const *out, const float *p, unsigned n) {
        for (unsigned i = 0; i < n; i++) out[0][i] = 0.625f;
      }
      """
    try workshop.write(mono, as: "tone.c")
    try report(session) { abs(peak($0) - 0.625) < 0.001 }
    #expect(session.nodeValues.first?.values == [])
    // The value was kept for its parameter.
    try workshop.write(constant("0.5f"), as: "tone.c")
    try report(session) { abs(peak($0) - 0.25) < 0.001 }
  }

  @Test
  func `output without input stops when its module is replaced, also for a module with inputs`()
    throws
  {
    func hum(_ level: String, channels: Int) -> String {
      """
      // outboard: inputs: \(channels), outputs: \(channels)
      void process(void *s, const float *const *in, float *const *out, const float *p, unsigned n) {
        for (int c = 0; c < \(channels); c++)
          for (unsigned i = 0; i < n; i++) out[c][i] = in[c][i] + \(level);
      }
      """
    }
    let workshop = try RigTestEnvironment()
    let path = try workshop.write(hum("0.25f", channels: 2), as: "hum.c")
    let driver = ManualDriver()
    let session = try LiveSession(
      try PreparedRig(try workshop.chain(path), workshop.library), workshop.library
    ) { _ in driver }
    session.followSources {}
    try session.start()
    defer { session.stop() }
    let silence = [Float](repeating: 0, count: ManualDriver.blockFrames)[...]
    /// Renders and reports for this number of blocks, and returns the last one.
    func play(_ blocks: Int) throws -> (sound: [Float], notices: [String]) {
      var sound: [Float] = []
      for _ in 0 ..< blocks { sound = driver.play(silence, silence) }
      return (sound, try session.report().notices.map { "\($0)" })
    }
    #expect(try play(800).sound.allSatisfy { $0 == 0.25 })
    for (level, channels) in [(0.5, 1), (0.125, 2), (0.0625, 1)] {
      try workshop.write(hum("\(level)f", channels: channels), as: "hum.c")
      let deadline = Deadline()
      while !(try play(1).notices.contains { $0.contains("Reloaded ") }) {
        try deadline.rest(0.002)
      }
      // Warm-up and fade take 0.15 s.
      for _ in 0 ..< 4 { _ = try play(60) }
      #expect(try play(1).sound.allSatisfy { $0 == Float(level) })
    }
  }

  @Test
  func `a module with other channels replaces the old one without a gap, also after undo`() throws {
    let workshop = try RigTestEnvironment(modules: ["gain"])
    let path = try workshop.write(constant("0.25f"), as: "tone.c")
    let session = try session(workshop, path, "level=0.5", "outboard.gain")
    defer { session.stop() }
    let gain = try #require(session.graph.members.last).nodes[0]
    _ = try session.set(session.nodeValues[0].name, to: [("wet", "50 %")])
    try report(session) { abs(peak($0) - 0.0625) < 0.001 }
    let mono = constant("0.75f").replacing("outputs: 2", with: "outputs: 1")
      .replacing("out[0][i] = out[1][i]", with: "out[0][i]")
    try workshop.write(mono, as: "tone.c")
    try report(session) { abs(peak($0) - 0.1875) < 0.001 }
    // The same node, which would have been re-created with the whole graph.
    #expect(session.graph.members.last?.nodes[0] === gain)
    _ = try session.undo()
    try report(session) { abs(peak($0) - 0.375) < 0.001 }
  }

  @Test func `a faulty node is created again from the newest source, and later saves apply`() throws
  {
    let workshop = try RigTestEnvironment()
    let path = try workshop.write(constant("0.25f"), as: "tone.c")
    let session = try session(workshop, path, "level=0.5")
    defer { session.stop() }
    try report(session) { abs(peak($0) - 0.125) < 0.001 }
    // Its parameter has another index now, and a great step of it triggers the fault.
    let fragile = """
      // outboard: inputs: 0, outputs: 2, parameters: [{symbol: spare, name: Spare, minimum: 0, default: 0, maximum: 1}, {symbol: level, name: Level, minimum: 0, default: 1, maximum: 1}]
      static float last;
      void process(void *s, const float *const *in, float *const *out, const float *p, unsigned n) {
        for (unsigned i = 0; i < n; i++) out[0][i] = out[1][i] = 0.5f * p[1];
        if (last > 0.4f && last < 0.6f && p[1] > 0.9f) out[0][0] = __builtin_nanf("");
        last = p[1];
      }
      """
    try workshop.write(fragile, as: "tone.c")
    try report(session) { abs(peak($0) - 0.25) < 0.001 }
    _ = try session.set(session.nodeValues[0].name, to: [("level", "1")])
    try report(session) { $0.notices.contains { "\($0)".contains("It was re-created") } }
    // The code before would output 0.25.
    try report(session) { abs(peak($0) - 0.5) < 0.001 }
    try workshop.write(constant("0.75f"), as: "tone.c")
    try report(session) { abs(peak($0) - 0.75) < 0.001 }
  }

  @Test func `a preflight that hangs is cancelled when the source is saved again`() throws {
    let workshop = try RigTestEnvironment()
    let path = try workshop.write(constant("0.25f"), as: "tone.c")
    let session = try session(workshop, path)
    defer { session.stop() }
    try report(session) { abs(peak($0) - 0.25) < 0.001 }
    let endless = constant(
      "0.5f", also: "void *create(double r, unsigned n) { for (volatile int i = 0;;) i++; }")
    try workshop.write(endless, as: "tone.c")
    try report(session) {
      $0.notices.map { "\($0)" } == ["\(path) is being tested. The previous version stays active."]
    }
    try workshop.write(constant("0.75f"), as: "tone.c")
    var messages: [String] = []
    try report(session) {
      messages += $0.notices.map { "\($0)" }
      return abs(peak($0) - 0.75) < 0.001
    }
    // The result of the endless preflight is no longer needed.
    #expect(!messages.contains { $0.contains("did not come back") }, "\(messages)")
  }

  @Test func `a source whose preflight hangs is refused once, and the old module stays active`()
    throws
  {
    let workshop = try RigTestEnvironment()
    // A tone, because a constant would be muted as a DC offset.
    let tone = constant("(i % 2 ? 0.25f : -0.25f)")
    let path = try workshop.write(tone, as: "tone.c")
    let session = try session(workshop, path)
    defer { session.stop() }
    try workshop.write(
      tone.replacing("  for (unsigned", with: "  for (;;) {}\n  for (unsigned"), as: "tone.c")
    var messages: [String] = []
    try report(session) {
      messages += $0.notices.map { "\($0)" }
      return messages.count == 2
    }
    #expect(messages[0] == "\(path) is being tested. The previous version stays active.")
    let refusal = "\(path) was not reloaded. tone timed out after 2 s while it ran at 48000 Hz"
    #expect(
      messages[1].hasPrefix(refusal + " with blocks of 64 frames (in \(path):"), "\(messages)")
    try report(session) { abs(peak($0) - 0.25) < 0.001 }
  }

  @Test func `a module that reads uninitialised memory is used and reported`() throws {
    let workshop = try RigTestEnvironment()
    let path = try workshop.write(constant("0.25f"), as: "tone.c")
    let session = try session(workshop, path)
    defer { session.stop() }
    let careless = """
      void *create(double rate, unsigned longest) { return malloc(sizeof(float)); }
      void destroy(void *s) { free(s); }
      """
    try workshop.write(
      constant("0.5f + *(float *)s", also: "#include <stdlib.h>\n\(careless)"), as: "tone.c")
    var messages: [String] = []
    try report(session) {
      messages += outcomes($0).filter { !$0.contains("DC offset") }
      return messages.count == 2
    }
    try report(session) { abs(peak($0) - 0.5) < 0.001 }
    #expect(messages.last?.hasPrefix("tone reads uninitialised memory (on the heap), ") == true)
  }

  @Test func `a valid source is used after many versions that were refused`() throws {
    let workshop = try RigTestEnvironment()
    let path = try workshop.write(constant("0.25f"), as: "tone.c")
    let session = try session(workshop, path)
    defer { session.stop() }
    for number in 1 ... 5 {
      let unusable = constant(
        "0.\(number)f", also: "void *create(double rate, unsigned longest) { return 0; }")
      try workshop.write(unusable, as: "tone.c")
      try report(session) { $0.notices.contains { "\($0)".contains("`create` returned NULL") } }
    }
    let library = try #require(session.graph.members.first?.plugin.library)
    #expect(FileManager.default.fileExists(atPath: library))
  }

  @Test func `adding a file to a source directory or removing one rebuilds the module`() throws {
    let workshop = try RigTestEnvironment()
    try workshop.write(
      constant("level()", also: "__attribute__((weak)) float level(void) { return 0.25f; }"),
      as: "tones/tone.c")
    let session = try session(workshop, workshop.path + "/tones")
    defer { session.stop() }
    try report(session) { abs(peak($0) - 0.25) < 0.001 }
    let other = try workshop.write("float level(void) { return 0.5f; }", as: "tones/level.c")
    try report(session) { abs(peak($0) - 0.5) < 0.001 }
    try FileManager.default.removeItem(atPath: other)
    try report(session) { abs(peak($0) - 0.25) < 0.001 }
  }

  @Test func `a source that failed because a header was missing is built when the header is saved`()
    throws
  {
    let workshop = try RigTestEnvironment()
    let path = try workshop.write(constant("0.25f"), as: "tone.c")
    let session = try session(workshop, path)
    defer { session.stop() }
    try workshop.write(constant("LEVEL", also: "#include \"level.h\""), as: "tone.c")
    try report(session) { $0.notices.contains { "\($0)".contains("level.h") } }
    try workshop.write("#define LEVEL 0.5f", as: "level.h")
    try report(session) { abs(peak($0) - 0.5) < 0.001 }
  }

  @Test func `a saved header rebuilds the module`() throws {
    let workshop = try RigTestEnvironment()
    try workshop.write("#define LEVEL 0.25f", as: "level.h")
    let path = try workshop.write(constant("LEVEL", also: "#include \"level.h\""), as: "tone.c")
    let session = try session(workshop, path)
    defer { session.stop() }
    try report(session) { abs(peak($0) - 0.25) < 0.001 }
    try workshop.write("#define LEVEL 0.5f", as: "level.h")
    try report(session) { abs(peak($0) - 0.5) < 0.001 }
  }
}
