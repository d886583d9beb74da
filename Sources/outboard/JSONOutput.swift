// JSONOutput.swift: JSON output. SPDX-License-Identifier: MIT

import Console
import FoundationEssentials
import Glibc
import HostModel
import PluginModel

/// Prints values as JSON on standard output.
enum JSONOutput {
  /// Prints one value with sorted keys, one line per entry.
  static func print(_ value: some Encodable) {
    write(JSONLine.data(value, isPretty: true))
  }

  /// Prints one value on one line and flushes it.
  static func printLine(_ value: some Encodable) {
    write(JSONLine.data(value))
  }

  /// Prints an event on one line and flushes it; the event is encoded once for all its receivers.
  static func printLine(_ event: SharedEvent) { write(event.line) }

  /// Decodes a value that another process printed; nil if it is not valid.
  static func read<Value: Decodable>(_: Value.Type, _ data: Data) -> Value? {
    JSONLine.read(Value.self, data)
  }

  private static func write(_ data: Data) {
    // Control characters occur only inside strings.
    Terminal.output.writeLine(String(decoding: data, as: UTF8.self).visibleInJSON)
  }
}
