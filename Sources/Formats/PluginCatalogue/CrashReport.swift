// CrashReport.swift: what a helper process says of its crash. SPDX-License-Identifier: MIT

internal import CRealtimeSafety

/// A crash that a helper process reports before it ends; see `crts_report_crashes`.
package struct CrashReport {
  /// The signal.
  package let signal: Int32
  /// The lines of the report: the location, the library, and the offset in it.
  private let lines: [String]

  /// Creates a report of a signal, with the lines that are known.
  package init(signal: Int32, lines: [String] = []) { (self.signal, self.lines) = (signal, lines) }

  /// Reads a report.
  package init(_ reader: inout BinaryDecoder) throws(BinaryDecodingError) {
    signal = try reader.number()
    let text = try reader.text()
    lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  /// Appends the report in the form of `crts_report_crashes`.
  package func encode(to writer: inout BinaryEncoder) {
    writer.write(signal)
    writer.write(lines.joined(separator: "\n"))
  }

  /// Makes this helper process report crashes in any plugin, as messages of a kind. [main, in the helper process]
  package static func sendAll(to socket: MessageSocket, kind: UInt8) {
    unsafe crts_report_crashes(socket.descriptor, kind, "")
  }

  /// Whether the location is known.
  package var isLocated: Bool { lines.first?.isEmpty == false }

  /// Returns the location, as in `late.c:7, module.so+0x114d (process)`; nil if it is unknown.
  ///
  /// A system tool searches for the source line, which takes up to some seconds. [any but render]
  package var location: String? {
    guard isLocated, let name = lines.first else { return nil }
    guard lines.count == 3, let offset = UInt(lines[2]),
      let line = SourceLine.text(lines[1], offset: offset)
    else { return name }
    return "\(line), \(name)"
  }

  /// Returns the location as `location`, of a process that may be damaged; nil if it is unknown or not plain text.
  ///
  /// The source line is searched in one file only, so the process cannot choose a file to read.
  /// - Parameter library: the file of the plugin.
  /// - Returns: the location.
  package func location(in library: String) -> String? {
    let isPlain = lines.allSatisfy { $0.utf8.allSatisfy { 0x20 ..< 0x7f ~= $0 } }
    guard isPlain, isLocated, let name = lines.first else { return nil }
    return lines.count == 3 && lines[1] == library ? location : name
  }
}
