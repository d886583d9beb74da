// PlayerSettingsTests.swift: a player's settings in its description. SPDX-License-Identifier: MIT

import PluginModel
import Testing

@testable import FilePlayback

@Suite struct PlayerSettingsTests {
  @Test func `a description has the requested settings`() {
    let plain = PlayerSettings(files: ["/a/b.wav"], channelCount: 1)
    #expect(PlayerSettings(plain.plugin) == plain)
    var rich = PlayerSettings(files: ["/a/b.wav", "/c, d.flac"], channelCount: 3)
    (rich.startsWaiting, rich.isLooping) = (true, true)
    (rich.startSeconds, rich.fromSeconds, rich.crossfadeSeconds) = (1.5, 62.25, 0.02)
    #expect(PlayerSettings(rich.plugin) == rich)
    #expect(rich.plugin.outputCount == 3 && rich.plugin.inputCount == 0)
    #expect(PlayerSettings(PluginDescription(kind: .builtin, identifier: "mixer", name: "")) == nil)
  }
}
