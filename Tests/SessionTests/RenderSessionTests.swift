// RenderSessionTests.swift: files that are rendered by rigs. SPDX-License-Identifier: MIT

import AudioFiles
import Foundation
import LV2Fixtures
import Manifests
import Metering
import OfflineDriver
import RigSchema
import RigTestSupport
import Session
import Testing

@Suite struct RenderSessionTests {
  let workshop: RigTestEnvironment

  init() throws {
    workshop = try RigTestEnvironment(modules: ["gain", "reverb", "oscillator", "limiter"])
  }

  /// A file with a ramp on each channel.
  func input(
    frames: Int = 4_800, channels: Int = 2, rate: Int = 48_000, name: String = "in.wav"
  ) throws -> String {
    var settings = AudioFileWriter.Settings(
      path: "\(workshop.path)/\(name)", sampleRateHz: rate, channelCount: channels)
    settings.replaces = true
    settings.format = .float
    var writer = try AudioFileWriter(settings)
    let samples = (0 ..< frames * channels).map { Float($0 / channels % 100) / 200 }
    try writer.write(samples, frameCount: frames)
    try writer.finish()
    return settings.path
  }

  func samples(_ path: String) throws -> [[Float]] {
    var reader = try AudioFileReader(path: path)
    let count = reader.frameCount ?? 0
    let memory = UnsafeMutablePointer<Float>.allocate(capacity: count * reader.channelCount + 1)
    defer { memory.deallocate() }
    let rows = (0 ..< reader.channelCount).map { memory + $0 * count }
    let got = try rows.withUnsafeBufferPointer { rows in
      try reader.read(into: try #require(rows.baseAddress), frameCount: count)
    }
    return rows.map { Array(UnsafeBufferPointer(start: $0, count: got)) }
  }

  func request(
    _ input: String?, _ output: String = "out.wav",
    _ change: (inout RenderRequest) -> Void = { _ in }
  ) -> RenderRequest {
    var request = RenderRequest(output: "\(workshop.path)/\(output)")
    request.input = input
    request.format = .float
    request.tailSeconds = 0
    change(&request)
    return request
  }

  func session(_ rig: RigDescription, _ request: RenderRequest) throws -> RenderSession {
    try RenderSession(try PreparedRig(rig, workshop.library), workshop.library, request)
  }

  func hasOutput(_ name: String = "out.wav") -> Bool {
    let files = (try? FileManager.default.contentsOfDirectory(atPath: workshop.path)) ?? []
    return files.contains { $0.contains(name) }
  }

  // MARK: - Output

  @Test func `a file through an empty rig is unchanged`() throws {
    let input = try input()
    let rig = try workshop.rig("connections: [in -> out]")
    let session = try session(rig, request(input))
    let report = try session.run { _ in true }
    #expect(report.frameCount == 4_800)
    #expect(session.notes.isEmpty)
    #expect(try samples("\(workshop.path)/out.wav") == samples(input))
  }

  @Test(arguments: ["outboard.loudness-meter", "outboard.tuner"])
  func `readouts are those at the end of the input, with any blocks and any tail`(
    module: String
  ) throws {
    let workshop = try RigTestEnvironment(modules: ["loudness-meter", "tuner"])
    var settings = AudioFileWriter.Settings(
      path: "\(workshop.path)/tone.wav", sampleRateHz: 48_000, channelCount: 2)
    settings.format = .float
    var writer = try AudioFileWriter(settings)
    let frames = 48_123
    try writer.write(
      (0 ..< frames * 2).map { 0.0708 * sin(Float($0 / 2 % 48_000) * 2 * .pi * 440 / 48_000) },
      frameCount: frames)
    try writer.finish()
    let rig = try workshop.rig(
      "nodes: {meter: {plugin: \(module)}}\nconnections: [in -> meter -> out]")
    func readouts(_ block: Int, tail: Double?) throws -> [Float] {
      let request = request(settings.path) {
        $0.output = "\(workshop.path)/out.wav"
        $0.replaces = true
        $0.blockFrames = block
        $0.tailSeconds = tail
      }
      let session = try RenderSession(
        try PreparedRig(rig, workshop.library), workshop.library, request)
      #expect(try session.run { _ in true }.frameCount == frames + Int((tail ?? 0) * 48_000))
      return session.readouts.flatMap(\.values)
    }
    let due = try readouts(64, tail: 0)
    #expect(due.contains { $0 != 0 })
    for block in [1_000, 1_024, 8_192] {
      #expect(try readouts(block, tail: nil) == due)
      #expect(try readouts(block, tail: 0) == due)
      #expect(try readouts(block, tail: 1) == due)
    }
  }

  @Test func `a meter does not include a tail that is cut off`() throws {
    let input = try input(frames: 48_100)
    let rig = try workshop.rig(
      "nodes: {level: {builtin: meter}}\nconnections: [in -> level -> out]")
    func loudness(_ block: Int, tail: Double?) throws -> [Double] {
      let session = try session(
        rig,
        request(input) {
          $0.replaces = true
          $0.blockFrames = block
          $0.tailSeconds = tail
        })
      _ = try session.run { _ in true }
      return session.meterReadings.map(\.reading.integrated)
    }
    let due = try loudness(64, tail: 0)
    #expect(due.count == 1)
    for block in [64, 1_000, 8_192] { #expect(try loudness(block, tail: nil) == due) }
  }

  @Test func `an LV2 plugin that writes to its input and changes rounding affects no other node`()
    throws
  {
    let directory = try BundleDirectory(["meddler"])
    let workshop = try RigTestEnvironment(bundlePaths: [directory.bundle("meddler")])
    let input = try input(frames: 4_800)
    let rig = try workshop.rig(
      """
      nodes: {rude: {plugin: "urn:outboard:test:meddler"}}
      connections: [in -> rude -> out, in -> out]
      """)
    var prepared = try PreparedRig(rig, workshop.library)
    prepared.runsPreflight = true
    let session = try RenderSession(prepared, workshop.library, request(input))
    let report = try session.run { _ in true }
    let due = try samples(input).map { $0.map { $0 + ($0 + 0.25) } }
    let captured = try samples("\(self.workshop.path)/out.wav")
    for (due, captured) in zip(due, captured) {
      #expect(zip(due, captured).allSatisfy { abs($0 - $1) < 1e-6 })
    }
    let named = report.notes.filter { $0.hasPrefix("Meddler changes ") }
    #expect(named.count == 1)
    #expect(named.first?.contains("the floating-point mode and the locale") == true)
  }

  @Test(arguments: [
    "http://drobilla.net/plugins/mda/Ambience", "http://drobilla.net/plugins/mda/Combo",
    "http://drobilla.net/plugins/mda/Delay", "http://drobilla.net/plugins/mda/Leslie",
    "http://drobilla.net/plugins/mda/Multiband", "outboard.delay", "outboard.compressor",
  ])
  func `a file has the same length with any block length, although LV2 plugins cut their tails`(
    plugin: String
  ) throws {
    let workshop = try RigTestEnvironment(modules: ["delay", "compressor"], bundles: ["mda.lv2"])
    let rig = try workshop.chain(plugin)
    let input = try input(frames: 12_000)
    let lengths = try [1, 64, 100, 128, 1_000, 4_096].map { block in
      let session = try RenderSession(
        try PreparedRig(rig, workshop.library), workshop.library,
        request(input) {
          $0.replaces = true
          $0.blockFrames = block
          $0.tailSeconds = nil
        })
      return try session.run { _ in true }.frameCount
    }
    #expect(Set(lengths).count == 1, "\(lengths)")
    if plugin.hasSuffix("Combo") { #expect(lengths[0] == 12_000 + 8_192) }
  }

  @Test func `a rig's channel numbers select those of the file, and missing ones are reported`()
    throws
  {
    let rig = try workshop.rig("connections: [\"in:3-4 -> out\"]")
    let four = try input(channels: 4)
    _ = try session(rig, request(four)).run { _ in true }
    #expect(try samples("\(workshop.path)/out.wav") == Array(samples(four)[2...]))
    let two = try input(name: "two.wav")
    #expect(throws: ManifestError.self) { try session(rig, request(two, "other.wav")) }
    #expect(!hasOutput("other.wav"))
  }

  @Test func `a rig that names no channels takes as many as its first node has inputs`() throws {
    let rig = try workshop.rig(
      """
      nodes: {desk: {builtin: mixer, channels: 4}}
      connections: [in -> desk -> out]
      """)
    _ = try session(rig, request(try input(channels: 4))).run { _ in true }
    #expect(try samples("\(workshop.path)/out.wav").count == 2)
    let two = try input(name: "two.wav")
    #expect(throws: ManifestError.self) { try session(rig, request(two, "other.wav")) }
  }

  @Test func `a file without a length in its header is rendered to its end`() throws {
    let input = "\(workshop.path)/unknown.flac"
    var writer = try AudioFileWriter(
      AudioFileWriter.Settings(path: input, sampleRateHz: 48_000, channelCount: 1))
    try writer.write([Float](repeating: 0.25, count: 4_800), frameCount: 4_800)
    try writer.finish()
    var bytes = try Data(contentsOf: URL(fileURLWithPath: input))
    bytes[21] &= 0xf0
    bytes.replaceSubrange(22 ..< 26, with: [0, 0, 0, 0])
    try bytes.write(to: URL(fileURLWithPath: input))
    let rig = try workshop.rig("connections: [in -> out]")
    let report = try session(rig, request(input)).run { _ in true }
    #expect(report.frameCount == 4_800)
    #expect(report.notes.isEmpty)
  }

  @Test(arguments: [1, 7, 64, 1_000, 5_000])
  func `the length of a block does not matter`(block: Int) throws {
    let input = try input()
    let rig = try workshop.chain("outboard.gain", "gain=-6", "outboard.limiter", "ceiling=-12")
    for (name, frames) in [("a.wav", 256), ("b.wav", block)] {
      _ = try session(rig, request(input, name) { $0.blockFrames = frames }).run { _ in true }
    }
    let (one, other) = (
      try samples("\(workshop.path)/a.wav"), try samples("\(workshop.path)/b.wav")
    )
    #expect(one == other)
    #expect(one[0].count == 4_800)
  }

  @Test func `a mono file through a stereo rig gives two channels, a mono rig one`() throws {
    let input = try input(channels: 1)
    _ = try session(workshop.chain("outboard.gain"), request(input)).run { _ in true }
    let stereo = try samples("\(workshop.path)/out.wav")
    #expect(stereo.count == 2)
    #expect(stereo[0] == stereo[1])
    let straight = try workshop.rig("connections: [in -> out]")
    _ = try session(straight, request(input, "mono.wav")).run { _ in true }
    #expect(try samples("\(workshop.path)/mono.wav").count == 1)
  }

  @Test func `a declared delay is removed`() throws {
    let input = try input()
    let session = try session(workshop.chain("outboard.limiter"), request(input))
    #expect(session.latencyFrames > 0)
    #expect(try session.run { _ in true }.frameCount == 4_800)
    // Far below the ceiling a limiter is only a delay, which is compensated.
    let (before, after) = (try samples(input)[0], try samples("\(workshop.path)/out.wav")[0])
    #expect(zip(before, after).allSatisfy { abs($0 - $1) < 1e-4 })
  }

  @Test func `a tail has the requested length`() throws {
    let session = try session(
      workshop.chain("outboard.reverb"), request(try input()) { $0.tailSeconds = 0.5 })
    #expect(try session.run { _ in true }.frameCount == 4_800 + 24_000)
  }

  @Test func `a rig without input has the requested length and rate`() throws {
    let request = request(nil) {
      $0.seconds = 0.25
      $0.sampleRateHz = 44_100
    }
    let report = try session(workshop.chain("outboard.oscillator"), request).run { _ in true }
    #expect(report.frameCount == 11_025)
    #expect((report.peaks.max() ?? 0) > 0)
  }

  @Test func `the file's rate overrides the rig's rate, with a note`() throws {
    let rig = try workshop.rig("rate: 96000\nconnections: [in -> out]")
    let session = try session(rig, request(try input(rate: 44_100)))
    #expect(
      session.notes == [
        "The rig is set to 96000 Hz. It is rendered at the input's 44100 Hz."
      ])
    _ = try session.run { _ in true }
    #expect(try AudioFileReader(path: "\(workshop.path)/out.wav").sampleRateHz == 44_100)
  }

  @Test func `a rig's rate is that of the file if there is no input`() throws {
    let rig = try workshop.rig(
      """
      rate: 96000
      output: default
      nodes: {tone: {plugin: outboard.oscillator}}
      connections: [tone -> out]
      """)
    let session = try session(rig, request(nil) { $0.seconds = 0.1 })
    #expect(session.notes == [])
    #expect(try session.run { _ in true }.frameCount == 9_600)
  }
}
