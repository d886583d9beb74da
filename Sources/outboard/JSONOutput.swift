// JSONOutput.swift: results for programs. SPDX-License-Identifier: MIT

import Console
import Foundation

/// Values as JSON on standard output.
enum JSONOutput {
  /// Prints one value, with sorted keys and one line for each entry.
  static func print(_ value: some Encodable) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    guard let data = try? encoder.encode(value), let text = String(data: data, encoding: .utf8)
    else { preconditionFailure("a report could not be written as JSON") }
    Terminal.output.writeLine(text)
  }
}
