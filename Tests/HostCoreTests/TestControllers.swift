// TestControllers.swift: MIDI devices that a test plays. SPDX-License-Identifier: MIT

import ErrorModel
import HostCore
import Synchronization

/// The MIDI devices of a host under test.
final class TestControllers: Sendable {
  private struct State {
    var receive: (@Sendable (ControllerMessage) -> Void)?
    var request: ControllerRequest?
    var sent: [(device: String, bytes: [UInt8])] = []
  }

  private let state = Mutex(State())

  /// The devices that the host has opened; nil for none.
  var request: ControllerRequest? { state.withLock(\.request) }

  func open(
    _ request: ControllerRequest, _ receive: @escaping @Sendable (ControllerMessage) -> Void
  ) throws -> any ControllerLink {
    state.withLock { ($0.request, $0.receive) = (request, receive) }
    return Link(self)
  }

  /// Plays a message of a device.
  func play(_ bytes: UInt8..., device: String = "desk", at milliseconds: UInt64 = 1) {
    play(bytes, device: device, at: milliseconds)
  }

  /// Plays a message of a device.
  func play(_ bytes: [UInt8], device: String = "desk", at milliseconds: UInt64) {
    let receive = state.withLock(\.receive)
    receive?(
      ControllerMessage(time: milliseconds * 1_000_000, device: device, bytes: bytes))
  }

  /// Returns and clears what was sent to devices.
  func takeSent() -> [(device: String, bytes: [UInt8])] {
    state.withLock { state in
      defer { state.sent = [] }
      return state.sent
    }
  }

  private final class Link: ControllerLink {
    let owner: TestControllers
    init(_ owner: TestControllers) { self.owner = owner }
    func send(_ bytes: [UInt8], to device: String) {
      owner.state.withLock { $0.sent.append((device, bytes)) }
    }
    func takeNotices() -> [HostNotice] { [] }
    func stop() { owner.state.withLock { ($0.receive, $0.request) = (nil, nil) } }
  }
}
