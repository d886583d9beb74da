// ToyDriver.swift: the smallest possible driver. SPDX-License-Identifier: MIT

package import AudioDriver
import Glibc
package import RealtimeKit
import Synchronization

/// A device without a clock that captures a tone, stores the output, and ends after a number of
/// frames: `toy:9600`.
package final class ToyDriver: AudioDriver, @unchecked Sendable {
  // Sendable because only the thread uses everything except the atomics until it is joined.

  /// `toy:FRAMES`.
  package static let kind = DriverKind(schemes: ["toy"]) { request, _ in try ToyDriver(request) }

  package let stream: StreamDescription
  /// The output on the first channel so far. [main, stopped]
  package private(set) var played: [Float] = []

  private let frameCount: Int
  private let isStopping = Atomic<Bool>(false)
  private let isRunning = Atomic<Bool>(false)
  private let hasEnded = Atomic<Bool>(false)
  private var renderer: Renderer?
  private var thread: RealtimeThread?

  /// The tone's sample at a frame.
  package static func tone(_ frame: Int) -> Float {
    Float(0.1 * sin(2 * .pi * 480 / 48_000 * Double(frame)))
  }

  private init(_ request: StreamRequest) throws {
    let names = (request.inputs + request.outputs).map(\.device)
    guard let name = names.first, let frameCount = Int(name.dropFirst("toy:".count)) else {
      throw ToyDriverError()
    }
    self.frameCount = frameCount
    let side = { (device: DeviceRequest) in
      DeviceStream(
        device: device.device, name: "A toy", channelCount: device.usedChannelCount ?? 2,
        format: "FLOAT", sampleRateHz: 48_000, periodFrames: 64, bufferFrames: 64)
    }
    var stream = StreamDescription(
      inputs: request.inputs.map(side), outputs: request.outputs.map(side), sampleRateHz: 48_000,
      periodFrames: 64, isLinked: true)
    stream.isRealTime = false
    self.stream = stream
  }

  deinit { stop() }

  package func start(_ renderer: Renderer) throws {
    stop()
    self.renderer = renderer
    isStopping.store(false, ordering: .relaxed)
    isRunning.store(true, ordering: .relaxed)
    thread = try RealtimeThread(
      priority: 0, entry: toyThread, context: Unmanaged.passUnretained(self).toOpaque())
  }

  package func stop() {
    isStopping.store(true, ordering: .relaxed)
    thread.take()?.join()
  }

  package var status: DriverStatus {
    var status = DriverStatus()
    status.hasEnded = hasEnded.load(ordering: .acquiring)
    status.isRunning = isRunning.load(ordering: .relaxed)
    return status
  }

  fileprivate func run() {
    guard let callback = renderer?.callback else { return }
    while played.count < frameCount, !isStopping.load(ordering: .relaxed) {
      for channel in 0 ..< callback.inputs.channelCount {
        for frame in 0 ..< 64 { callback.inputs[channel][frame] = Self.tone(played.count + frame) }
      }
      callback.render(64)
      played += UnsafeBufferPointer(start: callback.outputs[0], count: 64)
    }
    isRunning.store(false, ordering: .relaxed)
    hasEnded.store(played.count >= frameCount, ordering: .releasing)
  }
}

/// The name contains no number of frames.
package struct ToyDriverError: Error {}

nonisolated private func toyThread(
  _ context: UnsafeMutableRawPointer?
) -> UnsafeMutableRawPointer? {
  if let context { Unmanaged<ToyDriver>.fromOpaque(context).takeUnretainedValue().run() }
  return nil
}
