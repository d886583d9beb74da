// FilterConvolverTests.swift: convolvers of PipeWire's filter-chain. SPDX-License-Identifier: MIT

import Foundation
import LV2Fixtures
import RigImport
import RigPlanning
import RigSchema
import RigTestSupport
import Testing

@Suite struct `Convolvers of filter-chains become convolvers of rigs` {
  private let environment: RigTestEnvironment

  init() throws { environment = try RigTestEnvironment(modules: ["convolver"], bundles: []) }

  /// Imports a chain with one convolver, whose response has this number of channels.
  private func rig(
    _ config: String, channels: Int = 1, rateHz: UInt32 = 48_000, streams: Int = 1
  ) throws -> ImportedRig {
    let directory = environment.path
    let rows = (1 ... channels).map { channel in (0 ..< 64).map { Float(channel + $0) * 0x1p-8 } }
    try FloatWave(channels: rows, sampleRateHz: rateHz).write(to: "\(directory)/room.wav")
    let text = """
      context.modules = [ { name = libpipewire-module-filter-chain args = { filter.graph = {
        nodes = [ { type = builtin name = room label = convolver config = { \(config) } } ] }
        audio.channels = \(streams) } } ]
      """
    let source = ProjectSource(path: "\(directory)/chain.conf", text: text)
    let imported = try ProjectResolver.rig(
      of: ProjectFormats.read(source), path: source.path, output: "\(directory)/rig.yaml",
      environment.library)
    _ = try environment.library.find(
      nodesOf: RigReader.read(text: imported.text, file: "rig.yaml"))
    return imported
  }

  @Test func `the wet signal alone is used, at the level of the file`() throws {
    let imported = try rig("filename = room.wav")
    #expect(imported.notes.isEmpty, "\(imported.notes)")
    let node = imported.rig.nodes[0]
    #expect(node.parameters.map { "\($0.symbol)=\($0.text)" } == ["mix=100 %", "normalise=off"])
    #expect(node.properties.map { "\($0.symbol)=\($0.text)" } == ["impulse=room.wav"])
    #expect(
      imported.rig.connections.map(\.label) == ["in:1 -> room:left_in", "room:left_out -> out:1"])
    #expect(imported.rig.connections.allSatisfy { $0.gainDecibels == 0 })
  }

  @Test func `gain, rate and delay are those of the connections`() throws {
    let quiet = try rig("filename = \"room.wav\" gain = 0.5 delay = 480").rig.connections
    #expect((quiet[1].gainDecibels * 100).rounded() == -602)
    #expect(quiet[0].delaySeconds == 0.01)
    let late = try rig("filename = [ missing.wav room.wav ] delay = 0.25", rateHz: 24_000)
    #expect(late.rig.connections[0].delaySeconds == 0.25)
    #expect((late.rig.connections[1].gainDecibels * 100).rounded() == -602)
  }

  @Test(arguments: [
    (1, 1, "left", "left"), (2, 0, "left", "left"), (2, 1, "right", "right"),
    (2, 2, "left", "left"),
    (4, 1, "left", "right"), (4, 2, "right", "left"),
  ])
  func `a channel of the file is a path through the convolver`(
    count: Int, channel: Int, input: String, output: String
  ) throws {
    let imported = try rig("filename = room.wav channel = \(channel)", channels: count)
    #expect(
      imported.rig.connections.map(\.label) == [
        "in:1 -> room:\(input)_in", "room:\(output)_out -> out:1",
      ])
  }

  @Test func `two streams share a convolver if both use its channels`() throws {
    for count in [1, 2] {
      let shared = try rig("filename = room.wav", channels: count, streams: 2)
      #expect(shared.rig.connections.map(\.label) == ["in -> room", "room -> out"])
    }
    let first = try rig("filename = room.wav channel = 0", channels: 2, streams: 2)
    #expect(first.rig.nodes.map(\.name) == ["room", "room-2"])
    #expect(first.rig.connections.map(\.label).contains("in:2 -> room-2:left_in"))
  }

  @Test(arguments: [
    ("filename = \"missing room.wav\"", "missing room.wav does not exist."),
    ("filename = [ /hilbert missing.wav ]", "missing.wav does not exist."),
    ("filename = chain.wav", "chain.wav is not a readable audio file"),
  ])
  func `a file that cannot be read is reported once, with the reason`(
    config: String, reason: String
  ) throws {
    try Data("no audio".utf8).write(to: URL(fileURLWithPath: environment.path + "/chain.wav"))
    let imported = try rig(config)
    let note = try #require(imported.notes.count == 1 ? imported.notes.first : nil)
    #expect(note.description.hasPrefix("line 2: convolver was not carried over. "))
    #expect(note.description.contains(reason), "\(note)")
    #expect(note.description.hasSuffix(" The rig has a direct connection in place of room."))
  }

  @Test(arguments: [
    ("gain = 1.0", 1),
    ("filename = room.wav gain = -0.5", 1), ("filename = room.wav offset = 12", 1),
    ("filename = room.wav length = 12", 1), ("filename = room.wav channel = 1", 3),
    ("filename = room.wav", 4), ("filename = room.wav", 14),
  ])
  func `what the convolver lacks is reported`(config: String, channels: Int) throws {
    let imported = try rig(config, channels: channels)
    #expect(imported.rig.nodes.isEmpty)
    #expect(
      imported.notes.map(\.description) == [
        "line 2: convolver was not carried over. The convolver needs a file of 1, 2 or 4 channels, and no `offset`,"
          + " `length` or negative `gain`. The rig has a direct connection in place of room."
      ])
  }
}
