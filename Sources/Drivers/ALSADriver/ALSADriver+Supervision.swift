// ALSADriver+Supervision.swift: reopens lost devices. SPDX-License-Identifier: MIT

package import AudioDriver
import CRealtime
import Glibc
import Synchronization

extension ALSADriver: RateFollowing {
  /// The sample rate that the devices require, if it differs from the renderer's. [main]
  package var deviceRateHz: Int? { rateMismatchedDevices?.rateHz }

  /// The current status. [main]
  package var status: DriverStatus {
    var status = previousStatus
    status.devices = slots.map(\.status)
    guard let state else { return status }
    status.isRunning = state.pointee.isRunning.load(ordering: .acquiring)
    status.xrunCount += state.pointee.xruns.load(ordering: .relaxed)
    status.lostSeconds += Double(state.pointee.lostNanoseconds.load(ordering: .relaxed)) / 1e9
    status.clippedSampleCount += state.pointee.clippedSamples.load(ordering: .relaxed)
    // Includes an interruption that is not over yet.
    let since = state.pointee.interruptedSince.load(ordering: .relaxed)
    if since != 0 {
      status.xrunCount += 1
      status.lostSeconds += Double(crealtime_nanoseconds() &- since) / 1e9
    }
    status.failure = failure?.description
    return status
  }

  /// Closes devices that the audio thread has returned, and reopens them when they are available.
  /// [main]
  package func supervise() {
    guard let state, failure == nil else { return }
    superviseThread(state)
    supervisePrimary(state)
    for index in followers.indices { superviseFollower(index, state) }
  }

  // MARK: - The primary devices

  private func supervisePrimary(_ state: UnsafeMutablePointer<DriverState>) {
    // Pairs with the releasing store of the audio thread.
    if state.pointee.departed.exchange(nil, ordering: .acquiring) != nil { close(state) }
    guard failure == nil else { return }
    let now = crealtime_nanoseconds()
    if streams == nil, rateMismatchedDevices == nil, !isFreeRunning, now >= retryAt {
      reopen(state, now)
    }
    if state.pointee.isStable.load(ordering: .relaxed) { failedOpenCount = 0 }
    // Not when they are passed: a card may open and never transfer a frame.
    guard streams != nil, state.pointee.isTransferring.load(ordering: .relaxed) else { return }
    for index in primaryDevices { slots[index].markRunning() }
    findBetterPrimary(state, now)
  }

  private func close(_ state: UnsafeMutablePointer<DriverState>) {
    guard streams?.wasReleased != true else {
      // Not lost: the replacement is already open.
      (streams, retryAt) = (nil, 0)
      return
    }
    let failedIndex = primaryDevices.first { streams?.isCardGone(slots[$0].direction) ?? false }
    if let hz = streams?.measuredHz { measuredHz = hz }
    markPrimaryLost(streams?.departure ?? .noDeviceNamed, of: failedIndex, state)
  }

  /// Closes the primary devices for a reason.
  ///
  /// The reason concerns one of them, or both if nil. [main]
  func markPrimaryLost(
    _ error: ALSADriverError, of failedIndex: Int?, _ state: UnsafeMutablePointer<DriverState>
  ) {
    // A device that has never worked will not recover, unless the request says to wait for it.
    if !state.pointee.hasDelivered.load(ordering: .relaxed), !request.waitsForDevice {
      failure = error
    }
    recordFailure(error, of: failedIndex)
    // A pulled card gives no information about its rate.
    if error.isAboutPresence { (failedOpenCount, measuredHz) = (0, nil) }
    streams = nil
  }

  private func reopen(_ state: UnsafeMutablePointer<DriverState>, _ now: UInt64) {
    guard let endpoints = openPrimary() else {
      retryAt = now + 100_000_000
      return
    }
    do throws(ALSADriverError) {
      var sharedSettings = request.sharedSettings(accesses, for: stream)
      sharedSettings.isRateFlexible = true
      let opened = try DuplexStreams(Negotiation(endpoints, sharedSettings), measuredHz: measuredHz)
      failedOpenCount += 1
      promotePrimary(opened, state)
    } catch {
      for index in primaryDevices { slots[index].preferFallback(now) }
      recordFailure(error, of: nil)
    }
    // A device that opens and fails again at once is retried with increasing delays.
    let pause = UInt64(100_000_000) << UInt64(min(failedOpenCount, 3))
    retryAt = now + (streams == nil ? 100_000_000 : pause)
  }

  /// Reopened devices become the primary devices again if they still have the graph's rate.
  private func promotePrimary(_ opened: DuplexStreams, _ state: UnsafeMutablePointer<DriverState>) {
    if Double(opened.rateHz) == state.pointee.sampleRateHz {
      streams = opened
      handOver(opened, state)
    } else if request.sampleRateHz == nil {
      setDemandedRate(opened)
    } else {
      demotePrimaryToFollowers()
    }
  }

  /// Opens the primary devices.
  ///
  /// Returns nil and records the reason if one of them cannot be opened.
  private func openPrimary() -> [Negotiation.Endpoint]? {
    var endpoints: [Negotiation.Endpoint] = []
    // The missing device is opened first, so that the other is not opened unnecessarily.
    for index in primaryDevices.sorted(by: { one, _ in slots[one].status.state == .missing }) {
      do throws(ALSADriverError) {
        let pcm = try slots[index].open()
        endpoints.append(Negotiation.Endpoint(request: slots[index].request, pcm: pcm))
      } catch {
        recordFailure(openError(error, index), of: index)
        return nil
      }
    }
    return endpoints
  }

  /// Records why the primary devices do not run: because of one of them, or of both if nil.
  private func recordFailure(_ error: ALSADriverError, of failedIndex: Int?) {
    for index in primaryDevices {
      guard let failedIndex, index != failedIndex else {
        slots[index].recordFailure(error)
        continue
      }
      let isSame = slots[index].request.device == slots[failedIndex].request.device
      slots[index].recordFailure(
        isSame
          ? error
          : .waiting(device: slots[index].request.device, other: slots[failedIndex].request.device))
    }
  }

  /// Makes the primary devices followers.
  ///
  /// The request keeps the graph's rate, which these devices no longer have. From now on the system
  /// clock clocks the graph and the devices are resampled.
  private func demotePrimaryToFollowers() {
    isFreeRunning = true
    recordUnlinked()
    for index in primaryDevices { followers[index] = nil }
  }

  /// Records that a primary device becomes a follower.
  private func recordDemotion(
    _ index: Int, _ follower: FollowerStream, _ state: UnsafeMutablePointer<DriverState>
  ) {
    describe(index, follower.description)
    // The interruption ends when the first of them transfers audio again.
    let since = state.pointee.interruptedSince.exchange(0, ordering: .relaxed)
    guard since != 0 else { return }
    state.pointee.xruns.add(1, ordering: .relaxed)
    state.pointee.lostNanoseconds.add(crealtime_nanoseconds() &- since, ordering: .relaxed)
  }

  /// Keeps the graph's sample rate, because the graph cannot run at the rate that the devices
  /// require. [main]
  package func keepGraphRate() {
    guard let state, rateMismatchedDevices != nil else { return }
    rateMismatchedDevices = nil
    keepRate(hz: state.pointee.sampleRateHz)
    demotePrimaryToFollowers()
  }

  // MARK: - Followers

  private func superviseFollower(_ index: Int, _ state: UnsafeMutablePointer<DriverState>) {
    guard isFreeRunning || !primaryDevices.contains(index) else { return }
    let slot = state.pointee.followers + index
    let now = crealtime_nanoseconds()
    let isHandedBack = slot.pointee.departed.exchange(nil, ordering: .acquiring) != nil
    if isHandedBack, slots[index].better != nil || followers[index]?.wasReleased == true {
      closeReleasedFollower(index)
    } else if isHandedBack || followers[index]?.isFaulty == true {
      repairFollower(index, state, now)
    }
    if let follower = followers[index] {
      if follower.hasMoved {
        slots[index].markRunning()
        findBetterFollower(index, state, now)
      }
      if follower.driftPPM != nil { slots[index].failedOpenCount = 0 }
      slots[index].status.driftPPM = follower.driftPPM
      slots[index].status.excessFrames = follower.excessFrames
      slots[index].status.resyncCount = slots[index].previousResyncCount + follower.resyncCount
    } else if now >= slots[index].retryAt {
      reopenFollower(index, state)
      slots[index].backOff(now, wasOpened: followers[index] != nil)
    }
  }

  private func reopenFollower(_ index: Int, _ state: UnsafeMutablePointer<DriverState>) {
    var isOpen = false
    do throws(ALSADriverError) {
      let pcm = try slots[index].open()
      isOpen = true
      let follower = try FollowerStream(
        Negotiation.Endpoint(request: slots[index].request, pcm: pcm),
        request.sharedSettings(accesses, for: stream),
        measuredHz: slots[index].measuredHz ?? (primaryDevices.contains(index) ? measuredHz : nil))
      // The graph's channel buffers do not change when the device returns.
      if follower.side.usedChannels.count == slots[index].channelCount {
        describe(index, follower.description)
      }
      try follow(index, follower, state)
    } catch {
      if isOpen { slots[index].preferFallback(crealtime_nanoseconds()) }
      slots[index].recordFailure(openError(error, index))
    }
  }

  /// Passes a follower device to the audio thread, which starts it. [main]
  func follow(
    _ index: Int, _ follower: FollowerStream, _ state: UnsafeMutablePointer<DriverState>
  ) throws(ALSADriverError) {
    let arriving = try follower.prepare(
      firstChannel: slots[index].firstChannel, rowCount: slots[index].channelCount, driver: state)
    followers[index] = follower
    if isFreeRunning, primaryDevices.contains(index) { recordDemotion(index, follower, state) }
    if isFreeRunning { updateRoundTrip() }
    // Pairs with the acquiring exchange of the audio thread.
    state.pointee.followers[index].arriving.store(arriving, ordering: .releasing)
    state.pointee.hasFollowers.store(true, ordering: .relaxed)
  }
}

extension StreamRequest {
  /// The settings that the primary devices must share.
  func sharedSettings(_ accesses: [AccessMode]) -> Negotiation.SharedSettings {
    Negotiation.SharedSettings(
      rateHz: sampleRateHz, periodFrames: periodFrames, periodCount: periodCount,
      trimsChannels: isTrimmed, isDithered: isDithered, accesses: accesses)
  }

  /// The requested settings of follower devices.
  func sharedSettings(
    _ accesses: [AccessMode], for stream: StreamDescription
  ) -> Negotiation.SharedSettings {
    var sharedSettings = sharedSettings(accesses)
    sharedSettings.rateHz = Int(stream.sampleRateHz)
    sharedSettings.periodFrames = stream.periodFrames
    // A device that returned with fewer channels is better than none.
    sharedSettings.requiresChannels = false
    return sharedSettings
  }

  /// Whether each device uses only the requested channels: with several devices, the graph's
  /// channels must be assigned.
  var isTrimmed: Bool { inputs.count > 1 || outputs.count > 1 }

  /// Throws if no device could satisfy the request, before any is opened.
  func validateRequest() throws(ALSADriverError) {
    var numbers: [(String, Int?, Int)] = [
      ("rate in Hz", sampleRateHz, 1), ("period in frames", periodFrames, 1),
      ("number of periods", periodCount, 2),
    ]
    numbers += inputs.map { ("number of input channels", $0.usedChannelCount, 1) }
    numbers += outputs.map { ("number of output channels", $0.usedChannelCount, 1) }
    for (what, value, least) in numbers {
      if let value, value < least { throw .impossible(what: what, value: value, least: least) }
    }
    for name in (inputs + outputs).compactMap(\.format) where DeviceFormat(name: name) == nil {
      throw .unknownFormat(name: name)
    }
    for device in outputs {
      let channels = device.channels ?? []
      if let twice = channels.first(where: { one in channels.count { $0 == one } > 1 }) {
        throw .channelTwice(device: device.device, channel: twice + 1)
      }
    }
    if inputs.isEmpty && outputs.isEmpty { throw .noDeviceNamed }
  }
}
