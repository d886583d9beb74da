// OSCCommandQueue.swift: passes commands from packets to the session. SPDX-License-Identifier: MIT

import HostModel
import NIOCore

/// Sets plain parameters at once, and passes other commands to a separate thread. [event loop]
///
/// Values of plain parameters are coalesced if the session is slower than a sender. They never overtake another command
/// of the same sender.
final class OSCCommandQueue {
  /// Values that take effect with their replies.
  private static let maximumOpenCount = 128
  /// Values that have taken effect, and whose replies are still to come: seconds of a busy session.
  private static let maximumPostedCount = 4_096
  /// Values that may wait.
  private static let maximumWaitingCount = 4_096

  private struct Key: Hashable {
    let peer: OSCPeer
    let address: String
  }

  private let port: any CommandPort
  /// The sender of all commands.
  let client: ClientID
  /// Receives whether a command is in progress that no value may overtake.
  var onBusy: (Bool) -> Void = { _ in }
  private var isBusy = false
  private let worker: CommandWorker
  private let eventLoop: any EventLoop
  private let onError: (OSCPeer, String, String) -> Void
  private var openCount = 0
  /// The numbers of the values that have taken effect.
  private var posted: Set<Int> = []
  private var lastNumber = 0
  /// The commands of each sender that the worker has not finished.
  private var busy: [OSCPeer: Int] = [:]
  private var deferred: [Key: Command] = [:]
  /// The keys of `deferred` in their order.
  private var order: [Key] = []

  /// - Parameters:
  ///   - port: carries out commands.
  ///   - eventLoop: calls everything here.
  ///   - onError: receives the sender, the address and the message of a command that failed.
  init(
    _ port: any CommandPort, on eventLoop: any EventLoop,
    onError: @escaping (OSCPeer, String, String) -> Void
  ) {
    (self.port, self.eventLoop, self.onError) = (port, eventLoop, onError)
    client = port.connect { _ in }
    worker = CommandWorker(port)
  }

  /// Ends the thread and the client.
  func stop() {
    worker.stop()
    port.disconnect(client)
  }

  /// Sets a plain parameter to a number.
  func set(_ command: Command, at address: String, from peer: OSCPeer) {
    let key = Key(peer: peer, address: address)
    if deferred.updateValue(command, forKey: key) == nil {
      guard deferred.count <= Self.maximumWaitingCount else {
        deferred[key] = nil
        return onError(peer, address, Self.busyMessage)
      }
      order.append(key)
    }
    submitWaiting()
    reportBusy()
  }

  /// Carries out any other command.
  func perform(_ command: Command, at address: String, from peer: OSCPeer) {
    for key in order where key.peer == peer {
      if let value = deferred.removeValue(forKey: key) { pass(value, key) }
    }
    order.removeAll { $0.peer == peer }
    pass(command, Key(peer: peer, address: address))
    reportBusy()
  }

  private static let busyMessage = "The session is busy. Send less, or later."

  private func pass(_ command: Command, _ key: Key) {
    let bound = NIOLoopBound(self, eventLoop: eventLoop)
    let isAdded = worker.add(command) { [eventLoop] reply in
      eventLoop.execute { bound.value.finishPassed(reply, key) }
    }
    guard isAdded else { return onError(key.peer, key.address, Self.busyMessage) }
    busy[key.peer, default: 0] += 1
  }

  private func finishPassed(_ reply: Reply, _ key: Key) {
    let count = (busy[key.peer] ?? 1) - 1
    busy[key.peer] = count > 0 ? count : nil
    report(reply, key)
    submitWaiting()
    reportBusy()
  }

  private func reportBusy() {
    let isBusy = !busy.isEmpty || !order.isEmpty
    guard isBusy != self.isBusy else { return }
    self.isBusy = isBusy
    onBusy(isBusy)
  }

  private func submitWaiting() {
    guard !order.isEmpty else { return }
    var waiting: [Key] = []
    for (index, key) in order.enumerated() {
      guard openCount < Self.maximumOpenCount, posted.count < Self.maximumPostedCount else {
        waiting += order[index...]
        break
      }
      guard busy[key.peer] == nil else {
        waiting.append(key)
        continue
      }
      if let command = deferred.removeValue(forKey: key) { submit(command, key) }
    }
    order = waiting
  }

  private func submit(_ command: Command, _ key: Key) {
    lastNumber += 1
    let number = lastNumber
    let bound = NIOLoopBound(self, eventLoop: eventLoop)
    let result = port.submit(command, from: client) { [eventLoop] reply in
      eventLoop.execute { bound.value.finish(reply, number, key) }
    }
    // The sound must not wait for the replies of a session that is busy.
    if case .canContinue = result { posted.insert(number) } else { openCount += 1 }
  }

  private func finish(_ reply: Reply, _ number: Int, _ key: Key) {
    if posted.remove(number) == nil { openCount -= 1 }
    report(reply, key)
    submitWaiting()
    reportBusy()
  }

  private func report(_ reply: Reply, _ key: Key) {
    if let error = reply.error { onError(key.peer, key.address, error.message) }
  }
}
