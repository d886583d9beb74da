// ToyNode.swift: a toy as a node. SPDX-License-Identifier: MIT

import CRealtime
import Glibc
package import PluginModel

/// Multiplies its input with a gain.
///
/// Its state is the last sample that it received.
package final class ToyNode: Node, DirectoryStateNode, PresetNode, PropertyNode {
  package let audioInputCount = 1
  package let audioOutputCount = 1
  package let latencyFrames = 0
  package let canRunInPlace = true
  private let plugin: PluginDescription
  private let state: UnsafeMutablePointer<ToyState>
  private var label: PropertyValue?

  init(_ plugin: PluginDescription) {
    self.plugin = plugin
    label = plugin.properties.first?.defaultValue
    state = .allocate(capacity: 1)
    state.initialize(to: ToyState(gain: plugin.parameters[0].defaultValue))
  }

  deinit { state.deallocate() }

  package var step: NodeStep {
    NodeStep(function: toyStep, context: UnsafeMutableRawPointer(state))
  }

  package var capabilities: NodeCapabilities {
    var capabilities = NodeCapabilities()
    capabilities.directoryState = self
    capabilities.presets = self
    if !plugin.properties.isEmpty { capabilities.properties = self }
    return capabilities
  }

  package func setParameter(_ index: Int, to value: Float) { state.pointee.gain = value }
  package func parameter(_ index: Int) -> Float { state.pointee.gain }
  package func activate() {}
  package func deactivate() {}
  package func reset() {}

  package func setProperty(_ index: Int, to value: PropertyValue) { label = value }
  package func property(_ index: Int) -> PropertyValue? { label }
  package func takePropertyChanges() -> [Int] { [] }

  package func saveState(to directory: String) throws -> Bool {
    mkdir(directory, 0o777)
    try TextFile.write("\(state.pointee.last)", to: "\(directory)/\(plugin.format.stateFile)")
    return true
  }

  package func restoreState(from directory: String) throws {
    let text = try TextFile.read("\(directory)/\(plugin.format.stateFile)")
    state.pointee.last = Float(text) ?? 0
  }

  package let hasChangedState = false

  package func load(_ preset: PluginPreset) {
    for value in plugin.presets.first(where: { $0.name == preset.name })?.values ?? [] {
      setParameter(value.parameter, to: value.value)
    }
  }

  package func savePreset(
    named name: String, inBank bank: PluginPreset.Bank?, to directory: String,
    replacing replaces: Bool
  ) throws {
    throw ToyError("The presets of a toy are in its file.")
  }
}

/// Whole text files.
enum TextFile {
  static func read(_ path: String) throws -> String {
    guard let file = fopen(path, "re") else { throw ToyError("\(path) cannot be read.") }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 4_096)
    let count = fread(&bytes, 1, bytes.count, file)
    return String(decoding: bytes[..<count], as: UTF8.self)
  }

  static func write(_ text: String, to path: String) throws {
    guard let file = fopen(path, "we") else { throw ToyError("\(path) cannot be written.") }
    fputs(text, file)
    fclose(file)
  }
}

private struct ToyState {
  var gain: Float
  var last: Float = 0
}

@c(test_toy_step)
private func toyStep(
  _ context: UnsafeMutableRawPointer,
  _ buffers: UnsafePointer<UnsafeMutablePointer<Float>>, _ frames: UInt32
) {
  let state = context.assumingMemoryBound(to: ToyState.self)
  for frame in 0 ..< Int(frames) {
    state.pointee.last = buffers[0][frame]
    buffers[1][frame] = buffers[0][frame] * state.pointee.gain
  }
}
