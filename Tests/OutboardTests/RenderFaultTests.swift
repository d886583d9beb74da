// RenderFaultTests.swift: samples that are not finite, and their origin. SPDX-License-Identifier: MIT

import Foundation
import LV2Fixtures
import Testing

@Suite struct `A rendering with NaN or infinity` {
  private let scratch: TemporaryDirectory

  init() throws { scratch = try TemporaryDirectory() }

  @Test func `an input that is not finite is not reported as a plugin's fault`() throws {
    var samples = [Float](repeating: 0.1, count: 4_800)
    samples[480] = .nan
    samples[481] = .infinity
    try FloatWave(channels: [samples, samples], sampleRateHz: 48_000).write(
      to: scratch.path("in.wav"))
    let result = try Program.run(
      ["render", "outboard.parametric-eq", "-i", "in.wav", "-o", "out.wav", "--tail", "0"],
      in: scratch)
    #expect(result.status == 0)
    #expect(
      result.error
        == "outboard: 4 samples were NaN or infinity in the input and muted, the first at"
        + " 0.01 s. No plugin is at fault.\n")
    #expect(scratch.samples("out.wav")?.joined().allSatisfy(\.isFinite) == true)
  }

  @Test func `gains that overflow are not reported as a plugin's fault`() throws {
    _ = try scratch.addTone(frames: 4_800)
    let names = (1 ... 20).map { "g\($0)" }
    let chain = zip(["in"] + names, names + ["out"]).map {
      "  - {from: \($0), to: \($1), gain: 40 dB}\n"
    }
    try scratch.write(
      "outboard: 1\nnodes:\n" + names.map { "  \($0): {plugin: outboard.gain}\n" }.joined()
        + "connections:\n" + chain.joined(), to: "loud.yaml")
    let result = try Program.run(
      ["render", "--rig", "loud.yaml", "-i", "in.wav", "-o", "out.wav", "--tail", "0"], in: scratch)
    #expect(result.status == 0)
    #expect(
      result.error.contains("The connection gains add up to 840 dB. Lower them."),
      "\(result.error)")
    #expect(!result.error.contains("validate"))
  }

  @Test func `a loop that overflows is reported as such, and a moderate gain beside plugins`()
    throws
  {
    _ = try scratch.addTone(frames: 48_000)
    try scratch.write(
      """
      outboard: 1
      nodes: {a: {plugin: outboard.gain}}
      connections: [in -> a, a -> out, {from: a, to: a, delay: 50 ms, gain: 40 dB}]
      """, to: "loop.yaml")
    let loop = try Program.run(
      ["render", "--rig", "loop.yaml", "-i", "in.wav", "-o", "out.wav", "--tail", "3"], in: scratch)
    #expect(loop.status == 0)
    #expect(
      loop.error.contains("A loop of connections has a gain above 0 dB. Lower it."), "\(loop.error)"
    )
    try scratch.write(
      """
      // outboard: inputs: 2, outputs: 2
      void process(void *s, const float *const *in, float *const *out, const float *p, unsigned n) {
        for (unsigned i = 0; i < n; i++) for (unsigned c = 0; c < 2; c++) out[c][i] = in[c][i] * 1e38f;
      }
      """, to: "huge.c")
    try scratch.write(
      "outboard: 1\nnodes: {a: {plugin: huge.c}}\n"
        + "connections: [in -> a, {from: a, to: out, gain: 40 dB}]\n", to: "gain.yaml")
    let gain = try Program.run(
      [
        "render", "--rig", "gain.yaml", "-i", "in.wav", "-o", "out.wav", "--tail", "0", "--force",
        "--skip-preflight",
      ], in: scratch)
    #expect(
      gain.error.contains(
        "The connection gains add up to 40 dB. Lower them, or run `outboard validate` to find a"
          + " faulty plugin."), "\(gain.error)")
  }
}
