// SessionError.swift: errors of a session. SPDX-License-Identifier: MIT

/// An error of a session that is not an error of its rig, devices or files.
package enum SessionError: Error, Equatable, CustomStringConvertible {
  /// The rig uses an input, but there is none.
  case inputMissing
  /// There is an input that no node uses.
  case inputUnused(path: String)
  /// There is a MIDI file, but no node takes MIDI.
  case midiUnused(path: String)
  /// The rig has no input, so the length is unknown.
  case endless
  /// A player of the rig loops.
  case loopsForever(node: String)
  /// The players do not start automatically.
  case playersWait(node: String)
  /// The rig names no device.
  case offlineRig(file: String)
  /// No node is connected to the output.
  case nothingToRender
  /// The output is to be recorded, but no node is connected to it.
  case nothingPlayed
  /// Two recorders use the same file.
  case recordedTwice(path: String)
  /// Two meters, or a meter and a recorder, use the same file.
  case loggedTwice(path: String)
  /// The worker process of a node failed during a rendering.
  case workerFailed(node: String, plugin: String, fault: String)

  /// The message to the user.
  package var description: String {
    switch self {
    case .inputMissing:
      "No input. Name a file with -i FILE, or use -i - for standard input."
    case .inputUnused(let path):
      "No node uses the input, so \(path) has no effect. Remove it and set the length with"
        + " --duration."
    case .midiUnused(let path):
      "No node takes MIDI, so \(path) has no effect. Remove it or add an instrument."
    case .endless:
      "No input file, so the length is unknown. Set it with --duration."
    case .loopsForever(let node):
      "\(node) plays in a loop, so the length is unknown. Set it with --duration."
    case .playersWait(let node):
      "\(node) has autostart: no, so there is nothing to render. Remove autostart: no, or set"
        + " the length with --duration."
    case .offlineRig(""):
      "These plugins have no audio inputs or outputs. Nothing to run."
    case .offlineRig(let file):
      "\(file) names no device. Specify --in or --out, or render a file with `outboard render"
        + " --rig \(file) -i IN -o OUT`."
    case .nothingToRender:
      "No node is connected to the output. Nothing to render."
    case .nothingPlayed:
      "No node is connected to the output, so --record would write silence. Use --record-input"
        + " to record the input."
    case .recordedTwice(let path):
      "\(path) is used by two recorders. Give each recorder a different file."
    case .loggedTwice(let path):
      "\(path) is used by two nodes. Give each level log and recording a different file."
    case .workerFailed(let node, let plugin, let fault):
      "\(node == plugin ? node : "\(node) (\(plugin))") \(fault) in its worker process. No file was"
        + " written. Use another version of the plugin."
    }
  }
}
