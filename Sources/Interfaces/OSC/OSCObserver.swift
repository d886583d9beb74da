// OSCObserver.swift: follows the state of the session. SPDX-License-Identifier: MIT

import HostModel
import NIOCore

/// Keeps the addresses and values of a surface equal to the session. [event loop]
///
/// It is a client that only observes, so it receives each change exactly once, whoever requested it.
final class OSCObserver {
  /// How often levels are received, in Hz.
  private static let levelRate = 20

  /// Receives the addresses before and after they have changed.
  var onAddresses: (_ old: OSCAddressSpace, _ new: OSCAddressSpace) -> Void = { _, _ in }
  private let port: any CommandPort
  private let surface: OSCSurface
  private let eventLoop: any EventLoop
  private let inbox = EventInbox()
  private var client = ClientID.host
  private var revision: UInt64?
  private var state = SessionState(rig: "")
  private var shape = OSCAddressSpace.LevelShape()
  /// Whether the channels and readouts of the present rig are known.
  private var knowsShape = false
  private var rate: Int?
  private var isStopped = false

  init(_ port: any CommandPort, _ surface: OSCSurface, on eventLoop: any EventLoop) {
    (self.port, self.surface, self.eventLoop) = (port, surface, eventLoop)
    let bound = NIOLoopBound(self, eventLoop: eventLoop)
    client = port.connect { [inbox] event in
      if inbox.add(event) { eventLoop.execute { bound.value.readInbox() } }
    }
    rate = Self.levelRate
    subscribe()
    surface.onSubscription = { [weak self] in self?.updateRate() }
    surface.onUse = { [weak self] in self?.readInbox() }
    surface.onObserved = { [weak self] isObserved in
      self?.inbox.setObserved(isObserved)
      self?.readInbox()
    }
  }

  func stop() {
    isStopped = true
    port.disconnect(client)
  }

  // MARK: - Subscription

  private func subscribe() {
    guard !isStopped else { return }
    let bound = NIOLoopBound(self, eventLoop: eventLoop)
    let request = Command.Subscribe(events: [.changed], revision: revision, levels: rate)
    _ = port.submit(.subscribe(request), from: client) { [eventLoop] reply in
      guard case .subscribed(let subscribed)? = reply.result, let snapshot = subscribed.snapshot
      else { return }
      eventLoop.execute { bound.value.replace(snapshot) }
    }
  }

  /// Requests levels if a subscriber receives them, or if the channels are not known.
  private func updateRate() {
    let wanted = surface.subscriptions.hasLevels || !knowsShape ? Self.levelRate : nil
    guard wanted != rate else { return }
    rate = wanted
    if wanted == nil { surface.space.clearLevels() }
    subscribe()
  }

  // MARK: - Events

  private func readInbox() {
    for event in inbox.take() { receive(event) }
  }

  private func receive(_ event: SharedEvent) {
    switch event.message.event {
    case .changed(let changed): apply(changed)
    case .levels(let levels): apply(levels)
    default: break
    }
  }

  private func replace(_ snapshot: Snapshot) {
    (state, revision) = (snapshot.state, snapshot.revision)
    knowsShape = false
    rebuild()
    updateRate()
  }

  private func apply(_ changed: Event.Changed) {
    guard let known = revision, changed.revision > known else { return }
    guard changed.revision == known + 1 else {
      // A change is missing, so the whole state is requested.
      revision = nil
      return subscribe()
    }
    revision = changed.revision
    var (addresses, isRebuilt): ([String], Bool) = ([], false)
    for change in changed.changes {
      let names = state.scenes.map(\.name)
      state.apply(change)
      switch change {
      case .rig:
        (isRebuilt, knowsShape) = (true, false)
      case .scenes where names != state.scenes.map(\.name): isRebuilt = true
      default: addresses += surface.space.apply(change)
      }
    }
    surface.scenes = state.scenes
    if isRebuilt {
      rebuild()
      updateRate()
    }
    surface.publish(addresses)
  }

  private func rebuild() {
    let old = surface.space
    var space = OSCAddressSpace(state, shape)
    space.copyLevels(of: old)
    surface.scenes = state.scenes
    surface.replace(space)
    onAddresses(old, space)
  }

  private func apply(_ levels: Event.Levels) {
    _ = port.submit(.acknowledge(levels.sequence), from: client) { _ in }
    // Levels of the rig before the last change do not fit.
    guard rate != nil, levels.nodes.map(\.name) == state.nodes.map(\.name) else { return }
    let shape = OSCAddressSpace.LevelShape(levels)
    if shape != self.shape {
      self.shape = shape
      rebuild()
    }
    knowsShape = true
    surface.publish(surface.space.apply(levels))
    updateRate()
  }
}

extension OSCAddressSpace.LevelShape {
  /// The channels and readouts of an event.
  fileprivate init(_ levels: Event.Levels) {
    (inputCount, outputCount) = (levels.inputPeakDBFS.count, levels.outputPeakDBFS.count)
    for node in levels.nodes where !node.readouts.isEmpty {
      readouts[node.name] = node.readouts.map(\.symbol)
    }
  }
}

extension OSCAddressSpace {
  /// Sets all levels; returns the addresses whose values are new.
  mutating func apply(_ levels: Event.Levels) -> [String] {
    var addresses: [String] = []
    func level(_ decibels: Double?) -> OSCArgument {
      .float(max(decibels.map(Float.init) ?? -.infinity, OSCAddressSpace.silenceDecibels))
    }
    for (index, peak) in levels.inputPeakDBFS.enumerated() {
      addresses += [set(.inputLevel(index + 1), to: level(peak))].compactMap { $0 }
    }
    for (index, peak) in levels.outputPeakDBFS.enumerated() {
      addresses += [set(.outputLevel(index + 1), to: level(peak))].compactMap { $0 }
    }
    for node in levels.nodes {
      addresses += [set(.nodeLevel(node.name), to: level(node.peakDBFS))].compactMap { $0 }
      for readout in node.readouts {
        guard let value = readout.value else { continue }
        let target = OSCTarget.readout(node: node.name, symbol: readout.symbol)
        addresses += [set(target, to: .float(value))].compactMap { $0 }
      }
    }
    return addresses
  }

  /// Copies the levels of another address space.
  mutating func copyLevels(of old: OSCAddressSpace) {
    for method in old.methods where method.target.isLevel {
      if let value = old.value(at: method.address) { _ = set(method.target, to: value) }
    }
  }
}
