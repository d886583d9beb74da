// RenderTests.swift: the output of `outboard render`. SPDX-License-Identifier: MIT

import Foundation
import LV2Fixtures
import Testing

@Suite struct `Rendering` {
  private let scratch: TemporaryDirectory

  init() throws { scratch = try TemporaryDirectory() }

  private func render(_ arguments: String..., to output: String = "out.wav") throws {
    try expectSuccess(["render"] + arguments + ["-i", "in.wav", "-o", output], in: scratch)
  }

  @Test(arguments: [("s16", 2), ("s24", 3)])
  func `an empty chain is exact to the bit`(_ format: String, _ byteCount: Int) throws {
    let data = try scratch.addNoise("in.wav", bytesPerSample: byteCount)
    try render("--rig", "straight-through", "--format", format)
    #expect(try scratch.waveData("out.wav") == data)
  }

  @Test func `an empty chain is exact for floating point, also beyond full scale`() throws {
    var samples = try scratch.addTone()
    samples[1][7] = 3.75
    try FloatWave(channels: samples, sampleRateHz: 48_000).write(to: scratch.path("in.wav"))
    try render("--rig", "straight-through")
    #expect(scratch.samples("out.wav") == samples)
  }

  @Test(arguments: ["flac", "aiff", "au", "caf"])
  func `lossless file types preserve the samples`(_ kind: String) throws {
    let data = try scratch.addNoise("in.wav", bytesPerSample: 2)
    try render("--rig", "straight-through", "--format", "s16", to: "other.\(kind)")
    try expectSuccess(
      [
        "render", "--rig", "straight-through", "-i", "other.\(kind)", "-o", "back.wav", "--format",
        "s16",
      ], in: scratch)
    #expect(try scratch.waveData("back.wav") == data)
  }

  @Test func `Ogg preserves the length and approximates the signal`() throws {
    let samples = try scratch.addTone(frames: 24_000)
    try render("--rig", "straight-through", to: "other.ogg")
    #expect(try scratch.data("other.ogg").prefix(4) == Data("OggS".utf8))
    try expectSuccess(
      ["render", "--rig", "straight-through", "-i", "other.ogg", "-o", "back.wav"], in: scratch)
    let back = try #require(scratch.samples("back.wav"))
    #expect(back.map(\.count) == [24_000, 24_000])
    let error = zip(samples[0], back[0]).map { ($0 - $1) * ($0 - $1) }.reduce(0, +) / 24_000
    #expect(error.squareRoot() < 0.02)
  }

  @Test func `standard input and output can replace files`() throws {
    let samples = try scratch.addTone()
    let result = try Program.shell(
      "cat in.wav | \"$OUTBOARD\" render outboard.gain --tail 0 -i - -o - | cat > out.wav",
      in: scratch)
    #expect(result.error.hasPrefix("standard output: 0.10 s, peak "))
    #expect(scratch.samples("out.wav") == samples)
    let bare = try Program.shell(
      "cat in.wav | \"$OUTBOARD\" render outboard.gain - -o bare.wav --tail 0", in: scratch)
    #expect(bare.status == 0, "\(bare.error)")
    #expect(scratch.samples("bare.wav") == samples)
  }

  @Test func `a plugin's output goes to standard error, not into the audio or the JSON`()
    throws
  {
    let bundles = try BundleDirectory(["chatter"])
    let scratch = try TemporaryDirectory(lv2: bundles.path)
    let samples = try scratch.addTone(channels: 1)
    let arguments = [
      "render", "urn:outboard:test:chatter", "-i", "in.wav", "--tail", "0", "--format", "float",
      "-o",
    ]
    let sound = try Program.run(arguments + ["-"], in: scratch)
    #expect(sound.status == 0)
    try sound.output.write(to: URL(fileURLWithPath: scratch.path("heard.wav")))
    #expect(scratch.samples("heard.wav") == samples)
    let report = try Program.run(arguments + ["out.wav", "--json"], in: scratch)
    #expect(try JSONSerialization.jsonObject(with: report.output) is [String: Any])
    for result in [sound, report] {
      #expect(result.error.contains("garbage on standard output"))
    }
  }

  @Test func `raw PCM is read and written`() throws {
    let data = try scratch.addNoise("in.wav", bytesPerSample: 2)
    let result = try Program.run(
      [
        "render", "--rig", "straight-through", "-i", "-", "--raw", "48000:2:s16", "-o", "-",
        "--container", "raw", "--format", "s16",
      ], in: scratch, input: data)
    #expect(result.status == 0)
    #expect(result.output == data)
  }

  @Test func `mono goes to both sides of a stereo plugin`() throws {
    let samples = try scratch.addTone(channels: 1)
    try render("outboard.gain", "--tail", "0")
    #expect(scratch.samples("out.wav") == [samples[0], samples[0]])
  }

  @Test func `a mono plugin processes the channels of a stereo file separately`() throws {
    let samples = try scratch.addTone()
    try scratch.addModule("half", fixture: "process_only", channels: 1)
    try render("./half.so", "--tail", "0")
    #expect(scratch.samples("out.wav") == samples.map { $0.map { $0 * 0.5 } })
  }

  @Test func `the tail has the given length, or that of the audio`() throws {
    try scratch.addTone()
    try render("outboard.reverb", "--tail", "0", to: "none.wav")
    try render("outboard.reverb", "--tail", "0.5", to: "some.wav")
    try render("outboard.reverb", "decay=1", to: "all.wav")
    #expect(scratch.samples("none.wav")?.map(\.count) == [4_800, 4_800])
    #expect(scratch.samples("some.wav")?.map(\.count) == [28_800, 28_800])
    let all = try #require(scratch.samples("all.wav"))
    #expect(all[0].count > 4_800 + 24_000)
    #expect(all.allSatisfy { $0.suffix(100).allSatisfy { abs($0) < 1e-3 } })
  }

  @Test func `--seconds cuts the input, and is the length without one`() throws {
    let samples = try scratch.addTone()
    try render("outboard.gain", "--duration", "0.05", "--tail", "0")
    #expect(scratch.samples("out.wav") == samples.map { Array($0.prefix(2_400)) })
    try expectSuccess(
      ["render", "outboard.oscillator", "--duration", "0.5", "--rate", "44100", "-o", "tone.wav"],
      in: scratch)
    let tone = try #require(FloatWave(path: scratch.path("tone.wav")))
    #expect(tone.sampleRateHz == 44_100)
    #expect(tone.channels.map(\.count) == [22_050])
    #expect(tone.channels[0].contains { abs($0) > 0.05 })
  }

  private static let chain = [
    "outboard.gate", "outboard.parametric-eq", "band_3_gain=6", "outboard.compressor",
    "outboard.delay", "outboard.reverb", "outboard.limiter", "outboard.gain", "gain=-2",
  ]

  @Test func `the result depends neither on the block size nor on the run`() throws {
    try scratch.addTone(frames: 9_600)
    var outputs: Set<Data> = []
    for (index, block) in ["1", "37", "256", "256", "4096"].enumerated() {
      try expectSuccess(
        ["render"] + Self.chain + [
          "--tail", "0.2", "--block-length", block, "-i", "in.wav", "-o", "\(index).wav",
        ], in: scratch)
      outputs.insert(try scratch.data("\(index).wav"))
    }
    #expect(outputs.count == 1)
  }

  @Test func `declared latency is trimmed`() throws {
    var impulse = [Float](repeating: 0, count: 4_800)
    impulse[1_000] = 0.25
    try FloatWave(channels: [impulse, impulse], sampleRateHz: 48_000)
      .write(to: scratch.path("in.wav"))
    let result = try expectSuccess(
      [
        "render", "outboard.limiter", "--tail", "0", "-i", "in.wav", "-o", "out.wav", "--json",
      ], in: scratch)
    struct Report: Decodable {
      let latencyFrames: Int
      let frames: Int
    }
    let report = try JSONDecoder().decode(Report.self, from: result.output)
    #expect(report.latencyFrames > 0)
    #expect(report.frames == 4_800)
    let output = try #require(scratch.samples("out.wav"))
    #expect(output.map(\.count) == [4_800, 4_800])
    for channel in output {
      #expect(channel.indices.max { abs(channel[$0]) < abs(channel[$1]) } == 1_000)
    }
  }

  @Test func `silence has a result that programs can read`() throws {
    try FloatWave(channels: [[Float](repeating: 0, count: 100)], sampleRateHz: 48_000)
      .write(to: scratch.path("in.wav"))
    let result = try expectSuccess(
      ["render", "outboard.gain", "-i", "in.wav", "-o", "out.wav", "--json"], in: scratch)
    struct Report: Decodable {
      let peakDBFS: Double?
      let loudnessLUFS: Double?
    }
    let report = try JSONDecoder().decode(Report.self, from: result.output)
    #expect(report.peakDBFS == nil)
    #expect(report.loudnessLUFS == nil)
  }

  @Test func `a file can be rendered over itself with --force`() throws {
    let samples = try scratch.addTone()
    try render("outboard.gain", "invert_left=on", "--tail", "0", "--force", to: "in.wav")
    let output = try #require(scratch.samples("in.wav"))
    #expect(output[1] == samples[1])
    #expect(output[0].suffix(1_000) == samples[0].map { -$0 }.suffix(1_000))
  }

  @Test func `a name with blanks names a plugin`() throws {
    let samples = try scratch.addTone()
    try scratch.addModule(
      "two", fixture: "process_only", display: "Two Words", channels: 1, directory: "modules")
    let result = try Program.run(
      ["render", "two words", "--tail", "0", "-i", "in.wav", "-o", "out.wav"], in: scratch,
      environment: ["OUTBOARD_MODULE_PATH": scratch.path("modules")])
    #expect(result.status == 0, "\(result.error)")
    #expect(scratch.samples("out.wav") == samples.map { $0.map { $0 * 0.5 } })
  }

  @Test func `a rig of a thousand nodes is rendered`() throws {
    let samples = try scratch.addTone(frames: 600)
    let names = (1 ... 1_000).map { "n\($0)" }
    try scratch.write(
      "outboard: 1\nnodes:\n"
        + names.map { "  \($0): {plugin: outboard.gain}\n" }.joined()
        + "connections:\n  - in -> \(names.joined(separator: " -> ")) -> out\n", to: "rig.yaml")
    try render("--rig", "rig.yaml", "--tail", "0")
    #expect(scratch.samples("out.wav") == samples)
  }

  @Test func `branches have the same output with one thread and with several`() throws {
    _ = try scratch.addNoise("in.wav", bytesPerSample: 2)
    let branches = (1 ... 3).map { branch in (1 ... 3).map { "b\(branch)x\($0)" } }
    try scratch.write(
      "outboard: 1\nnodes:\n"
        + branches.joined().map { "  \($0): {plugin: outboard.reverb}\n" }.joined()
        + "connections:\n"
        + branches.map { "  - in -> \($0.joined(separator: " -> ")) -> out\n" }.joined(),
      to: "rig.yaml")
    var outputs: Set<Data> = []
    for threads in ["1", "2", "4"] {
      let result = try Program.run(
        [
          "render", "--rig", "rig.yaml", "-i", "in.wav", "--duration", "0.5", "--tail", "1", "-o",
          "\(threads).wav", "--threads", threads, "--json",
        ], in: scratch)
      let report = try JSONSerialization.jsonObject(with: result.output) as? [String: Any]
      let used = try #require(report?["threads"] as? Int)
      #expect(1 ... (Int(threads) ?? 1) ~= used)
      outputs.insert(try scratch.data("\(threads).wav"))
    }
    #expect(outputs.count == 1)
  }

  @Test func `two renderings into one file leave one complete file`() throws {
    let samples = try scratch.addTone(frames: 48_000)
    let command = [
      Program.url.path, "render", "outboard.gain", "--tail", "0", "-i", "in.wav", "-o", "out.wav",
    ]
    let both = try [Program.start(command, in: scratch), Program.start(command, in: scratch)]
    #expect(try both.map { try $0.finish().status }.sorted() == [0, 2])
    #expect(scratch.samples("out.wav") == samples)
    #expect(try scratch.files() == ["in.wav", "out.wav"])
  }

  @Test func `samples of a module that are not finite are silent in the file, and reported`() throws
  {
    _ = try scratch.addTone(frames: 4_800)
    try scratch.write(
      """
      // outboard: inputs: 2, outputs: 2
      static unsigned long played;
      void process(void *s, const float *const *in, float *const *out, const float *p, unsigned n) {
        for (unsigned i = 0; i < n; i++, played++)
          for (unsigned c = 0; c < 2; c++) out[c][i] = played == 2400 ? 0.0f / 0.0f : in[c][i];
      }
      """, to: "fault.c")
    let result = try Program.run(
      ["render", "fault.c", "-i", "in.wav", "-o", "out.wav", "--tail", "0", "--skip-preflight"],
      in: scratch)
    #expect(result.status == 0)
    #expect(
      result.error
        == "outboard: 2 samples were NaN or infinity and muted, the first at 0.05 s. Run"
        + " `outboard validate` to find the faulty plugin.\n")
    let samples = try #require(scratch.samples("out.wav"))
    #expect(samples[0][2_400] == 0 && samples[1][2_400] == 0)
    #expect(samples.allSatisfy { $0.allSatisfy(\.isFinite) && $0[2_399] != 0 })
  }
}
