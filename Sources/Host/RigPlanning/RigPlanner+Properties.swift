// RigPlanner+Properties.swift: properties in a rig, and suggestions for unknown names. SPDX-License-Identifier: MIT

import FoundationEssentials
import Glibc
import Manifests
import PluginModel
import RigSchema

extension RigPlanner {
  /// Resolves all properties of the rig.
  mutating func readProperties() {
    for (index, node) in rig.nodes.enumerated() {
      for written in node.properties {
        let keyPath = written.place?.keyPath ?? "\(node.keyPath).properties.\(written.symbol)"
        let properties = nodes[index].plugin.properties
        guard let place = Property.place(of: written.symbol, in: properties) else {
          report(
            unknownProperty(written.symbol, of: index), written.position, keyPath,
            in: written.place?.file ?? node.origin?.file)
          continue
        }
        readProperty(written, place, of: index, keyPath)
      }
    }
  }

  /// Parses the value of the property at `place`.
  mutating func readProperty(
    _ written: RigParameter, _ place: Int, of index: Int, _ keyPath: String
  ) {
    let name = nodes[index].name
    let property = nodes[index].plugin.properties[place]
    let file = written.place?.file ?? rig.nodes[index].origin?.file ?? rig.file
    switch PropertyText.parse(written.text, for: property, directory: Self.directory(of: file)) {
    case .success(let parsed):
      nodes[index].properties.removeAll { $0.property == place }
      nodes[index].properties.append(
        RigPlan.PropertySetting(property: place, value: parsed.value))
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
  /// properties.
  func unknownParameter(_ symbol: String, of index: Int) -> String {
    let (name, plugin) = (nodes[index].name, nodes[index].plugin)
    if !rig.file.isEmpty, let place = Property.place(of: symbol, in: plugin.properties) {
      return
        "\(plugin.properties[place].symbol) is a property of \(name), not a parameter. Write it"
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
    return parameters.place(of: symbol).map { parameters[$0].symbol }
  }
}
