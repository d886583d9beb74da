// RigCheck.swift: validation of rig files without opening a device. SPDX-License-Identifier: MIT

import AudioDriver
import Console
import InstalledFormats
import Manifests
import PluginLoading
import RigPlanning
import RigSchema
import Session

/// Runs `outboard check RIG`.
struct RigCheck {
  let asJSON: Bool
  /// Whether preflight and the creation of nodes are skipped.
  let skipsPreflight: Bool

  private struct Report: Encodable {
    struct DiagnosticJSON: Encodable {
      let line: Int?
      let key: String
      let message: String
    }
    let file: String
    let good: Bool
    let errors: [DiagnosticJSON]
    let warnings: [String]
  }

  /// Checks rigs and prints their errors.
  ///
  /// Returns whether there are none.
  func run(_ rigs: [String]) throws -> Bool {
    CrashReporter.begin()
    let library = PluginLibrary()
    let reports = try rigs.map { try check($0, library) }
    if asJSON { JSONOutput.print(reports) }
    return reports.allSatisfy(\.good)
  }

  private func check(_ path: String, _ library: PluginLibrary) throws -> Report {
    do {
      let rig = try RigReader.read(named: path, library.formats)
      var prepared = try PreparedRig(rig, library)
      prepared.runsPreflight = !skipsPreflight
      let plan = try prepared.plan()
      if skipsPreflight { try prepared.checkRecordings() } else { try prepared.checkNodes(library) }
      let devices = (rig.inputs + rig.outputs).map(\.request)
      if let conflict = DriverRegistry.withStreams().conflict(in: devices) {
        return report(conflict.description, of: path)
      }
      let notes = rig.notes.map { "\($0)" } + plan.notes
      if !asJSON {
        for note in rig.notes { Terminal.error.writeLine("outboard: \(note)") }
        for note in plan.notes { Terminal.error.writeLine("outboard: \(path): \(note)") }
        Terminal.output.writeLine("\(path): good (\(summary(plan)))")
      }
      return Report(file: path, good: true, errors: [], warnings: notes)
    } catch let error as ManifestError {
      if !asJSON {
        for diagnostic in error.diagnostics { Terminal.error.writeLine("outboard: \(diagnostic)") }
      }
      let mistakes = error.diagnostics.map {
        Report.DiagnosticJSON(line: $0.position?.line, key: $0.keyPath, message: "\($0.fault)")
      }
      return Report(file: path, good: false, errors: mistakes, warnings: [])
    } catch {
      // The message of `run`, which has no line number.
      if !asJSON { Terminal.error.writeLine("outboard: \(error)") }
      let mistake = Report.DiagnosticJSON(line: nil, key: "", message: "\(error)")
      return Report(file: path, good: false, errors: [mistake], warnings: [])
    }
  }

  /// Creates the report of a rig with one error that has no line.
  private func report(_ mistake: String, of path: String) -> Report {
    if !asJSON { Terminal.error.writeLine("outboard: \(path): \(mistake)") }
    return Report(
      file: path, good: false,
      errors: [Report.DiagnosticJSON(line: nil, key: "", message: mistake)], warnings: [])
  }

  private func summary(_ plan: RigPlan) -> String {
    let nodes = plan.nodes.count == 1 ? "1 node" : "\(plan.nodes.count) nodes"
    return "\(nodes), \(plan.inputChannelCount) in, \(plan.outputChannelCount) out"
  }
}
