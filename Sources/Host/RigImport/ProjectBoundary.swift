// ProjectBoundary.swift: the input and output of a project that names no ports. SPDX-License-Identifier: MIT

import PluginModel

/// Connects the implicit input and output of a project, and repeats it for all channels of its streams.
///
/// It belongs to the main thread.
struct ProjectBoundary {
  private(set) var project: ForeignProject
  private let installed: (ForeignProject.Plugin) -> PluginDescription?

  /// Prepares a project; `installed` returns the description of a plugin, or nil if it cannot be used.
  init(
    _ project: ForeignProject, installed: @escaping (ForeignProject.Plugin) -> PluginDescription?
  ) {
    (self.project, self.installed) = (project, installed)
  }

  mutating func expand() {
    guard project.topology == .connections else { return }
    connect(project.implicitInput, isInput: true)
    connect(project.implicitOutput, isInput: false)
    (project.implicitInput, project.implicitOutput) = (nil, nil)
    if let count = project.streamChannelCount { replicate(to: count) }
  }

  // MARK: - Implicit ports

  private mutating func connect(_ name: String?, isInput: Bool) {
    guard let name, let node = project.nodes.first(where: { $0.name == name }) else { return }
    for (index, port) in ports(of: node, isInput: isInput).enumerated() {
      let end = ForeignProject.End(name, port)
      let border = ForeignProject.End(nil, .channel(index + 1))
      let isConnected = project.connections.contains { (isInput ? $0.to : $0.from) == end }
      if !isConnected { project.connect(isInput ? .init(border, end) : .init(end, border)) }
    }
  }

  /// Returns the audio ports of a node.
  ///
  /// If its plugin is missing, it has as many as are connected at its other side.
  private mutating func ports(
    of node: ForeignProject.Node, isInput: Bool
  ) -> [ForeignProject.Port] {
    if let plugin = installed(node.plugin) {
      return (isInput ? plugin.audioInputs : plugin.audioOutputs).map { .named($0.symbol) }
    }
    let others = project.connections.map { isInput ? $0.from : $0.to }
    let count = max(1, Set(others.filter { $0.node == node.name && $0.port != .midi }).count)
    project.notes.append(
      ImportNote(node.name, line: node.line, .assumedPorts(count: count, isInput: isInput)))
    return (1 ... count).map { .channel($0) }
  }

  // MARK: - Copies

  /// Repeats the project until it has as many channels as the streams.
  private mutating func replicate(to count: Int) {
    let border =
      project.connections.flatMap { connection in
        [connection.from, connection.to].compactMap { end in
          if end.node == nil, case .channel(let number) = end.port { number } else { nil }
        }
      }.max() ?? 0
    guard border > 0, count > border else { return }
    let (nodes, connections) = (project.nodes, project.connections)
    let stereo = Set(nodes.filter(\.servesTwoChannels).map(\.name))
    for copy in 1 ..< (count + border - 1) / border where !project.isFull {
      let name = { (node: String) -> String in
        let number = stereo.contains(node) ? copy / 2 : copy
        return number == 0 ? node : "\(node) \(number + 1)"
      }
      let moved = { (end: ForeignProject.End) -> ForeignProject.End in
        if let node = end.node {
          let usesRight = stereo.contains(node) && !copy.isMultiple(of: 2)
          return .init(name(node), usesRight && end.port == .channel(1) ? .channel(2) : end.port)
        }
        guard case .channel(let number) = end.port else { return end }
        return .init(nil, .channel(number + copy * border))
      }
      for var node in nodes where !stereo.contains(node.name) || copy.isMultiple(of: 2) {
        node.name = name(node.name)
        project.nodes.append(node)
      }
      for var connection in connections {
        (connection.from, connection.to) = (moved(connection.from), moved(connection.to))
        project.connect(connection)
      }
    }
  }
}
