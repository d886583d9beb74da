// OSCArgumentError.swift: why a message cannot be carried out. SPDX-License-Identifier: MIT

/// Why the arguments of a message do not fit its address; the description is for the sender.
package enum OSCArgumentError: Error, Equatable, CustomStringConvertible {
  case readOnly, needsNumber, needsText, notANumber, unknownScene

  /// The message: what is wrong with the arguments.
  package var description: String {
    switch self {
    case .readOnly: "This address can only be read. Send it without arguments."
    case .needsNumber: "This address needs a number, T or F, or a text as in a rig."
    case .needsText: "This address needs a text (s)."
    case .notANumber: "The argument is infinite or not a number."
    case .unknownScene: "No such scene. Send a name, or a number from 1."
    }
  }
}
