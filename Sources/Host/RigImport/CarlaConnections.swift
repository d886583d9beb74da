// CarlaConnections.swift: connections by the full names of JACK ports. SPDX-License-Identifier: MIT

/// Reads connections between ports with names such as `Reverb:Left In`.
struct CarlaConnections {
  /// A connection as it is written.
  struct Names {
    let from: String
    let to: String
    let line: Int
  }

  /// The names of the nodes, the longest first, because names may contain colons.
  private let names: [String]

  init(names: [String]) { self.names = names.sorted { $0.count > $1.count } }

  /// Whether an end is a port of a plugin.
  func isOfPlugin(_ connection: Names) -> Bool {
    node(of: connection.from) != nil || node(of: connection.to) != nil
  }

  /// Adds the connections to a project.
  func read(_ connections: [Names], into project: inout ForeignProject) {
    for connection in connections {
      let (from, to) = (end(connection.from), end(connection.to))
      guard let from, let to else {
        // The ports of Carla itself are connected to devices by JACK.
        guard isOfPlugin(connection) else { continue }
        project.notes.append(
          ImportNote(
            "", line: connection.line,
            .outsideConnection(from: connection.from, to: connection.to)))
        continue
      }
      project.connect(.init(from, to, line: connection.line))
    }
  }

  private func node(of port: String) -> String? { names.first { port.hasPrefix($0 + ":") } }

  private func end(_ port: String) -> ForeignProject.End? {
    if let node = node(of: port) {
      return .init(node, .named(String(port.dropFirst(node.count + 1))))
    }
    return JACKPort.border(port)
  }
}

/// Names of the ports of a project's input and output.
enum JACKPort {
  /// Returns the end at the project's input or output; nil for ports of other programs.
  ///
  /// The names are those of JACK's system client, of Carla's patchbay and of MOD.
  static func border(_ port: String) -> ForeignProject.End? {
    let parts = port.split(separator: ":", maxSplits: 1).map(String.init)
    guard parts.count == 2 else { return nil }
    let (client, name) = (parts[0], parts[1])
    if client == "Midi Input" || client == "Midi Output" { return .init(nil, .midi) }
    guard ["system", "Audio Input", "Audio Output", "mod-monitor", "mod-host"].contains(client)
    else { return nil }
    if name.lowercased().hasPrefix("midi") { return .init(nil, .midi) }
    switch name {
    case "Left": return .init(nil, .channel(1))
    case "Right": return .init(nil, .channel(2))
    default:
      let digits = name.reversed().prefix { $0.isASCII && $0.isNumber }.reversed()
      guard let number = Int(String(digits)), 1 ... 64 ~= number else { return nil }
      return .init(nil, .channel(number))
    }
  }
}

extension ForeignProject {
  /// Returns a name that no node has.
  func freeName(_ wanted: String) -> String {
    let taken = Set(nodes.map(\.name))
    var name = wanted
    var number = 1
    while taken.contains(name) {
      number += 1
      name = "\(wanted) (\(number))"
    }
    return name
  }
}
