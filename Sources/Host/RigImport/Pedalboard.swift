// Pedalboard.swift: pedalboards of MOD. SPDX-License-Identifier: MIT

import FoundationEssentials

/// A pedalboard of MOD: a directory whose manifest names a graph in the vocabulary of Ingen.
enum Pedalboard: ProjectFormat {
  private static let core = "http://lv2plug.in/ns/lv2core#"
  private static let ingen = "http://drobilla.net/ns/ingen#"
  private static let mod = "http://moddevices.com/ns/mod#"
  private static let board = "http://moddevices.com/ns/modpedal#"
  private static let seeAlsoPredicate = "http://www.w3.org/2000/01/rdf-schema#seeAlso"
  private static let binding = "http://lv2plug.in/ns/ext/midi#binding"
  private static let manifest = "manifest.ttl"

  static func recognises(_ source: ProjectSource) -> Bool {
    guard source.entries != nil else {
      return source.text.contains(board) && source.text.contains(ingen)
    }
    guard let file = try? source.file(manifest) else { return false }
    return file.text.contains(board)
  }

  static func read(_ source: ProjectSource) throws -> ForeignProject {
    guard let entries = source.entries else { return try project(source) }
    let document = try TurtleDocument(try source.file(manifest))
    let graph = document.subjects.first { document.isA($0, board + "Pedalboard") }
    let files = graph.map { document.objects($0, seeAlsoPredicate) } ?? []
    let file = files.lazy.map { TurtleDocument.local($0.text) }.first { entries.contains($0) }
    guard let file else { throw ImportError.emptyDirectory(path: source.path) }
    return try project(try source.file(file))
  }

  private static func project(_ source: ProjectSource) throws -> ForeignProject {
    let document = try TurtleDocument(source)
    let graph = document.subjects.first { document.isA($0, ingen + "Graph") }
    let name = graph.flatMap { document.object($0, "http://usefulinc.com/ns/doap#name")?.text }
    var project = ForeignProject(format: "MOD pedalboard", name: name ?? source.stem)
    project.tempo = value(":bpm", document)
    project.beatsPerBar = value(":bpb", document).flatMap { Int(exactly: $0) }
    let directory = source.path.lastIndex(of: "/").map { String(source.path[..<$0]) } ?? "."
    for subject in document.subjects {
      guard let plugin = document.object(subject, core + "prototype") else { continue }
      add(subject, plugin.text, document, directory, to: &project)
    }
    for subject in document.subjects {
      guard let tail = document.object(subject, ingen + "tail"),
        let head = document.object(subject, ingen + "head")
      else { continue }
      connect(TurtleDocument.local(tail.text), TurtleDocument.local(head.text), &project)
    }
    return project
  }

  private static func value(_ local: String, _ document: TurtleDocument) -> Double? {
    document.object(TurtleDocument.base + local, ingen + "value")?.number
  }

  // MARK: - Plugins

  private static func add(
    _ subject: String, _ plugin: String, _ document: TurtleDocument, _ directory: String,
    to project: inout ForeignProject
  ) {
    guard !project.isFull else { return }
    let name = TurtleDocument.local(subject)
    var node = ForeignProject.Node(name: name, plugin: .lv2(plugin))
    node.isBypassed = document.object(subject, ingen + "enabled")?.number == 0
    for port in document.objects(subject, core + "port") {
      let symbol = TurtleDocument.local(port.text).split(separator: "/").last.map(String.init) ?? ""
      // MOD's own switch; `enabled` is the same.
      guard symbol != ":bypass", let value = document.object(port.text, ingen + "value")?.number
      else { continue }
      node.values.append(.init(key: .named(symbol), value: value))
      if document.object(port.text, binding) != nil {
        project.notes.append(
          ImportNote(
            name,
            .unsupported(
              feature: "The MIDI controller of \(symbol)",
              advice: "Map it when you run the rig; see the MIDI guide.")))
      }
    }
    node.state = state(of: subject, document, directory)
    project.nodes.append(node)
  }

  /// Returns the directory with the state of a plugin; nil if it was saved without one.
  private static func state(
    of subject: String, _ document: TurtleDocument, _ directory: String
  ) -> String? {
    let number = [board + "instanceNumber", mod + "instanceNumber"].lazy
      .compactMap { document.object(subject, $0)?.number }.first
    guard let number, let number = Int(exactly: number) else { return nil }
    let path = "\(directory)/effect-\(number)"
    return FileManager.default.fileExists(atPath: "\(path)/manifest.ttl") ? path : nil
  }

  // MARK: - Connections

  private static func connect(_ tail: String, _ head: String, _ project: inout ForeignProject) {
    guard let from = end(tail, project), let to = end(head, project) else {
      project.notes.append(ImportNote("", .outsideConnection(from: tail, to: head)))
      return
    }
    project.connect(.init(from, to))
  }

  private static func end(_ port: String, _ project: ForeignProject) -> ForeignProject.End? {
    let parts = port.split(separator: "/", maxSplits: 1).map(String.init)
    if parts.count == 2, project.nodes.contains(where: { $0.name == parts[0] }) {
      return .init(parts[0], .named(parts[1]))
    }
    if port.contains("midi") { return .init(nil, .midi) }
    guard port.hasPrefix("capture_") || port.hasPrefix("playback_") else { return nil }
    return JACKPort.border("system:\(port)")
  }
}
