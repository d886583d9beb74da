// ValidationFormatter.swift: validation results as text and JSON. SPDX-License-Identifier: MIT

import Console
import PluginModel
import PluginValidation

/// Validation results as text.
enum ValidationFormatter {
  /// Other measurements are in the JSON only.
  private static let shownMeasurements = 3

  /// Returns the lines of one complete report.
  static func table(_ report: ValidationReport, of plugin: PluginDescription) -> [String] {
    var lines = ["\(plugin.name) (\(plugin.identifier)): \(report.rating.word)", ""]
    var table = Table([.init("  TEST"), .init("RESULT"), .init("MEASURED")])
    for result in report.results {
      let measured = result.measurements.prefix(shownMeasurements).map { measurement in
        let number = NumberFormat.short(measurement.value)
        return "\(measurement.name) \(number)"
          + (measurement.unit.isEmpty ? "" : " \(measurement.unit)")
      }
      table.add([
        "  \(result.test.name)", result.severity.word, measured.joined(separator: ", "),
      ])
    }
    lines += table.lines(width: nil)
    let remarks = report.results.flatMap { result in
      result.remarks.map { "  \($0.severity.word): \(result.test.name): \($0.message)" }
    }
    return lines + (remarks.isEmpty ? [] : [""] + remarks)
  }

  /// Returns one line of a report of many plugins.
  static func line(_ report: ValidationReport, of plugin: PluginDescription) -> String {
    let faults = report.faults
    guard let worst = faults.first else { return "\(plugin.name): \(report.rating.word)" }
    let more = faults.count > 1 ? " (and \(faults.count - 1) more)" : ""
    return "\(plugin.name): \(report.rating.word): \(worst.message)\(more)"
  }
}

/// The JSON of a plugin in `outboard validate --json`.
struct ValidationJSON: Encodable {
  struct Result: Encodable {
    struct Remark: Encodable {
      let severity: String
      let message: String
    }
    struct Measurement: Encodable {
      let name: String
      let value: Double
      let unit: String?
    }
    let test: String
    let severity: String
    let messages: [Remark]
    let measurements: [Measurement]
  }

  let id: String
  let name: String
  let kind: String
  let library: String
  let rating: String
  let reason: String?
  let tests: [Result]

  init(_ report: ValidationReport, of plugin: PluginDescription) {
    self.init(
      plugin, rating: report.rating.word, reason: nil,
      tests: report.results.map { result in
        Result(
          test: result.test.name, severity: result.severity.word,
          messages: result.remarks.map { .init(severity: $0.severity.word, message: $0.message) },
          measurements: result.measurements.map {
            .init(name: $0.name, value: $0.value, unit: $0.unit.isEmpty ? nil : $0.unit)
          })
      })
  }

  init(reason: String, of plugin: PluginDescription) {
    self.init(plugin, rating: PluginRating.unusable.word, reason: reason, tests: [])
  }

  private init(
    _ plugin: PluginDescription, rating: String, reason: String?, tests: [Result]
  ) {
    id = plugin.identifier
    name = plugin.name
    kind = plugin.kind.rawValue
    library = plugin.library
    self.rating = rating
    self.reason = reason
    self.tests = tests
  }
}
