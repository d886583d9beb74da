// OSCAddressSpace.swift: the addresses of a session and their values. SPDX-License-Identifier: MIT

package import HostModel

/// All addresses of a session, in the order of its rig, with their present values.
package struct OSCAddressSpace: Sendable {
  /// An address.
  package struct Method: Sendable, Equatable {
    /// The address.
    package let address: String
    /// The value or action.
    package let target: OSCTarget
    /// The identifier of the plugin that describes the value; nil for none.
    package let plugin: String?
  }

  /// The channels and readouts, which only an event `levels` has.
  struct LevelShape: Equatable {
    var inputCount = 0
    var outputCount = 0
    var readouts: [String: [String]] = [:]
  }

  /// The gain of a connection that is off, and the level of silence.
  ///
  /// Many programs cannot show an infinite number.
  static let silenceDecibels: Float = -200

  /// The addresses.
  package private(set) var methods: [Method] = []
  private var indices: [String: Int] = [:]
  /// The addresses in lower case; nil for those of several methods.
  private var lowercasedIndices: [String: Int?] = [:]
  private var targets: [OSCTarget: Int] = [:]
  private var values: [OSCArgument?] = []

  /// The addresses of a state.
  package init(_ state: SessionState) { self.init(state, LevelShape()) }

  init(_ state: SessionState, _ shape: LevelShape) {
    for node in state.nodes { add(node) }
    for rig in state.nestedRigs {
      add("/node/\(Self.path(rig.name))/bypass", .bypass(rig.name), nil, .bool(rig.bypass))
      add("/node/\(Self.path(rig.name))/wet", .wet(rig.name), nil, .float(rig.wet))
    }
    for connection in state.connections {
      let ends = Self.ends(of: connection.name).map(Self.escaped)
      add(
        "/connection/\(ends.joined(separator: "/"))/gain", .gain(connection.name), nil,
        .float(connection.gain ?? Self.silenceDecibels))
    }
    addScenes(state.scenes)
    if let transport = state.transport { addTransport(transport) }
    addRecordersAndPlayers(state)
    add("/undo", .undo)
    add("/redo", .redo)
    add("/save", .save)
    add("/rig", .rig, nil, .string(state.rig))
    addLevels(state, shape)
  }

  private mutating func add(
    _ address: String, _ target: OSCTarget, _ plugin: String? = nil, _ value: OSCArgument? = nil
  ) {
    // The first one wins, as a parameter with the name `bypass` before the bypass of the node.
    guard indices[address] == nil else { return }
    indices[address] = methods.count
    let small = address.lowercased()
    lowercasedIndices[small] = lowercasedIndices[small] == nil ? methods.count : .some(nil)
    targets[target] = methods.count
    methods.append(Method(address: address, target: target, plugin: plugin))
    values.append(value)
  }

  private mutating func add(_ node: SessionState.Node) {
    let path = "/node/\(Self.path(node.name))"
    for parameter in node.parameters {
      add(
        "\(path)/\(Self.escaped(parameter.symbol))",
        .parameter(node: node.name, symbol: parameter.symbol), node.plugin, .float(parameter.value))
    }
    add("\(path)/bypass", .bypass(node.name), nil, .bool(node.bypass))
    add("\(path)/wet", .wet(node.name), nil, .float(node.wet))
    add("\(path)/preset", .preset(node.name), node.plugin)
  }

  private mutating func addScenes(_ scenes: [SceneInfo]) {
    add("/scene", .scene, nil, Self.current(scenes))
    add("/scene/next", .stepScene(1))
    add("/scene/previous", .stepScene(-1))
    add("/scene/store", .storeScene)
    for scene in scenes { add("/scene/recall/\(Self.escaped(scene.name))", .recall(scene.name)) }
  }

  /// The verbs of recorders and players.
  static let recorderVerbs = ["start", "stop", "pause", "resume", "split", "mark"]
  static let playerVerbs = ["start", "stop", "pause", "next", "previous", "seek"]

  private mutating func addTransport(_ transport: TransportInfo) {
    add("/transport/tempo", .tempo, nil, .float(Float(transport.tempo)))
    add("/transport/rolling", .rolling, nil, .bool(transport.rolling))
    for action in Command.Transport.Action.allCases {
      add("/transport/\(action.rawValue)", .transport(action))
    }
  }

  private mutating func addRecordersAndPlayers(_ state: SessionState) {
    let recorders = state.nodes.filter { $0.plugin == "recorder" }
    for name in (recorders.isEmpty ? [] : [nil]) + recorders.map({ $0.name as String? }) {
      let path = name.map { "/recorder/\(Self.path($0))" } ?? "/recorder"
      for verb in Self.recorderVerbs { add("\(path)/\(verb)", .record(node: name, verb: verb)) }
    }
    let players = state.nodes.filter { $0.plugin == "player" }
    for name in (players.isEmpty ? [] : [nil]) + players.map({ $0.name as String? }) {
      let path = name.map { "/player/\(Self.path($0))" } ?? "/player"
      for verb in Self.playerVerbs { add("\(path)/\(verb)", .play(node: name, verb: verb)) }
    }
  }

  private mutating func addLevels(_ state: SessionState, _ shape: LevelShape) {
    for number in 1 ..< shape.inputCount + 1 { add("/level/in/\(number)", .inputLevel(number)) }
    for number in 1 ..< shape.outputCount + 1 { add("/level/out/\(number)", .outputLevel(number)) }
    for node in state.nodes {
      add("/level/node/\(Self.path(node.name))", .nodeLevel(node.name))
      for symbol in shape.readouts[node.name] ?? [] {
        add(
          "/readout/\(Self.path(node.name))/\(Self.escaped(symbol))",
          .readout(node: node.name, symbol: symbol), node.plugin)
      }
    }
  }

  private static func current(_ scenes: [SceneInfo]) -> OSCArgument {
    .string(scenes.first(where: \.current)?.name ?? "")
  }

  // MARK: - Look-up

  /// The method at an address; nil if there is none.
  ///
  /// The case of letters does not matter if only one address fits, as with the names of nodes in commands.
  package func method(at address: String) -> Method? { index(of: address).map { methods[$0] } }

  private func index(of address: String) -> Int? {
    indices[address] ?? lowercasedIndices[address.lowercased()].flatMap { $0 }
  }

  /// The methods whose addresses match.
  package func methods(matching pattern: OSCPattern) -> [Method] {
    if let literal = pattern.literal { return method(at: literal).map { [$0] } ?? [] }
    return methods.filter { pattern.matches($0.address) }
  }

  /// The present value at an address; nil for an action, and for a level that is not known.
  package func value(at address: String) -> OSCArgument? {
    index(of: address).flatMap { values[$0] }
  }

  // MARK: - Changes

  /// Changes a value; returns its address, or nil if there is none or the value is the same.
  mutating func set(_ target: OSCTarget, to value: OSCArgument) -> String? {
    guard let index = targets[target], values[index] != value else { return nil }
    values[index] = value
    return methods[index].address
  }

  /// Forgets all levels, which are not received any more.
  mutating func clearLevels() {
    for index in methods.indices where methods[index].target.isLevel { values[index] = nil }
  }

  /// Applies a change of single values; returns the addresses whose values are new.
  mutating func apply(_ change: StateChange) -> [String] {
    switch change {
    case .parameter(let node, let symbol, let value):
      [set(.parameter(node: node, symbol: symbol), to: .float(value))].compactMap { $0 }
    case .bypass(let node, let isOn): [set(.bypass(node), to: .bool(isOn))].compactMap { $0 }
    case .wet(let node, let level): [set(.wet(node), to: .float(level))].compactMap { $0 }
    case .gain(let connection, let decibels):
      [set(.gain(connection), to: .float(decibels ?? Self.silenceDecibels))].compactMap { $0 }
    case .scenes(let scenes): [set(.scene, to: Self.current(scenes))].compactMap { $0 }
    case .transport(let transport):
      [
        set(.tempo, to: .float(Float(transport.tempo))),
        set(.rolling, to: .bool(transport.rolling)),
      ].compactMap { $0 }
    case .property, .fault, .rig, .maps: []
    }
  }

  // MARK: - Addresses

  /// A name of a node as a part of an address; nested rigs are parts of it.
  static func path(_ name: String) -> String {
    name.split(separator: "/", omittingEmptySubsequences: false).map { escaped(String($0)) }
      .joined(separator: "/")
  }

  /// Both ends of a connection by its name.
  private static func ends(of connection: String) -> [String] {
    guard let arrow = connection.firstRange(of: " -> ") else { return [connection] }
    return [String(connection[..<arrow.lowerBound]), String(connection[arrow.upperBound...])]
  }

  /// Replaces characters that an address cannot have by `%` and two hexadecimal digits for each byte.
  static func escaped(_ name: String) -> String {
    var text = ""
    for byte in name.utf8 {
      switch byte {
      case UInt8(ascii: "a") ... UInt8(ascii: "z"), UInt8(ascii: "A") ... UInt8(ascii: "Z"),
        UInt8(ascii: "0") ... UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"),
        UInt8(ascii: "."), UInt8(ascii: ":"), UInt8(ascii: "+"):
        text.unicodeScalars.append(UnicodeScalar(byte))
      default:
        let digits = String(byte, radix: 16, uppercase: true)
        text += "%" + (digits.count < 2 ? "0" : "") + digits
      }
    }
    return text
  }
}
