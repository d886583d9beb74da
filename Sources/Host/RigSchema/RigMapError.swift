// RigMapError.swift: why a line is not a MIDI mapping. SPDX-License-Identifier: MIT

import PluginModel

/// The reason why a line of `midi.map` cannot be read.
package enum RigMapError: Error, Equatable, CustomStringConvertible {
  /// There is no arrow between control and target.
  case noArrow(String)
  /// The text is not a control.
  case source(String)
  /// A number is missing or out of range.
  case number(word: String, found: String, range: ClosedRange<Int>)
  /// `from` has no name.
  case noDevice
  /// The text after the arrow is neither a parameter nor an action.
  case target(String)
  /// The text is not a range.
  case range(String)
  /// A word after the target is unknown.
  case word(String)
  /// Two words exclude each other.
  case conflict(String, String)

  /// The message, starting in lower case.
  package var description: String {
    switch self {
    case .noArrow(let text):
      "\"\(text)\" is not a mapping. Write a control, an arrow and a target, e.g. cc 21 ->"
        + " reverb.mix 0..60 %."
    case .source(let text):
      "\"\(text)\" is not a MIDI control. Write cc 0 to 127, cc14 0 to 31, nrpn 0 to 16383, bend,"
        + " note 0 to 127, or program 1 to 128 with or without a bank."
    case .number(let word, let found, let range):
      "\(word) needs a number from \(range.lowerBound) to \(range.upperBound)"
        + (found.isEmpty ? "." : ", not \(found).")
    case .noDevice: "from needs the name of a MIDI device, e.g. cc 21 from nanoKONTROL2."
    case .target(let text):
      "\"\(text)\" is not a target. Write NODE.PARAMETER, as in reverb.mix, or an action: "
        + MapAction.examples + "."
    case .range(let text):
      "\"\(text)\" is not a range. Write two values in the unit of the target, e.g. 0..60 %."
    case .word(let word):
      "\(word) is unknown."
        + (nearest(to: word, among: RigMap.words).map { " Did you mean \($0)?" }
          ?? " Known words: \(RigMap.words.joined(separator: ", ")).")
    case .conflict(let one, let other): "\(one) and \(other) exclude each other. Remove one."
    }
  }
}
