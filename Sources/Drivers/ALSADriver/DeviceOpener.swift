// DeviceOpener.swift: opens a request's devices and selects the primary devices.
// SPDX-License-Identifier: MIT

import AudioDriver

/// Opens the devices of a request. [main]
struct DeviceOpener {
  /// All devices, inputs first.
  private(set) var slots: [DeviceSlot]
  /// The primary devices: one, or one for each direction.
  let primaryDevices: [Int]

  private let request: StreamRequest
  private var opened: [PCM?]

  /// Opens the devices.
  ///
  /// - Throws: the error of the first device that cannot be opened, unless the request says to wait
  ///   for it.
  init(_ request: StreamRequest) throws(ALSADriverError) {
    self.request = request
    slots =
      request.inputs.map { DeviceSlot($0, .capture) }
      + request.outputs.map { DeviceSlot($0, .playback) }
    opened = []
    for index in slots.indices {
      do throws(ALSADriverError) {
        opened.append(try slots[index].open())
        slots[index].markRunning()
      } catch {
        guard request.waitsForDevice, error.isWorthRetrying else { throw error }
        slots[index].recordFailure(error)
        opened.append(nil)
      }
    }
    primaryDevices = Self.primaryDevices(slots, opened)
  }

  /// Sets up the primary devices.
  ///
  /// Nil if the program has to wait for one of them.
  mutating func openPrimary(
    _ accesses: [AccessMode]
  ) throws(ALSADriverError) -> DuplexStreams? {
    var endpoints: [Negotiation.Endpoint] = []
    for index in primaryDevices {
      guard let pcm = opened[index] else { return nil }
      endpoints.append(Negotiation.Endpoint(request: slots[index].request, pcm: pcm))
    }
    return DuplexStreams(try Negotiation(endpoints, request.sharedSettings(accesses)))
  }

  /// Configures the follower devices, at the index of their slots; nil for other devices and for
  /// missing ones.
  mutating func openFollowers(
    _ stream: StreamDescription, _ accesses: [AccessMode]
  ) throws(ALSADriverError) -> [FollowerStream?] {
    var followers: [FollowerStream?] = []
    for index in slots.indices {
      guard !primaryDevices.contains(index), let pcm = opened[index] else {
        followers.append(nil)
        continue
      }
      followers.append(
        try FollowerStream(
          Negotiation.Endpoint(request: slots[index].request, pcm: pcm),
          request.sharedSettings(accesses, for: stream)))
    }
    return followers
  }

  // MARK: - Clocks

  private static func primaryDevices(_ slots: [DeviceSlot], _ opened: [PCM?]) -> [Int] {
    let first = slots.firstIndex { $0.direction == .playback } ?? 0
    let partner = slots.indices.first { index in
      slots[index].direction != slots[first].direction && share(slots, opened, first, index)
    }
    return [partner, first].compactMap(\.self).sorted()
  }

  /// Returns whether two devices share a clock.
  private static func share(
    _ slots: [DeviceSlot], _ opened: [PCM?], _ one: Int, _ other: Int
  ) -> Bool {
    let clocks = [slots[one].request.clock, slots[other].request.clock]
    if clocks.contains(.independent) { return false }
    if clocks.contains(.shared) { return true }
    return clock(slots[one], opened[one]) == clock(slots[other], opened[other])
  }

  /// Identifies the clock of a device: the card, or the server behind a name.
  private static func clock(_ slot: DeviceSlot, _ pcm: PCM?) -> String {
    let name = pcm?.device ?? slot.request.device
    if let card = pcm?.card ?? HardwareAddress(name: name)?.card { return "card \(card)" }
    // A card that is missing is identified by its name in the request.
    if pcm == nil, let specifier = CardSpecifier(name) { return "card \(specifier.word)" }
    return String(name.prefix { $0 != ":" })
  }

  // MARK: - Result

  /// Returns the negotiated stream, or the requested one if devices are missing.
  func description(_ leading: Negotiation?) -> StreamDescription {
    let rateHz = leading?.rateHz ?? request.sampleRateHz ?? Negotiation.defaultRateHz
    let periodFrames =
      leading?.periodFrames ?? request.periodFrames ?? StreamRequest.defaultPeriodFrames
    let sides = slots.indices.map { index -> DeviceStream in
      let side = slots[index].direction == .capture ? leading?.input : leading?.output
      if primaryDevices.contains(index), let side {
        return side.description(rateHz: rateHz, periodFrames: periodFrames)
      }
      let wanted = slots[index].request
      return DeviceStream(
        device: wanted.device, name: "",
        channelCount: wanted.usedChannelCount ?? Negotiation.defaultChannelCount,
        format: wanted.format ?? "", sampleRateHz: Double(rateHz), periodFrames: periodFrames,
        bufferFrames: 0, isFollowing: !primaryDevices.contains(index))
    }
    return StreamDescription(
      inputs: Array(sides.prefix(request.inputs.count)),
      outputs: Array(sides.dropFirst(request.inputs.count)), sampleRateHz: Double(rateHz),
      periodFrames: periodFrames, isLinked: leading?.isLinked ?? false,
      roundTripFrames: leading?.input == nil ? nil : leading?.output?.filledFrames,
      notes: leading?.notes ?? [])
  }
}
