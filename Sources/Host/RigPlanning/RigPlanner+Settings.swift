// RigPlanner+Settings.swift: bypass, properties and states of nodes. SPDX-License-Identifier: MIT

import FoundationEssentials
import Glibc
import Installation
import Manifests
import PluginModel
import RenderGraph
import RigSchema

extension RigPlanner {
  /// Connects the sources of bypassed nodes directly to their sinks, according to bypass and wet.
  ///
  /// The compiler aligns both paths, as it does for all parallel paths with different latency.
  mutating func applyBypass() {
    for node in rig.nodes {
      let target = BypassTarget(name: node.name, input: node.name, output: node.name)
      applyBypass(
        target, wet(of: node.name, node.wetLevel, isBypassed: node.isBypassed), node.position,
        SourceLocation(file: node.origin?.file ?? rig.file, keyPath: node.keyPath))
    }
    for nested in rig.nested {
      let target = BypassTarget(
        name: nested.name, input: nested.inputName, output: nested.outputName)
      let location =
        nested.location ?? SourceLocation(file: rig.file, keyPath: "nodes.\(nested.name)")
      applyBypass(
        target, wet(of: nested.name, nested.wetLevel, isBypassed: nested.isBypassed),
        nested.position,
        location)
    }
  }

  /// The wet level of a node, from its lanes if there are any.
  private func wet(of name: String, _ level: Float, isBypassed: Bool) -> GainFactor {
    let (wet, bypass) = (gainLanes["\(name).wet"], gainLanes["\(name).bypass"])
    let isOut = bypass == nil && isBypassed
    return GainFactor(
      constant: isOut ? 0 : wet == nil ? level : 1, lanes: [wet, bypass].compactMap { $0 })
  }

  /// A bypassed unit: a node, or a nested rig between its boundaries.
  private struct BypassTarget {
    let name: String
    let input: String
    let output: String
  }

  private mutating func applyBypass(
    _ target: BypassTarget, _ wet: GainFactor, _ position: SourcePosition,
    _ location: SourceLocation
  ) {
    guard wet.constant != 1 || !wet.lanes.isEmpty else { return }
    let moved = wet.lanes.isEmpty ? [] : [wet]
    let rest =
      wet.lanes.isEmpty
      ? [] : [GainFactor(constant: wet.constant, lanes: wet.lanes, isRemainder: true)]
    let (own, bypassSources) = wet.lanes.isEmpty ? (wet.constant, 1 - wet.constant) : (1, 1)
    let inputs = sinks(ConnectionEndpoint(location: .node(target.input))) ?? []
    let outputs = sources(ConnectionEndpoint(location: .node(target.output))) ?? []
    guard let bypassPaths = Self.bypassSources(inputs, outputs) else {
      report(
        "\(target.name) has \(Self.count(inputs.count, "input")) and"
          + " \(Self.count(outputs.count, "output")), so it cannot be bypassed. Remove bypass"
          + " and wet.", position, location.keyPath, in: location.file)
      return
    }
    let fed = links
    for linkIndex in links.indices {
      guard let dry = bypassPaths[links[linkIndex].from] else { continue }
      let link = links[linkIndex]
      links[linkIndex].gain *= own
      links[linkIndex].factors += moved
      for (sink, share) in dry {
        for feed in fed where feed.to == sink {
          var bypassLink = RigPlan.Link(
            from: feed.from, to: link.to, gain: link.gain * feed.gain * share * bypassSources,
            delaySeconds: link.delay(behind: feed))
          bypassLink.factors = feed.factors + link.factors + rest
          links.append(bypassLink)
        }
      }
    }
    mergeLinks()
  }

  /// Merges links between the same ends.
  ///
  /// Otherwise their number would multiply from node to node.
  mutating func mergeLinks() {
    var mergedIndices: [LinkEnds: Int] = [:]
    var merged: [RigPlan.Link] = []
    for link in links {
      let ends = LinkEnds(
        from: link.from, to: link.to, delaySeconds: link.delaySeconds,
        factors: link.factors.map(\.key))
      if let mergedIndex = mergedIndices[ends] {
        merged[mergedIndex].gain += link.gain
      } else {
        mergedIndices[ends] = merged.count
        merged.append(link)
      }
    }
    links = merged
  }

  private struct LinkEnds: Hashable {
    let from: RigPlan.Channel
    let to: RigPlan.Channel
    let delaySeconds: Double?
    let factors: [String]
  }

  /// Returns, for each output, the inputs that replace it and their levels; nil if the mapping is not clear.
  private static func bypassSources(
    _ inputs: [RigPlan.Channel], _ outputs: [RigPlan.Channel]
  ) -> [RigPlan.Channel: [(RigPlan.Channel, Float)]]? {
    // A generator is muted instead.
    if inputs.isEmpty { return Dictionary(uniqueKeysWithValues: outputs.map { ($0, []) }) }
    guard inputs.count == outputs.count || inputs.count == 1 || outputs.count == 1 else {
      return nil
    }
    return Dictionary(
      uniqueKeysWithValues: outputs.enumerated().map { channel, output in
        if inputs.count == 1 { return (output, [(inputs[0], 1)]) }
        if inputs.count == outputs.count { return (output, [(inputs[channel], 1)]) }
        return (output, inputs.map { ($0, 1 / Float(inputs.count)) })
      })
  }

  private static func count(_ count: Int, _ noun: String) -> String {
    "\(count) \(noun)\(count == 1 ? "" : "s")"
  }
}

extension RigPlan {
  /// Whether a node can be bypassed. [any]
  package func canBypass(_ node: Int) -> Bool {
    let (plugin, count) = (nodes[node].plugin, nodes[node].instanceCount)
    func main(_ ports: [AudioPort]) -> Int {
      guard let first = ports.first else { return 0 }
      let isMarked = ports.contains(where: \.isMain)
      return count * ports.count { isMarked ? $0.isMain : $0.group == first.group }
    }
    let (inputs, outputs) = (main(plugin.audioInputs), main(plugin.audioOutputs))
    return outputs > 0 && (inputs < 2 || inputs == outputs || outputs == 1)
  }
}

extension GainFactor {
  /// The unique name in its plan.
  fileprivate var key: String {
    "\(isRemainder ? "rest of " : "")\(constant) \(lanes.map(\.name).joined(separator: " "))"
  }
}

extension RigPlanner {
  /// Resolves all properties of the rig.
  mutating func readProperties() {
    for (index, node) in rig.nodes.enumerated() {
      for written in node.properties {
        let keyPath = written.location?.keyPath ?? "\(node.keyPath).properties.\(written.symbol)"
        let properties = nodes[index].plugin.properties
        guard let propertyIndex = Property.index(of: written.symbol, in: properties) else {
          report(
            unknownProperty(written.symbol, of: index), written.position, keyPath,
            in: written.location?.file ?? node.origin?.file)
          continue
        }
        readProperty(written, propertyIndex, of: index, keyPath)
      }
    }
  }

  /// Parses the value of the property at `propertyIndex`.
  mutating func readProperty(
    _ written: RigParameter, _ propertyIndex: Int, of index: Int, _ keyPath: String
  ) {
    let name = nodes[index].name
    let property = nodes[index].plugin.properties[propertyIndex]
    let file = written.location?.file ?? rig.nodes[index].origin?.file ?? rig.file
    switch PropertyText.parse(written.text, for: property, directory: Self.directory(of: file)) {
    case .success(let parsed):
      nodes[index].properties.removeAll { $0.property == propertyIndex }
      nodes[index].properties.append(
        RigPlan.PropertySetting(property: propertyIndex, value: parsed.value))
      if let note = parsed.note { notes.append("\(name): \(note)") }
    case .failure(let error):
      // Without a file, no key path names the node.
      report(
        rig.file.isEmpty ? "\(name): \(error)" : "\(error)", written.position, keyPath, in: file)
    }
  }

  /// The base of relative paths: the directory of the file that contains them, or the working directory on the
  /// command line.
  private static func directory(of file: String) -> String {
    let current = FileManager.default.currentDirectoryPath
    return file.isEmpty ? current : URL(fileURLWithPath: file).deletingLastPathComponent().path
  }

  // MARK: - Mistakes

  private func unknownProperty(_ symbol: String, of index: Int) -> String {
    let name = nodes[index].name
    if let parameter = parameter(symbol, of: index) {
      return "\(parameter) is a parameter of \(name), not a property. Write it under parameters."
    }
    let properties = nodes[index].plugin.properties.map(\.symbol)
    return unknownSymbolMessage(
      symbol, among: properties, of: name, what: "property", plural: "properties")
  }

  /// Returns the message for an unknown name under `parameters`, or on the command line, which also accepts
  /// properties: for a plugin that cannot be hosted, the reason, because its parameters may be unknown.
  func unknownParameter(_ symbol: String, of index: Int) -> String {
    let (name, plugin) = (nodes[index].name, nodes[index].plugin)
    if let refusal = plugin.refusal { return refusal }
    if !rig.file.isEmpty, let propertyIndex = Property.index(of: symbol, in: plugin.properties) {
      return
        "\(plugin.properties[propertyIndex].symbol) is a property of \(name), not a parameter. Write it"
        + " under properties."
    }
    let parameters = plugin.parameters.map(\.symbol)
    guard rig.file.isEmpty, !plugin.properties.isEmpty else {
      return unknownSymbolMessage(
        symbol, among: parameters, of: name, what: "parameter", plural: "parameters")
    }
    let symbols = parameters + plugin.properties.map(\.symbol)
    return unknownSymbolMessage(
      symbol, among: symbols, of: name, what: "parameter or property",
      plural: "parameters or properties")
  }

  private func parameter(_ symbol: String, of index: Int) -> String? {
    let parameters = nodes[index].plugin.parameters
    return parameters.index(ofSymbol: symbol).map { parameters[$0].symbol }
  }
}

extension RigPlanner {
  /// Stores the resolved presets of the nodes, and finds the directories with their states.
  mutating func readStates(_ presets: [PluginPreset?]) {
    for (index, preset) in presets.enumerated() { nodes[index].preset = preset }
    for (index, node) in rig.nodes.enumerated() {
      guard let state = node.state else { continue }
      let file = state.location?.file ?? node.origin?.file
      let directory = rig.path(state.text, in: file)
      if let fault = fault(of: directory, for: nodes[index].plugin) {
        report(fault, state.position, state.location?.keyPath ?? "\(node.keyPath).state", in: file)
      } else {
        nodes[index].stateDirectory = directory
      }
    }
  }

  private func fault(of directory: String, for plugin: PluginDescription) -> String? {
    let (file, noun) = (plugin.format.stateFile, plugin.format.noun)
    guard !file.isEmpty else { return "\(plugin.name) is \(noun) and has no state directory." }
    guard InstallPaths.isDirectory(directory) else { return "no such directory: \(directory)." }
    guard FileManager.default.fileExists(atPath: "\(directory)/\(file)") else {
      return "\(directory) contains no state of \(noun): it has no \(file)."
    }
    return nil
  }
}

extension RigPlanner {
  /// Isolates the nodes in sandboxes, and reports settings that contradict a sandbox.
  mutating func resolveSandboxes() {
    for (index, node) in rig.nodes.enumerated() where node.isSandboxed {
      resolveSandbox(ofNode: index, node)
    }
  }

  /// A node in a sandbox has a worker process without other nodes.
  private mutating func resolveSandbox(ofNode index: Int, _ node: RigNode) {
    let keyPath = "\(node.keyPath).sandbox"
    switch node.isolation.process {
    case .automatic, .own:
      nodes[index].isolation = NodeIsolation(.own, isBlockLate: node.isolation.isBlockLate)
      nodes[index].isolationReason = nil
    case .off:
      report(
        "\(node.name) has a sandbox, but `isolate: off` runs it in the host. Remove one of the two.",
        node.position, keyPath, in: node.origin?.file)
    case .group(let group):
      report(
        "\(node.name) has a sandbox, which it cannot share with the group \(group). Remove one of the"
          + " two.", node.position, keyPath, in: node.origin?.file)
    }
  }
}
