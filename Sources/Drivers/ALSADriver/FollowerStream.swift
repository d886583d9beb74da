// FollowerStream.swift: the owner of a follower device and its state. SPDX-License-Identifier: MIT

import AdaptiveResampling
import AudioDriver
import CALSA
import Glibc
import Synchronization

/// Owns a follower device while it is open and configured.
final class FollowerStream {
  /// The negotiated settings.
  let side: Negotiation.NegotiatedStream
  /// The rate of the device, in Hz.
  let rateHz: Int
  /// Messages about requested settings that are not available.
  let notes: [String]
  /// The period of the device, in its frames.
  let periodFrames: Int
  private var state: UnsafeMutablePointer<FollowerState>?
  /// Since when it has been returned with a fault, in nanoseconds; nil while the audio thread has
  /// it.
  private var faultySince: UInt64?

  /// The description of the device.
  var description: DeviceStream {
    side.description(rateHz: rateHz, periodFrames: periodFrames, isFollowing: true)
  }

  /// Sets a device up as a follower, at the requested rate or the nearest supported one.
  ///
  /// `measuredHz` is its measured rate if it differs from the reported rate. [main]
  init(
    _ endpoint: Negotiation.Endpoint, _ leading: Negotiation.SharedSettings, measuredHz: Int? = nil
  ) throws(ALSADriverError) {
    var sharedSettings = leading
    sharedSettings.isRateFlexible = true
    sharedSettings.reportsPeriods = false
    // Room for the block of a late primary device, and for a drift that is being learnt.
    let period = max(1, sharedSettings.periodFrames ?? 256)
    sharedSettings.periodCount = max(2, min(max(8, 4_096 / period), 1_048_576 / period))
    let negotiation = try Negotiation([endpoint], sharedSettings)
    guard let side = negotiation.input ?? negotiation.output else { throw .noDeviceNamed }
    self.side = side
    rateHz = measuredHz ?? negotiation.rateHz
    periodFrames = negotiation.periodFrames
    notes = negotiation.notes
  }

  deinit {
    release()
  }

  /// Creates the state for a run and frees that of the previous run. [main, not rendering]
  func prepare(
    firstChannel: Int, rowCount: Int, driver: UnsafeMutablePointer<DriverState>
  ) throws(ALSADriverError) -> UnsafeMutablePointer<FollowerState> {
    release()
    let request = request(
      blockFrames: driver.pointee.blockFrames, graphRateHz: driver.pointee.sampleRateHz)
    let resampler: FollowerState.Resampler
    do {
      resampler = try FollowerState.Resampler(request, side.pcm.direction)
    } catch {
      throw .refused(device: side.pcm.device, step: "be resampled", reason: "\(error)")
    }
    let state = UnsafeMutablePointer<FollowerState>.allocate(capacity: 1)
    state.initialize(
      to: FollowerState(
        side, request, resampler, rows: firstChannel ..< firstChannel + rowCount,
        driver: driver))
    self.state = state
    faultySince = nil
    // A device that cannot be prepared now is returned at once, and then supervised.
    state.pointee.fault = prepareDevice()
    return state
  }

  /// The largest step of the device's position, in frames: at most 5 ms, as with a loopback card.
  private var stepFrames: Int { max(1, min(periodFrames, rateHz / 200)) }

  /// The difference of its clock, in parts per million; positive is faster; nil while unknown.
  var driftPPM: Double? {
    guard let state else { return nil }
    let drift = Double(bitPattern: state.pointee.drift.load(ordering: .relaxed))
    return drift.isNaN ? nil : drift
  }

  /// The smoothed surplus of frames in the buffer, in its frames; nil while its drift is unknown.
  var excessFrames: Double? {
    guard let state, driftPPM != nil else { return nil }
    return Double(bitPattern: state.pointee.excess.load(ordering: .relaxed))
  }

  /// Returns the latency between device and graph, in frames of the graph.
  func latencyFrames(blockFrames: Int, graphRateHz: Double) -> Int? {
    let request = request(blockFrames: blockFrames, graphRateHz: graphRateHz)
    do {
      switch side.pcm.direction {
      case .capture: return Int(try AdaptiveInput(request).latencyFrames.rounded())
      case .playback: return Int(try AdaptiveOutput(request).latencyFrames.rounded())
      }
    } catch {
      return nil
    }
  }

  private func request(blockFrames: Int, graphRateHz: Double) -> FollowerSettings {
    FollowerSettings(
      channelCount: side.usedChannels.count, deviceRateHz: Double(rateHz),
      primaryRateHz: graphRateHz, blockFrames: blockFrames, deviceBufferFrames: side.bufferFrames,
      deviceStepFrames: stepFrames)
  }

  /// Whether the device has transferred frames since it was opened.
  var hasMoved: Bool { state?.pointee.hasMoved.load(ordering: .relaxed) ?? false }

  /// The number of resynchronisations.
  var resyncCount: Int {
    state?.pointee.resyncCount.load(ordering: .relaxed) ?? 0
  }

  /// Whether the device was released for a better one. [main, after it was returned]
  var wasReleased: Bool { state?.pointee.fault == -ECANCELED }

  /// The reason why the audio thread returned it. [main, after that]
  var departure: ALSADriverError {
    let code = state?.pointee.fault ?? 0
    switch -code {
    case EDOM:
      return .rateMismatch(
        device: side.pcm.device, rateHz: rateHz, measuredHz: measuredHz ?? Int(observedHz))
    case ERANGE:
      // The measurement is accurate to some hundred parts per million.
      return .driftTooLarge(
        device: side.pcm.device, partsPerMillion: Int((outOfRangePPM / 100).rounded()) * 100)
    case ENODEV, ENXIO: return .disconnected(device: side.pcm.device)
    case EPIPE: return .xrun(device: side.pcm.device, direction: side.pcm.direction)
    case ETIMEDOUT:
      return .silent(
        device: side.pcm.device, direction: side.pcm.direction,
        seconds: max(1, (side.pcm.followerTimeoutMilliseconds + 500) / 1_000))
    default:
      return .refused(device: side.pcm.device, step: "start", reason: PCM.message(code))
    }
  }

  /// The rate at which it ran, if that is why it was returned. [main, after it was returned]
  var measuredHz: Int? {
    state?.pointee.fault == -EDOM ? RateMonitor.standardRate(near: observedHz) : nil
  }

  /// The difference of its clock, if that is why it was returned, in parts per million.
  private var outOfRangePPM: Double {
    let input = state?.pointee.input?.pointee.status.unfollowablePartsPerMillion
    return input ?? state?.pointee.output?.pointee.status.unfollowablePartsPerMillion ?? 0
  }

  /// The measured rate in Hz by the system clock, if known.
  private var observedHz: Double {
    guard let state else { return Double(rateHz) }
    let watched = state.pointee.rateMonitor.rateHz
    // A device that has an xrun at once is never measured for long.
    return watched == Double(rateHz)
      ? state.pointee.devicePosition.measuredRateHz ?? watched : watched
  }

  // MARK: - Faults

  /// The result of a repair.
  enum RestartResult {
    /// The device is prepared and may go back to the audio thread.
    case ready(UnsafeMutablePointer<FollowerState>)
    /// Not finished; to be repeated.
    case pending
    /// The device must be closed, for the reason in `departure`.
    case failed
  }

  /// Prepares a device that was returned; its kernel driver may take any time. [main]
  func repair(_ now: UInt64) -> RestartResult {
    guard let state else { return .failed }
    if faultySince == nil { faultySince = now }
    // A device that may hang is closed and reopened off this thread.
    guard PCM.isCard(side.pcm.device), Self.canRestart(state.pointee.fault) else {
      return .failed
    }
    let status = prepareDevice()
    if status == 0 {
      if !state.pointee.wasInterrupted { state.pointee.failedRestarts += 1 }
      guard state.pointee.failedRestarts <= Self.maximumFailedRestarts else {
        // A device that underruns is not too slow: a start looks the same.
        if observedHz > 1.05 * Double(rateHz) { state.pointee.fault = -EDOM }
        return .failed
      }
      state.pointee.devicePosition.restart()
      faultySince = nil
      state.pointee.fault = 0
      return .ready(state)
    }
    // A suspended device may take its time, and reports this.
    state.pointee.fault = status
    if now &- (faultySince ?? now) > Self.timeoutNanoseconds {
      state.pointee.fault = status == -EAGAIN ? -ETIMEDOUT : status
      return .failed
    }
    return Self.canRestart(status) ? .pending : .failed
  }

  /// Whether the device was returned and waits for a repair.
  var isFaulty: Bool { faultySince != nil }

  private static let timeoutNanoseconds: UInt64 = 2_000_000_000
  private static let maximumFailedRestarts = 12

  private static func canRestart(_ fault: Int32) -> Bool {
    ![-ENODEV, -ENXIO, -ETIMEDOUT, -EDOM, -ERANGE].contains(fault)
  }

  /// Prepares the device for a start.
  ///
  /// Returns 0 or a negative errno value.
  private func prepareDevice() -> Int32 {
    let handle = side.pcm.handle
    switch snd_pcm_state(handle) {
    case SND_PCM_STATE_PREPARED: return 0
    case SND_PCM_STATE_DISCONNECTED: return -ENODEV
    case SND_PCM_STATE_SUSPENDED:
      let status = snd_pcm_resume(handle)
      if status == -EAGAIN || status == -ENODEV { return status }
    default: break
    }
    snd_pcm_drop(handle)
    return snd_pcm_prepare(handle)
  }

  private func release() {
    guard let state = state.take() else { return }
    state.deinitialize(count: 1)
    state.deallocate()
  }
}
