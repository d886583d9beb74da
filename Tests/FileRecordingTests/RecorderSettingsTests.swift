// RecorderSettingsTests.swift: recordings that are refused before the start. SPDX-License-Identifier: MIT

import AudioFiles
import AudioTestSupport
import Foundation
import PluginModel
import Testing

@testable import FileRecording

@Suite struct RecorderSettingsTests {
  private static func complaint(
    _ path: String, format: SampleFormat? = nil, channels: Int = 2
  ) -> String {
    message {
      try RecorderSettings(path: path, format: format, channelCount: channels).checkDirectory()
    }
  }

  @Test func `a wrong file name is reported in one message, and no file is created`() throws {
    let scratch = try TemporaryDirectory()
    let there = scratch.file("there.wav")
    try Data("mine".utf8).write(to: URL(fileURLWithPath: there))
    try FileManager.default.createSymbolicLink(
      atPath: scratch.file("nowhere.wav"), withDestinationPath: scratch.file("gone.wav"))
    let exists =
      "already exists; recordings never overwrite files. Choose another name."
    #expect(Self.complaint(there) == "\(there) \(exists)")
    #expect(Self.complaint(scratch.file("nowhere.wav")).hasSuffix(exists))
    #expect(Self.complaint("/dev/null/a.wav").hasSuffix(": /dev/null is a file, not a directory."))
    #expect(
      Self.complaint(scratch.file("no/a.wav")).hasSuffix(
        "cannot be written: no such directory: \(scratch.file("no"))."))
    #expect(
      Self.complaint(scratch.file("a")).contains("cannot be written: its extension is not one of"))
    #expect(Self.complaint(scratch.file("a.mp3")).contains("cannot be recorded as MP3"))
    #expect(
      Self.complaint(scratch.file("a.flac"), format: .float).hasSuffix(
        "cannot hold float samples: FLAC offers s16 and s24."))
    #expect(
      Self.complaint(scratch.file("a.flac"), channels: 9).hasSuffix(
        "cannot hold 9 channels: FLAC has at most 8. Use WAV or CAF for more."))
    let refused = ManualRecorder("/proc/a.wav")
    #expect(message { try refused.node.activate() }.hasPrefix("/proc/a.wav cannot be written: "))
    #expect(Set(scratch.names) == ["there.wav", "nowhere.wav"])
  }

  @Test func `a file name that another program has used meanwhile is refused at the start`() throws
  {
    let scratch = try TemporaryDirectory()
    let path = scratch.file("a.wav")
    let fed = ManualRecorder(path)
    try Data("mine".utf8).write(to: URL(fileURLWithPath: path))
    #expect(message { try fed.node.activate() }.contains("already exists"))
    fed.node.deactivate()
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data("mine".utf8))
  }

  @Test func `a description has the requested settings`() {
    let request = RecorderSettings(path: "/a/b.wav", format: .s24, channelCount: 3)
    #expect(RecorderSettings(request.plugin) == request)
    let plain = RecorderSettings(path: "/a/b.wav", channelCount: 1)
    #expect(RecorderSettings(plain.plugin) == plain)
    #expect(
      RecorderSettings(PluginDescription(kind: .builtin, identifier: "mixer", name: "")) == nil)
  }
}
