// JSONOutput.swift: results for programs. SPDX-License-Identifier: MIT

import Console
import FoundationEssentials
import Glibc
import PluginModel

/// Values as JSON on standard output.
enum JSONOutput {
  /// Prints one value, with sorted keys and one line for each entry.
  static func print(_ value: some Encodable) {
    write(value, [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes])
  }

  /// Prints one value on one line, and hands it on at once.
  static func printLine(_ value: some Encodable) {
    write(value, [.sortedKeys, .withoutEscapingSlashes])
  }

  /// A value that was printed, by another process; nil if it is none.
  static func read<Value: Decodable>(_: Value.Type, _ data: Data) -> Value? {
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return try? decoder.decode(Value.self, from: data)
  }

  private static func write(_ value: some Encodable, _ format: JSONEncoder.OutputFormatting) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = format
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    guard let data = try? encoder.encode(value), let text = String(data: data, encoding: .utf8)
    else { preconditionFailure("a report could not be written as JSON") }
    // Characters that steer a terminal stand in strings alone.
    Terminal.output.writeLine(text.visibleInJSON)
  }
}
