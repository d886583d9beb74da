// NestedRigLoader.swift: reads nested rigs and merges them into one rig. SPDX-License-Identifier: MIT

import FoundationEssentials
import Glibc
import Installation
import Manifests
import PluginModel

/// Reads the nested rigs of a rig, each file once, and merges all of them into one rig.
final class NestedRigLoader {
  /// The files that are being read, each within the one before: resolved, and as diagnostics name them.
  private var chain: [(resolved: String, shown: String)] = []
  private var known: [String: Result<RigDescription, ManifestError>] = [:]
  /// The diagnostics of nested files, which are reported after those of the file itself.
  private(set) var foreign: [Diagnostic] = []

  /// Puts rigs that were read into the one that names them.
  func insert(
    _ written: [NestedRigReference], into rig: inout RigDescription,
    _ diagnostics: DiagnosticCollector
  ) {
    chain.append((Self.resolved(rig.file), rig.file))
    defer { chain.removeLast() }
    var shift = 0
    for outer in written {
      guard let inner = read(outer, rig.file, diagnostics) else { continue }
      let count = inner.nodes.count
      insert(inner, outer, at: outer.index + shift, into: &rig, diagnostics)
      shift += count
      guard rig.nodes.count + rig.nested.count <= RigNodeReader.nodeLimit else {
        diagnostics.report(
          .outOfRange(
            found: "more than \(RigNodeReader.nodeLimit) nodes with those of the rigs within",
            minimum: "none", maximum: "\(RigNodeReader.nodeLimit)"), at: outer.pathPosition,
          keyPath: "nodes.\(outer.name).rig")
        return
      }
    }
  }

  // MARK: - Reading

  private static func resolved(_ path: String) -> String {
    URL(fileURLWithPath: path).resolvingSymlinksInPath().standardizedFileURL.path
  }

  /// Returns the file of a nested rig: relative to the file that names it, or an installed rig.
  static func locate(_ written: String, from file: String) -> String? {
    let relativePath = RigDescription.path(written, seenFrom: file)
    let installed = RigDirectories.path(of: written)
    return [relativePath, relativePath + ".yaml", installed].first {
      FileManager.default.fileExists(atPath: $0) && !InstallPaths.isDirectory($0)
    }
  }

  private func read(
    _ outer: NestedRigReference, _ file: String, _ diagnostics: DiagnosticCollector
  ) -> RigDescription? {
    func report(_ message: String) -> RigDescription? {
      diagnostics.report(
        .reported(message: message), at: outer.pathPosition, keyPath: "nodes.\(outer.name).rig")
      return nil
    }
    guard let path = Self.locate(outer.path, from: file) else {
      let relativePath = RigDescription.path(outer.path, seenFrom: file)
      return report(
        InstallPaths.isDirectory(relativePath)
          ? "\(relativePath) is a directory. Name the rig file in it."
          : "no such rig: \(relativePath). Write the path relative to this file, or the name of an"
            + " installed rig.")
    }
    let resolved = Self.resolved(path)
    if let start = chain.firstIndex(where: { $0.resolved == resolved }) {
      let loop = (chain[start...].map(\.shown) + [path]).joined(separator: " -> ")
      return report("a rig cannot contain itself: \(loop). Remove one of them.")
    }
    let outcome = known[resolved] ?? read(path)
    known[resolved] = outcome
    switch outcome {
    case .success(let rig): return rig
    case .failure(let error):
      foreign += error.diagnostics.filter { !foreign.contains($0) }
      return nil
    }
  }

  private func read(_ path: String) -> Result<RigDescription, ManifestError> {
    // Errors in the nested file belong to that file.
    let before = foreign
    foreign = []
    defer { foreign = before }
    do throws(ManifestError) {
      return .success(
        try RigReader.read(text: ManifestFile.text(atPath: path), file: path, nesting: self))
    } catch {
      return .failure(error)
    }
  }

  // MARK: - Putting in place

  private func insert(
    _ inner: RigDescription, _ outer: NestedRigReference, at index: Int,
    into rig: inout RigDescription,
    _ diagnostics: DiagnosticCollector
  ) {
    var inner = inner
    for position in inner.nodes.indices { inner.nodes[position].recordOrigin(inner.file) }
    for position in inner.nested.indices {
      inner.nested[position].origin = (
        inner.nested[position].wetLevel, inner.nested[position].isBypassed
      )
    }
    apply(outer.change, to: &inner, within: "", shown: inner.file, diagnostics)
    let prefix = outer.name + "/"
    func endpointInside(_ end: ConnectionEndpoint) -> ConnectionEndpoint {
      var end = end
      switch end.location {
      case .input: end.location = .node(prefix + "in")
      case .output: end.location = .node(prefix + "out")
      case .node(let name): end.location = .node(prefix + name)
      }
      return end
    }
    for position in inner.nodes.indices {
      inner.nodes[position].name = prefix + inner.nodes[position].name
    }
    rig.nodes.insert(contentsOf: inner.nodes, at: index)
    for position in rig.connections.indices {
      if rig.connections[position].from.location == .node(outer.name) {
        rig.connections[position].from.location = .node(prefix + "out")
      }
      if rig.connections[position].to.location == .node(outer.name) {
        rig.connections[position].to.location = .node(prefix + "in")
      }
    }
    for connection in inner.connections {
      var connection = connection
      connection.from = endpointInside(connection.from)
      connection.to = endpointInside(connection.to)
      connection.scope = prefix + connection.scope
      connection.file = connection.file ?? inner.file
      rig.connections.append(connection)
    }
    var nested = NestedRig(
      name: outer.name, position: outer.position, written: outer.path, file: inner.file,
      inputCount: inner.takenCount, outputCount: inner.givenCount)
    nested.wetLevel = outer.change.wetLevel ?? 1
    nested.isBypassed = outer.change.isBypassed ?? false
    rig.nested.append(nested)
    for deeper in inner.nested {
      var deeper = deeper
      deeper.location =
        deeper.location ?? SourceLocation(file: inner.file, keyPath: "nodes.\(deeper.name)")
      deeper.name = prefix + deeper.name
      rig.nested.append(deeper)
    }
    rig.notes += inner.notes.filter { !rig.notes.contains($0) }
    warnIgnoredKeys(inner, outer, &rig)
  }

  /// Reports settings that only the outermost rig can have.
  private func warnIgnoredKeys(
    _ inner: RigDescription, _ outer: NestedRigReference, _ rig: inout RigDescription
  ) {
    let keys: [(String, Bool)] = [
      ("rate", inner.sampleRateHz != nil && inner.sampleRateHz != rig.sampleRateHz),
      ("period", inner.periodFrames != nil && inner.periodFrames != rig.periodFrames),
      ("midi", inner.midi != RigMIDI() || !inner.maps.isEmpty),
      ("automation", !inner.automation.isEmpty),
      ("scenes", !inner.scenes.isEmpty),
      (
        "transport",
        inner.transport != TransportSettings() && inner.transport != rig.transport
          || inner.clock != RigClock() && inner.clock != rig.clock
      ),
    ]
    let left = keys.filter(\.1).map(\.0)
    guard !left.isEmpty else { return }
    rig.notes.append(
      Diagnostic(
        file: rig.file, position: outer.pathPosition, keyPath: "nodes.\(outer.name).rig",
        fault: .reported(
          message:
            "a nested rig has no effect on \(left.joined(separator: ", ")); set them in this rig."
        )))
  }

  // MARK: - Changes to nested nodes

  private func apply(
    _ change: NestedRigReference.Change, to rig: inout RigDescription, within prefix: String,
    shown: String,
    _ diagnostics: DiagnosticCollector
  ) {
    for value in change.parameters {
      guard let (node, symbol) = rig.target(of: value.symbol, within: prefix) else {
        let names = rig.nodes.filter { $0.name.hasPrefix(prefix) }.map {
          $0.name.dropFirst(prefix.count).split(separator: "/").joined(separator: ".")
        }
        let wanted = value.symbol.split(separator: ".").dropLast().joined(separator: ".")
        let hint = nearest(to: wanted, among: names) ?? names.first ?? "node"
        diagnostics.report(
          .reported(
            message: "\(shown) has no node for it; a value is written with its node in front, as"
              + " in \(hint).\(value.symbol.split(separator: ".").last ?? "mix")."),
          at: value.position, keyPath: value.location?.keyPath ?? change.keyPath)
        continue
      }
      var value = value
      value.symbol = symbol
      rig.nodes[node].parameters.append(value)
    }
    for inner in change.changes { applyToNode(inner, of: &rig, within: prefix, shown, diagnostics) }
  }

  private func applyToNode(
    _ change: NestedRigReference.Change, of rig: inout RigDescription, within prefix: String,
    _ shown: String, _ diagnostics: DiagnosticCollector
  ) {
    let name = prefix + change.name
    if let index = rig.nested.firstIndex(where: { $0.name == name }) {
      if let wet = change.wetLevel { rig.nested[index].wetLevel = wet }
      if let isBypassed = change.isBypassed { rig.nested[index].isBypassed = isBypassed }
      apply(change, to: &rig, within: name + "/", shown: rig.nested[index].file, diagnostics)
      return
    }
    guard let index = rig.nodes.firstIndex(where: { $0.name == name }) else {
      let known = (rig.nodes.map(\.name) + rig.nested.map(\.name)).filter {
        $0.hasPrefix(prefix) && !$0.dropFirst(prefix.count).contains("/")
      }.map { String($0.dropFirst(prefix.count)) }
      diagnostics.report(
        .unknownNode(
          found: change.name, suggestion: nearest(to: change.name, among: known), known: known),
        at: change.position, keyPath: change.keyPath)
      return
    }
    rig.nodes[index].parameters += change.parameters
    rig.nodes[index].properties += change.properties
    rig.nodes[index].preset = change.preset ?? rig.nodes[index].preset
    rig.nodes[index].state = change.state ?? rig.nodes[index].state
    rig.nodes[index].wetLevel = change.wetLevel ?? rig.nodes[index].wetLevel
    rig.nodes[index].isBypassed = change.isBypassed ?? rig.nodes[index].isBypassed
  }
}

extension RigNode {
  /// Stores the settings from the nested rig, before the outer rig changes them.
  fileprivate mutating func recordOrigin(_ file: String) {
    origin = NestedNodeDefaults(
      file: origin?.file ?? file, parameters: parameters, properties: properties, preset: preset,
      state: state, wetLevel: wetLevel, isBypassed: isBypassed)
  }
}

extension RigDescription {
  /// The number of channels that it has as a node: from its input device, from its connections, or two.
  fileprivate var takenCount: Int {
    if let count = inputChannelCount { return count }
    let used = connections.filter { $0.from.location == .input && !$0.carriesMIDI }
    guard !used.isEmpty else { return 0 }
    let named = used.compactMap { connection -> Int? in
      if case .channels(let channels) = connection.from.ports { channels.max() } else { nil }
    }
    return max(2, named.max() ?? 0)
  }

  /// The number of output channels that it has as a node, if that does not depend on its plugins.
  fileprivate var givenCount: Int? {
    if let count = outputChannelCount { return count }
    return connections.contains { $0.to.location == .output && !$0.carriesMIDI } ? nil : 0
  }
}
