// DeviceSlot.swift: a requested device, while it is lost and reconnected. SPDX-License-Identifier:
// MIT

import AudioDriver
import CRealtime

/// One device of a request. [main]
struct DeviceSlot {
  /// The requested settings.
  let request: DeviceRequest
  /// The direction of its audio.
  let direction: ALSADriverError.Direction
  /// The graph channel of its first channel.
  var firstChannel = 0
  /// The number of its channel buffers, which does not change when the device returns.
  var channelCount = 0
  /// The time of the next attempt to open it, in nanoseconds, and the number of failed attempts.
  private(set) var retryAt: UInt64 = 0
  var failedOpenCount = 0
  /// The number of resynchronisations before it was last opened.
  var previousResyncCount = 0
  /// Devices that are still being opened, by name.
  private var openings: [String: PendingPCM] = [:]
  /// A better device that is open already and is used next.
  var better: PCM?
  /// The time of the next lookup of a better device, in nanoseconds.
  var nextPoll: UInt64 = 0
  /// The time until which its fallbacks are used although it is present, because it failed to open,
  /// in nanoseconds.
  private(set) var preferFallbackUntil: UInt64 = 0
  /// The meaning of its name when it was opened.
  ///
  /// Nil for a card, which is identified by its attributes.
  private(set) var meaning: String?
  /// The measured rate as a follower if it differs from the reported rate.
  var measuredHz: Int?
  /// The address at which it was last found; nil if it was never found.
  private(set) var address: DeviceAddress?
  /// The current status.
  var status: DeviceStatus

  init(_ request: DeviceRequest, _ direction: ALSADriverError.Direction) {
    self.request = request
    self.direction = direction
    status = DeviceStatus(
      device: request.device, isInput: direction == .capture, state: .missing)
  }

  /// Opens the device, or a fallback device.
  ///
  /// A device that was open before is identified by its card, and no other card replaces it.
  /// - Throws: the error of the device itself, if no fallback can be opened.
  mutating func open() throws(ALSADriverError) -> PCM {
    if let better = better.take() { return record(opened: better, fallback: nil) }
    let first: ALSADriverError
    do throws(ALSADriverError) {
      let prefersFallback =
        !request.fallbacks.isEmpty && crealtime_nanoseconds() < preferFallbackUntil
      guard !prefersFallback else { throw .disconnected(device: request.device) }
      return record(opened: try openRequestedDevice(), fallback: nil)
    } catch {
      first = error
    }
    for name in request.fallbacks {
      if let pcm = try? open(asked: name, as: nil) { return record(opened: pcm, fallback: name) }
    }
    throw first
  }

  /// Opens the device itself, not a fallback.
  mutating func openRequestedDevice() throws(ALSADriverError) -> PCM {
    try open(asked: request.device, as: address)
  }

  private mutating func record(opened pcm: PCM, fallback: String?) -> PCM {
    status.fallbackName = fallback
    status.currentName = fallback == nil ? address?.movedName(of: pcm.card) : nil
    status.name = pcm.name
    meaning = CardSpecifier(request.device) == nil ? ConfiguredPCM.text(of: request.device) : nil
    return pcm
  }

  /// Records that an open device cannot be configured: its fallbacks are used for a while.
  mutating func preferFallback(_ now: UInt64) {
    if status.fallbackName == nil { preferFallbackUntil = now + 30_000_000_000 }
  }

  private mutating func open(
    asked name: String, as known: DeviceAddress?
  ) throws(ALSADriverError) -> PCM {
    // If a fallback was opened, the lookup continues for the device itself.
    let known = known?.name == name ? known : nil
    var current = name
    if let known {
      guard let found = known.current() else { throw .disconnected(device: name) }
      current = found
    }
    let pcm: PCM
    do throws(ALSADriverError) {
      pcm = try openOrPoll(for: name, at: current)
    } catch {
      // The error of a device that was open before needs no list of other devices: its server may
      // be restarting.
      guard known != nil, error.isAboutPresence else { throw error }
      throw .disconnected(device: name)
    }
    if known == nil, name == request.device { address = DeviceAddress(name: name, card: pcm.card) }
    return pcm
  }

  /// Opens a device at its current name, or continues to wait for one that did not respond before.
  private mutating func openOrPoll(
    for device: String, at currentName: String
  ) throws(ALSADriverError) -> PCM {
    let isFirst = openings[currentName] == nil && address == nil
    let opening =
      openings[currentName]
      ?? PendingPCM(device: device, currentName: currentName, direction: direction)
    openings[currentName] = nil
    do {
      return try opening.take(
        timeoutSeconds: isFirst
          ? PendingPCM.firstTimeoutSeconds : PendingPCM.laterTimeoutSeconds)
    } catch {
      // Each hung call holds a thread: one for each name is enough.
      switch error {
      case .opening, .noResponse: openings[currentName] = opening
      default: break
      }
      throw error
    }
  }

  /// Records why it cannot be opened.
  mutating func recordFailure(_ error: ALSADriverError) {
    switch error {
    case .opening where status.state != .running: return
    case .noCard, .noSuchDevice, .noServer, .disconnected, .opening: status.state = .missing
    case .waiting: status.state = .waiting
    default: status.state = .unavailable
    }
    status.reason = error.description
    status.driftPPM = nil
    status.excessFrames = nil
  }

  /// Sets the time of the next attempt.
  ///
  /// A device that opens and fails again at once is retried with increasing delays.
  mutating func backOff(_ now: UInt64, wasOpened: Bool) {
    if wasOpened { failedOpenCount += 1 }
    retryAt = now + UInt64(100_000_000) << UInt64(wasOpened ? min(failedOpenCount, 3) : 0)
  }

  /// Delays the next attempt. [main]
  mutating func pause(until time: UInt64) { retryAt = time }

  /// Records that the device is running.
  mutating func markRunning() {
    status.state = .running
    status.reason = nil
  }
}

extension ALSADriverError {
  /// Whether the error means that the device is missing.
  var isAboutPresence: Bool {
    switch self {
    case .noCard, .noSuchDevice, .disconnected: true
    default: false
    }
  }
}
