// ProjectResolver.swift: from a project of another host to a rig. SPDX-License-Identifier: MIT

import FoundationEssentials
import PluginCatalogue
package import PluginLoading
import PluginModel
package import RigSchema

/// A rig that was made of a project of another host.
package struct ImportedRig {
  /// The rig.
  package var rig: RigDescription
  /// Notes about parts that were not imported.
  package var notes: [ImportNote]
  /// The name of the format, for example `Carla project`.
  package var format: String

  /// Returns the text of the rig file, with the notes as comments at its top. [any]
  package var text: String {
    let lines = notes.map(\.description)
    return RigWriter.text(
      of: rig,
      heading: (["Imported from the \(format) \(rig.name)."] + lines).joined(separator: "\n"))
  }
}

/// Makes a rig of a project: finds its plugins, parameters and ports.
///
/// It belongs to the main thread.
package struct ProjectResolver {
  /// The maximum number of nodes; more are an error.
  static let nodeLimit = 1000
  /// The maximum number of connections, far more than a user needs; the rest is left out.
  static let connectionLimit = 20_000
  /// More notes are only counted.
  private static let noteLimit = 100

  private(set) var project: ForeignProject
  let library: PluginLibrary
  /// The directory of the rig file, without a slash at the end; paths are relative to it if possible.
  let directory: String
  /// The directory of the project, with a slash at the end; empty for the current one.
  let source: String
  /// The plugins of the nodes that the rig contains, by the names of the project.
  private(set) var plugins: [String: PluginDescription] = [:]
  /// Names of nodes in the rig, by those of the project.
  private(set) var names: [String: String] = [:]
  /// How often a plugin runs that has fewer channels than the project, by the names of the project.
  var instances: [String: Int] = [:]
  var notes: [ImportNote]

  /// Makes a rig of a project. [main]
  ///
  /// - Parameters:
  ///   - project: the project.
  ///   - path: the path of the project, for errors.
  ///   - output: the path of the rig file; nil for standard output.
  ///   - library: the installed plugins.
  /// - Returns: the rig, and what it lacks.
  /// - Throws: `ImportError.tooManyNodes`.
  package static func rig(
    of project: ForeignProject, path: String, output: String?, _ library: PluginLibrary
  ) throws(ImportError) -> ImportedRig {
    guard project.nodes.count <= nodeLimit else {
      throw .tooManyNodes(path: path, limit: nodeLimit)
    }
    var resolver = ProjectResolver(
      project, Self.directory(of: output ?? ""), from: path, library)
    return resolver.resolve()
  }

  /// Returns the absolute directory of a file.
  private static func directory(of path: String) -> String {
    let current = FileManager.default.currentDirectoryPath
    guard let slash = path.lastIndex(of: "/") else { return current }
    let directory = String(path[..<slash])
    return directory.hasPrefix("/") || directory.isEmpty ? directory : "\(current)/\(directory)"
  }

  private init(
    _ project: ForeignProject, _ directory: String, from path: String, _ library: PluginLibrary
  ) {
    (self.project, self.directory, self.library) = (project, directory, library)
    source = ProjectSource.directory(of: path)
    notes = project.notes
  }

  private mutating func resolve() -> ImportedRig {
    var border = ProjectBoundary(project) { [self] in try? find($0).get() }
    border.expand()
    project = border.project
    notes = project.notes
    findPlugins()
    nameNodes()
    var rig = RigDescription(file: "", name: project.name)
    rig.sampleRateHz = project.sampleRateHz
    if let tempo = project.tempo, 1 ... 999 ~= tempo { rig.transport.beatsPerMinute = tempo }
    if let beats = project.beatsPerBar, 1 ... 64 ~= beats { rig.transport.beatsPerBar = beats }
    rig.nodes = project.nodes.compactMap { node($0) }
    rig.maps = project.nodes.flatMap { maps(of: $0) }
    connect(&rig)
    joinUnknownParameters()
    let hidden = notes.count - Self.noteLimit
    if hidden > 0 {
      notes = notes.prefix(Self.noteLimit) + [ImportNote("", .more(count: hidden))]
    }
    return ImportedRig(rig: rig, notes: notes, format: project.format)
  }

  /// Replaces consecutive notes about unknown parameters of a node by one.
  private mutating func joinUnknownParameters() {
    var joined: [ImportNote] = []
    var rest = notes[...]
    while var note = rest.popFirst() {
      let others = rest.prefix { $0.subject == note.subject && $0.unknownParameter != nil }
      if let first = note.unknownParameter, !others.isEmpty {
        note.reason = .unknownParameters(names: [first] + others.compactMap(\.unknownParameter))
        rest = rest.dropFirst(others.count)
      }
      joined.append(note)
    }
    notes = joined
  }

  // MARK: - Plugins

  /// Finds the plugin of every node; a missing one is reported once.
  private mutating func findPlugins() {
    var order: [ForeignProject.Plugin] = []
    var users: [ForeignProject.Plugin: [String]] = [:]
    for node in project.nodes {
      if users[node.plugin] == nil { order.append(node.plugin) }
      users[node.plugin, default: []].append(node.name)
    }
    for plugin in order {
      let nodes = users[plugin] ?? []
      switch find(plugin) {
      case .success(let found): for node in nodes { plugins[node] = found }
      case .failure(let problem):
        let line = problem.hasLine ? project.nodes.first { $0.plugin == plugin }?.line : nil
        notes.append(ImportNote("", line: line ?? 0, problem.reason(nodes)))
      }
    }
  }

  /// Why a plugin cannot be used.
  private enum PluginProblem: Error {
    case missing(String)
    case refused(String, String)
    case unsupported(String)
    case notReplaceable(String, String)

    /// Whether the message names the line of the first node.
    var hasLine: Bool {
      if case .notReplaceable = self { true } else { false }
    }

    func reason(_ nodes: [String]) -> ImportNote.Reason {
      switch self {
      case .missing(let name): .missingPlugin(identifier: name, nodes: nodes)
      case .refused(let name, let problem):
        .refusedPlugin(identifier: name, problem: problem, nodes: nodes)
      case .unsupported(let format): .unsupportedFormat(format: format, nodes: nodes)
      case .notReplaceable(let filter, let problem):
        .notReplaceable(filter: filter, problem: problem, nodes: nodes)
      }
    }
  }

  private func find(
    _ plugin: ForeignProject.Plugin
  ) -> Result<PluginDescription, PluginProblem> {
    switch plugin {
    case .lv2(let name), .module(let name): described(name, as: name)
    case .ladspa(let label):
      LADSPACounterpart.uri(ofLabel: label).map { described($0, as: "\($0) (LADSPA \(label))") }
        ?? .failure(.missing("The LADSPA plugin \(label)"))
    case .other(let format, _): .failure(.unsupported(format))
    case .notReplaceable(let filter, let problem): .failure(.notReplaceable(filter, problem))
    }
  }

  private func described(_ uri: String, as name: String) -> Result<PluginDescription, PluginProblem>
  {
    guard let entry = try? library.catalogue.entry(named: uri), entry.identifier == uri,
      let plugin = library.catalogue.description(of: entry)
    else { return .failure(.missing(name)) }
    if let refusal = plugin.refusal { return .failure(.refused(name, refusal)) }
    return .success(plugin)
  }

  // MARK: - Names

  /// Gives each node a name that connections can use.
  private mutating func nameNodes() {
    var taken: Set<String> = ["in", "out"]
    for node in project.nodes where plugins[node.name] != nil {
      let stem = RigWriter.legalName(node.name)
      var name = stem
      var number = 1
      while taken.contains(name) {
        number += 1
        name = "\(stem)-\(number)"
      }
      taken.insert(name)
      names[node.name] = name
    }
  }
}
