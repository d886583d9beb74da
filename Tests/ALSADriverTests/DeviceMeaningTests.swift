// DeviceMeaningTests.swift: names that come to mean something else. SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import ALSADriver

@Suite(.serialized) struct DeviceMeaningTests {
  /// A configuration of its own, as `ALSA_CONFIG_PATH` names it; other tests open nothing by name.
  private func withConfiguration(_ body: (URL) throws -> Void) throws {
    let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    let before = getenv("ALSA_CONFIG_PATH").map { String(cString: $0) }
    setenv("ALSA_CONFIG_PATH", file.path, 1)
    defer {
      if let before { setenv("ALSA_CONFIG_PATH", before, 1) } else { unsetenv("ALSA_CONFIG_PATH") }
      try? FileManager.default.removeItem(at: file)
    }
    try body(file)
  }

  private func write(_ text: String, to file: URL) throws {
    try Data(text.utf8).write(to: file)
  }

  @Test func `a name means what the file says now, not what it said first`() throws {
    try withConfiguration { file in
      try write("pcm.voice { type null }", to: file)
      let first = try #require(DeviceMeaning.text(of: "voice"))
      #expect(first.contains("null"))
      #expect(DeviceMeaning.text(of: "voice") == first)
      try write("pcm.voice { type hw card 1 }", to: file)
      let second = try #require(DeviceMeaning.text(of: "voice"))
      #expect(second != first)
      #expect(second.contains("hw"))
      try write("pcm.other { type hw card 1 }", to: file)
      #expect(DeviceMeaning.text(of: "voice") == nil)
    }
  }

  @Test func `a file that changes in other matters changes no meaning`() throws {
    try withConfiguration { file in
      try write("pcm.voice { type null }", to: file)
      let first = try #require(DeviceMeaning.text(of: "voice"))
      try write("pcm.voice { type null }\npcm.other { type hw card 1 }", to: file)
      #expect(DeviceMeaning.text(of: "voice") == first)
    }
  }
}
