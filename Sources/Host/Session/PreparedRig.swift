// PreparedRig.swift: a rig whose plugins are resolved. SPDX-License-Identifier: MIT

package import AudioDriver
import Manifests
import PluginCatalogue
package import PluginLoading
package import PluginModel
package import RigPlanning
package import RigSchema

/// A rig with the description of the plugin of each node, which needs no device.
package struct PreparedRig: Sendable {
  /// The rig as read from the file or the command line.
  package var rig: RigDescription
  /// The plugin of each node, in rig order.
  package internal(set) var plugins: [PluginDescription]
  /// Why each node is isolated if its isolation is automatic, in rig order.
  var isolationReasons: [IsolationReason?]
  /// Whether each plugin passes preflight in a helper process, with its final rate and block length, before it is
  /// created here.
  package var runsPreflight = false
  /// The conditions under which its plugins have passed preflight, to avoid a second one.
  var preflightConditions: Preflight.Conditions?
  /// The preset of each node, in rig order.
  private let presets: [PluginPreset?]
  /// The assumed number of device channels if the rig does not specify it.
  package static let defaultChannelCount = 2

  /// Resolves the plugins of a rig and checks the rig against them. [main]
  ///
  /// - Throws: `ManifestError` with all errors and their locations.
  package init(_ rig: RigDescription, _ library: PluginLibrary) throws {
    self.rig = rig
    plugins = try library.find(nodesOf: rig)
    presets = try library.find(presetsOf: rig, plugins)
    isolationReasons = plugins.map { library.isolationReason(of: $0) }
    // Errors that do not depend on a device are reported before one is opened.
    do {
      completeScenes(try plan())
    } catch {
      // A plugin that cannot be hosted may lack ports, and then the connections are not at fault.
      try library.checkUsable(plugins)
      throw error
    }
  }

  /// Returns the absolute paths of the files in node properties. [any]
  func propertyFiles() throws -> [String] {
    try plan().nodes.flatMap(\.properties).compactMap { setting in
      guard case .path(let path) = setting.value else { return nil }
      return path
    }
  }

  /// Creates the nodes, with preflight if it is enabled.
  func nodeMaker(
    _ library: PluginLibrary
  ) -> (PluginDescription, NodeConfiguration) throws -> any Node {
    { [runsPreflight, preflightConditions] plugin, configuration in
      let isTried =
        !runsPreflight || configuration.sandbox != nil
        || preflightConditions == Preflight.Conditions(configuration)
      return isTried
        ? try library.makeNode(plugin, configuration)
        : try library.makePreflightedNode(plugin, configuration)
    }
  }

  /// Returns the driver request: the settings of the rig, and the channels that the audio needs.
  package var streamRequest: StreamRequest {
    var request = rig.streamRequest
    guard request.outputs.count == 1, request.outputs[0].usedChannelCount == nil else {
      return request
    }
    let inputs = request.inputs.isEmpty ? 0 : wantedInputCount
    let natural = try? plan(inputChannelCount: inputs, outputChannelCount: nil)
    // Few cards can play a single channel, and mono audio goes to both sides.
    request.outputs[0].channelCount = max(
      natural?.outputChannelCount ?? 0, Self.defaultChannelCount)
    return request
  }

  /// Returns the rig without values for parameters that its plugins no longer have after a compilation. [any]
  var withoutUselessValues: PreparedRig {
    var result = self
    for (index, plugin) in plugins.enumerated() {
      result.rig.nodes[index].parameters.removeAll {
        plugin.parameters.index(ofSymbol: $0.symbol) == nil
      }
      let name = rig.nodes[index].name
      result.rig.automation.removeAll {
        $0.node == name && plugin.parameters.index(ofSymbol: $0.symbol) == nil
          && !["bypass", "wet"].contains($0.symbol.lowercased())
      }
    }
    return result
  }

  /// Plans the rig for the opened devices.
  ///
  /// A card can have more channels than needed. The first ones are used: as many as the rig specifies or connects,
  /// otherwise the default number. The others are silent. Without a card, the rig is planned as for a file, with all
  /// channels of the pipes.
  package func plan(for stream: StreamDescription) throws -> RigPlan {
    guard stream.isRealTime else {
      return try plan(
        inputChannelCount: stream.inputChannelCount, outputChannelCount: stream.outputChannelCount)
    }
    let inputs = min(stream.inputChannelCount, wantedInputCount)
    let natural = try plan(inputChannelCount: inputs, outputChannelCount: nil)
    let wanted = rig.outputChannelCount ?? max(natural.outputChannelCount, Self.defaultChannelCount)
    return try plan(
      inputChannelCount: inputs,
      outputChannelCount: min(stream.outputChannelCount, wanted))
  }

  /// The number of channels that the rig specifies or connects, otherwise the default.
  var wantedInputCount: Int {
    if let count = rig.inputChannelCount { return count }
    let counts = rig.connections.filter { $0.from.location == .input }.map { connection in
      if case .channels(let channels) = connection.from.ports { return channels.max() ?? 0 }
      return inputCount(of: connection.to)
    }
    return max(Self.defaultChannelCount, counts.max() ?? 0)
  }

  /// The number of inputs of a node that a connection uses without naming them; 0 for any other end.
  private func inputCount(of end: ConnectionEndpoint) -> Int {
    guard case .all = end.ports,
      let index = rig.nodes.firstIndex(where: { $0.name == end.nodeName })
    else { return 0 }
    let inputs = plugins[index].audioInputs
    return inputs.count(where: inputs.isUnnamedPort)
  }

  /// The number of output channels on a device that has enough.
  var playedChannelCount: Int {
    get throws {
      if let count = rig.outputChannelCount { return count }
      return max(try plan().outputChannelCount, Self.defaultChannelCount)
    }
  }

  /// Plans the rig for the existing channels; nil requests as many outputs as the audio has.
  package func plan(
    inputChannelCount: Int, outputChannelCount: Int?
  ) throws -> RigPlan {
    try RigPlan(
      rig, plugins: plugins, presets: presets,
      isolatedBecause: isolationReasons,
      inputChannelCount: inputChannelCount, outputChannelCount: outputChannelCount)
  }

  /// Plans the rig for the channels that it specifies or connects, otherwise the default number. [any]
  package func plan() throws -> RigPlan {
    let hasInput = !rig.inputs.isEmpty || rig.isOffline
    return try plan(
      inputChannelCount: hasInput ? wantedInputCount : 0,
      outputChannelCount: rig.outputChannelCount)
  }
}

extension PreparedRig {
  /// The rig with no node bypassed, for a host that bypasses nodes itself.
  package var withoutBypass: PreparedRig {
    var result = self
    for index in rig.nodes.indices { result.rig.nodes[index].isBypassed = false }
    return result
  }

  /// Whether a node uses the audio input.
  package var usesInput: Bool {
    rig.connections.contains { $0.from.location == .input && !$0.carriesMIDI }
  }

  /// Returns the channels and block length of a rig between pipes, which equal those between files.
  ///
  /// - Throws: `SessionError` if there is an input that no node uses, or if `plays` is true and no node is connected
  /// to the output.
  package func shape(
    inputChannelCount: Int, plays: Bool, sampleRateHz: Int, defaultBlockFrames: Int
  ) throws -> (outputChannelCount: Int, blockFrames: Int) {
    if inputChannelCount > 0, !usesInput { throw SessionError.inputUnused(path: "standard input") }
    let plan = try plan(
      inputChannelCount: inputChannelCount, outputChannelCount: rig.outputChannelCount)
    if plays, plan.outputChannelCount == 0 { throw SessionError.nothingToRender }
    let blockFrames =
      rig.periodFrames
      ?? plan.blockFrames(atMost: defaultBlockFrames, sampleRateHz: sampleRateHz)
    return (plan.outputChannelCount, blockFrames)
  }
}

extension RigPlan {
  /// The block length without a card: at most the shortest delay in a feedback loop.
  func blockFrames(atMost limit: Int, sampleRateHz: Int) -> Int {
    guard let seconds = shortestLoopSeconds else { return limit }
    return max(1, min(limit, Int((seconds * Double(sampleRateHz)).rounded())))
  }
}
