// ShellLink.swift: the connection of `outboard shell`. SPDX-License-Identifier: MIT

import Control
import Dispatch
import HostModel
import Synchronization

/// One client for all commands and announcements of a shell.
///
/// A session sends no client its own changes, so only those of others are announced.
final class ShellLink: Sendable {
  private struct State {
    var channel: ControlChannel?
    var lastID = 0
    /// The replies that have arrived, by the number of the command; nil while one is missing.
    var replies: [Int: Result<Reply, ControlError>?] = [:]
    /// Prints an announcement; nil without announcements.
    var announce: (@Sendable (String) -> Void)?
  }

  /// The name of the session.
  let name: String
  private let state = Mutex(State())
  private let arrival = DispatchSemaphore(value: 0)

  /// A connection to a session, which is made by the first command.
  init(_ name: String) { self.name = name }

  // MARK: - Commands

  /// Sends a command, and waits for the reply. [one thread]
  ///
  /// - Throws: `ControlError`.
  func send(_ command: Command) throws -> Reply {
    let seconds = ControlClient.replySeconds(command)
    let usual = ControlClient.replySeconds(.status)
    // A session that does not answer at all is reported soon.
    if seconds > usual { _ = try reply(to: submit(.status), within: usual) }
    return try reply(to: submit(command), within: seconds)
  }

  /// Sends a command that waits for a person; `accepted` is called once the session waits. [one thread]
  ///
  /// - Throws: `ControlError`.
  func send(_ command: Command, accepted: () -> Void) throws -> Reply {
    let number = try submit(command)
    // The session checks commands in their order.
    _ = try? send(.map(.list))
    if state.withLock({ $0.replies[number] }) == .some(nil) { accepted() }
    return try reply(to: number, within: ControlClient.replySeconds(command))
  }

  private func submit(_ command: Command) throws -> Int {
    let channel = try connection()
    let number = state.withLock { state in
      state.lastID += 1
      state.replies[state.lastID] = .some(nil)
      return state.lastID
    }
    guard channel.send(CommandMessage(command, id: .integer(number))) else {
      disconnect()
      throw ControlError.ended(name: name)
    }
    return number
  }

  private func reply(to number: Int, within seconds: Double) throws -> Reply {
    let end = DispatchTime.now() + seconds
    while true {
      if let result = state.withLock({ $0.replies[number] ?? nil }) {
        state.withLock { $0.replies[number] = nil }
        return try result.get()
      }
      guard arrival.wait(timeout: end) == .success else {
        disconnect()
        throw ControlError.noResponse(name: name, seconds: seconds, process: nil)
      }
    }
  }

  // MARK: - Announcements

  /// Begins to announce the changes of others, and messages; does nothing if it has begun. [one thread]
  func watch(_ announce: @escaping @Sendable (String) -> Void) throws {
    guard state.withLock({ $0.announce }) == nil else { return }
    let kinds = Event.Kind.allCases.filter { !$0.isReplaceable }
    state.withLock { $0.announce = announce }
    do {
      _ = try send(.subscribe(.init(events: kinds)))
    } catch {
      state.withLock { $0.announce = nil }
      throw error
    }
  }

  /// Ends the announcements. [one thread]
  func unwatch() {
    guard state.withLock({ $0.announce.take() }) != nil else { return }
    _ = try? send(.unsubscribe)
  }

  // MARK: - Connection

  private func connection() throws -> ControlChannel {
    if let channel = state.withLock({ $0.channel }) { return channel }
    let channel = try ControlChannel(run: name) { [weak self] in self?.take($0) }
    state.withLock { $0.channel = channel }
    return channel
  }

  private func disconnect() { state.withLock { $0.channel.take() }?.close() }

  private func take(_ message: ControlChannel.Message) {
    switch message {
    case .event(let message):
      guard let announce = state.withLock({ $0.announce }) else { return }
      for line in EventFormatter.lines(message) { announce(line) }
    case .reply(let message):
      guard case .integer(let number)? = message.id else { return }
      let reply = message.reply
      state.withLock { state in
        guard state.replies[number] != nil else { return }
        state.replies[number] = reply.error.map { .failure(.refused($0)) } ?? .success(reply)
      }
      arrival.signal()
    case .ended(let error):
      let announce = state.withLock { state in
        for number in state.replies.keys where state.replies[number] == .some(nil) {
          state.replies[number] = .failure(error)
        }
        state.channel = nil
        return state.announce.take()
      }
      arrival.signal()
      announce?("\(error)")
    }
  }
}
