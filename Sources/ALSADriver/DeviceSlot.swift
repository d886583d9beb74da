// DeviceSlot.swift: a device that was asked for, through its comings and goings. SPDX-License-Identifier: MIT

import AudioDriver

/// One device of a request. [main]
struct DeviceSlot {
  /// What is asked of it.
  let request: DeviceRequest
  /// Which way its sound goes.
  let direction: ALSADriverError.Direction
  /// The engine's row of its first channel.
  var firstRow = 0
  /// How many rows are its own, whatever it comes back with.
  var rowCount = 0
  /// When to try again to open it, in nanoseconds, and how often that was in vain.
  private(set) var nextTry: UInt64 = 0
  var vainTries = 0
  /// Times that it had to be brought back into step before it was last opened.
  var pastResynchronisations = 0
  /// Where it was found the last time; nil where it has not been there yet.
  private(set) var address: DeviceAddress?
  /// How it goes.
  var status: DeviceStatus

  init(_ request: DeviceRequest, _ direction: ALSADriverError.Direction) {
    self.request = request
    self.direction = direction
    status = DeviceStatus(
      device: request.device, isInput: direction == .capture, state: .missing)
  }

  /// Opens it, or what may take its place.
  ///
  /// A device that has been there before is known by its card, and no other is taken for it.
  /// - Throws: what the device itself has against it, where its substitutes are no better.
  mutating func open() throws(ALSADriverError) -> PCM {
    let first: ALSADriverError
    do {
      return try open(asked: request.device, as: address)
    } catch {
      first = error
    }
    for name in request.alternatives {
      if let pcm = try? open(asked: name, as: nil) { return pcm }
    }
    throw first
  }

  private mutating func open(
    asked name: String, as known: DeviceAddress?
  ) throws(ALSADriverError) -> PCM {
    // A substitute that was taken leaves the device itself as the one to look for.
    let known = known?.name == name ? known : nil
    var current = name
    if let known {
      guard let found = known.current() else { throw .disconnected(device: name) }
      current = found
    }
    let pcm: PCM
    do throws(ALSADriverError) {
      pcm = try PCM(device: current, direction: direction)
    } catch {
      // What was there before needs no list of what else there is: a server that is not up again.
      guard known != nil, error.isAboutPresence else { throw error }
      throw .disconnected(device: name)
    }
    if known == nil, name == request.device { address = DeviceAddress(name: name, card: pcm.card) }
    return pcm
  }

  /// Notes why it cannot be had.
  mutating func note(_ error: ALSADriverError) {
    switch error {
    case .noCard, .noSuchDevice, .disconnected: status.state = .missing
    case .waiting: status.state = .waiting
    default: status.state = .refused
    }
    status.reason = error.description
    status.driftPPM = nil
    status.excessFrames = nil
  }

  /// Settles when it is tried again: one that opens, and fails again at once, is not to be hurried.
  mutating func waitLonger(_ now: UInt64, wasOpened: Bool) {
    if wasOpened { vainTries += 1 }
    nextTry = now + UInt64(100_000_000) << UInt64(wasOpened ? min(vainTries, 3) : 0)
  }

  /// Notes that it runs.
  mutating func noteRunning() {
    status.state = .running
    status.reason = nil
  }
}

extension ALSADriverError {
  /// Whether the device is simply not there.
  var isAboutPresence: Bool {
    switch self {
    case .noCard, .noSuchDevice, .disconnected: true
    default: false
    }
  }
}
