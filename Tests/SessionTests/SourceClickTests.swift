// SourceClickTests.swift: a tone through modules that are reloaded. SPDX-License-Identifier: MIT

import Foundation
import PluginModel
import RenderGraph
import RigTestSupport
import Testing

@testable import ModuleHost
@testable import RigPlanning
@testable import Session

@Suite(.serialized) struct `A tone through a reloaded module` {
  /// A module in a file, and its replacements, which are saved one after the other.
  struct Case: CustomTestStringConvertible {
    var testDescription: String
    var file = "effect.c"
    /// Values in the rig.
    var values = ""
    let sources: [String]
  }

  /// The processing of each sample `x` of a channel, in C: with a memory `m` of a number of floats,
  /// of which the first may be saved and restored.
  private static func code(
    _ each: String, memory: Int = 0, channels: Int = 2, remembers: Bool = false,
    latency: Int = 0, parameters: String = ""
  ) -> String {
    """
    // outboard: {inputs: \(channels), outputs: \(channels), parameters: [\(parameters)]}
    #include <math.h>
    #include <stdlib.h>
    #include <string.h>
    #define CHANNELS \(channels)
    #define SIZE \(memory + 1)
    #ifdef __cplusplus
    extern "C" {
    #endif
    typedef struct { unsigned t; float m[CHANNELS][SIZE]; } memory;
    void *create(double rate, unsigned longest) { return calloc(1, sizeof(memory)); }
    void destroy(void *state) { free(state); }
    \(latency > 0 ? "unsigned latency(const void *state) { return \(latency); }" : "")
    \(remembers ? Self.remembering : "")
    void process(void *state, const float *const *in, float *const *out, const float *p, unsigned n) {
      memory *all = (memory *)state;
      for (unsigned i = 0; i < n; i++, all->t++)
        for (int c = 0; c < CHANNELS; c++) {
          float x = in[c][i], *m = all->m[c];
          unsigned t = all->t;
          \(each)
          out[c][i] = x;
          (void)m, (void)t;
        }
    }
    #ifdef __cplusplus
    }
    #endif
    """
  }

  private static let remembering = """
    unsigned save(const void *state, void *bytes, unsigned capacity) {
      if (capacity >= sizeof(memory)) memcpy(bytes, state, sizeof(memory));
      return sizeof(memory);
    }
    int restore(void *state, const void *bytes, unsigned count) {
      if (count != sizeof(memory)) return 1;
      memcpy(state, bytes, count);
      return 0;
    }
    """

  /// Delays a sample by a number of frames.
  private static func late(_ frames: Int, gain: String = "1.0") -> String {
    "m[t % SIZE] = x * \(gain)f; x = m[(t - \(frames)) % SIZE];"
  }

  /// Rings at 100 Hz, for a time that grows with `q`.
  private static func resonance(_ q: String, gain: String = "1.0") -> String {
    """
    float w = 2 * 3.14159265f * 100 / 48000, a = sinf(w) / (2 * \(q)f);
    float y = (a * (x - m[1]) + 2 * cosf(w) * m[2] - (1 - a) * m[3]) / (1 + a);
    m[1] = m[0], m[0] = x, m[3] = m[2], m[2] = y;
    x = \(gain)f * y;
    """
  }

  private static func swift(_ gain: String) -> String {
    """
    // outboard: inputs: 2, outputs: 2
    import ModuleKit

    @_noLocks
    @c public func process(
      _ state: UnsafeMutableRawPointer?, _ inputs: UnsafePointer<UnsafePointer<Float>>,
      _ outputs: UnsafePointer<UnsafeMutablePointer<Float>>, _ parameters: UnsafePointer<Float>,
      _ frameCount: UInt32
    ) {
      for channel in 0 ..< 2 {
        for frame in 0 ..< Int(frameCount) { outputs[channel][frame] = inputs[channel][frame] * \(gain) }
      }
    }
    """
  }

  private static let level = "{symbol: level, name: Level, minimum: 0, default: 1, maximum: 1}"

  static let cases = [
    Case(
      testDescription: "C without any memory",
      sources: [code("x *= 0.5f;"), code("x *= 0.9f;"), code("x *= -0.9f;")]),
    Case(
      testDescription: "C++", file: "effect.cpp",
      sources: [code("x *= 0.5f;"), code("x *= 0.9f;")]),
    Case(testDescription: "Swift", file: "effect.swift", sources: [swift("0.5"), swift("0.9")]),
    Case(
      testDescription: "a filter that forgets",
      sources: [
        code(resonance("5.0"), memory: 4), code(resonance("3.0", gain: "0.8"), memory: 4),
      ]),
    Case(
      testDescription: "a filter that remembers",
      sources: [
        code(resonance("9.0"), memory: 4, remembers: true),
        code(resonance("9.0", gain: "0.8"), memory: 4, remembers: true),
      ]),
    Case(
      testDescription: "an echo that forgets",
      sources: [
        code("float y = m[(t - 1440) % SIZE]; m[t % SIZE] = x; x += 0.5f * y;", memory: 4_000),
        code("float y = m[(t - 1300) % SIZE]; m[t % SIZE] = x; x += 0.6f * y;", memory: 4_000),
      ]),
    Case(
      testDescription: "one latency, another latency, a long one, and none",
      sources: [
        code(late(480), memory: 9_000, latency: 480),
        code(late(480, gain: "0.7"), memory: 9_000, latency: 480),
        code(late(720), memory: 9_000, latency: 720),
        code(late(7_200), memory: 9_000, latency: 7_200), code("x *= 0.8f;"),
      ]),
    Case(
      testDescription: "stereo and mono",
      sources: [code("x *= 0.5f;"), code("x *= 0.8f;", channels: 1), code("x *= 0.6f;")]),
    Case(
      testDescription: "other parameters", values: ", parameters: {level: 0.5}",
      sources: [
        code(
          "x *= p[0];",
          parameters: level),
        code(
          "x *= p[0] * p[1];",
          parameters: "{symbol: more, name: More, minimum: 0, default: 0.9, maximum: 1}, \(level)"),
        code("x *= 0.8f;"),
      ]),
  ]

  /// A busy machine can interrupt the main thread while it has a module locked.
  ///
  /// The module then skips blocks, and the case is played again.
  private static let mostAttempts = 5

  @Test(arguments: cases)
  func `has neither a gap nor a click`(case it: Case) throws {
    for attempt in 1 ... Self.mostAttempts {
      let (run, passages, skippedBlockCount) = try play(it)
      if skippedBlockCount > 0, attempt < Self.mostAttempts { continue }
      #expect(passages.count == it.sources.count)
      expectNoClick(in: passages)
      #expect(run.reported == [])
      return
    }
  }

  /// Plays a tone through all versions of a module, and returns the run, its output, and the number of blocks that
  /// the versions skipped.
  private func play(_ it: Case) throws -> (ToneRun, [ToneRun.Passage], Int) {
    let workshop = try RigTestEnvironment(modules: ["oscillator"])
    try workshop.write(it.sources[0], as: it.file)
    let rig = try workshop.rig(
      """
      output: {device: out, channels: 2}
      period: 64
      overload_protection: off
      nodes:
        \(ToneRun.tone)
        effect: {plugin: ./\(it.file)\(it.values)}
      connections: [tone -> effect -> out]
      """)
    let run = try ToneRun(PreparedRig(rig, workshop.library), workshop.library)
    run.session.followSources {}
    var versions = run.session.graph.modules
    for (number, source) in it.sources.enumerated().dropFirst() {
      try run.step("version \(number)") {
        try workshop.write(source, as: it.file)
        try run.waitForNotice { $0.contains("Reloaded ") }
      }
      versions += run.session.graph.modules
    }
    let passages = run.end()
    return (run, passages, versions.reduce(0) { $0 + $1.state.pointee.hold.skippedBlockCount })
  }
}

extension LiveGraph {
  /// The modules that it renders now.
  fileprivate var modules: [ModuleNode] {
    members.flatMap(\.nodes).compactMap { $0.inside as? ModuleNode }
  }
}
