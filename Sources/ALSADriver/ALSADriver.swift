// ALSADriver.swift: a sound card, in full duplex or one way, pulls blocks through an engine. SPDX-License-Identifier: MIT

package import AudioDriver
import CRealtime
import Glibc
import RealtimeKit
package import RenderGraph
import Synchronization

/// The driver for ALSA devices: one thread, woken by the card, renders one period at a time.
///
/// Its latency from input to output is one period and the playback buffer. It recovers from xruns
/// and suspension by itself, and counts them; it stops, with a sentence in `status.failure`, where
/// the device is gone or dead.
package final class ALSADriver: Driver {
  /// What was got. [main]
  package let stream: StreamDescription
  /// What of the machine's set-up stands in the way of reliable audio, one sentence each, with the
  /// remedy; complete once `start` has returned. [main]
  package private(set) var warnings: [String] = []

  private let negotiation: Negotiation
  private var engine: Engine?
  private var state: UnsafeMutablePointer<DuplexState>?
  private var thread: RealtimeThread?

  /// Opens the request's devices and sets them up; no sound flows yet.
  ///
  /// Of the ways of moving samples in `accesses` the first that the device has is taken. [main]
  package init(
    request: StreamRequest, accesses: [TransferAccess] = TransferAccess.allCases
  ) throws(ALSADriverError) {
    negotiation = try Negotiation(request, accesses: accesses)
    stream = negotiation.description
  }

  deinit {
    stop()
    releaseState()
  }

  /// Starts the device and its thread.
  ///
  /// The engine's blocks must be able to hold a period; channels that only one side has are silent.
  /// [main]
  package func start(_ engine: Engine) throws(ALSADriverError) {
    precondition(
      engine.settings.maximumFrameCount >= stream.periodFrames,
      "The engine's blocks are shorter than the card's period.")
    stop()
    releaseState()
    warnings = []
    let state = UnsafeMutablePointer<DuplexState>.allocate(capacity: 1)
    state.initialize(to: DuplexState(negotiation, engine: engine.pointer))
    self.state = state
    self.engine = engine
    lockMemory()
    state.pointee.isRunning.store(true, ordering: .relaxed)
    do {
      let thread = try RealtimeThread(entry: duplexThread, context: state)
      noteScheduling(thread.schedulingError)
      self.thread = consume thread
    } catch {
      state.pointee.isRunning.store(false, ordering: .relaxed)
      throw .noThread(reason: String(cString: strerror(error.error)))
    }
  }

  /// Ends within the time that the playback buffer holds; harmless when not started. [main]
  package func stop() {
    guard let thread = thread.take() else { return }
    state?.pointee.stop.raise()
    thread.join()
  }

  /// Nothing yet. [main]
  package func attend() {}

  /// How it goes. [main]
  package var status: DriverStatus {
    var status = DriverStatus()
    guard let state else { return status }
    status.isRunning = state.pointee.isRunning.load(ordering: .acquiring)
    status.xrunCount = state.pointee.xruns.load(ordering: .relaxed)
    status.lostSeconds = Double(state.pointee.lostNanoseconds.load(ordering: .relaxed)) / 1e9
    status.clippedSampleCount = state.pointee.clippedSamples.load(ordering: .relaxed)
    status.failure = failure(state)?.description
    return status
  }

  /// Why it stopped by itself; nil where it did not. [any]
  package var failure: ALSADriverError? {
    state.flatMap(failure)
  }

  // MARK: - Faults in words

  private func failure(_ state: UnsafeMutablePointer<DuplexState>) -> ALSADriverError? {
    // Pairs with the releasing store of the audio thread.
    let code = state.pointee.failure.load(ordering: .acquiring)
    let onPlayback = state.pointee.failedOnPlayback.load(ordering: .relaxed)
    let side = onPlayback ? stream.output : stream.input
    guard code != 0, let device = side?.device else { return nil }
    switch -code {
    case ENODEV, ENXIO:
      // Linked streams are lost together; the one to name is the one whose card is away.
      let lost = [negotiation.input?.pcm, negotiation.output?.pcm].compactMap(\.self)
        .first { !$0.isConnected }
      return .disconnected(device: lost?.device ?? device)
    case ETIMEDOUT:
      return .silent(
        device: device, direction: onPlayback ? .playback : .capture,
        seconds: state.pointee.patienceMilliseconds / 1_000)
    default:
      return .refused(device: device, step: "be started", reason: PCM.message(code))
    }
  }

  // MARK: - The machine's set-up

  private func lockMemory() {
    guard crealtime_lock_memory() != 0 else { return }
    warnings.append(MachineSetup.memoryWarning)
  }

  private func noteScheduling(_ error: Int32) {
    guard error != 0 else { return }
    warnings.append(MachineSetup.schedulingWarning)
  }

  private func releaseState() {
    guard let state = state.take() else { return }
    state.deinitialize(count: 1)
    state.deallocate()
  }
}

/// What to say where the machine refuses what audio needs.
package enum MachineSetup {
  /// SCHED_FIFO was refused.
  package static let schedulingWarning =
    "Real-time scheduling was refused: add `@audio - rtprio 95` to "
    + "/etc/security/limits.d/audio.conf, be in the group audio, and log in again."
  /// mlockall was refused.
  package static let memoryWarning =
    "Locking the memory was refused: add `@audio - memlock unlimited` to "
    + "/etc/security/limits.d/audio.conf, be in the group audio, and log in again."
}
