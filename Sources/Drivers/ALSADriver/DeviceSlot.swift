// DeviceSlot.swift: a device that was asked for, through its comings and goings. SPDX-License-Identifier: MIT

import AudioDriver
import CRealtime

/// One device of a request. [main]
struct DeviceSlot {
  /// The requested settings.
  let request: DeviceRequest
  /// Which way its sound goes.
  let direction: ALSADriverError.Direction
  /// The graph's channel of its first channel.
  var firstRow = 0
  /// The number of its channel buffers, which does not change when the device returns.
  var rowCount = 0
  /// The time of the next attempt to open it, in nanoseconds, and the number of failed attempts.
  private(set) var nextTry: UInt64 = 0
  var vainTries = 0
  /// Times that it had to be brought back into step before it was last opened.
  var previousResyncCount = 0
  /// Devices that did not answer yet when they were to be opened, by the names that lead to them.
  private var openings: [String: PendingPCM] = [:]
  /// What is better than what runs: opened already, to be taken next.
  var better: PCM?
  /// When to look for something better again, in nanoseconds.
  var nextLook: UInt64 = 0
  /// The time until which its fallbacks are used although it is present, because it failed to open,
  /// in nanoseconds.
  private(set) var shunnedUntil: UInt64 = 0
  /// The meaning of its name when it was opened.
  ///
  /// Nil for a card, which is identified by its attributes.
  private(set) var meaning: String?
  /// The measured rate as a follower if it differs from the reported rate.
  var paceHz: Int?
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
  /// - Throws: what the device itself has against it, where its fallbacks are no better.
  mutating func open() throws(ALSADriverError) -> PCM {
    if let better = better.take() { return note(opened: better, fallback: nil) }
    let first: ALSADriverError
    do throws(ALSADriverError) {
      let isShunned = !request.fallbacks.isEmpty && crealtime_nanoseconds() < shunnedUntil
      guard !isShunned else { throw .disconnected(device: request.device) }
      return note(opened: try openItself(), fallback: nil)
    } catch {
      first = error
    }
    for name in request.fallbacks {
      if let pcm = try? open(asked: name, as: nil) { return note(opened: pcm, fallback: name) }
    }
    throw first
  }

  /// Opens the device itself, not a fallback.
  mutating func openItself() throws(ALSADriverError) -> PCM {
    try open(asked: request.device, as: address)
  }

  private mutating func note(opened pcm: PCM, fallback: String?) -> PCM {
    status.fallbackName = fallback
    status.currentName = fallback == nil ? address?.place(of: pcm.card) : nil
    status.name = pcm.name
    meaning = CardSpecifier(request.device) == nil ? ConfiguredPCM.text(of: request.device) : nil
    return pcm
  }

  /// What was opened cannot be set up: its fallbacks are better for a while.
  mutating func shun(_ now: UInt64) {
    if status.fallbackName == nil { shunnedUntil = now + 30_000_000_000 }
  }

  private mutating func open(
    asked name: String, as known: DeviceAddress?
  ) throws(ALSADriverError) -> PCM {
    // A fallback that was taken leaves the device itself as the one to look for.
    let known = known?.name == name ? known : nil
    var current = name
    if let known {
      guard let found = known.current() else { throw .disconnected(device: name) }
      current = found
    }
    let pcm: PCM
    do throws(ALSADriverError) {
      pcm = try ask(for: name, at: current)
    } catch {
      // What was there before needs no list of what else there is: a server that is not up again.
      guard known != nil, error.isAboutPresence else { throw error }
      throw .disconnected(device: name)
    }
    if known == nil, name == request.device { address = DeviceAddress(name: name, card: pcm.card) }
    return pcm
  }

  /// Opens a device at its current name, or continues to wait for one that did not respond before.
  private mutating func ask(
    for device: String, at place: String
  ) throws(ALSADriverError) -> PCM {
    let isFirst = openings[place] == nil && address == nil
    let opening =
      openings[place] ?? PendingPCM(device: device, place: place, direction: direction)
    openings[place] = nil
    do {
      return try opening.take(
        patienceSeconds: isFirst
          ? PendingPCM.firstPatienceSeconds : PendingPCM.laterPatienceSeconds)
    } catch {
      // Each that is stuck holds a thread: one for each name is enough.
      switch error {
      case .opening, .unanswering: openings[place] = opening
      default: break
      }
      throw error
    }
  }

  /// Notes why it cannot be had.
  mutating func note(_ error: ALSADriverError) {
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

  /// Settles when it is tried again: one that opens, and fails again at once, is not to be hurried.
  mutating func waitLonger(_ now: UInt64, wasOpened: Bool) {
    if wasOpened { vainTries += 1 }
    nextTry = now + UInt64(100_000_000) << UInt64(wasOpened ? min(vainTries, 3) : 0)
  }

  /// Leaves it alone for a while. [main]
  mutating func rest(until time: UInt64) { nextTry = time }

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
