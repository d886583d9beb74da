// PluginLibrary+Rig.swift: the plugins of a rig. SPDX-License-Identifier: MIT

package import Manifests
package import PluginLoading
package import PluginModel
package import RigSchema

extension PluginLibrary {
  /// Describes the plugin of every node, in rig order. [main]
  ///
  /// - Throws: `ManifestError` with all nodes whose plugin is missing, and their locations.
  package func find(nodesOf rig: RigDescription) throws(ManifestError) -> [PluginDescription] {
    var found: [PluginDescription] = []
    var diagnostics: [Diagnostic] = []
    var reports = ErrorCollector()
    for node in rig.nodes {
      do {
        found.append(try find(node, in: rig))
      } catch let mistake as RigNodeError {
        diagnostics.append(mistake.diagnostic(in: node.origin?.file ?? rig.file))
      } catch {
        reports.add("\(error)", of: node, in: node.origin?.file ?? rig.file)
      }
    }
    diagnostics += reports.diagnostics
    guard diagnostics.isEmpty else { throw ManifestError(diagnostics) }
    return found
  }

  private func find(_ node: RigNode, in rig: RigDescription) throws -> PluginDescription {
    switch node.source {
    case .plugin(let name):
      return try find(isPath(name) ? rig.path(name, in: node.origin?.file) : name)
    case .builtin(let word): return try BuiltinFactory.describe(word, node, rig)
    }
  }

  /// Returns the initial preset of each node, in rig order. [main]
  ///
  /// - Throws: `ManifestError` with all missing presets and their locations.
  package func find(
    presetsOf rig: RigDescription, _ plugins: [PluginDescription]
  ) throws(ManifestError) -> [PluginPreset?] {
    var found: [PluginPreset?] = []
    var diagnostics: [Diagnostic] = []
    var known: [String: [PluginPreset]] = [:]
    for (node, plugin) in zip(rig.nodes, plugins) {
      guard let written = node.preset else {
        found.append(nil)
        continue
      }
      do {
        guard presetFormat(of: plugin) != nil else {
          throw PresetError.builtin(plugin: plugin.name)
        }
        let presets = try known[plugin.identifier] ?? presets(of: plugin)
        known[plugin.identifier] = presets
        found.append(
          try PresetResolution(presets: presets, plugin: plugin.name).resolve(written.text))
      } catch {
        diagnostics.append(
          RigNodeError(
            position: written.position,
            keyPath: written.location?.keyPath ?? "\(node.keyPath).preset",
            fault: .reported(message: "\(error)")
          ).diagnostic(in: written.location?.file ?? node.origin?.file ?? rig.file))
      }
    }
    guard diagnostics.isEmpty else { throw ManifestError(diagnostics) }
    return found
  }

  /// Plugin errors, one for all nodes of a file with the same message.
  private struct ErrorCollector {
    private var entries: [(message: String, file: String, nodes: [RigNode])] = []

    mutating func add(_ message: String, of node: RigNode, in file: String) {
      if let index = entries.firstIndex(where: { $0.message == message && $0.file == file }) {
        entries[index].nodes.append(node)
      } else {
        entries.append((message, file, [node]))
      }
    }

    /// Returns each error at its first node, with the names of the other nodes.
    var diagnostics: [Diagnostic] {
      entries.compactMap { message, file, nodes in
        guard let first = nodes.first else { return nil }
        // On the command line there is no file, and nodes have no names of the user.
        let others = file.isEmpty ? [] : nodes.dropFirst().map(\.name)
        return RigNodeError(
          position: first.sourcePosition, keyPath: "\(first.keyPath).plugin",
          fault: .reported(message: message + Self.also(others))
        ).diagnostic(in: file)
      }
    }

    private static func also(_ names: [String]) -> String {
      guard let last = names.last else { return "" }
      let list = names.dropLast().joined(separator: ", ")
      return " Also affects \(list.isEmpty ? "" : "\(list) and ")\(last)."
    }
  }
}
