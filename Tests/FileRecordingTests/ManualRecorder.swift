// ManualRecorder.swift: a recorder without a graph, and a check of its file. SPDX-License-Identifier: MIT
// SPDX-License-Identifier: MIT

import AudioFiles
import AudioTestSupport
import Glibc
import PluginModel
import TestWaits

@testable import FileRecording

/// A recorder that gets its input from the test.
final class ManualRecorder {
  static let rateHz = 48_000
  let node: RecorderNode
  private let blockFrames: Int

  convenience init(
    _ path: String, channels: Int = 2, format: SampleFormat? = nil, blockFrames: Int = 64,
    ringSeconds: Double = 1, isOffline: Bool = false
  ) {
    self.init(
      RecorderSettings(path: path, format: format, channelCount: channels),
      blockFrames: blockFrames, ringSeconds: ringSeconds, isOffline: isOffline)
  }

  init(
    _ request: RecorderSettings, blockFrames: Int, ringSeconds: Double = 10, isOffline: Bool = false
  ) {
    self.blockFrames = blockFrames
    node = RecorderNode(
      request,
      NodeConfiguration(
        sampleRateHz: Double(Self.rateHz), maximumFrameCount: blockFrames, isOffline: isOffline),
      ringSeconds: ringSeconds)
  }

  /// Passes interleaved samples to the recorder, block by block.
  func feed(_ samples: some RandomAccessCollection<Float>) {
    let samples = Array(samples)
    let channels = node.audioInputCount
    let step = node.step
    let rows = (0 ..< channels).map { _ in
      UnsafeMutablePointer<Float>.allocate(capacity: blockFrames)
    }
    defer { rows.forEach { $0.deallocate() } }
    var place = 0
    while place < samples.count {
      let count = min(blockFrames, (samples.count - place) / channels)
      for frame in 0 ..< count {
        for channel in 0 ..< channels {
          rows[channel][frame] = samples[place + frame * channels + channel]
        }
      }
      step.function(step.context, rows, UInt32(count))
      place += count * channels
    }
  }

  /// Waits until the file has the given number of frames.
  func waitUntilWritten(_ frameCount: Int) {
    let deadline = Deadline()
    while node.recording.report.frameCount < frameCount { deadline.restOrTrap(0.001) }
  }
}

/// Whether these are the samples of a file.
///
/// On failure, the samples are not printed.
func isAudible(_ path: String, _ samples: some Collection<Float>) throws -> Bool {
  try decodeAudio(path).samples.elementsEqual(samples)
}
