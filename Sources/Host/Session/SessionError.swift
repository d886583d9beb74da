// SessionError.swift: why a session cannot be. SPDX-License-Identifier: MIT

/// What stands in the way of a session beyond its rig, devices and files.
package enum SessionError: Error, Equatable, CustomStringConvertible {
  /// The rig listens to an input, and none was given.
  case inputMissing
  /// An input was given, and nothing listens to it.
  case inputUnused(path: String)
  /// A MIDI file was given, and nothing takes MIDI.
  case midiUnused(path: String)
  /// The rig has neither an input nor a length to render.
  case endless
  /// A player of the rig plays in a loop.
  case playsForEver(node: String)
  /// Its players wait until they are told to start, which nobody does.
  case playersWait(node: String)
  /// The rig opens no device, so it cannot be run.
  case offlineRig(file: String)
  /// The rig has no output that could be rendered.
  case nothingToRender
  /// What is played is to be recorded, and nothing is.
  case nothingPlayed
  /// Two recorders have one file.
  case recordedTwice(path: String)

  /// One sentence for people.
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
    case .playsForEver(let node):
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
    }
  }
}
