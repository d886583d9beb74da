// RecordingSessionTests.swift: recorders in sessions and renderings. SPDX-License-Identifier: MIT

import AudioDriver
import AudioFiles
import FileRecording
import Foundation
import OfflineDriver
import PluginModel
import RigPlanning
import RigSchema
import RigTestSupport
import TestWaits
import Testing

@testable import Session

@Suite(.serialized) struct RecordingSessionTests {
  private let workshop: RigTestEnvironment

  init() throws { workshop = try RigTestEnvironment(modules: ["gain", "oscillator", "delay"]) }

  private func file(_ name: String) -> String { "\(workshop.path)/\(name)" }

  private func hasFile(_ name: String) -> Bool {
    FileManager.default.fileExists(atPath: file(name))
  }

  private func rig(_ nodes: [String], _ connections: [String]) throws -> PreparedRig {
    let text = """
      outboard: 1
      output: {device: out, channels: 2}
      period: 64
      nodes:
      \(nodes.map { "  " + $0 }.joined(separator: "\n"))
      connections:
      \(connections.map { "  - " + $0 }.joined(separator: "\n"))
      """
    let path = try workshop.write(text, as: "rig.yaml")
    return try PreparedRig(try RigReader.read(path: path), workshop.library)
  }

  private let tone = "tone: {plugin: outboard.oscillator, parameters: {level: -6}}"
  private let tape = "tape: {builtin: recorder, file: tape.wav}"

  private func session(_ rig: PreparedRig) throws -> LiveSession {
    let session = try LiveSession(rig, workshop.library) { try UnhurriedDriver(request: $0) }
    try session.start()
    return session
  }

  /// Reports until a condition holds, and returns all messages.
  @discardableResult
  private func wait(_ session: LiveSession, until isRight: () -> Bool) throws -> [String] {
    var notices: [String] = []
    let deadline = Deadline()
    while !isRight() {
      notices += try session.report().notices.map { "\($0)" }
      try deadline.rest()
    }
    return notices
  }

  private func frames(_ session: LiveSession, _ name: String) -> Int {
    session.recordings.first { $0.path == file(name) }?.frameCount ?? 0
  }

  private func samples(_ name: String) throws -> [Float] {
    var reader = try AudioFileReader(path: file(name))
    let length = reader.frameCount
    let count = try #require(length)
    let memory = UnsafeMutablePointer<Float>.allocate(capacity: count * reader.channelCount + 1)
    defer { memory.deallocate() }
    let rows = (0 ..< reader.channelCount).map { memory + $0 * count }
    let got = try reader.read(into: rows, frameCount: count)
    return rows.flatMap { Array(UnsafeBufferPointer(start: $0, count: got)) }
  }

  @Test func `a recorder continues through an edit, and a removed one completes its file`() throws {
    let other = "echo: {plugin: outboard.delay}"
    let session = try session(rig([tone, tape], ["tone -> out", "tone -> tape"]))
    defer { session.stop() }
    try wait(session) { frames(session, "tape.wav") > 4_800 }
    let before = try #require(session.graph.members.last?.nodes.first as? RecorderNode)
    _ = try session.edit(to: rig([tone, other, tape], ["tone -> echo -> out", "tone -> tape"]))
    #expect(session.graph.members.last?.nodes.first === before)
    let passed = frames(session, "tape.wav")
    try wait(session) { frames(session, "tape.wav") > passed + 4_800 }

    _ = try session.edit(to: rig([tone], ["tone -> out"]))
    let notices =
      try wait(session) { before.recording.isStopped } + session.report().notices.map { "\($0)" }
    #expect(notices.contains("\(before.recording.report.summary)"), "\(notices)")
    let report = try #require(session.recordings.first)
    #expect(report.isFinished && report.failure == nil && report.lostFrameCount == 0)
    // No frame is missing: the sine is continuous.
    let captured = try samples("tape.wav").prefix(report.frameCount)
    let steps = zip(captured, captured.dropFirst()).map { abs($0 - $1) }
    #expect(captured.count == report.frameCount && (steps.max() ?? 1) < 0.06)

    // Its file exists, and is never overwritten.
    do {
      _ = try session.edit(to: rig([tone, tape], ["tone -> out", "tone -> tape"]))
      Issue.record("the file was begun again")
    } catch {
      #expect("\(error)".contains("tape.wav already exists"))
    }
    #expect(session.graph.members.count == 1)
  }

  @Test func `the recording of the output equals what is played`() throws {
    var prepared = try rig(
      [tone, tape], ["{from: tone, to: \"out:1\", gain: -6 dB}", "tone -> out:2", "tone -> tape"])
    let taps = try RecordingTaps(output: file("out.wav"), input: nil, for: prepared)
    prepared = try prepared.with(taps, workshop.library)
    let session = try session(prepared)
    try wait(session) { frames(session, "tape.wav") > 9_600 }
    try session.save(to: file("saved.yaml"), replaces: false)
    session.stop()
    let reported = session.takeNotices().map { "\($0)" }
    #expect(
      reported.count == 2 && reported.allSatisfy { $0.hasSuffix("s recorded.") }, "\(reported)")
    let (tape, out) = try (samples("tape.wav"), samples("out.wav"))
    #expect(tape.count == out.count && tape.contains { $0 != 0 })
    let half = tape.count / 2
    let gain = Float(pow(10, -6.0 / 20))
    let isLeftRight = zip(out.prefix(half), tape).allSatisfy { $0 == $1 * gain }
    #expect(isLeftRight)
    let isRightSame = out.suffix(half).elementsEqual(tape.prefix(half))
    #expect(isRightSame)
    // The file belongs to this session.
    #expect(try RigReader.read(path: file("saved.yaml")).nodes.map(\.name) == ["tone", "tape"])
  }

  @Test func `recorders started together begin and end at the same frame`() throws {
    let waiting = ["one", "two", "three"].map {
      "\($0): {builtin: recorder, file: \"\($0)-%take.wav\", autostart: no}"
    }
    let session = try session(
      rig([tone] + waiting, ["tone -> out", "tone -> one", "tone -> two", "tone -> three"]))
    defer { session.stop() }
    #expect(try session.record(nil, node: "TWO") == ["two waits for its start."])
    _ = try session.report()
    _ = try session.record(.start, node: nil)
    try wait(session) { frames(session, "one-001.wav") > 9_600 }
    _ = try session.record(.stop, node: nil)
    let ends = ["one", "two", "three"].map { "\(file("\($0)-001.wav"))" }
    try wait(session) { session.recordings.count { $0.isFinished } == 3 }
    #expect(Set(session.recordings.map(\.path)) == Set(ends))
    let first = try samples("one-001.wav")
    for name in ["two", "three"] {
      let isSame = try samples("\(name)-001.wav").elementsEqual(first)
      #expect(isSame)
    }
    #expect(first.contains { $0 != 0 })
    #expect(throws: NodeCommandError(node: "two", reason: "nothing is being recorded.")) {
      try session.record(.stop, node: "two")
    }
    #expect(throws: SetValueError.self) { try session.record(.start, node: "four") }
  }

  @Test func `after a rate change a recorder starts a new take, or still waits for its start`()
    throws
  {
    let names = ["on", "off", "told"].map { name in
      "\(name): {builtin: recorder, file: \(name)-%take.wav\(name == "on" ? "" : ", autostart: no")}"
    }
    let links = ["on", "off", "told"].map { "tone -> \($0)" }
    let prepared = try rig([tone] + names, ["tone -> out"] + links)
    let session = try session(prepared)
    defer { session.stop() }
    _ = try session.report()
    _ = try session.record(.start, node: "told")
    try wait(session) { frames(session, "told-001.wav") > 4_800 }
    session.driver.stop()
    var stream = session.stream
    stream.sampleRateHz = 44_100
    try session.loop.restart(with: LiveGraph(prepared, workshop.library, for: stream))
    try wait(session) { frames(session, "told-002.wav") > 4_800 }
    session.stop()
    _ = session.takeNotices()
    let rates = try ["on-001", "on-002", "told-001", "told-002"].map {
      try AudioFileReader(path: file("\($0).wav")).sampleRateHz
    }
    #expect(rates == [48_000, 44_100, 48_000, 44_100])
    #expect(!hasFile("off-001.wav"))
  }

  @Test func `a file that cannot be recorded is refused before a device is opened`() throws {
    let prepared = try rig([tone, tape], ["tone -> out", "tone -> tape"])
    try workshop.write("mine", as: "tape.wav")
    func complaint(_ rig: PreparedRig) -> String {
      do {
        _ = try LiveSession(rig, workshop.library) { _ in throw CocoaError(.featureUnsupported) }
      } catch {
        return "\(error)"
      }
      return "nothing was thrown"
    }
    #expect(complaint(prepared).contains("tape.wav already exists"))
    let twice = try rig(
      [tone, "a: {builtin: recorder, file: new.wav}", "b: {builtin: recorder, file: ./new.wav}"],
      ["tone -> out", "tone -> a", "tone -> b"])
    #expect(
      complaint(twice).hasSuffix(
        "is used by two recorders. Give each recorder a different"
          + " file."))
    let logs = try rig(
      [tone, "a: {builtin: meter, log: new.jsonl}", "b: {builtin: meter, log: ./new.jsonl}"],
      ["tone -> out", "tone -> a", "tone -> b"])
    #expect(
      complaint(logs).hasSuffix(
        "is used by two nodes. Give each level log and recording a different file."))
    #expect(!hasFile("new.wav"))
    let deaf = try rig([tone, "ear: {builtin: analyser}"], ["tone -> ear", "tone -> out"])
    var mute = deaf.rig
    mute.connections.removeLast()
    mute.outputs = []
    #expect(throws: SessionError.nothingPlayed) {
      let prepared = try PreparedRig(mute, workshop.library)
      _ = try RecordingTaps(output: file("new.wav"), input: nil, for: prepared)
    }
    #expect(throws: AudioFileError.directoryMissing(path: "/no/a.wav", directory: "/no")) {
      _ = try RecordingTaps(output: "/no/a.wav", input: nil, for: prepared)
    }
  }

  @Test func `a session that never starts creates no file`() throws {
    do {
      let prepared = try rig([tone, tape], ["tone -> out", "tone -> tape"])
      _ = try LiveSession(prepared, workshop.library) { try UnhurriedDriver(request: $0) }
    }
    #expect(!hasFile("tape.wav"))
  }

  @Test func `a rendered rig records its output bit for bit`() throws {
    let prepared = try rig([tone, tape], ["tone -> out", "tone -> tape"])
    var request = RenderRequest(output: file("out.wav"))
    request.seconds = 3
    request.tailSeconds = 0
    request.sampleRateHz = 48_000
    let report = try RenderSession(prepared, workshop.library, request).run { _ in true }
    #expect(report.notes == ["\(file("tape.wav")): 3.0 s recorded."])
    let (tape, out) = try (samples("tape.wav"), samples("out.wav"))
    #expect(out.count == 2 * 144_000)
    // The output has whole blocks.
    let length = tape.count / 2
    #expect(length - 144_000 < RenderSettings().blockFrames, "\(length)")
    for channel in 0 ..< 2 {
      let recorded = tape.dropFirst(channel * length).prefix(144_000)
      let isSame = recorded.elementsEqual(out.dropFirst(channel * 144_000).prefix(144_000))
      #expect(isSame)
    }
  }

  @Test func `a file through an empty rig is rendered and recorded bit for bit`() throws {
    let noise = (0 ..< 2 * 48_000).map { _ in Float(Int16.random(in: .min ... .max)) / 32_768 }
    var writer = try AudioFileWriter(
      .init(path: file("a.wav"), sampleRateHz: 48_000, channelCount: 2))
    try writer.write(noise, frameCount: 48_000)
    try writer.finish()
    let prepared = try rig(
      ["band: {builtin: player, file: a.wav}", tape], ["band -> out", "band -> tape"])
    var request = RenderRequest(output: file("out.wav"))
    (request.seconds, request.tailSeconds, request.sampleRateHz) = (1, 0, 48_000)
    _ = try RenderSession(prepared, workshop.library, request).run { _ in true }
    let (out, tape) = try (samples("out.wav"), samples("tape.wav"))
    for channel in 0 ..< 2 {
      let original = stride(from: channel, to: noise.count, by: 2).map { noise[$0] }
      #expect(Array(out[(channel * 48_000)...].prefix(48_000)) == original)
      #expect(Array(tape[(channel * tape.count / 2)...].prefix(48_000)) == original)
    }
  }
}
