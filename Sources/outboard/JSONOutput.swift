// JSONOutput.swift: JSON output. SPDX-License-Identifier: MIT

import Console
import FoundationEssentials
import Glibc
import PluginModel

/// Prints values as JSON on standard output.
enum JSONOutput {
  /// Prints one value with sorted keys, one line per entry.
  static func print(_ value: some Encodable) {
    write(value, [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes])
  }

  /// Prints one value on one line and flushes it.
  static func printLine(_ value: some Encodable) {
    write(value, [.sortedKeys, .withoutEscapingSlashes])
  }

  /// Decodes a value that another process printed; nil if it is not valid.
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
    // Control characters occur only inside strings.
    Terminal.output.writeLine(text.visibleInJSON)
  }
}
