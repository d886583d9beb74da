// FilterChainConfiguration.swift: configurations of PipeWire's filter-chain. SPDX-License-Identifier: MIT

import Manifests
import RigSchema

/// Configurations of the module filter-chain of PipeWire, as its manual page describes them.
enum FilterChainConfiguration: ProjectFormat {
  private static let module = "libpipewire-module-filter-chain"
  private static let graph = "filter.graph"

  static func recognises(_ source: ProjectSource) -> Bool {
    source.entries == nil && (source.text.contains(module) || source.text.contains(graph))
  }

  static func read(_ source: ProjectSource) throws -> ForeignProject {
    let root = try RelaxedJSON.parse(source, isStrict: false)
    let found = arguments(in: root)
    guard found.count <= 1 else {
      throw ImportError.several(
        path: source.path, what: "filter chains",
        candidates: found.map { name(of: $0) ?? "line \($0.line)" })
    }
    guard let arguments = found.first, let graph = arguments[graph], graph.isObject else {
      throw ImportError.unknownFormat(path: source.path)
    }
    var reader = FilterChainReader(
      project: ForeignProject(
        format: "PipeWire filter-chain", name: name(of: arguments) ?? source.stem),
      directory: ProjectSource.directory(of: source.path))
    reader.read(graph, channelCount: channelCount(of: arguments))
    var project = reader.project
    FilterChainStreams.read(arguments, into: &project)
    return project
  }

  /// Returns the arguments of each filter chain: in `context.modules`, or at the top.
  private static func arguments(in root: RelaxedJSON) -> [RelaxedJSON] {
    if root[graph] != nil { return [root] }
    let modules = root["context.modules"]?.items ?? root.items
    return (modules.isEmpty ? [root] : modules).compactMap { item in
      item["name"]?.text == module ? item["args"] : nil
    }
  }

  private static func name(of arguments: RelaxedJSON) -> String? {
    ["node.description", "node.name", "media.name"].lazy
      .compactMap { arguments[$0]?.text?.nonEmpty }.first
  }

  /// The number of channels that streams have; nil for that of the graph.
  private static func channelCount(of arguments: RelaxedJSON) -> Int? {
    [arguments, arguments["capture.props"], arguments["playback.props"]].compactMap(\.self)
      .compactMap { properties in
        properties["audio.channels"]?.number.flatMap { Int(exactly: $0) }
          ?? properties["audio.position"].map(\.items.count)
      }.filter { 1 ... 64 ~= $0 }.max()
  }
}

/// Reads a graph of filters.
private struct FilterChainReader {
  var project: ForeignProject
  /// The filters that are only gains and delays, by name.
  private var routers: [String: FilterRouter] = [:]
  /// The filters that are bands of an equaliser, by name.
  private var bands: [String: FilterBand] = [:]
  private var convolvers: [FilterConvolver] = []
  /// The other filters of PipeWire itself, and the bands: each has one input `In` and one output `Out`.
  private var builtins: Set<String> = []
  /// The names in the order of the configuration.
  private var names: [String] = []

  /// The directory of the configuration, with a slash at the end, or empty.
  private let directory: String

  init(project: ForeignProject, directory: String) {
    (self.project, self.directory) = (project, directory)
  }

  mutating func read(_ graph: RelaxedJSON, channelCount: Int?) {
    for filter in graph["nodes"]?.items ?? [] { add(filter) }
    for link in (graph["links"]?.items ?? []).prefix(ProjectResolver.connectionLimit) {
      connect(link)
    }
    let inputs = ports(graph["inputs"]), outputs = ports(graph["outputs"])
    for (channel, end) in inputs.enumerated() {
      if let end { project.connect(.init(.init(nil, .channel(channel + 1)), end)) }
    }
    for (channel, end) in outputs.enumerated() {
      if let end { project.connect(.init(end, .init(nil, .channel(channel + 1)))) }
    }
    if graph["inputs"] == nil { connectInput(channelCount) }
    if graph["outputs"] == nil { connectOutput(channelCount) }
    for name in names.reversed() {
      if let router = routers[name] { router.replaceByConnections(name, in: &project) }
    }
    for convolver in convolvers { convolver.usePorts(in: &project) }
    var joiner = BandJoiner(project, bands)
    joiner.join()
    project = joiner.project
    project.streamChannelCount = channelCount
    for key in ["capture.volumes", "playback.volumes"] where graph[key] != nil {
      note(
        "", graph[key]?.line ?? 0,
        .unsupported(feature: "The key \(key)", advice: "Set the parameter in the rig."))
    }
  }

  private mutating func note(_ subject: String, _ line: Int, _ reason: ImportNote.Reason) {
    project.notes.append(ImportNote(subject, line: line, reason))
  }

  // MARK: - Filters

  private mutating func add(_ filter: RelaxedJSON) {
    guard names.count <= ProjectResolver.nodeLimit else { return }
    let label = filter["label"]?.text ?? ""
    let name = filter["name"]?.text ?? project.freeName(label.isEmpty ? "filter" : label)
    names.append(name)
    let type = filter["type"]?.text ?? "builtin"
    if type == "builtin", let router = FilterRouter(label, filter["control"]) {
      routers[name] = router
      return
    }
    if type == "builtin" { builtins.insert(name) }
    if type == "builtin", let band = FilterBand(label, filter["control"]) {
      bands[name] = band
      var node = ForeignProject.Node(name: name, plugin: FilterBand.plugin, line: filter.line)
      node.servesTwoChannels = true
      project.nodes.append(node)
      return
    }
    var problem: String?
    if type == "builtin", label == "convolver" {
      do throws(FilterConvolver.Problem) {
        let convolver = try FilterConvolver(filter, name: name, in: directory, to: &project)
        return convolvers.append(convolver)
      } catch {
        problem = error.description
      }
    } else if type == "builtin", FilterChainBands.type(labelled: label) != nil {
      problem = FilterBand.limits
    }
    let plugin: ForeignProject.Plugin =
      switch type {
      case "lv2": .lv2(filter["plugin"]?.text ?? "")
      case "ladspa": .ladspa(label: label)
      case _ where problem != nil: .notReplaceable(filter: label, problem: problem ?? "")
      default: .other(format: "PipeWire \(type == "builtin" ? label : type)", name: label)
      }
    var node = ForeignProject.Node(name: name, plugin: plugin, line: filter.line)
    for control in filter["control"]?.members ?? [] {
      guard let value = control.value.number else {
        note(
          name, control.value.line,
          .notANumber(name: control.key, value: (control.value.text ?? "a list").shortened))
        continue
      }
      node.values.append(
        .init(key: .named(control.key), value: value, line: control.value.line))
    }
    if filter["config"] != nil, type != "builtin" {
      note(
        name, filter.line,
        .unsupported(feature: "Its `config`", advice: "Set the properties of the plugin."))
    }
    project.nodes.append(node)
  }

  // MARK: - Connections

  private mutating func connect(_ link: RelaxedJSON) {
    guard let from = link["output"]?.text, let to = link["input"]?.text else { return }
    guard let source = end(from), let sink = end(to) else {
      return note("", link.line, .outsideConnection(from: from, to: to))
    }
    project.connect(.init(source, sink, line: link.line))
  }

  /// Returns the port that a text such as `eq:Out` names; nil if there is no such filter.
  private func end(_ text: String) -> ForeignProject.End? {
    guard let name = names.filter({ text.hasPrefix($0 + ":") }).max(by: { $0.count < $1.count })
    else { return names.contains(text) ? .init(text, .channel(1)) : nil }
    let port = String(text.dropFirst(name.count + 1))
    return .init(name, .named(port))
  }

  /// The ports of the graph's inputs and outputs; nil for those that are not used.
  private func ports(_ list: RelaxedJSON?) -> [ForeignProject.End?] {
    (list?.items ?? []).map { $0.text.flatMap(end) }
  }

  /// The first filter gets the input.
  private mutating func connectInput(_ count: Int?) {
    guard let name = names.first else { return }
    if let router = routers[name] {
      for (channel, port) in router.inputs.prefix(1).enumerated() {
        project.connect(
          .init(.init(nil, .channel(channel + 1)), .init(name, .named(port))))
      }
    } else if project.connections.isEmpty, names.count == 1, !builtins.contains(name) {
      project.topology = .series(channelCount: count)
    } else if builtins.contains(name) {
      project.connect(.init(.init(nil, .channel(1)), .init(name, .named("In"))))
    } else {
      project.implicitInput = name
    }
  }

  /// The last filter feeds the output.
  private mutating func connectOutput(_ count: Int?) {
    guard let name = names.last else { return }
    if routers[name] != nil || builtins.contains(name) && project.topology == .connections {
      project.connect(.init(.init(name, .named("Out")), .init(nil, .channel(1))))
    } else if project.topology == .connections {
      project.implicitOutput = name
    }
  }
}

/// A filter of PipeWire that is only a gain or a delay.
struct FilterRouter {
  private let gains: [String: Double]
  private let delaySeconds: Double

  /// The names of its inputs.
  let inputs: [String]

  /// Returns nil for any other filter.
  init?(_ label: String, _ controls: RelaxedJSON?) {
    switch label {
    case "copy":
      (inputs, gains, delaySeconds) = (["In"], [:], 0)
    case "delay":
      (inputs, gains) = (["In"], [:])
      delaySeconds = max(0, controls?["Delay (s)"]?.number ?? 0)
    case "mixer":
      inputs = (1 ... 8).map { "In \($0)" }
      gains = Dictionary(
        uniqueKeysWithValues: (1 ... 8).map { ("In \($0)", controls?["Gain \($0)"]?.number ?? 1) })
      delaySeconds = 0
    default: return nil
    }
    // A connection cannot invert.
    guard gains.values.allSatisfy({ $0 >= 0 }) else { return nil }
  }

  /// Replaces the filter in a project by direct connections.
  func replaceByConnections(_ name: String, in project: inout ForeignProject) {
    let entering = project.connections.filter { $0.to.node == name }
    let leaving = project.connections.filter { $0.from.node == name }
    project.connections.removeAll { $0.to.node == name || $0.from.node == name }
    // Parallel ways are one connection with the sum of their gains; otherwise filters behind each other would
    // multiply them.
    var joined: [ForeignProject.Connection] = []
    for last in leaving {
      for first in entering {
        let direct = joinedConnection(first, last)
        let index = joined.firstIndex { other in
          other.from == direct.from && other.to == direct.to
            && other.delaySeconds == direct.delaySeconds
        }
        if let index { joined[index].gain += direct.gain } else { joined.append(direct) }
        guard joined.count < Self.limit else { break }
      }
    }
    for connection in joined { project.connect(connection) }
  }

  /// The maximum number of connections that replace one filter; the rest is left out.
  private static let limit = 1000

  private func joinedConnection(
    _ first: ForeignProject.Connection, _ last: ForeignProject.Connection
  ) -> ForeignProject.Connection {
    var direct = first
    direct.to = last.to
    if case .named(let port) = first.to.port { direct.gain *= gains[port] ?? 1 }
    direct.gain *= last.gain
    let delay = (first.delaySeconds ?? 0) + delaySeconds + (last.delaySeconds ?? 0)
    direct.delaySeconds = delay > 0 ? delay : nil
    return direct
  }
}
