// LevelStatistics.swift: the levels between two lines of a log. SPDX-License-Identifier: MIT

import Glibc

/// The maxima and means since the start.
struct LevelStatistics {
  private var peaks: [Float]
  private var truePeaks: [Double]
  private var squares: [Double]
  private var clipsBefore: [Int]
  private var lostBefore: Int
  private var momentary = -Double.infinity
  private var shortTerm = -Double.infinity
  private(set) var frameCount = 0

  /// Starts the statistics now.
  init(_ measurement: LevelMeasurement) {
    peaks = Array(repeating: 0, count: measurement.channelCount)
    truePeaks = Array(repeating: 0, count: measurement.channelCount)
    squares = truePeaks
    clipsBefore = measurement.channels.map(\.clipCount)
    lostBefore = measurement.lostFrameCount
  }

  /// Adds the last tick.
  mutating func add(_ measurement: LevelMeasurement, frameCount count: Int) {
    for (index, channel) in measurement.channels.enumerated() {
      peaks[index] = max(peaks[index], channel.last)
      truePeaks[index] = max(truePeaks[index], measurement.lastTruePeak(ofChannel: index))
      squares[index] += channel.tickSquares
    }
    momentary = max(momentary, measurement.momentary)
    shortTerm = max(shortTerm, measurement.shortTerm)
    frameCount += count
  }

  /// The line at a moment, in seconds since 1970.
  func entry(_ measurement: LevelMeasurement, at moment: Double) -> LevelEntry {
    let reading = measurement.reading
    return LevelEntry(
      moment: moment, seconds: Double(frameCount) / measurement.sampleRateHz,
      peaks: peaks.map { DecibelConversion.fromAmplitude(Double($0)) },
      truePeaks: truePeaks.map(DecibelConversion.fromAmplitude),
      means: squares.map { DecibelConversion.ofMeanSquare($0 / Double(max(1, frameCount))) },
      // Fewer than before after a restart.
      clips: zip(measurement.channels, clipsBefore).map { max(0, $0.clipCount - $1) },
      momentary: momentary, shortTerm: shortTerm, integrated: reading.integrated,
      lostFrames: max(0, measurement.lostFrameCount - lostBefore))
  }
}

/// A line of a log.
struct LevelEntry: Sendable, Equatable {
  /// The end of the time that it is of, in seconds since 1970.
  var moment: Double
  /// The measured time.
  var seconds: Double
  /// For each channel, in dBFS.
  var peaks: [Double]
  var truePeaks: [Double]
  var means: [Double]
  var clips: [Int]
  /// The highest in that time, in LUFS.
  var momentary: Double
  var shortTerm: Double
  /// Since the start of the measurement.
  var integrated: Double
  var lostFrames: Int

  /// A line of JSON; silence is null, as JSON has no infinity.
  var json: String {
    func list(_ values: [Double]) -> String {
      "[" + values.map { Self.number($0, silence: "null") }.joined(separator: ",") + "]"
    }
    func number(_ value: Double) -> String { Self.number(value, silence: "null") }
    let fields = [
      "\"time\":\"\(Timestamp.text(moment))\"", "\"seconds\":\(number(seconds))",
      "\"peak\":\(list(peaks))", "\"truePeak\":\(list(truePeaks))", "\"rms\":\(list(means))",
      "\"clips\":[\(clips.map(String.init).joined(separator: ","))]",
      "\"momentary\":\(number(momentary))", "\"shortTerm\":\(number(shortTerm))",
      "\"integrated\":\(number(integrated))", "\"lostFrames\":\(lostFrames)",
    ]
    return "{" + fields.joined(separator: ",") + "}"
  }

  /// A row of comma-separated values; silence is -inf.
  var row: String {
    func text(_ value: Double) -> String { Self.number(value, silence: "-inf") }
    var cells = [Timestamp.text(moment), text(seconds)]
    for channel in peaks.indices {
      cells += [text(peaks[channel]), text(truePeaks[channel]), text(means[channel])]
      cells.append("\(clips[channel])")
    }
    cells += [text(momentary), text(shortTerm), text(integrated), "\(lostFrames)"]
    return cells.joined(separator: ",")
  }

  /// Returns the heading of the table.
  static func heading(channelCount: Int) -> String {
    let channels = (1 ... channelCount).flatMap {
      ["peak_\($0)", "true_peak_\($0)", "rms_\($0)", "clips_\($0)"]
    }
    return
      (["time", "seconds"] + channels + ["momentary", "short_term", "integrated", "lost_frames"])
      .joined(separator: ",")
  }

  /// Rounds to two decimals.
  private static func number(_ value: Double, silence: String) -> String {
    guard value > -.infinity else { return silence }
    // For a sample that was not finite: no level is as high.
    guard value < 1e6 else { return "1000.00" }
    let hundredths = Int((abs(value) * 100).rounded())
    let fraction = hundredths % 100
    let sign = value < 0 && hundredths > 0 ? "-" : ""
    return "\(sign)\(hundredths / 100).\(fraction < 10 ? "0" : "")\(fraction)"
  }
}

/// Points in time as text, by UTC.
enum Timestamp {
  /// Now, in seconds since 1970.
  static var now: Double {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  /// For instance `2026-11-22T16:35:00.250Z`.
  static func text(_ moment: Double) -> String {
    let (date, milliseconds) = parts(moment)
    return "\(day(date))T\(two(date.tm_hour)):\(two(date.tm_min)):\(two(date.tm_sec))"
      + ".\(milliseconds < 10 ? "00" : milliseconds < 100 ? "0" : "")\(milliseconds)Z"
  }

  /// For names of files, for instance `20261122T163500Z`.
  static func name(_ moment: Double) -> String {
    let (date, _) = parts(moment)
    let day = day(date).filter { $0 != "-" }
    return "\(day)T\(two(date.tm_hour))\(two(date.tm_min))\(two(date.tm_sec))Z"
  }

  private static func parts(_ moment: Double) -> (tm, Int) {
    let milliseconds = Int((moment * 1_000).rounded(.down))
    var seconds = time_t(milliseconds / 1_000)
    var date = tm()
    gmtime_r(&seconds, &date)
    return (date, milliseconds % 1_000)
  }

  private static func day(_ date: tm) -> String {
    "\(Int(date.tm_year) + 1_900)-\(two(date.tm_mon + 1))-\(two(date.tm_mday))"
  }

  private static func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
