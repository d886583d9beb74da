// CarlaProject.swift: projects and presets of Carla. SPDX-License-Identifier: MIT

import FoundationEssentials
import Manifests
import RigSchema

/// Projects (.carxp) and presets (.carxs) of Carla, as `CarlaEngine::saveProjectInternal` and `CarlaStateSave`
/// write them.
enum CarlaProject: ProjectFormat {
  /// The main version that is known.
  private static let knownVersion = 2

  static func recognises(_ source: ProjectSource) -> Bool {
    source.text.contains("<CARLA-PROJECT") || source.text.contains("<CARLA-PRESET")
  }

  static func read(_ source: ProjectSource) throws -> ForeignProject {
    let root = try XMLElement.parse(source)
    let version = root.attributes["VERSION"] ?? ""
    if let main = Int(version.prefix { $0 != "." }), main > knownVersion {
      throw ImportError.newerVersion(
        path: source.path, host: "Carla", found: version, known: "\(knownVersion)")
    }
    if root.name == "CARLA-PRESET" { return preset(root, source) }
    guard root.name == "CARLA-PROJECT" else {
      throw ImportError.unknownFormat(path: source.path)
    }
    return project(root, source)
  }

  private static func preset(_ root: XMLElement, _ source: ProjectSource) -> ForeignProject {
    var project = ForeignProject(format: "Carla preset", name: source.stem)
    project.dividesByRate = true
    if root.child("Info") != nil { add(root, to: &project) }
    project.topology = .series(channelCount: nil)
    return project
  }

  private static func project(_ root: XMLElement, _ source: ProjectSource) -> ForeignProject {
    var project = ForeignProject(format: "Carla project", name: source.stem)
    project.dividesByRate = true
    for plugin in root.children("Plugin") { add(plugin, to: &project) }
    project.tempo = root.child("Transport")?.text(of: "BeatsPerMinute").flatMap { Double($0) }
    let inner = connections(root.child("Patchbay"))
    let outer = connections(root.child("ExternalPatchbay"))
    let reader = CarlaConnections(names: project.nodes.map(\.name))
    if root.child("Patchbay") != nil {
      reader.read(inner, into: &project)
    } else if outer.contains(where: reader.isOfPlugin) {
      reader.read(outer, into: &project)
    } else {
      let forcesStereo = root.child("EngineSettings")?.text(of: "ForceStereo") == "true"
      project.topology = .rack(forcesStereo: forcesStereo)
    }
    return project
  }

  private static func connections(_ patchbay: XMLElement?) -> [CarlaConnections.Names] {
    (patchbay?.children("Connection") ?? []).compactMap { element in
      guard let from = element.text(of: "Source"), let to = element.text(of: "Target") else {
        return nil
      }
      return CarlaConnections.Names(from: from, to: to, line: element.line)
    }
  }

  // MARK: - Plugins

  private static func add(_ element: XMLElement, to project: inout ForeignProject) {
    guard !project.isFull, let info = element.child("Info") else { return }
    let data = element.child("Data")
    let written = info.text(of: "Name") ?? "plugin"
    var node = ForeignProject.Node(
      name: project.freeName(written), plugin: plugin(info, written), line: element.line)
    node.isMuted = data?.text(of: "Active") == "No"
    if node.isMuted { project.notes.append(ImportNote(node.name, line: node.line, .muted)) }
    node.wetLevel = min(max(Float(data.number("DryWet") ?? 1), 0), 1)
    node.outputGain = min(max(data.number("Volume") ?? 1, 0), 1.27)
    node.isDoubled = isDoubled(data)
    node.balance = balance(data)
    readParameters(data, into: &node, &project)
    readCustomData(data, written, into: &node, &project)
    noteUnsupported(data, of: node, &project)
    project.nodes.append(node)
  }

  private static func plugin(_ info: XMLElement, _ name: String) -> ForeignProject.Plugin {
    let label = ["URI", "Label", "Identifier"].lazy.compactMap { info.text(of: $0) }.first ?? name
    switch info.text(of: "Type") ?? "" {
    case "LV2": return .lv2(label)
    case "LADSPA": return .ladspa(label: label)
    case "INTERNAL", "Internal": return .other(format: "Carla internal", name: label)
    case let format: return .other(format: format, name: label)
    }
  }

  private static func readParameters(
    _ data: XMLElement?, into node: inout ForeignProject.Node, _ project: inout ForeignProject
  ) {
    for element in data?.children("Parameter") ?? [] {
      // Outputs have no value.
      guard let text = element.text(of: "Value") else { continue }
      let name = element.text(of: "Symbol") ?? element.text(of: "Name") ?? ""
      if let text = element.text(of: "MappedControlIndex") ?? element.text(of: "MidiCC") {
        readControl(text, of: name, element, into: &node, &project)
      }
      guard let value = Double(text) else {
        project.notes.append(
          ImportNote(
            node.name, line: element.line, .notANumber(name: name, value: text.shortened)))
        continue
      }
      node.values.append(.init(key: .named(name), value: value, line: element.line))
    }
  }

  private static func readControl(
    _ text: String, of name: String, _ element: XMLElement,
    into node: inout ForeignProject.Node, _ project: inout ForeignProject
  ) {
    let channel = element.text(of: "MidiChannel").flatMap { Int($0) } ?? 1
    guard let source = ControlSource(number: text, channel: channel) else {
      // Carla writes 130 for control voltage, and 132 while it waits for a controller.
      project.notes.append(
        ImportNote(
          node.name, line: element.line,
          .unsupported(
            feature: "The control \(text.shortened) of \(name)", advice: "Map it in the rig.")))
      return
    }
    let ends = ["MappedMinimum", "MappedMaximum"]
    let range = ends.compactMap { XMLElement?.some(element).number($0) }
    node.controls.append(
      .init(
        parameter: name, source: source, range: range.count == 2 ? range : nil, line: element.line))
  }

  /// Whether a plugin with one channel has the option to run twice; nil if options are missing.
  private static func isDoubled(_ data: XMLElement?) -> Bool? {
    data?.text(of: "Options").flatMap { Int($0.trimmed.dropFirst("0x".count), radix: 16) }
      .map { $0 & 2 != 0 }
  }

  private static func balance(_ data: XMLElement?) -> ForeignProject.Balance? {
    let (left, right) = (data.number("Balance-Left"), data.number("Balance-Right"))
    guard left != nil || right != nil else { return nil }
    return .init(left: min(max(left ?? -1, -1), 1), right: min(max(right ?? 1, -1), 1))
  }

  private static let atom = "http://lv2plug.in/ns/ext/atom#"
  private static let stringTypes = [
    "http://kxstudio.sf.net/ns/carla/string", "http://www.w3.org/2001/XMLSchema#string",
    atom + "String", atom + "Path", atom + "URI",
  ]

  /// Texts and files of an LV2 plugin are properties of it.
  ///
  /// Carla keeps files beside the project, in `Carla/PLUGIN`, and writes their names.
  private static func readCustomData(
    _ data: XMLElement?, _ written: String, into node: inout ForeignProject.Node,
    _ project: inout ForeignProject
  ) {
    for element in data?.children("CustomData") ?? [] {
      let (type, key) = (element.text(of: "Type") ?? "", element.text(of: "Key") ?? "")
      if case .lv2 = node.plugin, stringTypes.contains(type), key.contains(":") {
        let text = element.text(of: "Value") ?? ""
        let isName = type.hasSuffix("#Path") && !text.hasPrefix("/")
        node.properties.append(
          .init(uri: key, text: isName ? "Carla/\(written)/\(text)" : text, isFile: isName))
      } else if case .lv2 = node.plugin, key.contains(":"), let text = number(element, type) {
        node.properties.append(.init(uri: key, text: text))
      } else if type != "http://kxstudio.sf.net/ns/carla/property" {
        noteState("The state \(key.shortened)", element, node, &project)
      }
    }
    if let chunk = data?.child("Chunk") { noteState("The state", chunk, node, &project) }
  }

  /// Returns the text of an atom with a number, whose bytes Carla writes in Base64; nil for anything else.
  private static func number(_ element: XMLElement, _ type: String) -> String? {
    guard type.hasPrefix(atom),
      let bytes = Data(base64Encoded: element.text(of: "Value")?.trimmed ?? "")
    else { return nil }
    return unsafe bytes.withUnsafeBytes { bytes in
      switch (type.dropFirst(atom.count), bytes.count) {
      case ("Int", 4), ("Bool", 4): unsafe plain(Double(bytes.loadUnaligned(as: Int32.self)))
      case ("Long", 8): unsafe "\(bytes.loadUnaligned(as: Int64.self))"
      case ("Float", 4): unsafe plain(bytes.loadUnaligned(as: Float.self))
      case ("Double", 8): unsafe plain(bytes.loadUnaligned(as: Double.self))
      default: nil
      }
    }
  }

  private static func noteState(
    _ feature: String, _ element: XMLElement, _ node: ForeignProject.Node,
    _ project: inout ForeignProject
  ) {
    project.notes.append(
      ImportNote(
        node.name, line: element.line,
        .unsupported(
          feature: feature,
          advice: "Save it in Carla as an LV2 preset, and name the preset in the rig.")))
  }

  private static func noteUnsupported(
    _ data: XMLElement?, of node: ForeignProject.Node, _ project: inout ForeignProject
  ) {
    if node.wetLevel < 1, let balance = node.balance, balance.right < 1 {
      project.notes.append(
        ImportNote(
          node.name, line: node.line,
          .unsupported(
            feature: "A detail of the balance",
            advice: "Carla adds the second output to the first channel without the dry part.")))
    }
    if let element = data?.child("Panning") {
      project.notes.append(
        ImportNote(
          node.name, line: element.line,
          .unsupported(feature: "The panning", advice: "Add a mixer with `pan` after the node.")))
    }
    for tag in ["CurrentProgramName", "CurrentMidiProgram"] {
      guard let element = data?.child(tag) else { continue }
      project.notes.append(
        ImportNote(
          node.name, line: element.line,
          .unsupported(
            feature: "The program \(element.text.trimmed.shortened)",
            advice: "The values of its parameters are in the rig.")))
    }
  }
}

extension XMLElement? {
  /// The finite number in a child; nil if there is none.
  fileprivate func number(_ name: String) -> Double? {
    self?.text(of: name).flatMap { Double($0) }.flatMap { $0.isFinite ? $0 : nil }
  }
}
