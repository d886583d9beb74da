// OSCTarget.swift: what an address reads and changes. SPDX-License-Identifier: MIT

package import HostModel

/// The value or action behind an address.
package enum OSCTarget: Sendable, Hashable {
  /// A parameter of a node, in its unit.
  case parameter(node: String, symbol: String)
  /// Whether a node or nested rig is bypassed.
  case bypass(String)
  /// The wet level of a node or nested rig, 0 to 1.
  case wet(String)
  /// The preset of a node; it can only be set.
  case preset(String)
  /// The gain of a connection in dB; -200 for off.
  case gain(String)
  /// The name of the current scene.
  case scene
  /// Recalls a scene by its name.
  case recall(String)
  /// Stores the present values as a scene.
  case storeScene
  /// Recalls the next (1) or previous (-1) scene.
  case stepScene(Int)
  /// Controls a recorder, or all.
  case record(node: String?, verb: String)
  /// Controls a player, or all.
  case play(node: String?, verb: String)
  /// The tempo in beats per minute.
  case tempo
  /// Whether time advances.
  case rolling
  /// An action of the transport.
  case transport(Command.Transport.Action)
  case undo, redo, save
  /// The name of the rig; it can only be read.
  case rig
  /// The peak of an input of the rig in dBFS, by its number from 1.
  case inputLevel(Int)
  /// The peak of an output of the rig in dBFS, by its number from 1.
  case outputLevel(Int)
  /// The peak of a node in dBFS.
  case nodeLevel(String)
  /// A readout of a node, in its unit.
  case readout(node: String, symbol: String)

  /// How an address can be used.
  package enum Access: Int, Sendable {
    case read = 1
    case write = 2
    case readWrite = 3
  }

  /// How the address can be used.
  package var access: Access {
    switch self {
    case .parameter, .bypass, .wet, .gain, .scene, .tempo, .rolling: .readWrite
    case .rig, .inputLevel, .outputLevel, .nodeLevel, .readout: .read
    case .preset, .recall, .storeScene, .stepScene, .record, .play, .transport, .undo, .redo, .save:
      .write
    }
  }

  /// Whether the value changes with the sound.
  package var isLevel: Bool {
    switch self {
    case .inputLevel, .outputLevel, .nodeLevel, .readout: true
    default: false
    }
  }

  /// The type tags of a message that sets or shows the value.
  package var typeTags: String {
    switch self {
    case .parameter, .wet, .gain, .inputLevel, .outputLevel, .nodeLevel, .readout, .tempo: "f"
    case .bypass, .rolling: "T"
    case .preset, .scene, .storeScene, .rig: "s"
    case .record(_, "mark"): "s"
    case .play(_, "seek"): "f"
    case .recall, .stepScene, .record, .play, .transport, .undo, .redo, .save: "I"
    }
  }

  /// Whether a message without arguments carries out an action; otherwise it requests the value.
  package var isAction: Bool { typeTags == "I" }
}

extension OSCTarget {
  /// Returns the command of a message; nil if it does nothing, as a button that is released.
  ///
  /// - Parameters:
  ///   - argument: the first argument; nil for none.
  ///   - scenes: the scenes of the session.
  /// - Returns: the command.
  /// - Throws: `OSCArgumentError` if the argument does not fit.
  package func command(
    _ argument: OSCArgument?, scenes: [SceneInfo]
  ) throws(OSCArgumentError) -> Command? {
    switch self {
    case .parameter(let node, let symbol): Self.set(node, symbol, try Self.text(argument))
    case .bypass(let node): Self.set(node, "bypass", try Self.switchText(argument))
    case .wet(let node): Self.set(node, "wet", try Self.percentText(argument))
    case .preset(let node): Self.set(node, "preset", try Self.name(argument))
    case .gain(let connection): Self.set(connection, "gain", try Self.gainText(argument))
    case .scene: .scene(.recall(try Self.scene(argument, scenes), over: nil))
    case .storeScene: .scene(.store(try Self.name(argument)))
    case .rig, .inputLevel, .outputLevel, .nodeLevel, .readout: throw .readOnly
    case .record(let node, "mark"):
      .record(.init(node: node, action: .mark(try Self.name(argument))))
    case .record(let node, let verb):
      Self.isPressed(argument)
        ? Command.Record.Action(verb, text: nil).map { .record(.init(node: node, action: $0)) }
        : nil
    case .play(let node, "seek"):
      .play(.init(node: node, action: .seek(try Self.position(argument))))
    case .play(let node, let verb):
      Self.isPressed(argument)
        ? Command.Play.Action(verb, text: nil).map { .play(.init(node: node, action: $0)) } : nil
    case .recall(let name): Self.isPressed(argument) ? .scene(.recall(name, over: nil)) : nil
    case .stepScene(let step): Self.isPressed(argument) ? .scene(.step(step)) : nil
    case .tempo: .transport(.init(tempo: try Self.tempo(argument)))
    case .rolling: .transport(.init(action: try Self.isOn(argument) ? .start : .stop))
    case .transport(let action):
      Self.isPressed(argument) ? .transport(.init(action: action)) : nil
    case .undo: Self.isPressed(argument) ? .undo : nil
    case .redo: Self.isPressed(argument) ? .redo : nil
    case .save: Self.isPressed(argument) ? .save(.init()) : nil
    }
  }

  private static func set(_ node: String, _ symbol: String, _ text: String) -> Command {
    .set(.init(node: node, values: [.init(symbol, text)]))
  }

  /// Whether a button is pressed: it sends 1 then, and 0 when it is released.
  private static func isPressed(_ argument: OSCArgument?) -> Bool { (argument?.number ?? 1) != 0 }

  /// A number or text as a rig has it.
  static func text(_ argument: OSCArgument?) throws(OSCArgumentError) -> String {
    if case .string(let text)? = argument { return text }
    guard let number = argument?.number else { throw .needsNumber }
    guard number.isFinite else { throw .notANumber }
    if case .float(let value)? = argument { return "\(value)" }
    return "\(number)"
  }

  private static func switchText(_ argument: OSCArgument?) throws(OSCArgumentError) -> String {
    if case .string(let text)? = argument { return text }
    guard let number = argument?.number else { throw .needsNumber }
    return number >= 0.5 ? "on" : "off"
  }

  private static func isOn(_ argument: OSCArgument?) throws(OSCArgumentError) -> Bool {
    guard let number = argument?.number else { throw .needsNumber }
    return number >= 0.5
  }

  private static func tempo(_ argument: OSCArgument?) throws(OSCArgumentError) -> Double {
    guard let number = argument?.number else { throw .needsNumber }
    guard number.isFinite else { throw .notANumber }
    return number
  }

  private static func percentText(_ argument: OSCArgument?) throws(OSCArgumentError) -> String {
    if case .string(let text)? = argument { return text }
    guard let number = argument?.number else { throw .needsNumber }
    guard number.isFinite else { throw .notANumber }
    return "\(min(max(number, 0), 1) * 100) %"
  }

  private static func gainText(_ argument: OSCArgument?) throws(OSCArgumentError) -> String {
    if let number = argument?.number, number <= Double(OSCAddressSpace.silenceDecibels) {
      return "off"
    }
    return try text(argument)
  }

  private static func name(_ argument: OSCArgument?) throws(OSCArgumentError) -> String {
    guard case .string(let text)? = argument else { throw .needsText }
    return text
  }

  private static func position(_ argument: OSCArgument?) throws(OSCArgumentError) -> String {
    if case .string(let text)? = argument { return text }
    return try text(argument) + " s"
  }

  /// The name of a scene, or its number from 1.
  private static func scene(
    _ argument: OSCArgument?, _ scenes: [SceneInfo]
  ) throws(OSCArgumentError) -> String {
    if case .string(let name)? = argument { return name }
    guard let number = argument?.number else { throw .needsText }
    guard let index = Int(exactly: number), scenes.indices.contains(index - 1) else {
      throw .unknownScene
    }
    return scenes[index - 1].name
  }
}
