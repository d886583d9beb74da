// ConfiguredPCMTests.swift: PCM names whose definition changes. SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import ALSADriver

/// Each runs in a separate process, because the configuration belongs to the whole process.
@Suite struct ConfiguredPCMTests {
  /// A separate configuration, selected by `ALSA_CONFIG_PATH`.
  private struct Configuration: ~Copyable {
    private let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)

    init() { setenv("ALSA_CONFIG_PATH", file.path, 1) }

    func write(_ text: String) throws { try Data(text.utf8).write(to: file) }

    deinit { try? FileManager.default.removeItem(at: file) }
  }

  @Test func `a name has the meaning of the file's current content`() async {
    await #expect(processExitsWith: .success) {
      let configuration = Configuration()
      try configuration.write("pcm.voice { type null }")
      let first = try #require(ConfiguredPCM.text(of: "voice"))
      #expect(first.contains("null"))
      #expect(ConfiguredPCM.text(of: "voice") == first)
      try configuration.write("pcm.voice { type hw card 1 }")
      let second = try #require(ConfiguredPCM.text(of: "voice"))
      #expect(second != first)
      #expect(second.contains("hw"))
      try configuration.write("pcm.other { type hw card 1 }")
      #expect(ConfiguredPCM.text(of: "voice") == nil)
    }
  }

  @Test func `a change elsewhere in the file changes no definition`() async {
    await #expect(processExitsWith: .success) {
      let configuration = Configuration()
      try configuration.write("pcm.voice { type null }")
      let first = try #require(ConfiguredPCM.text(of: "voice"))
      try configuration.write("pcm.voice { type null }\npcm.other { type hw card 1 }")
      #expect(ConfiguredPCM.text(of: "voice") == first)
    }
  }
}
