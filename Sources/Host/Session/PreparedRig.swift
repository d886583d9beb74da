// PreparedRig.swift: a rig whose plugins are found. SPDX-License-Identifier: MIT

package import AudioDriver
import PluginCatalogue
package import PluginModel
package import Rig

/// A rig with a description for each of its nodes: everything that can be known without a device.
package struct PreparedRig: Sendable {
  /// The rig as it was read, or as the command line spells it.
  package var rig: RigDescription
  /// What each node is, in the order of the rig.
  package internal(set) var plugins: [PluginDescription]
  /// Whether each plugin is tried in a child process, at the rate and length that it will have, before it
  /// is made in this one.
  package var triesPlugins = false
  /// What its plugins have come through their trial at, so that it need not be looked for again.
  var triedAt: Preflight.Conditions?
  /// Which preset each node begins with, in the order of the rig.
  private let presets: [PluginPreset?]
  /// How many channels a device is taken to have where the rig does not say.
  package static let usualChannelCount = 2

  /// Finds the plugins of a rig and checks it against them. [main]
  ///
  /// - Throws: `ManifestError` with every mistake, each in its place.
  package init(_ rig: RigDescription, _ library: PluginLibrary) throws {
    self.rig = rig
    plugins = try library.find(nodesOf: rig)
    presets = try library.find(presetsOf: rig, plugins)
    // The mistakes that do not depend on a device are told before one is opened.
    completeScenes(try plan())
  }

  /// The files that its nodes' properties name, as absolute paths. [any]
  func propertyFiles() throws -> [String] {
    try plan().nodes.flatMap(\.properties).compactMap { setting in
      guard case .path(let path) = setting.value else { return nil }
      return path
    }
  }

  /// The same with its plugins as they are by now: a source may have been compiled again. [main]
  func foundAgain(_ library: PluginLibrary) throws -> PreparedRig {
    var again = try PreparedRig(rig, library)
    again.triesPlugins = triesPlugins
    return again
  }

  /// Makes its nodes, of plugins that were tried if they are to be.
  func nodeMaker(
    _ library: PluginLibrary
  ) -> (PluginDescription, NodeConfiguration) throws -> any Node {
    { [triesPlugins, triedAt] plugin, configuration in
      let isTried = !triesPlugins || triedAt == Preflight.Conditions(configuration)
      return isTried
        ? try library.makeNode(plugin, configuration)
        : try library.makeTriedNode(plugin, configuration)
    }
  }

  /// What it asks of a driver: the rig's wishes, and as many channels as the sound has.
  package var streamRequest: StreamRequest {
    var request = rig.streamRequest
    guard request.outputs.count == 1, request.outputs[0].usedChannelCount == nil else {
      return request
    }
    let inputs = request.inputs.isEmpty ? 0 : wantedInputCount
    let natural = try? plan(inputChannelCount: inputs, outputChannelCount: nil)
    // Hardly any card plays one channel alone, and a mono sound goes to both sides.
    request.outputs[0].channelCount = max(
      natural?.outputChannelCount ?? 0, Self.usualChannelCount)
    return request
  }

  /// The same without values for parameters that its plugins do not have, as they had when they were
  /// compiled before. [any]
  var withoutUselessValues: PreparedRig {
    var result = self
    for (index, plugin) in plugins.enumerated() {
      result.rig.nodes[index].parameters.removeAll { plugin.parameters.place(of: $0.symbol) == nil }
      let name = rig.nodes[index].name
      result.rig.automation.removeAll {
        $0.node == name && plugin.parameters.place(of: $0.symbol) == nil
          && !["bypass", "wet"].contains($0.symbol.lowercased())
      }
    }
    return result
  }

  /// Plans it for the devices that were opened.
  ///
  /// A card may have more channels than the sound needs: the first ones are used, as many as the rig
  /// says or connects, or else the usual number; the others stay silent.
  ///
  /// Where there is no card, it is planned as for a file: all that its streams have.
  package func plan(for stream: StreamDescription) throws -> RigPlan {
    guard stream.keepsPace else {
      return try plan(
        inputChannelCount: stream.inputChannelCount, outputChannelCount: stream.outputChannelCount)
    }
    let inputs = min(stream.inputChannelCount, wantedInputCount)
    let natural = try plan(inputChannelCount: inputs, outputChannelCount: nil)
    let wanted = rig.outputChannelCount ?? max(natural.outputChannelCount, Self.usualChannelCount)
    return try plan(
      inputChannelCount: inputs,
      outputChannelCount: min(stream.outputChannelCount, wanted))
  }

  /// As many as the rig says or names, or the usual number.
  var wantedInputCount: Int {
    if let count = rig.inputChannelCount { return count }
    let named = rig.connections.compactMap { connection -> Int? in
      guard connection.from.place == .input, case .channels(let channels) = connection.from.ports
      else { return nil }
      return channels.max()
    }
    return max(Self.usualChannelCount, named.max() ?? 0)
  }

  /// How many channels it plays on a device that has enough.
  var playedChannelCount: Int {
    get throws {
      if let count = rig.outputChannelCount { return count }
      return max(try plan().outputChannelCount, Self.usualChannelCount)
    }
  }

  /// Plans it for the channels that are there; nil asks for as many outputs as the sound has.
  package func plan(
    inputChannelCount: Int, outputChannelCount: Int?
  ) throws -> RigPlan {
    try RigPlan(
      rig, plugins: plugins, presets: presets, inputChannelCount: inputChannelCount,
      outputChannelCount: outputChannelCount)
  }

  /// Plans it for the channels that the rig asks for, or names, or the usual number. [any]
  package func plan() throws -> RigPlan {
    let hasInput = !rig.inputs.isEmpty || rig.isOffline
    return try plan(
      inputChannelCount: hasInput ? wantedInputCount : 0,
      outputChannelCount: rig.outputChannelCount)
  }
}
