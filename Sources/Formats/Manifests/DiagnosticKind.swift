// DiagnosticKind.swift: the kinds of errors in manifests. SPDX-License-Identifier: MIT

/// A kind of mistake, or of note, with its facts.
package enum DiagnosticKind: Sendable, Hashable {
  // MARK: The file

  /// There is no such file.
  case fileMissing
  /// The path is a directory, not a file.
  case fileIsDirectory
  /// The system refused to read it, with the reason in its words.
  case fileUnreadable(reason: String)
  /// The file is too long to be a manifest.
  case fileTooLarge(limitBytes: Int)
  /// The file contains bytes that are not UTF-8 text.
  case fileNotText(byte: UInt8)
  /// The file is text of two bytes a character.
  case fileIsUTF16
  /// The file contains something other than text.
  case fileIsData
  /// The file is empty or contains only comments.
  case fileEmpty(example: String)
  /// The file is not YAML; the message says why.
  case syntax(message: String)
  /// The document expands, through aliases, to more values than a manifest can need.
  case tooManyValues(limit: Int)

  // MARK: Keys

  /// A key that is not defined at this location.
  case unknownKey(suggestion: String?, known: [String])
  /// A key that has to be there is not.
  case missingKey(example: String)
  /// A key occurs twice in one mapping.
  case duplicateKey(firstLine: Int)
  /// Two keys exclude each other.
  case conflictingKeys(first: String, second: String)
  /// The manifest was written for another version of its format.
  case unknownVersion(statement: String, known: String)

  // MARK: Values

  /// A value of another shape than the key takes.
  case wrongType(found: String, expected: String, example: String)
  /// A text instead of a number.
  case notANumber(found: String, expected: String, example: String)
  /// A number outside the range of the key.
  case outOfRange(found: String, minimum: String, maximum: String)
  /// A word that the key does not accept.
  case unknownWord(found: String, suggestion: String?, known: [String])
  /// A value that breaks a rule of its key; the message says which, and how to fix it.
  case broken(rule: String)

  // MARK: Nodes and connections

  /// Two nodes of one name.
  case duplicateNode(firstLine: Int)
  /// A connection names a node that does not exist.
  case unknownNode(found: String, suggestion: String?, known: [String])
  /// The text is no connection's end.
  case malformedEnd(found: String)
  /// A connection starts at the rig's output.
  case fromOutput
  /// A connection ends at the rig's input.
  case toInput
  /// Nodes that feed each other in a circle, in order, the first one again at the end.
  case loop(nodes: [String])
  /// A connection uses the rig's input or output, but the rig has no such device.
  case deviceMissing(end: String, key: String)
  /// The rig has an output device, but nothing is connected to it.
  case outputUnused
  /// A connection uses a channel that the device entry does not include.
  case channelMissing(channel: Int, key: String, channelCount: Int)

  // MARK: Notes

  /// No connection starts or ends at a node.
  case nodeUnconnected
  /// The rig has an input device, but nothing is connected to it.
  case inputUnused
  /// A connection is given twice.
  case connectionRepeated(firstLine: Int)

  // MARK: Other rooms

  /// An error that another target found, with its message.
  case reported(message: String)
}

extension DiagnosticKind: CustomStringConvertible {
  /// The message: what is wrong, and how to fix it.
  package var description: String {
    switch self {
    case .fileMissing, .fileIsDirectory, .fileUnreadable, .fileTooLarge, .fileNotText, .fileIsUTF16,
      .fileIsData, .fileEmpty,
      .syntax, .tooManyValues:
      fileMessage
    case .unknownKey, .missingKey, .duplicateKey, .conflictingKeys, .unknownVersion:
      keyMessage
    case .wrongType, .notANumber, .outOfRange, .unknownWord, .broken:
      valueMessage
    case .reported(let message):
      message
    default:
      graphMessage
    }
  }

  private var fileMessage: String {
    switch self {
    case .fileMissing: "no such file."
    case .fileIsDirectory: "this is a directory. Name the YAML file in it."
    case .fileUnreadable(let reason): "it cannot be read: \(reason)."
    case .fileTooLarge(let limit):
      "it is larger than \(limit / 1000) kB, the limit for a YAML file of this kind. Check the file name."
    case .fileNotText(let byte):
      "byte 0x\(hexadecimal(byte)) is not valid UTF-8. Save the file as UTF-8."
    case .fileIsUTF16: "the file is UTF-16. Save it as UTF-8."
    case .fileIsData: "this is binary data, not a YAML text file. Check the file name."
    case .fileEmpty(let example): "the file is empty. Its first line must be \"\(example)\"."
    case .syntax(let message): message
    case .tooManyValues(let limit):
      "its aliases expand to more than \(limit) values. Write the values without aliases."
    default: ""
    }
  }

  private var keyMessage: String {
    switch self {
    case .unknownKey(let suggestion?, _): "unknown key. Did you mean \"\(suggestion)\"?"
    case .unknownKey(nil, let known) where known.isEmpty:
      "unknown key. No keys are possible here. Remove it."
    case .unknownKey(nil, let known): "unknown key. Known keys: \(known.joined(separator: ", "))."
    case .missingKey(let example): "required key is missing. Example: \"\(example)\"."
    case .duplicateKey(let line): "duplicate key, first defined in line \(line). Remove one."
    case .conflictingKeys(let first, let second):
      "\"\(first)\" and \"\(second)\" cannot be combined. Remove one."
    case .unknownVersion(let statement, let known):
      "\(statement), but this program supports only \(known)."
    default: ""
    }
  }

  private var valueMessage: String {
    switch self {
    case .wrongType(let found, let expected, let example):
      "expected \(expected), found \(found). Example: \"\(example)\"."
    case .notANumber(let found, let expected, let example):
      "expected \(expected), found \"\(found)\". Example: \"\(example)\"."
    case .outOfRange(let found, let minimum, let maximum):
      "\(found) is out of range (\(minimum) to \(maximum))."
    case .unknownWord(let found, let suggestion?, _):
      "unknown value \"\(found)\". Did you mean \"\(suggestion)\"?"
    case .unknownWord(let found, nil, let known):
      "unknown value \"\(found)\". Known values: \(known.joined(separator: ", "))."
    case .broken(let rule): rule
    default: ""
    }
  }

  private var graphMessage: String {
    switch self {
    case .duplicateNode(let line):
      "duplicate node name, first used in line \(line). Rename one of the nodes."
    case .unknownNode(let found, let suggestion?, _):
      "no such node: \"\(found)\". Did you mean \"\(suggestion)\"?"
    case .unknownNode(let found, nil, let known):
      "no such node: \"\(found)\". Known nodes: \(known.joined(separator: ", "))."
    case .malformedEnd(""): "one side of the arrow is empty. Write \"from -> to\"."
    case .malformedEnd(let found):
      "\"\(found)\" is not a valid connection endpoint. Write a node, optionally with channels or"
        + " a port, as in \"mixer:1-2\"."
    case .fromOutput:
      "\"out\" is the output of the rig. Use it only at the end of an arrow."
    case .toInput:
      "\"in\" is the input of the rig. Use it only at the beginning of an arrow."
    case .loop(let nodes):
      "feedback loop: \(nodes.joined(separator: " -> ")). Remove a connection or add a delay:"
        + " {from: \(nodes.dropLast().last ?? "a"), to: \(nodes.last ?? "b"), delay: 20 ms}."
    case .deviceMissing(let end, let key):
      "\"\(end)\" is used, but the rig has no \(key) device. Add \"\(key): default\"."
    case .outputUnused:
      "nothing is connected to \"out\". Connect a node to it or remove \"output\"."
    case .channelMissing(let channel, let key, let count):
      "channel \(channel) is used, but \"\(key)\" has only \(count) channels. Channels are numbered from 1."
    case .nodeUnconnected: "this node has no connections and has no effect."
    case .inputUnused: "nothing is connected to \"in\", so the input has no effect."
    case .connectionRepeated(let line):
      "duplicate of the connection in line \(line); the signal is added twice."
    default: ""
    }
  }
}

/// Two digits.
private func hexadecimal(_ byte: UInt8) -> String {
  let digits = String(byte, radix: 16, uppercase: true)
  return digits.count < 2 ? "0" + digits : digits
}
