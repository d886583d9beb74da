// DummyDriver.swift: pulls blocks at the pace of a clock, without a sound card. SPDX-License-Identifier: MIT

package import AudioDriver
package import ErrorModel
import Glibc
package import RealtimeKit
import Synchronization

/// A driver whose device is the monotonic clock: silence in, nothing out, at the right pace.
///
/// For machines without a card, and for tests of what runs above a driver. It keeps absolute time,
/// so that it does not drift; a block that is late by more than a period counts as an xrun.
package final class DummyDriver: AudioDriver {
  /// `dummy`: takes the place of all sound cards.
  package static let kind = DriverKind(
    schemes: ["dummy"], replacesAllDevices: true,
    exclusion:
      "dummy is a clock that takes the place of all sound cards; name a card for both directions, or dummy"
      + " for both."
  ) { request, _ in try DummyDriver(request: request) }

  /// What was got: all that was asked for, else two channels, 48000 Hz, 256 frames.
  ///
  /// A direction is there if its device was named, whatever the name. [main]
  package let stream: StreamDescription

  private var renderer: Renderer?
  private var state: UnsafeMutablePointer<DummyState>?
  private var thread: RealtimeThread?

  /// Settles the stream; nothing runs yet. [main]
  package init(request: StreamRequest) throws(DummyDriverError) {
    let periodFrames = request.periodFrames ?? 256
    let rateHz = request.sampleRateHz ?? 48_000
    guard periodFrames >= 1, rateHz >= 1 else {
      throw .impossible(periodFrames: periodFrames, rateHz: rateHz)
    }
    let side = { (request: DeviceRequest) -> DeviceStream in
      DeviceStream(
        device: request.device, name: "Clock without a sound card",
        channelCount: max(1, request.usedChannelCount ?? 2), format: "FLOAT",
        sampleRateHz: Double(rateHz), periodFrames: periodFrames, bufferFrames: periodFrames)
    }
    let isDuplex = !request.inputs.isEmpty && !request.outputs.isEmpty
    stream = StreamDescription(
      inputs: request.inputs.map(side), outputs: request.outputs.map(side),
      sampleRateHz: Double(rateHz), periodFrames: periodFrames, isLinked: isDuplex,
      roundTripFrames: isDuplex ? periodFrames : nil)
  }

  deinit {
    stop()
    releaseState()
  }

  /// Starts the clock and its thread.
  ///
  /// The renderer's blocks must be able to hold a period. [main]
  package func start(_ renderer: Renderer) throws(DummyDriverError) {
    precondition(
      renderer.format.maximumFrameCount >= stream.periodFrames,
      "The renderer's blocks are shorter than the driver's period.")
    stop()
    releaseState()
    let state = UnsafeMutablePointer<DummyState>.allocate(capacity: 1)
    state.initialize(
      to: DummyState(
        callback: renderer.callback.function, periodFrames: stream.periodFrames,
        sampleRateHz: stream.sampleRateHz))
    self.state = state
    self.renderer = renderer
    do {
      thread = try RealtimeThread(entry: dummyThread, context: state)
    } catch {
      state.pointee.isRunning.store(false, ordering: .relaxed)
      throw .noThread(reason: String(cString: strerror(error.error)))
    }
  }

  /// Ends after the block that is being rendered; harmless when not started. [main]
  package func stop() {
    guard let thread = thread.take() else { return }
    state?.pointee.stop.raise()
    thread.join()
  }

  /// How it goes. [main]
  package var status: DriverStatus {
    var status = DriverStatus()
    guard let state else { return status }
    status.isRunning = state.pointee.isRunning.load(ordering: .acquiring)
    status.xrunCount = state.pointee.xruns.load(ordering: .relaxed)
    status.lostSeconds = Double(state.pointee.lostNanoseconds.load(ordering: .relaxed)) / 1e9
    return status
  }

  private func releaseState() {
    guard let state = state.take() else { return }
    state.deinitialize(count: 1)
    state.deallocate()
  }
}

/// Why the clock cannot be run.
package enum DummyDriverError: Equatable {
  /// No clock ticks so.
  case impossible(periodFrames: Int, rateHz: Int)
  /// The kernel refused to make the audio thread.
  case noThread(reason: String)

  /// One sentence: what happened, and what would be right.
  package var description: String {
    switch self {
    case .impossible(let periodFrames, let rateHz):
      "A period of \(periodFrames) frames at \(rateHz) Hz is not possible; both must be at least 1."
    case .noThread(let reason):
      "The audio thread could not be made (\(reason)); end other programs and try again."
    }
  }
}

extension DummyDriverError: HostError {
  /// The request, or what it names, is wrong.
  package var kind: ErrorKind { .usage }
}
