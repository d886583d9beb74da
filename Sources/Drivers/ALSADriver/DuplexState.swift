// DuplexState.swift: the state of the driver's audio thread. SPDX-License-Identifier: MIT

import CALSA
import Glibc
import RealtimeKit

/// One or two open devices that beat in time, at a fixed address for as long as they are open.
struct DuplexState: ~Copyable {
  /// The run that they belong to.
  let driver: UnsafeMutablePointer<DriverState>
  /// Frames that are moved and rendered at a time: the devices' period, or the renderer's longest
  /// block where that is shorter.
  let periodFrames: Int
  let sampleRateHz: Double
  let isLinked: Bool
  /// Whether they are cards themselves, not alsa-lib's plug-ins.
  let isHardware: Bool
  /// What makes up for a clock that they have not got.
  var clock: SoftwareClock
  /// How long they may move nothing after a start.
  let startPatienceMilliseconds: Int
  /// How long they may move nothing once they have worked.
  let standstillPatienceMilliseconds: Int
  /// The capture direction, if there is one.
  let capture: UnsafePointer<PCMStream>?
  /// The playback direction, if there is one.
  let playback: UnsafePointer<PCMStream>?
  /// Captured frames of which they pile up, where playback takes fewer.
  let pileFrames: Int

  /// Descriptors to wait for: capture's, the stop signal's, playback's, so that any set that is
  /// waited for is contiguous.
  let descriptors: UnsafeMutablePointer<pollfd>
  let descriptorCount: Int
  /// The index of the stop signal's descriptor.
  let stopIndex: Int

  // What the thread alone touches.

  /// Captured frames that are known to be there, those of the current period included; no end of them
  /// where nothing is captured.
  var readyFrames = 0
  /// Frames that are known to have room in the playback buffer; no end of them where nothing is played.
  var roomFrames = 0
  /// Whether a period can be rendered, if known.
  var isReady: Bool {
    @_noLocks get { readyFrames >= periodFrames && roomFrames >= periodFrames }
  }
  /// Whether more is captured than playback takes: half a period, with a look at each in turn.
  var pilesUp: Bool {
    @_noLocks get {
      capture != nil && playback != nil && readyFrames >= pileFrames
        && 2 &* (readyFrames &- roomFrames) >= periodFrames
    }
  }
  /// Whether they keep to their rate.
  var pace: RateMonitor
  /// Frames of the current period that were captured already.
  var capturedFrames = 0
  /// Frames that were there beyond the period when it was taken.
  var lateFrames = 0
  /// Frames of the last rendered period that are still to be played.
  var unplayedFrames = 0
  /// Time spent waiting since a period was last rendered, not counting time in which the process itself was stopped.
  var waitedMilliseconds = 0
  /// Times that the wait ended with nothing to do since then.
  var emptyWakeups = 0
  /// Restarts since then.
  var fruitlessRestarts = 0
  /// Periods that were moved since the start, counted to a hundred.
  var steadyPeriods = 0
  /// Whether the devices were started but have not moved audio yet.
  ///
  /// The system clock clocks the graph until they do.
  var isOnTrial = false
  /// Whether the last status concerns playback, not capture.
  var suspectsPlayback = false
  /// The negative errno value with which the thread gave them up.
  var departure: Int32 = 0

  /// Gets memory for everything the thread will touch. [main]
  init(
    _ negotiation: Negotiation, rateHz: Int, _ rows: (input: Range<Int>, output: Range<Int>),
    driver: UnsafeMutablePointer<DriverState>
  ) {
    self.driver = driver
    periodFrames = min(negotiation.periodFrames, driver.pointee.blockFrames)
    sampleRateHz = Double(rateHz)
    let sides = [negotiation.input, negotiation.output].compactMap(\.self)
    pace = RateMonitor(
      rateHz: Double(rateHz), bufferFrames: sides.map(\.filledFrames).max() ?? periodFrames)
    isLinked = negotiation.isLinked
    isHardware = sides.allSatisfy(\.pcm.isHardware)
    clock = SoftwareClock(
      rateHz: Double(rateHz), bufferFrames: sides.map(\.bufferFrames).max() ?? periodFrames,
      isKnown: sides.allSatisfy(\.pcm.lacksClock))
    startPatienceMilliseconds = 1_000 * (sides.map(\.pcm.startPatienceSeconds).max() ?? 0)
    standstillPatienceMilliseconds = sides.map(\.pcm.standstillPatienceMilliseconds).max() ?? 0
    // A plug-in may say at most that its buffer lacks a frame of being full.
    pileFrames = min(2 * negotiation.periodFrames, (negotiation.input?.bufferFrames ?? .max) - 1)
    let frames = periodFrames
    let inputs = driver.pointee.callback.inputs.rows
    let outputs = driver.pointee.callback.outputs.rows
    var capture = negotiation.input.map { side in
      PCMStream(side, rows: side.rows(of: inputs, rows.input), periodFrames: frames)
    }
    var playback = negotiation.output.map { side in
      PCMStream(side, rows: side.rows(of: outputs, rows.output), periodFrames: frames)
    }
    stopIndex = capture?.countDescriptors(from: 0) ?? 0
    descriptorCount = stopIndex + 1 + (playback?.countDescriptors(from: stopIndex + 1) ?? 0)
    descriptors = .allocate(capacity: descriptorCount)
    descriptors.initialize(
      repeating: pollfd(fd: -1, events: 0, revents: 0), count: descriptorCount)
    descriptors[stopIndex] = pollfd(
      fd: driver.pointee.stop.descriptor, events: Int16(POLLIN), revents: 0)
    let places = descriptors
    self.capture = capture.map { $0.placed(among: places) }
    self.playback = playback.map { $0.placed(among: places) }
  }

  deinit {
    for side in [capture, playback].compactMap(\.self) {
      side.pointee.free()
      side.deallocate()
    }
    descriptors.deallocate()
  }

  /// What is begun of a period is not gone on with: the channel buffers hold another block. [render]
  @_noLocks
  mutating func leavePeriod() {
    capturedFrames = 0
    unplayedFrames = 0
  }

  /// Nothing is known to be there, nothing to be left over. [render]
  @_noLocks
  mutating func beginAnew() {
    leavePeriod()
    readyFrames = capture == nil ? .max : 0
    roomFrames = playback == nil ? .max : 0
    pace.restart()
    clock.restart()
  }

  /// The longest single wait, in milliseconds: until the next block if the system clock clocks the
  /// graph.
  var longestWaitMilliseconds: Int {
    @_noLocks get {
      isOnTrial ? max(1, min(100, Int(1_000 * Double(periodFrames) / sampleRateHz))) : 100
    }
  }

  /// Whether a working device stalled without a report.
  ///
  /// The data in a card's buffer would be played when the card continues, and the graph must not
  /// wait for a server.
  var standsStill: Bool {
    @_noLocks get {
      !isOnTrial && steadyPeriods > 0 && waitedMilliseconds >= 100
        && waitedMilliseconds >= Int(3_000 * Double(periodFrames) / sampleRateHz)
    }
  }

  /// How long the device may move nothing before it counts as dead, in milliseconds.
  ///
  /// It is counted in the device's own time, too, as a period can be longer than any fixed limit. A card
  /// that has worked before is not waited for as long as one that is only being started; a server that
  /// mixes ahead may have more to do than a card, and each restart is a start to it.
  var patienceMilliseconds: Int {
    @_noLocks get {
      let periods = Int(3_000 * Double(periodFrames) / sampleRateHz)
      return steadyPeriods > 0 && standstillPatienceMilliseconds < startPatienceMilliseconds
        ? standstillPatienceMilliseconds &+ periods : max(startPatienceMilliseconds, periods)
    }
  }
}
