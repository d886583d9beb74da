// LiveView.swift: what a person sees while a rig runs. SPDX-License-Identifier: MIT

import AudioDriver
import Builtins
import Console
import Foundation
import Session

/// The lines on the terminal while a rig runs, and the summary at its end.
final class LiveView {
  private let session: LiveSession
  private let isQuiet: Bool
  private var line = LiveLine(.error)
  private let started = Date()
  private var highestInput: [Float] = []
  private var highestOutput: [Float] = []
  private var worstLoad = 0.0
  private var loadSum = 0.0
  private var loadCount = 0
  private var lastReport: LiveSession.Report?
  private var lastXruns = 0
  private var lastPlainLine = Date.distantPast

  init(_ session: LiveSession, isQuiet: Bool) {
    self.session = session
    self.isQuiet = isQuiet
  }

  // MARK: - Start

  /// Says what was opened, and what is worth knowing.
  func introduce(warnings: [String]) {
    for warning in warnings { Terminal.error.writeLine("outboard: \(warning)") }
    guard !isQuiet else { return }
    let stream = session.stream
    if let input = stream.input { Terminal.error.writeLine("in   \(describe(input))") }
    if let output = stream.output { Terminal.error.writeLine("out  \(describe(output))") }
    Terminal.error.writeLine("     \(timing(stream))")
  }

  private func describe(_ side: DeviceStream) -> String {
    let channels = side.channelCount == 1 ? "1 channel" : "\(side.channelCount) channels"
    let name = side.name.isEmpty || side.name == side.device ? "" : " (\(side.name))"
    return "\(side.device)\(name), \(channels), \(side.format),"
      + " \(side.bufferFrames / max(1, side.periodFrames)) periods of \(side.periodFrames) frames"
  }

  private func timing(_ stream: StreamDescription) -> String {
    var text = "\(Int(stream.sampleRateHz)) Hz"
    if let output = stream.output, stream.input != nil {
      let frames = stream.periodFrames + output.bufferFrames + session.latencyFrames
      let milliseconds = Double(frames) / stream.sampleRateHz * 1_000
      text += ", \(Figures.fixed(milliseconds, places: 1)) ms from input to output"
    }
    if session.latencyFrames > 0 { text += ", of it \(session.latencyFrames) frames in plugins" }
    if stream.isLinked { text += ", linked" }
    return text
  }

  // MARK: - While it runs

  /// Shows one report.
  func show(_ report: LiveSession.Report) {
    remember(report)
    guard !isQuiet else { return }
    if report.driver.xrunCount > lastXruns, !Terminal.error.isInteractive {
      Terminal.error.writeLine("outboard: xrun \(report.driver.xrunCount)")
    }
    lastXruns = report.driver.xrunCount
    let lines = [levels(report)] + report.analyses.map { analysis($0.name, $0.report) }
    line.show(lines)
    showPlainly(report)
  }

  /// Where there is no terminal, what analysers hear is printed once a second: it is the result.
  private func showPlainly(_ report: LiveSession.Report) {
    guard !Terminal.error.isInteractive, !report.analyses.isEmpty,
      Date().timeIntervalSince(lastPlainLine) >= 1
    else { return }
    lastPlainLine = Date()
    for (name, analysis) in report.analyses {
      Terminal.output.writeLine(self.analysis(name, analysis))
    }
  }

  private func levels(_ report: LiveSession.Report) -> String {
    var parts: [String] = []
    if !report.inputPeaks.isEmpty { parts.append("in " + level(report.inputPeaks)) }
    if !report.outputPeaks.isEmpty { parts.append("out " + level(report.outputPeaks)) }
    parts.append("load \(Figures.right(Figures.percent(report.meanLoad), 7))")
    parts.append("xruns \(report.driver.xrunCount)")
    if report.driver.clippedSampleCount > 0 {
      parts.append("clipped \(report.driver.clippedSampleCount)")
    }
    return parts.joined(separator: "   ")
  }

  private func level(_ peaks: [Float]) -> String {
    let peak = Double(peaks.max() ?? 0)
    let decibels = Figures.right(Figures.decibels(linear: peak), 6)
    return "\(LevelBar.text(linear: peak, width: 12)) \(decibels) dB"
  }

  private func analysis(_ name: String, _ report: AnalyserReport) -> String {
    let rms = report.rmsDecibels.map { Figures.decibels($0) }.joined(separator: "/")
    let peak = report.peakDecibels.map { Figures.decibels($0) }.joined(separator: "/")
    let bands = report.bands.map { band in
      "\(label(band.centreHz)) \(Figures.fixed(max(-99, band.decibels), places: 0))"
    }
    let tone = report.strongestHz.map { "  strongest \(Figures.fixed($0, places: 1)) Hz" } ?? ""
    return "\(name): rms \(rms) dB  peak \(peak) dB\(tone)  | \(bands.joined(separator: "  "))"
  }

  private func label(_ hertz: Double) -> String {
    hertz >= 1_000 ? "\(Figures.short(hertz / 1_000))k" : Figures.short(hertz)
  }

  private func remember(_ report: LiveSession.Report) {
    highestInput = Self.higher(highestInput, report.inputPeaks)
    highestOutput = Self.higher(highestOutput, report.outputPeaks)
    worstLoad = max(worstLoad, report.worstLoad)
    loadSum += report.meanLoad
    loadCount += 1
    lastReport = report
  }

  private static func higher(_ one: [Float], _ other: [Float]) -> [Float] {
    one.isEmpty ? other : zip(one, other).map { max($0, $1) }
  }

  // MARK: - End

  /// Says what happened.
  func finish(_ session: LiveSession, asJSON: Bool) {
    line.clear()
    let status = session.status
    let seconds = Date().timeIntervalSince(started)
    if asJSON {
      JSONOutput.print(summary(status, seconds))
      return
    }
    var parts = ["\(Figures.duration(seconds))"]
    if !highestInput.isEmpty { parts.append("input peak \(peak(highestInput))") }
    if !highestOutput.isEmpty { parts.append("output peak \(peak(highestOutput))") }
    parts.append("load \(Figures.percent(meanLoad)), worst \(Figures.percent(worstLoad))")
    let lost = Figures.fixed(status.lostSeconds * 1_000, places: 1)
    parts.append(status.xrunCount == 0 ? "no xruns" : "\(status.xrunCount) xruns, \(lost) ms lost")
    if status.clippedSampleCount > 0 {
      parts.append("\(status.clippedSampleCount) samples clipped")
    }
    Terminal.error.writeLine(parts.joined(separator: ", "))
  }

  private var meanLoad: Double { loadCount > 0 ? loadSum / Double(loadCount) : 0 }

  private func peak(_ peaks: [Float]) -> String {
    "\(Figures.decibels(linear: Double(peaks.max() ?? 0))) dB"
  }

  private struct Summary: Encodable {
    struct Analysis: Encodable {
      struct Band: Encodable {
        let centreHz: Double
        let decibels: Double
      }
      let node: String
      let peakDecibels: [Double]
      let rmsDecibels: [Double]
      let bands: [Band]
      let strongestHz: Double?
    }
    let seconds: Double
    let sampleRateHz: Double
    let periodFrames: Int
    let isLinked: Bool
    let inputFormat: String?
    let outputFormat: String?
    let inputPeaks: [Float]
    let outputPeaks: [Float]
    let meanLoad: Double
    let worstLoad: Double
    let xruns: Int
    let lostSeconds: Double
    let clippedSamples: Int
    let pluginLatencyFrames: Int
    let failure: String?
    let analyses: [Analysis]
  }

  private func summary(_ status: DriverStatus, _ seconds: Double) -> Summary {
    let stream = session.stream
    return Summary(
      seconds: seconds, sampleRateHz: stream.sampleRateHz, periodFrames: stream.periodFrames,
      isLinked: stream.isLinked, inputFormat: stream.input?.format,
      outputFormat: stream.output?.format, inputPeaks: highestInput, outputPeaks: highestOutput,
      meanLoad: meanLoad, worstLoad: worstLoad, xruns: status.xrunCount,
      lostSeconds: status.lostSeconds, clippedSamples: status.clippedSampleCount,
      pluginLatencyFrames: session.latencyFrames, failure: status.failure,
      analyses: (lastReport?.analyses ?? []).map { name, report in
        Summary.Analysis(
          node: name, peakDecibels: report.peakDecibels, rmsDecibels: report.rmsDecibels,
          bands: report.bands.map {
            Summary.Analysis.Band(centreHz: $0.centreHz, decibels: $0.decibels)
          }, strongestHz: report.strongestHz)
      })
  }
}
