// DuplexState.swift: the state of the driver's audio thread. SPDX-License-Identifier: MIT

import CALSA
import Glibc
import RealtimeKit

/// One or two open devices that share a clock, at a fixed address while they are open.
struct DuplexState: ~Copyable {
  /// The run of the driver.
  let driver: UnsafeMutablePointer<DriverState>
  /// The number of frames that are transferred and rendered at a time: the devices' period, or the
  /// renderer's longest block if that is shorter.
  let periodFrames: Int
  let sampleRateHz: Double
  let isLinked: Bool
  /// Whether the devices are cards, not alsa-lib plugins.
  let isHardware: Bool
  /// Replaces a missing hardware clock.
  var clock: SoftwareClock
  /// The time limit without transfers after a start.
  let startTimeoutMilliseconds: Int
  /// The time limit without transfers once they have worked.
  let stallTimeoutMilliseconds: Int
  /// The capture direction, if there is one.
  let capture: UnsafePointer<PCMStream>?
  /// The playback direction, if there is one.
  let playback: UnsafePointer<PCMStream>?
  /// The number of captured frames that means a backlog, if playback accepts fewer.
  let backlogLimitFrames: Int

  /// Descriptors to wait for: capture's, the stop signal's, playback's, so that any set that is
  /// waited for is contiguous.
  let descriptors: UnsafeMutablePointer<pollfd>
  let descriptorCount: Int
  /// The index of the stop signal's descriptor.
  let stopIndex: Int

  // Owned by the audio thread.

  /// Captured frames that are known to be available, including the current period; a very large
  /// number without capture.
  var readyFrames = 0
  /// Known free frames of the playback buffer; a very large number without playback.
  var roomFrames = 0
  /// Whether a period can be rendered, if known.
  var isReady: Bool {
    @_noLocks get { readyFrames >= periodFrames && roomFrames >= periodFrames }
  }
  /// Whether the capture buffer has a backlog of half a period, checked against fresh queries of
  /// each direction.
  var hasCaptureBacklog: Bool {
    @_noLocks get {
      capture != nil && playback != nil && readyFrames >= backlogLimitFrames
        && 2 &* (readyFrames &- roomFrames) >= periodFrames
    }
  }
  /// Checks the rate of the devices.
  var rateMonitor: RateMonitor
  /// Captured frames of the current period.
  var capturedFrames = 0
  /// Captured frames beyond the period when it was read.
  var lateFrames = 0
  /// Frames of the last rendered period that are still to be played.
  var pendingPlaybackFrames = 0
  /// The time spent waiting since a period was last rendered, without time in which the process was
  /// stopped.
  var waitedMilliseconds = 0
  /// The number of empty wake-ups since then.
  var emptyWakeups = 0
  /// The number of restarts since then.
  var failedRestarts = 0
  /// Periods that were transferred since the start, up to a hundred.
  var steadyPeriods = 0
  /// Whether the devices were started but have not moved audio yet.
  ///
  /// The system clock clocks the graph until they do.
  var isOnProbation = false
  /// Whether the last status belongs to playback, not capture.
  var suspectsPlayback = false
  /// The negative errno value with which the thread returned the devices.
  var departure: Int32 = 0

  /// Allocates all memory that the thread uses. [main]
  init(
    _ negotiation: Negotiation, rateHz: Int, _ rows: (input: Range<Int>, output: Range<Int>),
    driver: UnsafeMutablePointer<DriverState>
  ) {
    self.driver = driver
    periodFrames = min(negotiation.periodFrames, driver.pointee.blockFrames)
    sampleRateHz = Double(rateHz)
    let sides = [negotiation.input, negotiation.output].compactMap(\.self)
    rateMonitor = RateMonitor(
      rateHz: Double(rateHz), bufferFrames: sides.map(\.filledFrames).max() ?? periodFrames)
    isLinked = negotiation.isLinked
    isHardware = sides.allSatisfy(\.pcm.isHardware)
    clock = SoftwareClock(
      rateHz: Double(rateHz), bufferFrames: sides.map(\.bufferFrames).max() ?? periodFrames,
      isKnown: sides.allSatisfy(\.pcm.lacksClock))
    startTimeoutMilliseconds = 1_000 * (sides.map(\.pcm.startTimeoutSeconds).max() ?? 0)
    stallTimeoutMilliseconds = sides.map(\.pcm.stallTimeoutMilliseconds).max() ?? 0
    // An alsa-lib plugin reports at most one frame less than its buffer.
    backlogLimitFrames = min(
      2 * negotiation.periodFrames, (negotiation.input?.bufferFrames ?? .max) - 1)
    let frames = periodFrames
    let inputs = driver.pointee.callback.inputs.pointers
    let outputs = driver.pointee.callback.outputs.pointers
    var capture = negotiation.input.map { side in
      PCMStream(side, rows: side.buffers(of: inputs, rows.input), periodFrames: frames)
    }
    var playback = negotiation.output.map { side in
      PCMStream(side, rows: side.buffers(of: outputs, rows.output), periodFrames: frames)
    }
    stopIndex = capture?.countDescriptors(from: 0) ?? 0
    descriptorCount = stopIndex + 1 + (playback?.countDescriptors(from: stopIndex + 1) ?? 0)
    descriptors = .allocate(capacity: descriptorCount)
    descriptors.initialize(
      repeating: pollfd(fd: -1, events: 0, revents: 0), count: descriptorCount)
    descriptors[stopIndex] = pollfd(
      fd: driver.pointee.stop.descriptor, events: Int16(POLLIN), revents: 0)
    let pollSet = descriptors
    self.capture = capture.map { $0.allocated(among: pollSet) }
    self.playback = playback.map { $0.allocated(among: pollSet) }
  }

  deinit {
    for side in [capture, playback].compactMap(\.self) {
      side.pointee.free()
      side.deallocate()
    }
    descriptors.deallocate()
  }

  /// Discards an unfinished period, because the channel buffers hold another block. [render]
  @_noLocks
  mutating func discardPartialPeriod() {
    capturedFrames = 0
    pendingPlaybackFrames = 0
  }

  /// Discards the known fill of the buffers. [render]
  @_noLocks
  mutating func resetCounters() {
    discardPartialPeriod()
    readyFrames = capture == nil ? .max : 0
    roomFrames = playback == nil ? .max : 0
    rateMonitor.restart()
    clock.restart()
  }

  /// The longest single wait, in milliseconds: until the next block if the system clock clocks the
  /// graph.
  var longestWaitMilliseconds: Int {
    @_noLocks get {
      isOnProbation ? max(1, min(100, Int(1_000 * Double(periodFrames) / sampleRateHz))) : 100
    }
  }

  /// Whether a working device stalled without a report.
  ///
  /// The data in a card's buffer would be played when the card continues, and the graph must not
  /// wait for a server.
  var isStalled: Bool {
    @_noLocks get {
      !isOnProbation && steadyPeriods > 0 && waitedMilliseconds >= 100
        && waitedMilliseconds >= Int(3_000 * Double(periodFrames) / sampleRateHz)
    }
  }

  /// The time without transfers after which the device counts as dead, in milliseconds.
  ///
  /// It depends on the period, which can be longer than any fixed limit. A card that has worked
  /// before has a shorter limit than one that is being started. A server that mixes ahead has a
  /// longer limit, and each restart is a start for it.
  var timeoutMilliseconds: Int {
    @_noLocks get {
      let periods = Int(3_000 * Double(periodFrames) / sampleRateHz)
      return steadyPeriods > 0 && stallTimeoutMilliseconds < startTimeoutMilliseconds
        ? stallTimeoutMilliseconds &+ periods : max(startTimeoutMilliseconds, periods)
    }
  }
}
