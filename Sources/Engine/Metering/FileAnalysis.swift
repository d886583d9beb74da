// FileAnalysis.swift: what a whole file measures. SPDX-License-Identifier: MIT

package import AudioFiles
import Glibc

/// A file from its start to its end in figures, and in what a picture of it is made from.
package struct FileAnalysis: Sendable {
  package let path: String
  package let sampleRateHz: Int
  package let frameCount: Int
  /// What a meter shows at the end.
  package let reading: MeterReading
  /// The mean level of each channel over all of it; 0 for a sine of full scale (AES17).
  package let means: [Double]
  /// The level that one in twenty stretches of 0.3 s stays below, all channels' mean.
  package let noiseFloor: Double
  /// How alike two channels are over all of it; nil where there are not two, and for silence.
  package let correlation: Double?
  /// What is worth knowing of the file, a sentence; nil for nothing.
  package let note: String?
  /// What is drawn; nil where no picture was asked for.
  package let course: LevelHistory?

  /// Its length.
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
  ///   - isDrawn: whether a picture is to be made of it.
  ///   - goesOn: called now and then with the share that was read, nil where the length is not known; false
  ///     ends it.
  /// - Returns: nil where it was ended.
  /// - Throws: what the file has against it.
  package static func of(
    _ path: String, isDrawn: Bool = false, goesOn: (Double?) -> Bool = { _ in true }
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
      let share = expected.map { Double(measurement.frameCount) / Double(max(1, $0)) }
      guard goesOn(share) else { return nil }
    }
    measurement.finish()
    follower.end(measurement)
    let frames = Double(max(1, measurement.frameCount))
    let squares = measurement.channels.map { $0.squares / frames }
    return FileAnalysis(
      path: reader.path, sampleRateHz: reader.sampleRateHz, frameCount: measurement.frameCount,
      reading: measurement.reading, means: squares.map(DecibelConversion.ofMeanSquare),
      noiseFloor: follower.floor.level, correlation: follower.correlation(squares, frames),
      note: reader.note, course: isDrawn ? follower.course(measurement) : nil)
  }
}

/// What a picture of a sound is made from, in as many points as a picture can show.
package struct LevelHistory: Sendable {
  /// The samples of a stretch lie between these.
  package struct MinMax: Sendable {
    package var low: Float
    package var high: Float
  }

  /// Seconds for each point of `waveform`, of `loudness` and of `spectra`.
  package var waveformStep: Double
  package var loudnessStep: Double
  package var spectraStep: Double
  /// When the first of them begins, in seconds: its stretch is around its middle.
  package var spectraStart: Double
  /// For each channel.
  package var waveform: [[MinMax]]
  /// In LUFS, the highest of each stretch.
  package var momentary: [Double]
  package var shortTerm: [Double]
  /// Levels in dB at `rowHz`, for each stretch.
  package var spectra: [[Float]]
  /// Frequencies on a logarithmic scale.
  package var rowHz: [Double]
  /// The mean power of each row over all of it, and the highest.
  package var meanSpectrum: [Double]
  package var highestSpectrum: [Double]
}

/// Points in a row that fold by two when there are too many: the same memory for a minute and for a day.
struct Timeline<Point> {
  private let limit: Int
  private let merge: (Point, Point) -> Point
  private(set) var points: [Point] = []
  /// What goes into a point.
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

  /// Ends the point that is under way.
  mutating func flush() {
    if let pending { points.append(pending) }
    (pending, pendingCount) = (nil, 0)
  }
}
