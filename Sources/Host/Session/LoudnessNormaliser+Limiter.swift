// LoudnessNormaliser+Limiter.swift: files through the included limiter. SPDX-License-Identifier: MIT

import AudioFiles
import Glibc
import Metering
import OfflineDriver
import PluginLoading
import RealtimeKit
import RigSchema

extension LoudnessNormaliser {
  /// The release of the limiter in ms: slow enough not to pump.
  private static let releaseMilliseconds = 250.0
  /// The limiter's number of channels.
  private static let limiterChannelCount = 2
  /// Frames that are read at a time.
  private static let pieceFrames = 8_192

  /// Renders a file with a gain through the limiter.
  ///
  /// More channels than the limiter has get the gain that it has for their common envelope.
  func limit(_ file: inout Measured, _ gain: Double) throws -> UnnamedFile {
    guard file.channelCount > Self.limiterChannelCount else {
      return try render(file.source.path, ceiling(file), gain, file.channelCount)
    }
    if file.envelope == nil {
      var reader = try AudioFileReader(path: file.source.path)
      file.envelope = try PeakEnvelope.of(&reader, shouldContinue: shouldContinue)
    }
    guard let envelope = file.envelope else { throw OfflineError.cancelled(seconds: 0) }
    let gains = try render(envelope.path, ceiling(file), gain, nil)
    return try apply(gains, to: file.source.path, gain)
  }

  /// The limiter's ceiling in dB.
  private func ceiling(_ file: Measured) -> Double {
    min(0, max(-24, target.truePeak - file.margin))
  }

  /// Renders through the limiter.
  ///
  /// - Parameters:
  ///   - path: the file.
  ///   - ceiling: the ceiling in dB.
  ///   - gain: the gain before the limiter in dB.
  ///   - channelCount: 1 or 2; nil for an envelope, which contains true peaks, and whose second channel gets no gain.
  /// - Returns: the output of the limiter.
  /// - Throws: errors of the file and of the limiter.
  private func render(
    _ path: String, _ ceiling: Double, _ gain: Double, _ channelCount: Int?
  ) throws -> UnnamedFile {
    let link = ChainLink(
      plugin: "outboard.limiter",
      assignments: [
        ("ceiling", "\(ceiling)"), ("release", "\(Self.releaseMilliseconds)"),
        ("true_peak", channelCount == nil ? "off" : "on"),
      ])
    let plugin = try library.find(link.plugin)
    var rig = RigDescription(chain: [link], plugins: [plugin])
    // Both channels of the limiter get a single one, and their mean is the same.
    for index in rig.connections.indices {
      if rig.connections[index].from.location == .input {
        rig.connections[index].gainDecibels = Float(gain)
        guard channelCount == nil else { continue }
        var second = rig.connections[index]
        (second.gainDecibels, second.from.ports, second.to.ports) = (
          0, .channels([2]), .channels([2])
        )
        rig.connections[index].from.ports = .channels([1])
        rig.connections[index].to.ports = .channels([1])
        rig.connections.append(second)
      } else if channelCount == 1 {
        rig.connections[index].to.ports = .channels([1])
      }
    }
    let output = try UnnamedFile()
    var request = RenderRequest(output: "-")
    request.input = path
    request.standardOutput = output.descriptor
    request.format = .float
    request.tailSeconds = 0
    let session = try RenderSession(try PreparedRig(rig, library), library, request)
    _ = try session.run { _ in shouldContinue() }
    return output
  }

  /// Writes a file with the gains of the limiter to a temporary file.
  private func apply(
    _ gains: UnnamedFile, to path: String, _ gainDecibels: Double
  ) throws -> UnnamedFile {
    var source = try AudioFileReader(path: path)
    var curve = try AudioFileReader(path: gains.path)
    let count = source.channelCount
    let output = try UnnamedFile()
    var writer = try AudioFileWriter(
      .init(path: "-", sampleRateHz: source.sampleRateHz, channelCount: count),
      stream: output.descriptor, name: "A temporary copy of \(path)")
    let rows = PlanarBuffer(channelCount: count, frameCapacity: Self.pieceFrames)
    let limits = PlanarBuffer(channelCount: 2, frameCapacity: Self.pieceFrames)
    let frames = UnsafeMutablePointer<Float>.allocate(capacity: Self.pieceFrames * count)
    defer { unsafe frames.deallocate() }
    let gain = Float(pow(10, gainDecibels / 20))
    while shouldContinue() {
      let length = try unsafe source.read(into: rows.channels, frameCount: Self.pieceFrames)
      _ = try unsafe curve.read(into: limits.channels, frameCount: length)
      unsafe Interleaving.join(
        rows.channels, from: 0, to: frames, channelCount: count, frameCount: length)
      _ = unsafe SampleGain.apply(gain, to: frames, sampleCount: length * count)
      for frame in 0 ..< length {
        let factor = unsafe limits.channels[1][frame] / PeakEnvelope.constant
        for channel in 0 ..< count { unsafe frames[frame * count + channel] *= factor }
      }
      try unsafe writer.write(frames, frameCount: length)
      guard length < Self.pieceFrames else { continue }
      try writer.finish()
      return output
    }
    throw OfflineError.cancelled(seconds: 0)
  }
}
