// AudioCopy.swift: a decoded copy of audio that can be read repeatedly. SPDX-License-Identifier: MIT

import Glibc

/// Copies audio to a temporary file of 32-bit floats.
package enum AudioCopy {
  /// Frames that are read at a time.
  private static let pieceFrames = 8_192

  /// Copies all frames of a file or stream, at another sample rate if it is given. [any]
  ///
  /// - Parameters:
  ///   - reader: the source, at its start.
  ///   - rateHz: the sample rate of the copy in Hz; nil for that of the source.
  ///   - shouldContinue: called regularly; returns false to stop.
  /// - Returns: nil if it was stopped.
  /// - Throws: errors of the source and of the temporary file, and `rateNotConverted`.
  package static func of(
    _ reader: inout AudioFileReader, rateHz: Int? = nil, shouldContinue: () -> Bool = { true }
  ) throws(AudioFileError) -> UnnamedFile? {
    let (count, rate) = (reader.channelCount, rateHz ?? reader.sampleRateHz)
    let converter = try converter(of: reader, to: rate)
    let file = try UnnamedFile()
    var writer = try AudioFileWriter(
      .init(path: "-", sampleRateHz: rate, channelCount: count), stream: file.descriptor,
      name: "A temporary copy of \(reader.path)")
    let samples = UnsafeMutablePointer<Float>.allocate(capacity: 2 * count * pieceFrames)
    defer { unsafe samples.deallocate() }
    let rows = unsafe (0 ..< count).map { unsafe samples + $0 * pieceFrames }
    let frames = unsafe samples + count * pieceFrames
    func write(_ length: Int) throws(AudioFileError) {
      unsafe Interleaving.join(rows, from: 0, to: frames, channelCount: count, frameCount: length)
      try unsafe writer.write(frames, frameCount: length)
    }
    while shouldContinue() {
      let length = try unsafe reader.read(into: rows, frameCount: pieceFrames)
      let isLast = length < pieceFrames
      guard let converter else {
        try write(length)
        if isLast { return try end(&writer, file) }
        continue
      }
      unsafe converter.push(rows, frameCount: length)
      while case let made = unsafe converter.pull(into: rows, frameCount: pieceFrames), made > 0 {
        try write(made)
      }
      guard isLast else { continue }
      while case let made = unsafe converter.flush(into: rows, frameCount: pieceFrames), made > 0 {
        try write(made)
      }
      return try end(&writer, file)
    }
    return nil
  }

  /// Writes all frames of a file with a gain; NaN and infinity become silence. [any]
  ///
  /// - Parameters:
  ///   - reader: the source, at its start.
  ///   - writer: the output, which is not finished.
  ///   - gainDecibels: the gain in dB.
  ///   - shouldContinue: called regularly; returns false to stop.
  /// - Returns: the peak of each channel, linear; nil if it was stopped.
  /// - Throws: errors of both files.
  package static func copy(
    _ reader: inout AudioFileReader, to writer: inout AudioFileWriter, gainDecibels: Double,
    shouldContinue: () -> Bool = { true }
  ) throws(AudioFileError) -> [Float]? {
    let count = reader.channelCount
    let gain = Float(pow(10, gainDecibels / 20))
    let samples = UnsafeMutablePointer<Float>.allocate(capacity: 2 * count * pieceFrames)
    defer { unsafe samples.deallocate() }
    let rows = unsafe (0 ..< count).map { unsafe samples + $0 * pieceFrames }
    let frames = unsafe samples + count * pieceFrames
    var tracker = PeakTracker(channelCount: count)
    while shouldContinue() {
      let length = try unsafe reader.read(into: rows, frameCount: pieceFrames)
      unsafe Interleaving.join(rows, from: 0, to: frames, channelCount: count, frameCount: length)
      _ = unsafe SampleGain.apply(gain, to: frames, sampleCount: length * count)
      unsafe tracker.measure(frames, frameCount: length)
      try unsafe writer.write(frames, frameCount: length)
      if length < pieceFrames { return tracker.peaks }
    }
    return nil
  }

  private static func converter(
    of reader: borrowing AudioFileReader, to rateHz: Int
  ) throws(AudioFileError) -> SampleRateConverter? {
    guard rateHz != reader.sampleRateHz else { return nil }
    guard
      let converter = SampleRateConverter(
        from: reader.sampleRateHz, to: Double(rateHz), channelCount: reader.channelCount,
        pieceFrames: pieceFrames)
    else {
      throw .rateNotConverted(
        path: reader.path, sampleRateHz: reader.sampleRateHz, to: Double(rateHz))
    }
    return converter
  }

  private static func end(
    _ writer: inout AudioFileWriter, _ file: UnnamedFile
  ) throws(AudioFileError) -> UnnamedFile {
    try writer.finish()
    return file
  }
}
