// ValidationFormatter.swift: what was found of a plugin, for people and for programs. SPDX-License-Identifier: MIT

import Console
import PluginModel
import PluginValidation

/// Inspections in words.
enum ValidationFormatter {
  /// The rest is for programs.
  private static let shownMeasurements = 3

  /// The whole of one report.
  static func table(_ report: ValidationReport, of plugin: PluginDescription) -> [String] {
    var lines = ["\(plugin.name) (\(plugin.identifier)): \(report.verdict.word)", ""]
    var table = Table([.init("  EXAMINATION"), .init("RESULT"), .init("MEASURED")])
    for result in report.results {
      let measured = result.measurements.prefix(shownMeasurements).map { measurement in
        let number = NumberFormat.short(measurement.value)
        return "\(measurement.name) \(number)"
          + (measurement.unit.isEmpty ? "" : " \(measurement.unit)")
      }
      table.add([
        "  \(result.examination.name)", result.grade.word, measured.joined(separator: ", "),
      ])
    }
    lines += table.lines(width: nil)
    let remarks = report.results.flatMap { result in
      result.remarks.map { "  \($0.grade.word): \(result.examination.name): \($0.sentence)" }
    }
    return lines + (remarks.isEmpty ? [] : [""] + remarks)
  }

  /// One line of many.
  static func line(_ report: ValidationReport, of plugin: PluginDescription) -> String {
    let faults = report.faults
    guard let worst = faults.first else { return "\(plugin.name): \(report.verdict.word)" }
    let more = faults.count > 1 ? " (and \(faults.count - 1) more)" : ""
    return "\(plugin.name): \(report.verdict.word): \(worst.sentence)\(more)"
  }
}

/// What `check --plugin --json` prints of a plugin.
struct InspectionJSON: Encodable {
  struct Result: Encodable {
    struct Remark: Encodable {
      let grade: String
      let message: String
    }
    struct Measurement: Encodable {
      let name: String
      let value: Double
      let unit: String?
    }
    let examination: String
    let grade: String
    let remarks: [Remark]
    let measurements: [Measurement]
  }

  let id: String
  let name: String
  let kind: String
  let library: String
  let verdict: String
  let refusal: String?
  let examinations: [Result]

  init(_ report: ValidationReport, of plugin: PluginDescription) {
    self.init(
      plugin, verdict: report.verdict.word, refusal: nil,
      examinations: report.results.map { result in
        Result(
          examination: result.examination.name, grade: result.grade.word,
          remarks: result.remarks.map { .init(grade: $0.grade.word, message: $0.sentence) },
          measurements: result.measurements.map {
            .init(name: $0.name, value: $0.value, unit: $0.unit.isEmpty ? nil : $0.unit)
          })
      })
  }

  init(refusal: String, of plugin: PluginDescription) {
    self.init(plugin, verdict: PluginRating.unusable.word, refusal: refusal, examinations: [])
  }

  private init(
    _ plugin: PluginDescription, verdict: String, refusal: String?, examinations: [Result]
  ) {
    id = plugin.identifier
    name = plugin.name
    kind = plugin.kind.rawValue
    library = plugin.library
    self.verdict = verdict
    self.refusal = refusal
    self.examinations = examinations
  }
}
