// ModuleNode+Files.swift: files, readouts and presets of a module. SPDX-License-Identifier: MIT

import CModule
package import PluginModel
import Synchronization

/// Reads an audio file for a module as planar samples at a rate in Hz. [main]
///
/// Passed in from a higher layer, because this target does not read audio files.
package typealias AudioFileReaderFunction =
  (_ path: String, _ sampleRateHz: Double) throws -> [[Float]]

extension ModuleNode: PropertyNode {
  /// False: `load_file` comes before the first block, so another file needs another instance. [any]
  package var acceptsPropertiesWhileRendering: Bool { false }

  /// Loads a file into the module; does nothing if the module already has that file. [main, before the
  /// first block]
  ///
  /// - Throws: if it is not a path, cannot be read, or the module rejects it.
  package func setProperty(_ index: Int, to value: PropertyValue) throws(PropertyError) {
    let name = plugin.properties[index].name
    guard case .path(let path) = value else { throw .wrongType(name: name, type: .path) }
    guard files[index] != path else { return }
    guard renderedFrameCount == 0 else {
      throw .unusable(name: name, reason: "\(plugin.name) accepts it only when it starts.")
    }
    guard let load = library.functions.load, let readAudioFile else { throw .noPort(name: name) }
    let channels: [[Float]]
    do {
      channels = try readAudioFile(path, sampleRateHz)
    } catch {
      throw .unusable(name: name, reason: "\(error)")
    }
    let isTaken = ForeignCode.call(owner, .slow("load")) {
      Self.loadFile(channels, file: index, to: state.pointee.state, load)
    }
    guard isTaken else {
      throw .unusable(
        name: name, reason: "the `load_file` of \(plugin.name) rejected \(path).")
    }
    files[index] = path
  }

  /// Returns the path of the loaded file; nil if there is none. [main]
  package func property(_ index: Int) -> PropertyValue? { files[index].map { .path($0) } }

  /// Empty: a module does not choose its files.
  package func takePropertyChanges() -> [Int] { [] }

  /// Calls `load_file` and returns whether it succeeded.
  private static func loadFile(
    _ channels: [[Float]], file: Int, to instance: UnsafeMutableRawPointer?, _ load: cmodule_load
  ) -> Bool {
    let frameCount = channels.first?.count ?? 0
    guard frameCount > 0, frameCount <= Int(Int32.max) else { return false }
    let samples = UnsafeMutablePointer<Float>.allocate(capacity: channels.count * frameCount)
    defer { samples.deallocate() }
    let rows = channels.indices.map { UnsafePointer(samples + $0 * frameCount) }
    for (channel, row) in channels.enumerated() {
      (samples + channel * frameCount).initialize(from: row, count: frameCount)
    }
    return load(instance, UInt32(file), rows, UInt32(channels.count), UInt32(frameCount)) == 0
  }
}

extension ModuleNode: ReadoutNode {
  /// Returns the last value of a readout, within its declared range. [main, while rendering too]
  package func readout(_ index: Int) -> Float {
    plugin.readouts[index].nearestValid(to: state.pointee.readouts.value(index))
  }

  /// Reads the readouts from the module. [main, not rendering]
  package func refreshReadouts() {
    ForeignCode.watched(owner, .quick("readouts")) {
      state.pointee.readouts.refresh(state.pointee.state)
    }
  }
}

extension ModuleNode: PresetNode {
  /// Sets the parameters of a preset in the manifest, and all others to their defaults. [main, while rendering
  /// too]
  package func load(_ preset: PluginPreset) {
    guard let values = plugin.presets.first(where: { $0.name == preset.name })?.values else {
      return
    }
    for (index, parameter) in plugin.parameters.enumerated() {
      setParameter(index, to: parameter.defaultValue)
    }
    for value in values { setParameter(value.parameter, to: value.value) }
  }

  /// Fails: presets of a module are in its manifest.
  ///
  /// - Throws: always.
  package func savePreset(
    named name: String, inBank bank: PluginPreset.Bank?, to directory: String,
    replacing replaces: Bool
  ) throws(ModuleError) {
    throw .presetNotSaved(name: plugin.name)
  }
}
