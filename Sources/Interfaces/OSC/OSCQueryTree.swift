// OSCQueryTree.swift: the addresses of a session as OSCQuery describes them. SPDX-License-Identifier: MIT

import HostModel
import PluginModel

/// The JSON of addresses and their attributes.
///
/// Source: OSCQuery proposal (Vidvox), revision 3: `FULL_PATH`, `CONTENTS`, `TYPE`, `ACCESS`, `VALUE`, `RANGE`, `UNIT`,
/// `DESCRIPTION`, `CLIPMODE`, `OVERLOADS`.
struct OSCQueryTree {
  /// The attributes that a query can name.
  static let attributes = [
    "FULL_PATH", "CONTENTS", "TYPE", "ACCESS", "VALUE", "RANGE", "UNIT", "DESCRIPTION", "CLIPMODE",
    "OVERLOADS",
  ]

  private struct Node {
    var children: [String: Int] = [:]
    /// The names of `children`, in their order.
    var names: [String] = []
    let path: String
    var method: OSCAddressSpace.Method?
  }

  private let space: OSCAddressSpace
  private let scenes: [SceneInfo]
  private let details: (String) -> PluginDetails?
  private var nodes = [Node(path: "/")]

  init(
    _ space: OSCAddressSpace, _ scenes: [SceneInfo], details: @escaping (String) -> PluginDetails?
  ) {
    (self.space, self.scenes, self.details) = (space, scenes, details)
    for method in space.methods where isDescribed(method) { add(method) }
  }

  /// Presets are described only for plugins that have some.
  private func isDescribed(_ method: OSCAddressSpace.Method) -> Bool {
    guard case .preset = method.target else { return true }
    return !(method.plugin.flatMap(details)?.presets ?? []).isEmpty
  }

  private mutating func add(_ method: OSCAddressSpace.Method) {
    var (index, path) = (0, "")
    for name in method.address.split(separator: "/") {
      path += "/" + name
      if let child = nodes[index].children[String(name)] {
        index = child
      } else {
        nodes.append(Node(path: path))
        nodes[index].children[String(name)] = nodes.count - 1
        nodes[index].names.append(String(name))
        index = nodes.count - 1
      }
    }
    nodes[index].method = method
  }

  // MARK: - Requests

  /// The description of an address or container with all that it contains; nil if there is none.
  func description(at path: String) -> JSONValue? { index(of: path).map(json) }

  /// The attributes of the node at a path; nil if there is none.
  func attribute(_ name: String, at path: String) -> JSONValue? {
    guard let index = index(of: path) else { return nil }
    let value = name == "CONTENTS" ? json(index)["CONTENTS"] : attributes(of: nodes[index])[name]
    return .object(of: [(name, value)])
  }

  private func index(of path: String) -> Int? {
    var index = 0
    for name in path.split(separator: "/") {
      guard let child = nodes[index].children[String(name)] else { return nil }
      index = child
    }
    return index
  }

  private func json(_ index: Int) -> JSONValue {
    let node = nodes[index]
    guard case .object(var members) = attributes(of: node) else { return .null }
    if !node.names.isEmpty {
      let contents = node.names.compactMap { name in
        node.children[name].map { JSONValue.Member(name, json($0)) }
      }
      members.append(.init("CONTENTS", .object(contents)))
    }
    return .object(members)
  }

  // MARK: - Attributes

  private func attributes(of node: Node) -> JSONValue {
    guard let method = node.method else {
      return .object(of: [("FULL_PATH", .string(node.path)), ("ACCESS", .integer(0))])
    }
    let described = values(of: method)
    let value = space.value(at: method.address)
    let isReadable = method.target.access != .write
    return .object(of: [
      ("FULL_PATH", .string(node.path)),
      ("ACCESS", .integer(method.target.access.rawValue)),
      ("TYPE", .string(value == .bool(false) ? "F" : method.target.typeTags)),
      ("VALUE", isReadable ? .array([value.map(Self.json) ?? .null]) : nil),
      ("RANGE", range(of: method, described).map { .array([$0]) }),
      ("UNIT", Self.unit(of: method.target, described).map { .array([.string($0)]) }),
      ("DESCRIPTION", Self.text(of: method.target, described).map(JSONValue.string)),
      ("CLIPMODE", method.target.typeTags == "f" ? .array([.string("both")]) : nil),
      ("OVERLOADS", Self.overloads(node.path, method.target, described)),
    ])
  }

  private func values(of method: OSCAddressSpace.Method) -> PluginDetails.Value? {
    guard let details = method.plugin.flatMap(details) else { return nil }
    return switch method.target {
    case .parameter(_, let symbol): details.parameters[symbol]
    case .readout(_, let symbol): details.readouts[symbol]
    default: nil
    }
  }

  private static func json(_ value: OSCArgument) -> JSONValue {
    switch value {
    case .bool(let isOn): .bool(isOn)
    case .string(let text): .string(text)
    default: value.number.map(number) ?? .null
    }
  }

  /// A number; the shortest one that has the same value as a `Float`.
  private static func number(_ value: Double) -> JSONValue {
    guard value.isFinite else { return .null }
    return .number(Double("\(Float(value))") ?? value)
  }

  private func range(
    of method: OSCAddressSpace.Method, _ described: PluginDetails.Value?
  ) -> JSONValue? {
    func limits(_ minimum: Double?, _ maximum: Double?, _ values: [JSONValue] = []) -> JSONValue {
      .object(of: [
        ("MIN", minimum.map(Self.number)), ("MAX", maximum.map(Self.number)),
        ("VALS", values.isEmpty ? nil : .array(values)),
      ])
    }
    switch method.target {
    case .parameter, .readout:
      guard let described else { return nil }
      let isSwitch = described.isInteger && described.minimum == 0 && described.maximum == 1
      let choices = described.choices.map { Self.number($0.value) }
      return limits(
        described.minimum, described.maximum,
        choices.isEmpty && isSwitch ? [.integer(0), .integer(1)] : choices)
    case .wet: return limits(0, 1)
    case .tempo:
      let tempos = TransportSettings.temposBPM
      return limits(tempos.lowerBound, tempos.upperBound)
    case .gain: return limits(Double(OSCAddressSpace.silenceDecibels), 40)
    case .inputLevel, .outputLevel, .nodeLevel:
      return limits(Double(OSCAddressSpace.silenceDecibels), 40)
    case .scene where !scenes.isEmpty:
      return limits(nil, nil, scenes.map { .string($0.name) })
    case .preset: return limits(nil, nil, presets(method).map(JSONValue.string))
    default: return nil
    }
  }

  private func presets(_ method: OSCAddressSpace.Method) -> [String] {
    method.plugin.flatMap(details)?.presets ?? []
  }

  /// Units that the proposal names; others as the plugin writes them.
  private static func unit(of target: OSCTarget, _ described: PluginDetails.Value?) -> String? {
    switch target {
    case .gain, .inputLevel, .outputLevel, .nodeLevel: return "gain.db-raw"
    case .wet: return "gain.linear"
    case .play(_, "seek"): return "time.second"
    case .tempo: return "time.bpm"
    default: break
    }
    let names = [
      "dB": "gain.db-raw", "Hz": "time.hz", "ms": "time.ms", "s": "time.second", "BPM": "time.bpm",
      "cents": "time.cents", "°": "angle.degree", "frames": "time.samples",
    ]
    return described?.unit.map { names[$0] ?? $0 }
  }

  private static func text(of target: OSCTarget, _ described: PluginDetails.Value?) -> String? {
    switch target {
    case .parameter, .readout:
      guard let described else { return nil }
      let choices = described.choices.map { "\(text($0.value)) = \($0.name)" }
      let unit = described.unit.map { " in \($0)" } ?? ""
      return described.name + (choices.isEmpty ? unit : ": " + choices.joined(separator: ", "))
    case .bypass: return "Bypass"
    case .wet: return "Wet level, as a fraction"
    case .preset: return "Preset"
    case .gain(let connection): return "Gain of \(connection) in dB"
    case .scene: return "Current scene"
    case .recall(let name): return "Recall \(name)"
    case .storeScene: return "Store the present values as a scene"
    case .stepScene(let step): return step > 0 ? "Next scene" : "Previous scene"
    case .record(_, "mark"): return "Add a marker with a text"
    case .play(_, "seek"): return "Position in seconds"
    case .record(_, let verb), .play(_, let verb):
      return verb.prefix(1).uppercased() + verb.dropFirst()
    case .tempo: return "Tempo in beats per minute"
    case .rolling: return "Whether time advances"
    case .transport(.tap): return "Tap the tempo"
    case .transport(let action): return "Transport: \(action.rawValue)"
    case .undo: return "Undo the last change"
    case .redo: return "Redo the last undone change"
    case .save: return "Save the rig to its file"
    case .rig: return "Name of the rig"
    case .inputLevel, .outputLevel, .nodeLevel: return "Peak level in dBFS"
    }
  }

  private static func text(_ number: Double) -> String {
    Int(exactly: number).map(String.init) ?? "\(Float(number))"
  }

  /// The other types that an address accepts.
  private static func overloads(
    _ path: String, _ target: OSCTarget, _ described: PluginDetails.Value?
  ) -> JSONValue? {
    guard case .parameter = target, let described else { return nil }
    func overload(_ type: String, _ range: JSONValue?) -> JSONValue {
      .object(of: [
        ("FULL_PATH", .string(path)), ("TYPE", .string(type)),
        ("ACCESS", .integer(OSCTarget.Access.write.rawValue)),
        ("RANGE", range.map { .array([$0]) }),
      ])
    }
    guard described.choices.isEmpty else {
      let names = described.choices.map { JSONValue.string($0.name) }
      return .array([overload("s", .object(of: [("VALS", .array(names))]))])
    }
    let isSwitch = described.isInteger && described.minimum == 0 && described.maximum == 1
    return isSwitch ? .array([overload("T", nil)]) : nil
  }
}

extension OSCQueryTree {
  /// A change of the tree for clients.
  struct Change: Equatable {
    /// `PATH_ADDED`, `PATH_REMOVED` or `PATH_CHANGED`.
    let command: String
    let path: String
  }

  /// Returns the highest containers and addresses that differ.
  static func changes(from old: OSCAddressSpace, to new: OSCAddressSpace) -> [Change] {
    let (before, after) = (paths(of: old), paths(of: new))
    func highest(_ paths: Set<String>, _ others: Set<String>) -> [String] {
      paths.subtracting(others).filter { path in
        let parent = parent(of: path)
        return others.contains(parent) || !paths.contains(parent)
      }.sorted()
    }
    var changes = highest(before, after).map { Change(command: "PATH_REMOVED", path: $0) }
    changes += highest(after, before).map { Change(command: "PATH_ADDED", path: $0) }
    var changed: Set<String> = []
    for method in new.methods {
      guard let former = old.method(at: method.address), former != method else { continue }
      changed.insert(parent(of: method.address))
    }
    // The names of scenes are the choices of their address.
    if changes.contains(where: { $0.path.hasPrefix("/scene/recall") }) { changed.insert("/scene") }
    return changes + changed.sorted().map { Change(command: "PATH_CHANGED", path: $0) }
  }

  /// All addresses and containers.
  private static func paths(of space: OSCAddressSpace) -> Set<String> {
    var paths: Set<String> = ["/"]
    for method in space.methods {
      var path = method.address
      while paths.insert(path).inserted { path = parent(of: path) }
    }
    return paths
  }

  private static func parent(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return "/" }
    return String(path[..<slash])
  }
}
