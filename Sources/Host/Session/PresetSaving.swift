// PresetSaving.swift: node settings saved as a preset. SPDX-License-Identifier: MIT

import FoundationEssentials
import Glibc
import OfflineDriver
import PluginCatalogue
package import PluginLoading
package import PluginModel
import RigPlanning

/// Saves presets of the nodes of a rig where their format keeps them, for LV2 as bundles that any host loads.
package struct PresetSaving {
  /// The request.
  package struct Request {
    /// The name of the preset.
    package var name: String
    /// The name of its bank; nil for none.
    package var bank: String?
    /// The node; nil for the only one.
    package var node: String?
    /// The directory of the bundle; nil for one in the user's directory, named after plugin and preset.
    package var directory: String?
    /// Whether an existing preset is replaced.
    package var replaces = false

    /// Creates a request for a preset of the only node, in the user's LV2 directory.
    package init(name: String) { self.name = name }
  }

  /// The sample rate and block length of the instance whose settings are saved.
  private static let configuration = NodeConfiguration(
    sampleRateHz: 48_000, maximumFrameCount: 512, isOffline: true)
  /// The number of silent blocks to process, because settings take effect only then.
  private static let blockCount = 4

  private let library: PluginLibrary
  private let request: Request
  private let planned: RigPlan.PlannedNode
  private let storage: PresetStorage
  /// Messages about the request.
  package let notes: [String]

  /// Finds the node. [any]
  ///
  /// - Throws: `PresetSavingError`, `ManifestError`.
  package init(_ rig: PreparedRig, _ library: PluginLibrary, _ request: Request) throws {
    self.library = library
    self.request = request
    let plan = try rig.plan()
    let nodes = plan.nodes
    notes = plan.notes
    let names = nodes.map(\.name)
    if let wanted = request.node {
      guard let node = nodes.first(where: { $0.name == wanted }) else {
        throw PresetSavingError.unknownNode(wanted, known: names)
      }
      planned = node
    } else {
      guard nodes.count == 1 else { throw PresetSavingError.whichNode(known: names) }
      planned = nodes[0]
    }
    guard let storage = library.presetStorage(of: planned.plugin) else {
      throw PresetError.notLV2(plugin: planned.plugin.name)
    }
    self.storage = storage
  }

  /// Creates the node with the settings of the rig, and saves its preset. [main]
  ///
  /// - Returns: the preset as it is found from now on.
  /// - Throws: `PresetSavingError`, or errors of the plugin.
  package func save() throws -> PluginPreset {
    let known = try library.presets(of: planned.plugin)
    let bank = request.bank.map { name in
      known.compactMap(\.bank).first { $0.name == name } ?? Self.newBank(name)
    }
    let directory = try directory(known, bank)
    let node = try RigBuilder.activeNode(planned, Self.configuration, library.makePreflightedNode)
    defer { node.deactivate() }
    Self.run(node)
    guard let node = node.capabilities.presets else {
      throw PresetError.notLV2(plugin: planned.plugin.name)
    }
    do {
      try node.savePreset(
        named: request.name, inBank: bank, to: directory, replacing: request.replaces)
    } catch {
      throw PresetSavingError.notSaved(message: "\(error)")
    }
    return PluginPreset(
      identifier: URL(fileURLWithPath: directory + storage.file).absoluteString, name: request.name,
      bank: bank, location: directory)
  }

  private static func run(_ node: any Node) {
    let silence = SilenceRenderer(
      channelCount: node.audioInputCount + node.audioOutputCount,
      frameCount: configuration.maximumFrameCount)
    for _ in 0 ..< blockCount { silence.run(node) }
  }

  /// A bank with the same name is the same bank in all presets.
  private static func newBank(_ name: String) -> PluginPreset.Bank {
    let text = name.utf8.map { byte in
      let scalar = Unicode.Scalar(byte)
      let isPlain = scalar.isASCII && Character(scalar).isLetter || ("0" ... "9").contains(scalar)
      if isPlain { return String(scalar) }
      return (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
    }.joined()
    return PluginPreset.Bank(identifier: "urn:outboard:bank:" + text, name: name)
  }

  // MARK: - Where

  /// Returns the bundle: the requested one, that of the replaced preset, or a new one.
  private func directory(_ known: [PluginPreset], _ bank: PluginPreset.Bank?) throws -> String {
    let same = known.first { $0.name == request.name && $0.bank == bank }
    if let directory = request.directory {
      guard request.replaces || !FileManager.default.fileExists(atPath: directory) else {
        throw PresetSavingError.taken(path: directory)
      }
      return URL(fileURLWithPath: directory).standardizedFileURL.path
    }
    if let same {
      guard request.replaces else {
        throw PresetSavingError.nameExists(
          name: same.fullName, plugin: planned.plugin.name, path: same.location)
      }
      // A bundle of the user with one preset. Any other bundle contains more than the replaced preset.
      guard same.location.hasSuffix(storage.ending),
        known.count(where: { $0.location == same.location }) == 1
      else { throw PresetSavingError.part(name: same.fullName, path: same.location) }
      return same.location
    }
    let stem =
      storage.directory + "/" + Self.plain(planned.plugin.name) + "-"
      + Self.plain(request.name)
    let candidates =
      ["\(stem)\(storage.ending)"] + (2 ..< 1_000).map { "\(stem)-\($0)\(storage.ending)" }
    return candidates.first { !FileManager.default.fileExists(atPath: $0) } ?? candidates[0]
  }

  /// Returns a name of letters and digits, which is valid in file systems and URIs.
  private static func plain(_ name: String) -> String {
    String(name.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
  }
}

/// The buffers that a node processes silence in.
@safe private final class SilenceRenderer {
  private let buffers: [UnsafeMutablePointer<Float>]
  private let frameCount: Int

  init(channelCount: Int, frameCount: Int) {
    self.frameCount = frameCount
    // One extra channel, so that a node without audio gets a valid address.
    unsafe buffers = (0 ... channelCount).map { _ in
      let buffer = UnsafeMutablePointer<Float>.allocate(capacity: frameCount)
      unsafe buffer.initialize(repeating: 0, count: frameCount)
      return unsafe buffer
    }
  }

  deinit { unsafe buffers.forEach { unsafe $0.deallocate() } }

  func run(_ node: any Node) {
    let step = node.step
    unsafe step.function(step.context, buffers, UInt32(frameCount))
  }
}

/// The reason why a preset was not saved.
package enum PresetSavingError: Error, Equatable, CustomStringConvertible {
  /// No such node in the rig.
  case unknownNode(String, known: [String])
  /// The rig has several nodes or none.
  case whichNode(known: [String])
  /// The path of the bundle already exists.
  case taken(path: String)
  /// The plugin already has a preset with this name.
  case nameExists(name: String, plugin: String, path: String)
  /// The preset to replace is part of a larger bundle.
  case part(name: String, path: String)
  /// The bundle could not be written, or the plugin did not save its state.
  case notSaved(message: String)

  /// Whether the request was wrong.
  package var isUsageError: Bool { if case .notSaved = self { false } else { true } }

  /// The message to the user.
  package var description: String {
    switch self {
    case .unknownNode(let name, let known):
      let hint =
        nearest(to: name, among: known).map { "Did you mean \($0)?" }
        ?? "Known nodes: \(known.joined(separator: ", "))."
      return "No such node: \"\(name)\". \(hint)"
    case .whichNode(let known) where known.isEmpty:
      return "No node in this rig can save a preset."
    case .whichNode(let known):
      return "A preset needs one node. Choose it with --node: \(known.joined(separator: ", "))."
    case .taken(let path):
      return "\(path) already exists. Use --force to replace it."
    case .nameExists(let name, let plugin, let path):
      return
        "\(plugin) already has a preset \"\(name)\" in \(path). Choose another name or bank, or"
        + " use --force."
    case .part(let name, let path):
      return "\"\(name)\" is part of \(path), which cannot be replaced. Choose another name or"
        + " bank."
    case .notSaved(let message):
      return message
    }
  }
}
