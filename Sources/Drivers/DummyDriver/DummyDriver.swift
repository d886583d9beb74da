// DummyDriver.swift: renders on the system clock, without a sound card. SPDX-License-Identifier:
// MIT

package import AudioDriver
package import ErrorModel
import Glibc
package import RealtimeKit
import Synchronization

/// A driver whose device is the monotonic clock: silent input, discarded output, real-time rate.
///
/// It serves machines without a card and tests of the layers above a driver. It keeps absolute time
/// and therefore does not drift. A block that is late by more than a period counts as an xrun.
package final class DummyDriver: AudioDriver {
  /// `dummy`: replaces all sound cards.
  package static let kind = DriverKind(
    schemes: ["dummy"], replacesAllDevices: true,
    exclusion:
      "dummy replaces all sound cards. Use sound cards for both directions, or dummy for"
      + " both."
  ) { request, _ in try DummyDriver(request: request) }

  /// The resulting format: the requested values, otherwise two channels, 48000 Hz, 256 frames.
  ///
  /// A direction exists if its device was specified, with any name. [main]
  package let stream: StreamDescription

  private var renderer: Renderer?
  private var state: UnsafeMutablePointer<DummyState>?
  private var thread: RealtimeThread?

  /// Determines the stream; nothing runs yet. [main]
  package init(request: StreamRequest) throws(DummyDriverError) {
    let periodFrames = request.periodFrames ?? StreamRequest.defaultPeriodFrames
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

  /// Starts the clock and its thread. [main]
  ///
  /// The renderer's blocks must hold at least a period.
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

  /// Stops after the current block; has no effect if not started. [main]
  package func stop() {
    guard let thread = thread.take() else { return }
    state?.pointee.stop.signal()
    thread.join()
  }

  /// The current status. [main]
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

/// The reason why the clock cannot run.
package enum DummyDriverError: Equatable {
  /// The period or the rate is impossible.
  case impossible(periodFrames: Int, rateHz: Int)
  /// The kernel could not create the audio thread.
  case noThread(reason: String)

  /// The message: what happened, and how to fix it.
  package var description: String {
    switch self {
    case .impossible(let periodFrames, let rateHz):
      "A period of \(periodFrames) frames at \(rateHz) Hz is not possible. Both must be at least 1."
    case .noThread(let reason):
      "The audio thread could not be created (\(reason)). Stop other programs and try again."
    }
  }
}

extension DummyDriverError: HostError {
  /// Errors of the dummy driver are errors of the request.
  package var kind: ErrorKind { .usage }
}
