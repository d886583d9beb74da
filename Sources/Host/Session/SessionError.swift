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
      "There is no input; name a file with -i FILE, or -i - for standard input."
    case .inputUnused(let path):
      "Nothing listens to an input here, so \(path) would not be heard; leave it out, and give the"
        + " length with --duration."
    case .midiUnused(let path):
      "Nothing takes MIDI here, so \(path) would not be heard; leave it out, or name an instrument."
    case .endless:
      "There is no input file, so the rendering would never end; give its length with --duration."
    case .playsForEver(let node):
      "\(node) plays in a loop, so the rendering would never end; give its length with --duration."
    case .playersWait(let node):
      "\(node) waits to be started, so there is nothing to render; leave out its autostart: no, or give the"
        + " length with --duration."
    case .offlineRig(""):
      "These plugins neither listen nor play, so there is no device to run them on."
    case .offlineRig(let file):
      "\(file) names no device; name one with --in or --out, or render a file through it with"
        + " `outboard render --rig \(file) -i IN -o OUT`."
    case .nothingToRender:
      "Nothing is connected to the output, so there is nothing to render."
    case .nothingPlayed:
      "Nothing is connected to the output, so --record would write silence; --record-input records"
        + " what comes in."
    case .recordedTwice(let path):
      "\(path) is named by two recorders; give each a file of its own."
    }
  }
}
