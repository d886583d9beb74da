// OSCShortcuts.swift: values that the receiving thread sets. SPDX-License-Identifier: MIT

import Dispatch
import HostModel
import NIOCore
import Synchronization

/// Sets the values of known addresses on the thread that receives them, and passes all other packets to the event loop.
///
/// The event loop adds an address after it has set its parameter once. A value does not overtake an earlier packet: while
/// a packet or its command is in progress, all others follow it through the event loop.
final class OSCShortcuts: Sendable {
  /// The packets that the event loop has not finished; more stay in the socket.
  private static let maximumPacketCount = 64
  /// The addresses, and the values that wait for the event loop.
  private static let maximumCount = 4_096

  /// A parameter at an address.
  struct Target: Sendable {
    let node: String
    let symbol: String
    let address: String
  }

  /// A value that a peer has set.
  struct Touch: Sendable {
    let peer: OSCPeer
    let address: String
    let value: OSCArgument
  }

  private struct State {
    /// The targets by the bytes of their addresses.
    var targets: [[UInt8]: Target] = [:]
    var packetCount = 0
    var isQueueBusy = false
    /// Whether anyone receives values, so that the event loop must know who has set them.
    var isObserved = false
    var touches: [Touch] = []
  }

  private let state = Mutex(State())
  private let credits = DispatchSemaphore(value: maximumPacketCount)

  // MARK: - The thread that receives

  /// Returns the parameter and value of a packet, and whether the first touch waits now; nil if the event loop must
  /// carry out the packet.
  func take(
    _ packet: ArraySlice<UInt8>, from peer: OSCPeer
  ) -> (target: Target, value: Float, isFirst: Bool)? {
    // One argument of four bytes follows the type tags, so this is the only way to divide the packet.
    guard packet.count >= 12, packet.suffix(8).starts(with: [0x2c, 0x66, 0, 0]) else { return nil }
    let bits = packet.suffix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    let value = Float(bitPattern: bits)
    guard value.isFinite else { return nil }
    return state.withLock { state in
      guard state.packetCount == 0, !state.isQueueBusy,
        let target = state.targets[Array(packet.dropLast(8))]
      else { return nil }
      guard state.isObserved else { return (target, value, false) }
      guard state.touches.count < Self.maximumCount else { return nil }
      state.touches.append(Touch(peer: peer, address: target.address, value: .float(value)))
      return (target, value, state.touches.count == 1)
    }
  }

  /// Records that the event loop carries out a packet, once it has room.
  func begin() {
    credits.wait()
    state.withLock { $0.packetCount += 1 }
  }

  // MARK: - Event loop

  /// Records that a packet was carried out.
  func end() {
    state.withLock { $0.packetCount -= 1 }
    credits.signal()
  }

  /// Records whether commands of packets are in progress.
  func setQueueBusy(_ isBusy: Bool) { state.withLock { $0.isQueueBusy = isBusy } }

  /// Records whether anyone receives values.
  func setObserved(_ isObserved: Bool) { state.withLock { $0.isObserved = isObserved } }

  /// Adds an address as it was sent.
  func add(_ address: String, _ target: Target) {
    let bytes = OSCMessage(address).addressBytes
    state.withLock { state in
      guard state.targets.count < Self.maximumCount else { return }
      state.targets[bytes] = target
    }
  }

  /// Forgets all addresses.
  func removeAll() { state.withLock { $0.targets = [:] } }

  /// Returns and clears the values that were set since the last call.
  func readTouches() -> [Touch] {
    state.withLock { state in
      defer { state.touches = [] }
      return state.touches
    }
  }
}

extension OSCSurface {
  /// Takes over values that were set or have changed since.
  func refresh() {
    for touch in shortcuts.readTouches() {
      subscriptions.touch(touch.address, touch.value, by: touch.peer, at: now)
      subscriptions.renew(touch.peer, at: now)
    }
    onUse()
    arm()
  }
}
