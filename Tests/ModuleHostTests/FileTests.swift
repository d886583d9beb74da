// FileTests.swift: audio files of modules, readouts and presets. SPDX-License-Identifier: MIT

import FixtureSupport
import PluginModel
import Testing

@testable import ModuleHost

@Suite struct FileTests {
  private struct Unreadable: Error, CustomStringConvertible {
    let description: String
  }

  private func measuring() -> PluginDescription {
    var plugin = manifest(
      parameters: [
        Parameter(symbol: "gain", name: "Gain", minimum: 0, defaultValue: 1, maximum: 2),
        Parameter(symbol: "other", name: "Other", minimum: 0, defaultValue: 1, maximum: 2),
      ])
    var file = Property(uri: "sound", name: "Sound", type: .path)
    file.isWritable = true
    plugin.properties = [file]
    plugin.readouts = [
      Parameter(symbol: "peak", name: "Peak", minimum: 0, defaultValue: 0, maximum: 1),
      Parameter(symbol: "frames", name: "Frames", minimum: 0, defaultValue: 0, maximum: 1e6),
    ]
    plugin.presets = [
      ParameterPreset(name: "Loud", values: [ParameterPreset.Value(parameter: 0, value: 2)])
    ]
    return plugin
  }

  /// An instance whose files have the channel counts of their names, and 3 frames at the given rate.
  private func node(
    _ path: String? = nil, sampleRateHz: Double = 48_000
  ) throws -> ModuleNode {
    try ModuleNode(
      ModuleLibrary(path: path ?? Fixture.compile("measures")), measuring(),
      NodeConfiguration(sampleRateHz: sampleRateHz, maximumFrameCount: 64),
      readAudioFile: { path, rate in
        guard let count = Int(path) else { throw Unreadable(description: "\(path) is none.") }
        return [[Float]](repeating: [Float](repeating: Float(rate), count: 3), count: count)
      })
  }

  @Test func `a file is loaded at the first frame, at the rate of the instance`() throws {
    let node = try node(sampleRateHz: 8_000)
    #expect(node.property(0) == nil)
    try node.setProperty(0, to: .path("1"))
    try node.activate()
    #expect(node.property(0) == .path("1"))
    #expect(render(node, [ramp(5)], frames: 5, blocks: [5]) == [[8_001, 8_002, 8_003, 4, 5]])
  }

  @Test func `the same file is not loaded twice`() throws {
    let path = try Fixture.copy("measures")
    let node = try node(path)
    try node.setProperty(0, to: .path("2"))
    try node.setProperty(0, to: .path("2"))
    #expect(try variable("loads", in: path, as: Int32.self) == 1)
  }

  @Test func `a file without audio and one that the module refuses are reported`() throws {
    let node = try node()
    func message(_ value: PropertyValue) -> String? {
      #expect(throws: PropertyError.self) { try node.setProperty(0, to: value) }?.description
    }
    #expect(message(.path("noise")) == "Sound is not set: noise is none.")
    #expect(
      message(.path("3")) == "Sound is not set: the `load_file` of Test rejected 3.")
    #expect(
      message(.string("1")) == "Sound takes a value of type path but received another type.")
    #expect(node.property(0) == nil)
  }

  @Test func `a module that renders accepts no other file`() throws {
    let node = try node()
    try node.setProperty(0, to: .path("1"))
    try node.activate()
    _ = render(node, [[0]], frames: 1, blocks: [1])
    #expect(!node.acceptsPropertiesWhileRendering)
    #expect(
      throws: PropertyError.unusable(
        name: "Sound", reason: "Test accepts it only when it starts.")
    ) { try node.setProperty(0, to: .path("2")) }
    #expect(node.property(0) == .path("1"))
  }

  @Test(arguments: ["files", "readouts", "midi"])
  func `a manifest that promises more than the library has is refused`(key: String) throws {
    var plugin = manifest(midi: key == "midi")
    if key == "files" { plugin.properties = measuring().properties }
    if key == "readouts" { plugin.readouts = measuring().readouts }
    let path = try Fixture.compile("process_only")
    let error = #expect(throws: ModuleError.self) {
      _ = try instance(of: "process_only", plugin)
    }
    let function = key == "files" ? "load_file" : key
    #expect(
      error?.description
        == "\(path): key `\(key)` requires the function `\(function)`, which the library does not"
        + " export. Add the function or remove the key.")
  }

  @Test func `a readout is reported after the next block, within its range`() throws {
    let node = try node()
    try node.activate()
    #expect(node.readout(0) == 0)
    _ = render(node, [[0.5]], frames: 1, blocks: [1])
    #expect(node.readout(0) == 0.5)
    _ = render(node, [[0.75, 7]], frames: 2, blocks: [2])
    // The check above requested it.
    #expect(node.readout(0) == 1)
    #expect(node.readout(1) == 3)
  }

  @Test func `at the end every readout is reported at once`() throws {
    let node = try node()
    try node.activate()
    _ = render(node, [ramp(100)], frames: 100, blocks: [10])
    node.refreshReadouts()
    #expect(node.readout(1) == 100)
  }

  @Test func `a preset sets its values, and other values to their defaults`() throws {
    let node = try node()
    node.setParameter(1, to: 0)
    node.load(PluginPreset(identifier: "Loud", name: "Loud", location: ""))
    #expect(node.parameter(0) == 2)
    #expect(node.parameter(1) == 1)
  }
}
