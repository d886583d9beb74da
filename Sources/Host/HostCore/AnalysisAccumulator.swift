// AnalysisAccumulator.swift: the reports of an analyser, combined over time. SPDX-License-Identifier: MIT

package import Builtins
import Glibc

/// Combines the reports of one analyser, each of which covers the time since the previous one.
package struct AnalysisAccumulator {
  /// The last report, with the peaks of all reports; nil before the first one.
  private var newest: AnalyserReport?
  private var peaks: [Double] = []
  /// The mean powers multiplied by seconds.
  private var energies: [Double] = []
  private var bandEnergies: [Double] = []
  private var seconds = 0.0

  /// Creates an accumulator without reports.
  package init() {}

  /// Adds a report that covers `seconds`, above 0.
  package mutating func add(_ report: AnalyserReport, seconds: Double) {
    peaks = peaks.isEmpty ? report.peakDecibels : zip(peaks, report.peakDecibels).map(max)
    Self.add(report.rmsDecibels, seconds, to: &energies)
    Self.add(report.bands.map(\.decibels), seconds, to: &bandEnergies)
    self.seconds += seconds
    let strongestHz = report.strongestHz ?? newest?.strongestHz
    newest = report
    newest?.strongestHz = strongestHz
  }

  /// One report for the whole time: the highest peaks, the mean levels, the latest strongest
  /// frequency.
  package var report: AnalyserReport? {
    guard var report = newest, seconds > 0 else { return nil }
    report.peakDecibels = peaks
    report.rmsDecibels = energies.map { 10 * log10($0 / seconds) }
    for index in report.bands.indices {
      report.bands[index].decibels = 10 * log10(bandEnergies[index] / seconds)
    }
    return report
  }

  private static func add(_ decibels: [Double], _ seconds: Double, to sums: inout [Double]) {
    let energies = decibels.map { pow(10, $0 / 10) * seconds }
    sums = sums.isEmpty ? energies : zip(sums, energies).map(+)
  }
}
