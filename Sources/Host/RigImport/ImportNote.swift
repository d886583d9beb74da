// ImportNote.swift: what an import could not carry over. SPDX-License-Identifier: MIT

import ErrorModel

/// One part of a project that the rig does not contain, or contains differently.
package struct ImportNote: Sendable, Equatable {
  /// The part, for example `Reverb`.
  package var subject: String
  /// The line in the project, counted from 1; 0 if unknown.
  package var line: Int
  /// The reason for the note.
  package var reason: Reason

  /// Creates a note.
  package init(_ subject: String, line: Int = 0, _ reason: Reason) {
    (self.subject, self.line, self.reason) = (subject, line, reason)
  }

  /// The reason why a part of a project was changed or not imported.
  package enum Reason: Sendable, Equatable {
    /// The plugin is not installed; `nodes` are those that use it.
    case missingPlugin(identifier: String, nodes: [String])
    /// The plugin is installed, but cannot be hosted.
    case refusedPlugin(identifier: String, problem: String, nodes: [String])
    /// The plugin has a format that is not supported.
    case unsupportedFormat(format: String, nodes: [String])
    /// A filter of the other host that no included plugin can replace; `problem` says why.
    case notReplaceable(filter: String, problem: String, nodes: [String])
    /// The plugin has no such parameter.
    case unknownParameter(name: String, value: String)
    /// The plugin lacks several parameters.
    case unknownParameters(names: [String])
    /// The value is not a finite number.
    case notANumber(name: String, value: String)
    /// The plugin does not allow the value; `used` is in the rig.
    case valueChanged(name: String, value: String, used: String)
    /// The plugin has no such port, so a connection is missing.
    case unknownPort(name: String, connection: String)
    /// A connection to something outside of the project, for example another program.
    case outsideConnection(from: String, to: String)
    /// A connection between ports of different types, or one that a rig cannot contain.
    case impossibleConnection(from: String, to: String)
    /// A connection that would close a feedback loop.
    case feedbackLoop(from: String, to: String)
    /// The plugin is not installed, and the project does not say which ports it has at its inputs and outputs.
    case assumedPorts(count: Int, isInput: Bool)
    /// A missing plugin has fewer outputs than inputs, so some inputs have no direct connection.
    case unusedInputs(used: Int, count: Int)
    /// The preset is not installed.
    case missingPreset(name: String)
    /// The directory with the state does not exist.
    case missingState(path: String)
    /// A feature that rigs lack; `advice` says what to do instead.
    case unsupported(feature: String, advice: String)
    /// There are more connections than a rig needs; the rest is missing.
    case tooManyConnections(limit: Int)
    /// Further notes are not listed.
    case more(count: Int)
    /// Carla mutes an inactive plugin.
    case muted
  }
}

extension ImportNote {
  /// The name, if the note is about one unknown parameter.
  var unknownParameter: String? {
    guard case .unknownParameter(let name, _) = reason else { return nil }
    return name
  }
}

extension ImportNote: CustomStringConvertible {
  /// Part, line, and what to do, in one line. [any]
  package var description: String {
    (line > 0 ? "line \(line): " : "") + (subject.isEmpty ? "" : "\(subject): ")
      + reason.description
  }
}

extension ImportNote.Reason: CustomStringConvertible {
  /// The message: what was not imported, and what to do. [any]
  package var description: String {
    switch self {
    case .missingPlugin(let identifier, let nodes):
      "\(identifier) is not installed. \(Self.bypassed(nodes)) Install it and import again."
    case .refusedPlugin(let identifier, let problem, let nodes):
      "\(identifier) cannot be hosted: \(problem) \(Self.bypassed(nodes))"
    case .unsupportedFormat("EasyEffects", let nodes):
      "\(nodes.joined(separator: ", ")) \(nodes.count == 1 ? "is a part" : "are parts") of EasyEffects, not"
        + " LV2. \(Self.bypassed(nodes)) `outboard find` finds a plugin for it."
    case .unsupportedFormat(let format, let nodes):
      "\(format) plugins are not supported. \(Self.bypassed(nodes)) Insert an LV2 plugin instead."
    case .notReplaceable(let filter, let problem, let nodes):
      "\(filter) was not carried over. \(problem) \(Self.bypassed(nodes))"
    case .unknownParameter(let name, let value):
      "The plugin has no parameter \(name), so \(value) was not set. Compare `outboard info`."
    case .unknownParameters(let names):
      "The plugin has no parameters \(names.listed(atMost: 20)), so their values were not set."
        + " Another version of it may have them. Compare `outboard info`."
    case .notANumber(let name, let value):
      "\(name) = \(value) is not a number. The default is used."
    case .valueChanged(let name, let value, let used):
      "The plugin does not allow \(name) = \(value). The rig has \(used)."
    case .unknownPort(let name, let connection):
      "There is no port \(name), so the connection \(connection) was not imported. Add it to the rig."
    case .outsideConnection(let from, let to):
      "The connection \(from) -> \(to) leaves the project. Add it to the rig if you need it."
    case .impossibleConnection(let from, let to):
      "The connection \(from) -> \(to) was not imported: its ports have different types."
    case .feedbackLoop(let from, let to):
      "The connection \(from) -> \(to) was not imported: it closes a feedback loop. Add it with a `delay`."
    case .assumedPorts(let count, let isInput):
      "The number of its \(isInput ? "inputs" : "outputs") is unknown. The rig assumes \(count), the number of"
        + " connected \(isInput ? "outputs" : "inputs")."
    case .unusedInputs(let used, let count):
      "Only \(used) of its \(count) inputs \(used == 1 ? "has" : "have") a direct connection in the rig."
    case .missingPreset(let name):
      "The preset \(name) is not installed, so its values were not imported. Install it and import again."
    case .missingState(let path):
      "There is no state in \(path), so the plugin starts with its defaults."
    case .unsupported(let feature, let advice):
      "\(feature) was not carried over. \(advice)"
    case .tooManyConnections(let limit):
      "There are more than \(limit) connections. The others were not imported. Split the project."
    case .more(let count):
      "\(count) more \(count == 1 ? "message is" : "messages are") not shown. Correct these first."
    case .muted:
      "It is inactive, which mutes its outputs in Carla. Its connections have the gain `off`."
    }
  }

  private static func bypassed(_ nodes: [String]) -> String {
    let list = nodes.joined(separator: ", ")
    return nodes.count == 1
      ? "The rig has a direct connection in place of \(list)."
      : "The rig has direct connections in place of \(list)."
  }
}
