// BuiltInAudioTests.swift: warnings of feedback on machines with built-in audio. SPDX-License-Identifier: MIT

import AudioDriver
import Foundation
import Session
import Testing

/// A directory like /proc with one card in it.
private final class Machine {
  let root = FileManager.default.temporaryDirectory.appending(path: "machine-\(UUID().uuidString)")

  deinit { try? FileManager.default.removeItem(at: root) }

  func add(_ card: Int, id: String, files: [String: String]) throws {
    let directory = root.appending(path: "asound/card\(card)")
    try write("\(id)\n", directory.appending(path: "id"))
    for (name, text) in files { try write(text, directory.appending(path: name)) }
  }

  private func write(_ text: String, _ url: URL) throws {
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: url)
  }

  func note(_ input: String, _ output: String) -> String? {
    func device(_ name: String) -> DeviceStream {
      DeviceStream(
        device: name, name: "", channelCount: 2, format: "S16", sampleRateHz: 48_000,
        periodFrames: 64, bufferFrames: 128)
    }
    return BuiltInAudio.note(
      for: StreamDescription(
        inputs: [device(input)], outputs: [device(output)], sampleRateHz: 48_000,
        periodFrames: 64, isLinked: false), root: root.path)
  }
}

private let codec = """
  Codec: Realtek ALC256
  Node 0x12 [Pin Complex] wcaps 0x40040b: Stereo Amp-In
    Pin Default 0x90a60130: [Fixed] Mic at Int N/A
    Pin-ctls: 0x20: IN
  Node 0x14 [Pin Complex] wcaps 0x40058d: Stereo Amp-Out
    Pin Default 0x90170110: [Fixed] Speaker at Int N/A
    Pin-ctls: 0x40: OUT
  Node 0x21 [Pin Complex] wcaps 0x40058d: Stereo Amp-Out
    Pin Default 0x04211020: [Jack] HP Out at Ext Right
    Pin-ctls: 0xc0: OUT HP

  """

@Suite struct BuiltInAudioTests {
  @Test(arguments: ["hw:0", "hw:0,0", "plughw:PCH,0", "sysdefault:CARD=PCH", "default"])
  func `a warning names the built-in microphone and loudspeaker`(device: String) throws {
    let machine = Machine()
    try machine.add(0, id: "PCH", files: ["codec#0": codec])
    #expect(
      machine.note(device, device)
        == "Built-in microphone and speaker are in use; feedback is likely. Use headphones or"
        + " lower the gain.")
  }

  @Test func `headphones that mute the loudspeaker suppress the warning`() throws {
    let machine = Machine()
    let silenced = codec.replacingOccurrences(of: "Pin-ctls: 0x40: OUT", with: "Pin-ctls: 0x00:")
    try machine.add(0, id: "PCH", files: ["codec#0": silenced])
    #expect(machine.note("hw:0", "hw:0") == nil)
  }

  @Test func `a card that is connected by a cable at either end needs no warning`() throws {
    let machine = Machine()
    try machine.add(0, id: "PCH", files: ["codec#0": codec])
    try machine.add(1, id: "Scarlett", files: ["usbid": "1235:8210"])
    #expect(machine.note("hw:1", "hw:0") == nil)
    #expect(machine.note("hw:0", "hw:1") == nil)
    #expect(machine.note("hw:0", "hw:0") != nil)
    // With two cards the default card is unknown.
    #expect(machine.note("default", "default") == nil)
    #expect(machine.note("hw:7", "hw:Nobody") == nil)
  }

  @Test func `digital microphones together with a codec count as built-in`() throws {
    let machine = Machine()
    let mute = codec.replacingOccurrences(of: "[Fixed] Mic at Int", with: "[N/A] Mic at Ext")
    try machine.add(0, id: "sofhdadsp", files: ["codec#0": mute])
    #expect(machine.note("hw:0,6", "hw:0") == nil)
    try machine.add(
      0, id: "sofhdadsp", files: ["codec#0": mute, "pcm6c/info": "id: DMIC (*)\nname: DMIC\n"])
    #expect(machine.note("hw:0,6", "hw:0") == BuiltInAudio.warning)
  }

  @Test func `a machine without cards and a rig without feedback path need no warning`() {
    let machine = Machine()
    #expect(machine.note("default", "default") == nil)
  }
}
