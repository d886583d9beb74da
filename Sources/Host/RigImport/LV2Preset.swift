// LV2Preset.swift: presets and states of LV2 plugins. SPDX-License-Identifier: MIT

import FoundationEssentials

/// A preset or state of an LV2 plugin: a file, or a directory with a manifest, as lilv writes them for jalv,
/// mod-host and others.
enum LV2Preset: ProjectFormat {
  private static let core = "http://lv2plug.in/ns/lv2core#"
  private static let presets = "http://lv2plug.in/ns/ext/presets#"
  private static let state = "http://lv2plug.in/ns/ext/state#state"
  private static let rdfs = "http://www.w3.org/2000/01/rdf-schema#"
  private static let manifest = "manifest.ttl"

  static func recognises(_ source: ProjectSource) -> Bool {
    if let entries = source.entries { return entries.contains(manifest) || loose(entries) != nil }
    return source.text.contains("appliesTo") && source.text.contains(presets)
  }

  static func read(_ source: ProjectSource) throws -> ForeignProject {
    guard let entries = source.entries else { return try preset(source, isWhole: false) }
    // Hosts name a directory by the instance, and the file in it always `state.ttl`.
    let name = source.stem
    guard entries.contains(manifest) else {
      return try preset(try source.file(loose(entries) ?? manifest), isWhole: true, name: name)
    }
    let document = try TurtleDocument(try source.file(manifest))
    let found = document.subjects.filter { document.isA($0, presets + "Preset") }
    guard found.count <= 1 else {
      throw ImportError.several(
        path: source.path, what: "presets", candidates: found.map(TurtleDocument.local))
    }
    guard let subject = found.first else { throw ImportError.emptyDirectory(path: source.path) }
    let other = document.object(subject, rdfs + "seeAlso").map { TurtleDocument.local($0.text) }
    // A preset may be in the manifest itself. Other directories are not read.
    let file = other.flatMap { entries.contains($0) ? $0 : nil } ?? manifest
    return try preset(try source.file(file), isWhole: true, name: name)
  }

  /// The file of a state that was saved without a manifest.
  private static func loose(_ entries: [String]) -> String? {
    entries.contains("state.ttl") ? "state.ttl" : nil
  }

  /// Reads a preset from a file, which is the only one of its directory if `isWhole` is true.
  ///
  /// Without a label it has the given name, or that of the file.
  private static func preset(
    _ source: ProjectSource, isWhole: Bool, name: String? = nil
  ) throws -> ForeignProject {
    let document = try TurtleDocument(source)
    let found = document.subjects.filter { document.object($0, core + "appliesTo") != nil }
    guard found.count <= 1 else {
      throw ImportError.several(
        path: source.path, what: "presets", candidates: found.map(TurtleDocument.local))
    }
    guard let subject = found.first, let plugin = document.object(subject, core + "appliesTo")
    else {
      throw ImportError.unknownFormat(path: source.path)
    }
    let label = document.object(subject, rdfs + "label")?.text
    var project = ForeignProject(format: "LV2 preset", name: label ?? name ?? source.stem)
    project.topology = .series(channelCount: nil)
    var node = ForeignProject.Node(name: project.name, plugin: .lv2(plugin.text))
    if document.object(subject, state) == nil {
      readValues(of: subject, document, into: &node, &project)
    } else if isWhole || directoryHasOnePreset(source) {
      node.state = directory(of: source.path)
    } else {
      readValues(of: subject, document, into: &node, &project)
      project.notes.append(
        ImportNote(
          node.name,
          .unsupported(
            feature: "The state",
            advice: "Other presets are in its directory. Import a directory with this preset only.")
        ))
    }
    project.nodes = [node]
    return project
  }

  private static func readValues(
    of subject: String, _ document: TurtleDocument, into node: inout ForeignProject.Node,
    _ project: inout ForeignProject
  ) {
    for port in document.objects(subject, core + "port") {
      guard let symbol = document.object(port.text, core + "symbol")?.text,
        let value = document.object(port.text, presets + "value")
      else { continue }
      guard let number = value.number else {
        project.notes.append(
          ImportNote(node.name, .notANumber(name: symbol, value: value.text)))
        continue
      }
      node.values.append(.init(key: .named(symbol), value: number))
    }
  }

  private static func directory(of path: String) -> String {
    path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
  }

  /// Whether the directory of a file has the file as its only preset.
  private static func directoryHasOnePreset(_ source: ProjectSource) -> Bool {
    let path = directory(of: source.path)
    guard let all = try? ProjectSource(path: path), let entries = all.entries else { return false }
    guard entries.contains(manifest) else { return loose(entries) != nil }
    guard let file = try? all.file(manifest), let document = try? TurtleDocument(file) else {
      return false
    }
    return document.subjects.count { document.isA($0, presets + "Preset") } == 1
  }
}
