// ALSADriver.swift: sound cards clock a renderer, even if cards are lost. SPDX-License-Identifier: MIT

package import AudioDriver
import CRealtime
import Glibc
package import RealtimeKit
import Synchronization

/// The driver for ALSA devices: one thread, woken by the card, renders one period at a time.
///
/// The first playback device is primary, or the first capture device if there is no playback
/// device. The first device of the other direction that shares its clock is primary, too. The
/// thread recovers from xruns and suspension by itself and counts them. Lost devices are passed to
/// the main thread, which closes them and reopens them when they return. Until then the graph runs
/// on the system clock.
package final class ALSADriver: AudioDriver {
  /// Serves all device names without another driver; ALSA defines their syntax.
  package static let kind = DriverKind(schemes: []) { request, _ in
    try ALSADriver(request: request)
  }

  /// The negotiated stream. [main]
  package private(set) var stream: StreamDescription
  /// Messages about system settings that make audio unreliable, with the fix.
  ///
  /// Complete when `start` has returned. [main]
  package private(set) var warnings: [String] = []

  let request: StreamRequest
  let accesses: [AccessMode]
  /// All devices, inputs first.
  var slots: [DeviceSlot]
  /// The primary devices: one, or one for each direction.
  let primaryDevices: [Int]
  /// The primary devices, if they are open.
  var streams: DuplexStreams?
  /// Open devices whose sample rate differs from the renderer's.
  var rateMismatchedDevices: DuplexStreams?
  /// The follower devices, at the index of their slots.
  var followers: [FollowerStream?]
  /// Whether the graph runs on the system clock permanently and all devices are followers.
  var isFreeRunning = false
  /// The measured rate of the primary devices if it differs from the reported rate.
  var measuredHz: Int?
  /// When to look for lost devices again, in nanoseconds.
  var retryAt: UInt64 = 0
  /// The number of failed attempts to open devices since audio last flowed.
  var failedOpenCount = 0
  /// The reason why the driver stopped, unless `stop` was called.
  package internal(set) var failure: ALSADriverError?

  /// The counts from earlier renderers.
  private(set) var previousStatus = DriverStatus()

  private var renderer: Renderer?
  private(set) var state: UnsafeMutablePointer<DriverState>?
  private var thread: RealtimeThread?
  /// Monitors the calls of the audio thread.
  var watch: CallWatchdog?
  /// The calls in which earlier threads hang.
  var hungCalls: [HungCall] = []

  /// Opens and configures the request's devices; no audio is transferred yet.
  ///
  /// Of `accesses`, the first mode that a device supports is used. [main]
  package init(
    request: StreamRequest, accesses: [AccessMode] = AccessMode.allCases
  ) throws(ALSADriverError) {
    try request.validateRequest()
    self.request = request
    self.accesses = accesses
    var opening = try DeviceOpener(request)
    primaryDevices = opening.primaryDevices
    streams = try opening.openPrimary(accesses)
    slots = opening.slots
    var stream = opening.description(streams?.negotiation)
    followers = try opening.openFollowers(stream, accesses)
    for (index, follower) in followers.enumerated() {
      guard let follower else { continue }
      stream.notes += follower.notes
      if index < request.inputs.count {
        stream.inputs[index] = follower.description
      } else {
        stream.outputs[index - request.inputs.count] = follower.description
      }
    }
    self.stream = stream
    self.stream.roundTripFrames = stream.roundTripFrames ?? roundTrip(stream)
    assignChannels()
  }

  deinit {
    stop()
    releaseState()
  }

  /// Starts the devices and their thread. [main]
  ///
  /// The renderer's blocks must hold at least a period. Channels that only one side has are silent.
  package func start(_ renderer: Renderer) throws(ALSADriverError) {
    precondition(
      renderer.format.maximumFrameCount >= stream.periodFrames,
      "The renderer's blocks are shorter than the card's period.")
    stop()
    let before = accumulateStatistics()
    releaseState()
    warnings = []
    failure = nil
    let state = UnsafeMutablePointer<DriverState>.allocate(capacity: 1)
    state.initialize(
      to: DriverState(renderer, blockFrames: stream.periodFrames, deviceCount: slots.count))
    self.state = state
    self.renderer = renderer
    if let before {
      // The change of renderers counts as an interruption.
      state.pointee.lastProgress = before
      state.pointee.hasDelivered.store(true, ordering: .relaxed)
    }
    attachRateMatchedDevices(renderer.format.sampleRateHz)
    if let streams { handOver(streams, state) }
    for (index, follower) in followers.enumerated() {
      if let follower { try follow(index, follower, state) }
    }
    lockMemory()
    try makeThread(state)
  }

  /// Starts to render, or continues after a thread was abandoned. [main]
  func makeThread(_ state: UnsafeMutablePointer<DriverState>) throws(ALSADriverError) {
    let watch = CallWatchdog()
    state.pointee.watch = watch.handle
    self.watch = consume watch
    state.pointee.isRunning.store(true, ordering: .relaxed)
    do {
      let thread = try RealtimeThread(entry: driverThread, context: state)
      recordSchedulingResult(thread.schedulingError)
      self.thread = consume thread
    } catch {
      self.watch.take()?.free()
      state.pointee.isRunning.store(false, ordering: .relaxed)
      throw .noThread(reason: String(cString: strerror(error.error)))
    }
  }

  /// Releases a thread that was abandoned. [main]
  func abandonThread() {
    guard let thread = thread.take() else { return }
    thread.detach()
    state?.pointee.isRunning.store(false, ordering: .relaxed)
  }

  /// Stops within the time of the playback buffer, or within some seconds if a device call hangs.
  ///
  /// Has no effect if not started. [main]
  package func stop() {
    guard let state, thread != nil else { return }
    state.pointee.stop.signal()
    while state.pointee.isRunning.load(ordering: .acquiring) {
      if wasCutOff(state) { return }
      crealtime_sleep_until(crealtime_nanoseconds() + 1_000_000)
    }
    guard let thread = thread.take() else { return }
    thread.join()
    watch.take()?.free()
  }

  /// Adds the counts to the past.
  ///
  /// Returns the time of the last transfer, if there was one.
  private func accumulateStatistics() -> UInt64? {
    guard let state, rateMismatchedDevices != nil else {
      previousStatus = DriverStatus()
      return nil
    }
    previousStatus.xrunCount += state.pointee.xruns.load(ordering: .relaxed)
    previousStatus.lostSeconds +=
      Double(state.pointee.lostNanoseconds.load(ordering: .relaxed)) / 1e9
    previousStatus.clippedSampleCount += state.pointee.clippedSamples.load(ordering: .relaxed)
    return state.pointee.hasDelivered.load(ordering: .relaxed) ? state.pointee.lastProgress : nil
  }

  /// Passes devices to the audio thread, which starts them. [main]
  func handOver(_ streams: DuplexStreams, _ state: UnsafeMutablePointer<DriverState>) {
    let rows = (input: buffers(.capture), output: buffers(.playback))
    // Pairs with the acquiring exchange of the audio thread.
    state.pointee.arriving.store(streams.prepare(rows, driver: state), ordering: .releasing)
  }

  /// The channel buffers of the primary device of a direction.
  private func buffers(_ direction: ALSADriverError.Direction) -> Range<Int> {
    let slot = primaryDevices.first { slots[$0].direction == direction }.map { slots[$0] }
    let first = slot?.firstChannel ?? 0
    return first ..< first + (slot?.channelCount ?? 0)
  }

  /// Updates the description of a device. [main]
  func describe(_ index: Int, _ side: DeviceStream) {
    if index < request.inputs.count {
      stream.inputs[index] = side
    } else {
      stream.outputs[index - request.inputs.count] = side
    }
  }

  /// Records that the devices start and stop separately. [main]
  func recordUnlinked() { stream.isLinked = false }

  /// Records that the graph keeps its sample rate. [main]
  func keepRate(hz rate: Double) { stream.sampleRateHz = rate }

  /// Updates the round trip after devices have become followers. [main]
  func updateRoundTrip() { stream.roundTripFrames = roundTrip(stream) }

  /// Returns the round trip if one of the first devices of the two directions follows the other.
  private func roundTrip(_ stream: StreamDescription) -> Int? {
    let (first, second) = (0, request.inputs.count)
    guard !request.inputs.isEmpty, !request.outputs.isEmpty else { return nil }
    func latency(_ index: Int) -> Int? {
      followers[index]?.latencyFrames(
        blockFrames: stream.periodFrames, graphRateHz: stream.sampleRateHz)
    }
    guard let leading = streams?.negotiation else {
      return latency(first).flatMap { input in latency(second).map { input + $0 } }
    }
    // A primary capture device passes on a complete period. A primary playback device has filled
    // its buffer, except for the period that is being rendered.
    if leading.input != nil { return latency(second).map { stream.periodFrames + $0 } }
    let filled = leading.output?.filledFrames ?? 0
    return latency(first).map { filled - stream.periodFrames + $0 }
  }

  // MARK: - Channels

  /// Assigns channels: those of each device follow those of the previous one.
  private func assignChannels() {
    var next: [ALSADriverError.Direction: Int] = [:]
    for (index, side) in zip(slots.indices, stream.inputs + stream.outputs) {
      slots[index].firstChannel = next[slots[index].direction, default: 0]
      slots[index].channelCount = side.channelCount
      next[slots[index].direction, default: 0] += side.channelCount
    }
  }

  /// Uses devices that wait for a renderer of their sample rate, if this one has it.
  private func attachRateMatchedDevices(_ sampleRateHz: Double) {
    guard let rateMismatchedDevices, Double(rateMismatchedDevices.rateHz) == sampleRateHz else {
      return
    }
    streams = rateMismatchedDevices
    self.rateMismatchedDevices = nil
  }

  package var rateFollowing: (any RateFollowing)? { self }

  /// Records the sample rate that the devices require. [main]
  func setDemandedRate(_ demanded: DuplexStreams) {
    rateMismatchedDevices = demanded
    stream.sampleRateHz = Double(demanded.rateHz)
  }

  // MARK: - System settings

  private func lockMemory() {
    guard crealtime_lock_memory() != 0 else { return }
    warnings.append(PrivilegeWarnings.memoryWarning)
  }

  private func recordSchedulingResult(_ error: Int32) {
    guard error != 0 else { return }
    warnings.append(PrivilegeWarnings.schedulingWarning)
  }

  private func releaseState() {
    guard let state = state.take() else { return }
    state.deinitialize(count: 1)
    state.deallocate()
  }
}

/// Messages about missing privileges for audio.
package enum PrivilegeWarnings {
  /// SCHED_FIFO was refused.
  package static let schedulingWarning =
    "No permission for real-time scheduling; dropouts are likely. Run `outboard "
    + "doctor`."
  /// mlockall was refused.
  package static let memoryWarning =
    "No permission to lock memory; page faults may cause dropouts. Run "
    + "`outboard doctor`."
}
