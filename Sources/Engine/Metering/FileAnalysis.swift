// FileAnalysis.swift: the measurements of a whole file. SPDX-License-Identifier: MIT

package import AudioFiles
import Glibc

/// The measurements of a whole file, and the data for its plot.
package struct FileAnalysis: Sendable {
  /// The path of the file.
  package let path: String
  /// The sample rate in Hz.
  package let sampleRateHz: Int
  /// The length in frames.
  package let frameCount: Int
  /// The reading of a meter at the end.
  package let reading: MeterReading
  /// The mean level of each channel over the whole file; 0 for a full-scale sine (AES17).
  package let means: [Double]
  /// The level that 5 % of the windows of 0.3 s stay below, as the mean of all channels.
  package let noiseFloor: Double
  /// The correlation of two channels over the whole file; nil for another number of channels, and
  /// for silence.
  package let correlation: Double?
  /// A message about the file; nil for none.
  package let note: String?
  /// The data for a plot; nil if none was requested.
  package let history: LevelHistory?

  /// The length.
  package var seconds: Double { Double(frameCount) / Double(sampleRateHz) }
  package var channelCount: Int { means.count }

  /// Whether a file is so short that its picture can have a spectrum every few milliseconds.
  private static func isShort(_ frameCount: Int?, _ sampleRateHz: Int) -> Bool {
    frameCount.map { $0 < 60 * sampleRateHz } ?? false
  }

  /// Reads a file and measures it. [any]
  ///
  /// - Parameters:
  ///   - path: the file; `-` for standard input.
  ///   - isDrawn: whether the data for a plot is collected.
  ///   - shouldContinue: called regularly with the fraction that was read, nil if the length is unknown;
  ///     returns false to stop.
  /// - Returns: nil if it was stopped.
  /// - Throws: the error of the file.
  package static func of(
    _ path: String, isDrawn: Bool = false, shouldContinue: (Double?) -> Bool = { _ in true }
  ) throws(AudioFileError) -> FileAnalysis? {
    var reader =
      path == "-" ? try AudioFileReader() : try AudioFileReader(path: path, allowsPipe: true)
    let measurement = LevelMeasurement(
      channelCount: reader.channelCount, sampleRateHz: Double(reader.sampleRateHz),
      for: isDrawn ? .picture(isShort: Self.isShort(reader.frameCount, reader.sampleRateHz)) : .file
    )
    let follower = LevelHistoryRecorder(measurement, isDrawn: isDrawn)
    measurement.observer = follower
    let blockFrames = 8_192
    let rows = (0 ..< reader.channelCount).map { _ in
      UnsafeMutablePointer<Float>.allocate(capacity: blockFrames)
    }
    defer { rows.forEach { $0.deallocate() } }
    let expected = reader.frameCount
    while true {
      let count = try reader.read(into: rows, frameCount: blockFrames)
      measurement.measure(rows, frameCount: count)
      if count < blockFrames { break }
      let fraction = expected.map { Double(measurement.frameCount) / Double(max(1, $0)) }
      guard shouldContinue(fraction) else { return nil }
    }
    measurement.finish()
    follower.end(measurement)
    let frames = Double(max(1, measurement.frameCount))
    let squares = measurement.channels.map { $0.squares / frames }
    return FileAnalysis(
      path: reader.path, sampleRateHz: reader.sampleRateHz, frameCount: measurement.frameCount,
      reading: measurement.reading, means: squares.map(DecibelConversion.ofMeanSquare),
      noiseFloor: follower.floor.level, correlation: follower.correlation(squares, frames),
      note: Self.note(measurement.reading, path: reader.path, reader.note),
      history: isDrawn ? follower.history(measurement) : nil)
  }

  /// Returns a message about a file with unusable samples, and the one of the reader; nil for none.
  private static func note(_ reading: MeterReading, path: String, _ other: String?) -> String? {
    guard reading.highest == .infinity else { return other }
    let invalid =
      "\(path) contains NaN or infinite samples. All values except the peaks treat them as silence."
    return [other, invalid].compactMap(\.self).joined(separator: " ")
  }
}

/// The data for a plot of audio, with as many points as a plot can show.
package struct LevelHistory: Sendable {
  /// The minimum and maximum of a range of samples.
  package struct MinMax: Sendable {
    /// The minimum, linear.
    package var low: Float
    /// The maximum, linear.
    package var high: Float
  }

  /// The seconds for each point of `waveform`.
  package var waveformStep: Double
  /// The seconds for each point of `momentary` and `shortTerm`.
  package var loudnessStep: Double
  /// The seconds for each spectrum.
  package var spectraStep: Double
  /// The start of the first spectrum, in seconds: its range is centred around that time.
  package var spectraStart: Double
  /// The range of samples at each point, for each channel.
  package var waveform: [[MinMax]]
  /// The highest momentary loudness at each point, in LUFS.
  package var momentary: [Double]
  /// The highest short-term loudness at each point, in LUFS.
  package var shortTerm: [Double]
  /// Levels in dB at `bandHz`, for each stretch.
  package var spectra: [[Float]]
  /// Frequencies on a logarithmic scale.
  package var bandHz: [Double]
  /// The mean level of each row over the whole file.
  package var meanSpectrum: [Double]
  /// The highest level of each row over the whole file.
  package var highestSpectrum: [Double]
}

/// A list of points that merges pairs when it is full: it needs the same memory for a minute and
/// for a day.
struct Timeline<Point> {
  private let limit: Int
  private let merge: (Point, Point) -> Point
  private(set) var points: [Point] = []
  /// The number of values in a point.
  private(set) var span = 1
  private var pending: Point?
  private var pendingCount = 0

  init(limit: Int, merge: @escaping (Point, Point) -> Point) {
    self.limit = limit
    self.merge = merge
  }

  mutating func append(_ point: Point) {
    pending = pending.map { merge($0, point) } ?? point
    pendingCount += 1
    guard pendingCount == span else { return }
    flush()
    guard points.count >= limit else { return }
    points = stride(from: 0, to: points.count, by: 2).map {
      $0 + 1 < points.count ? merge(points[$0], points[$0 + 1]) : points[$0]
    }
    span *= 2
  }

  /// Ends the current point.
  mutating func flush() {
    if let pending { points.append(pending) }
    (pending, pendingCount) = (nil, 0)
  }
}
