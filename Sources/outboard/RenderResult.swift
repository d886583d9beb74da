// RenderResult.swift: rendering results as text and JSON. SPDX-License-Identifier: MIT

import Console
import Glibc
import HostCore
import HostModel
import Metering
import OfflineDriver
import PluginModel
import Session

/// The JSON of a rendering, which the worker processes also send to the batch.
struct RenderResult: Codable {
  /// Nil for a rig that generates its own audio.
  let input: String?
  let output: String
  let seconds: Double
  let frames: Int
  let elapsedSeconds: Double
  /// Rendered seconds per second.
  let speed: Double
  /// Nil for silence.
  let peakDBFS: Double?
  let channelPeaks: [Float]
  let loudnessLUFS: Double?
  let clippedSamples: Int
  /// NaN or infinity samples of the output, replaced by silence.
  let invalidSamples: Int
  /// NaN or infinity samples of the input, replaced by silence.
  let invalidInputSamples: Int
  let latencyFrames: Int
  /// The number of render threads; 1 if more were not useful.
  let threads: Int
  let readouts: [NodeReadoutsJSON]
  let meters: [MeterValues]
  let notes: [String]
  /// Nil without `--loudness`.
  var normalisation: NormalisationJSON?

  init(_ report: RenderReport, _ job: RenderJobs.Job, _ session: RenderSession) {
    input = job.input
    output = job.output
    seconds = report.seconds
    frames = report.frameCount
    elapsedSeconds = report.elapsedSeconds
    speed = report.timesRealTime
    peakDBFS = Optional(report.peakDecibels).finite
    channelPeaks = report.peaks
    loudnessLUFS = report.loudnessLUFS.finite
    clippedSamples = report.clippedSampleCount
    invalidSamples = report.faultySampleCount
    invalidInputSamples = report.faultyInputSampleCount
    latencyFrames = session.latencyFrames
    threads = session.usedThreadCount
    readouts = session.readouts.map(NodeReadoutsJSON.init)
    meters = session.meterReadings.map(MeterValues.init)
    notes = report.notes
  }

  /// The result of a file that is only set to a loudness.
  init(
    _ job: RenderJobs.Job, _ written: LoudnessNormaliser.Written, sampleRateHz: Int,
    elapsedSeconds: Double, invalidInputSamples: Int, normalisation: NormalisationJSON,
    notes: [String]
  ) {
    input = job.input
    output = job.output
    seconds = Double(written.frameCount) / Double(sampleRateHz)
    frames = written.frameCount
    self.elapsedSeconds = elapsedSeconds
    speed = seconds / max(elapsedSeconds, 1e-9)
    let peak = 20 * log10(Double(written.peaks.max() ?? 0))
    peakDBFS = Optional(peak).finite
    channelPeaks = written.peaks
    loudnessLUFS = normalisation.loudnessAfter
    clippedSamples = written.clippedSampleCount
    invalidSamples = 0
    self.invalidInputSamples = invalidInputSamples
    latencyFrames = 0
    threads = 1
    (readouts, meters) = ([], [])
    self.notes = notes
    self.normalisation = normalisation
  }

  /// The result in one line.
  var line: String {
    let loudness = loudnessLUFS.map { ", loudness \(NumberFormat.decibels($0)) LUFS" } ?? ""
    return "\(output == "-" ? "standard output" : output): \(NumberFormat.duration(seconds)),"
      + " peak \(NumberFormat.decibels(peakDBFS ?? -.infinity)) dBFS\(loudness),"
      + " \(NumberFormat.fixed(speed, places: 0)) x real time"
  }
}

/// Progress and messages of a rendering.
enum RenderFormatter {
  /// The progress line.
  static func progress(_ progress: RenderProgress) -> String {
    let speed = "\(NumberFormat.fixed(progress.timesRealTime, places: 0)) x real time"
    guard let total = progress.totalSeconds, total > 0 else {
      return "\(NumberFormat.duration(progress.seconds))   \(speed)"
    }
    return "\(bar(progress.seconds / total))   \(speed)"
  }

  /// Returns a fraction as a bar and in percent.
  static func bar(_ part: Double) -> String {
    let part = min(1, part)
    let width = 30
    let filled = Int(part * Double(width))
    let bar = String(repeating: "█", count: filled) + String(repeating: "·", count: width - filled)
    return "\(bar) \(NumberFormat.right(NumberFormat.fixed(part * 100, places: 0), 3)) %"
  }

  /// Returns the messages about a rendering.
  static func notes(_ report: RenderReport) -> [String] {
    func count(_ number: Int) -> String { number == 1 ? "1 sample was" : "\(number) samples were" }
    var notes = report.notes
    if report.faultyInputSampleCount > 0 {
      notes.append(
        "\(count(report.faultyInputSampleCount)) NaN or infinity in the input and muted, the"
          + " first at \(NumberFormat.duration(report.firstInputFaultSeconds)). No plugin is at"
          + " fault.")
    }
    if report.faultySampleCount > 0 {
      notes.append(
        "\(count(report.faultySampleCount)) NaN or infinity and muted, the first at"
          + " \(NumberFormat.duration(report.firstFaultSeconds))."
          + " \(overflowAdvice(report.overflowingGainDecibels))")
    }
    if report.clippedSampleCount > 0 {
      notes.append(
        "\(count(report.clippedSampleCount)) clipped. Lower the level or write a float format.")
    }
    return notes
  }

  /// Returns what to do about samples that are not finite, where connections have this total gain.
  private static func overflowAdvice(_ gainDecibels: Double?) -> String {
    switch gainDecibels {
    case nil: return "Run `outboard validate` to find the faulty plugin."
    case .infinity?: return "A loop of connections has a gain above 0 dB. Lower it."
    case let gain?:
      let sum =
        "The connection gains add up to \(NumberFormat.fixed(gain, places: 0)) dB. Lower them"
      // No plausible input overflows by less, but a faulty plugin may.
      return gain >= 100 ? sum + "." : sum + ", or run `outboard validate` to find a faulty plugin."
    }
  }

  /// Returns the values of meters and modules, one line each.
  static func lines(of session: RenderSession) -> [String] {
    let meters = session.meterReadings.map { named in
      let reading = named.reading
      return "\(named.name): peak \(NumberFormat.decibels(reading.highest)) dBFS, true peak"
        + " \(NumberFormat.decibels(reading.truePeak)) dBTP, loudness"
        + " \(NumberFormat.decibels(reading.integrated)) LUFS, clips \(reading.clipCount)"
    }
    // Others follow the audio; their last values do not describe the whole file.
    let readouts = session.readouts.filter {
      $0.plugin.format.flags.contains(.readoutsDescribeFile)
    }
    return meters + readouts.map { ReadoutFormatter($0).line }
  }
}

extension Double? {
  /// Returns the number if it is finite.
  fileprivate var finite: Double? { flatMap { $0.isFinite ? $0 : nil } }
}
