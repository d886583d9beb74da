// RigSaver+OwnFile.swift: saves a rig in the file that it was read from. SPDX-License-Identifier: MIT

import FoundationEssentials
import Manifests
import PluginModel
import RigSchema

extension RigSaver {
  /// Writes the rig with its current values to its own file, with the comments of that file.
  ///
  /// Settings of devices and of the stream stay as they are in the file, because options of the
  /// command line may have replaced them.
  ///
  /// - Parameters:
  ///   - lastSaved: the text that this session wrote last, by path.
  ///   - replaces: whether changes by another program are overwritten.
  /// - Returns: the path and the text.
  /// - Throws: `SaveError`, or errors of a plugin; the old file is untouched then.
  func saveInPlace(
    lastSaved: [String: String], replaces: Bool
  ) throws -> (path: String, text: String) {
    let current = active.rig.rig
    guard !current.file.isEmpty, let read = current.text.value else { throw SaveError.noFile }
    let path = URL(fileURLWithPath: current.file).standardizedFileURL.path
    guard !RigDirectories.isPartOfProgram(path) else { throw SaveError.partOfProgram(path: path) }
    let location = SaveLocation(path)
    guard location.hasDirectory else { throw SaveError.noDirectory(path: location.directory) }
    let present = try? ManifestFile.text(atPath: path)
    let isKnown = present == nil || present == read || present == lastSaved[path]
    guard isKnown || replaces else { throw SaveError.changed(path: path) }
    var rig = try savedRig(location)
    if let original = try? RigReader.read(text: read, file: current.file) {
      preserveSettings(of: original, in: &rig)
    }
    let text = YAMLComments.carried(from: present ?? read, to: RigWriter.text(of: rig))
    try write(text, to: path, replaces: true)
    return (path, text)
  }

  private func preserveSettings(of original: RigDescription, in rig: inout RigDescription) {
    rig.sampleRateHz = original.sampleRateHz
    rig.periodFrames = original.periodFrames
    rig.periodCount = original.periodCount
    rig.inputs = original.inputs
    rig.outputs = original.outputs
    rig.waitsForDevice = original.waitsForDevice
    rig.isDithered = original.isDithered
    rig.midi = original.midi
    rig.suppressesFeedback = original.suppressesFeedback
    rig.watchesDeadline = original.watchesDeadline
    rig.guardsAgainstOffset = original.guardsAgainstOffset
    rig.transport = original.transport
    rig.transport.beatsPerMinute =
      active.requestedTempo ?? original.transport.beatsPerMinute
    rig.clock = original.clock
    for index in rig.nodes.indices {
      guard let node = original.nodes.first(where: { $0.name == rig.nodes[index].name }) else {
        continue
      }
      (rig.nodes[index].isolation, rig.nodes[index].isSandboxed) = (
        node.isolation, node.isSandboxed
      )
    }
  }
}
