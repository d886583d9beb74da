// SessionLink.swift: a display's connection to its session. SPDX-License-Identifier: MIT

import Control
import ErrorModel
import HostModel
import RealtimeKit

/// Sends commands, follows the state, and connects again after the connection is lost. [main]
///
/// Messages arrive on other threads. They go through a queue to `receive`, so everything here happens on one thread.
final class SessionLink {
  /// A message that other threads send to `receive`.
  enum Arrival: Sendable {
    /// A message of the connection with this number.
    case message(Int, ControlChannel.Message)
    /// The result of an attempt to connect.
    case connected(Int, Result<ControlChannel, ControlError>)
  }

  /// The state of the connection.
  enum Status: Equatable {
    case connecting, connected, lost
  }

  /// Pauses before attempts to connect again, in seconds.
  private static let retrySeconds = [0.3, 0.7, 1.5, 3, 5]
  /// How many times a second levels are requested.
  private static let levelsPerSecond = 20
  /// Commands that are sent before their replies; the session reads more only when it has carried them out.
  static let maximumOpenCount = 32
  /// Commands that wait to be sent, such as those of a key that is held.
  static let maximumQueueCount = 1_000

  /// The name of the session.
  let name: String
  private(set) var mirror = SessionMirror()
  private(set) var status = Status.connecting
  /// Called after the state has changed; an empty list means a new snapshot.
  var onChange: ([StateChange]) -> Void = { _ in }
  /// Called for each event but `changed`.
  var onEvent: (Event) -> Void = { _ in }
  /// Called with messages for the user, and whether they are errors.
  var showMessage: (String, Bool) -> Void = { _, _ in }
  /// Called after the connection was made or lost.
  var onStatus: () -> Void = {}

  private let post: @Sendable (Arrival) -> Void
  private var channel: ControlChannel?
  private var generation = 0
  private var attempt = 0
  private var retryTime: ContinuousClock.Instant?
  private var lastID = 0
  private var waiting: [Int: Completion] = [:]
  private var queue: [(command: Command, reply: Completion)] = []
  /// The values whose replies are missing, by target and symbol, and the values to send after them.
  private var movements: [MovedValue: String?] = [:]
  private var process: Int?
  /// The number of `levels` events.
  private var levelCount = 0

  private typealias Completion = (Result<Reply, ErrorInfo>) -> Void

  private struct MovedValue: Hashable {
    var target: String
    var symbol: String
  }

  /// Creates a link to the session with a name; `connect` begins.
  ///
  /// `post` is called on other threads, with what `receive` must get on this one.
  init(_ name: String, post: @escaping @Sendable (Arrival) -> Void) {
    (self.name, self.post) = (name, post)
  }

  // MARK: - Connection

  /// Connects on another thread.
  func connect() {
    generation += 1
    retryTime = nil
    status = .connecting
    let (number, name, post) = (generation, name, post)
    _ = DetachedThread.start {
      let result = Result { () throws(ControlError) in
        try ControlChannel(run: name) { post(.message(number, $0)) }
      }
      post(.connected(number, result))
    }
  }

  /// The time of the next attempt to connect; nil while there is a connection.
  var nextAttempt: ContinuousClock.Instant? { retryTime }

  /// Connects again if it is time.
  func tick(_ now: ContinuousClock.Instant) {
    if let time = retryTime, now >= time { connect() }
  }

  /// Ends the connection.
  func close() {
    generation += 1
    channel?.close()
    channel = nil
  }

  /// Takes what another thread has posted.
  func receive(_ arrival: Arrival) {
    switch arrival {
    case .connected(let number, let result):
      guard number == generation else {
        if case .success(let late) = result { late.close() }
        return
      }
      switch result {
      case .success(let channel): begin(channel)
      case .failure(let error): lose(error)
      }
    case .message(let number, let message):
      guard number == generation else { return }
      take(message)
    }
  }

  private func begin(_ channel: ControlChannel) {
    self.channel = channel
    // A session that was started again counts its revisions from the beginning.
    request(.status) { [self] reply in
      guard case .success(let reply) = reply, case .status(let status)? = reply.result else {
        return
      }
      let isKnown = status.process == process
      process = status.process
      subscribe(from: isKnown ? mirror.revision : nil)
    }
  }

  private func subscribe(from revision: UInt64?) {
    let command = Command.Subscribe(
      events: Event.Kind.allCases, revision: revision, levels: Self.levelsPerSecond)
    request(.subscribe(command)) { [self] reply in
      if case .failure(let error) = reply { return lose(.refused(error)) }
      guard case .success(let reply) = reply, case .subscribed(let begun)? = reply.result,
        begun.version == Protocol.version
      else { return lose(.protocolError(name: name)) }
      attempt = 0
      status = .connected
      if let snapshot = begun.snapshot {
        mirror.restore(snapshot)
        onChange([])
      }
      onStatus()
    }
  }

  private func lose(_ error: ControlError) {
    close()
    let pause = Self.retrySeconds[min(attempt, Self.retrySeconds.count - 1)]
    attempt += 1
    retryTime = ContinuousClock.now + .seconds(pause)
    movements = [:]
    let lost = waiting
    waiting = [:]
    let info = ErrorInfo(error)
    for (_, reply) in lost { reply(.failure(info)) }
    sendQueue()
    if case .refused(let error) = error, attempt == 1 { showMessage(error.message, true) }
    if status != .lost {
      status = .lost
      onStatus()
    }
  }

  private func take(_ message: ControlChannel.Message) {
    switch message {
    case .ended(let error): lose(error)
    case .event(let message):
      if case .changed(let changed) = message.event { return apply(changed) }
      onEvent(message.event)
    case .reply(let message):
      guard case .integer(let number)? = message.id,
        let reply = waiting.removeValue(forKey: number)
      else { return }
      sendQueue()
      if let change = message.reply.change { apply(change) }
      reply(message.reply.error.map { .failure($0) } ?? .success(message.reply))
    }
  }

  private func apply(_ changed: Event.Changed) {
    let changes = mirror.apply(changed)
    if !changes.isEmpty { onChange(changes) }
  }

  // MARK: - Commands

  /// Sends a command when few others are open; `reply` is called later, also if the connection is lost.
  func request(_ command: Command, _ reply: @escaping (Result<Reply, ErrorInfo>) -> Void) {
    queue.append((command, reply))
    sendQueue()
  }

  /// Sends what the session may get now; without a connection, all commands fail.
  private func sendQueue() {
    if queue.count > Self.maximumQueueCount, let last = queue.popLast() {
      let message = "\(queue.count) commands wait for the session. The last one was not sent."
      last.reply(.failure(ErrorInfo(message: message, kind: .busy)))
    }
    while waiting.count < Self.maximumOpenCount, !queue.isEmpty {
      let next = queue.removeFirst()
      guard let channel else {
        next.reply(.failure(ErrorInfo(ControlError.ended(name: name))))
        continue
      }
      lastID += 1
      waiting[lastID] = next.reply
      if !channel.send(CommandMessage(next.command, id: .integer(lastID))) {
        lose(.ended(name: name))
      }
    }
  }

  /// Sends a command, and shows its messages and errors; `then` is called after success.
  func run(_ command: Command, then: @escaping (Reply) -> Void = { _ in }) {
    guard status == .connected else { return showMessage("The session is not connected.", true) }
    request(command) { [self] result in
      switch result {
      case .success(let reply):
        for note in reply.notes { showMessage(note, false) }
        then(reply)
      case .failure(let error): showMessage(error.message, true)
      }
    }
  }

  /// Confirms an event `levels`; only each fourth is sent, as the session may send four ahead.
  func acknowledge(_ sequence: Int) {
    levelCount += 1
    guard levelCount.isMultiple(of: 4) else { return }
    _ = channel?.send(CommandMessage(.acknowledge(sequence)))
  }

  /// Sets values of a node or connection.
  func set(_ target: String, _ symbol: String, _ value: String) {
    run(.set(.init(node: target, values: [.init(symbol, value)])))
  }

  /// Sets a value while a control moves: one command is on its way, and the last value wins.
  func move(_ target: String, _ symbol: String, _ value: String) {
    let moved = MovedValue(target: target, symbol: symbol)
    if movements[moved] != nil {
      movements[moved] = .some(value)
      return
    }
    send(moved, value)
  }

  private func send(_ moved: MovedValue, _ value: String) {
    guard status == .connected else { return showMessage("The session is not connected.", true) }
    movements[moved] = .some(nil)
    let command = Command.set(
      .init(node: moved.target, values: [.init(moved.symbol, value)]))
    request(command) { [self] result in
      let next = movements.removeValue(forKey: moved) ?? nil
      if case .failure(let error) = result { return showMessage(error.message, true) }
      if case .success(let reply) = result { for note in reply.notes { showMessage(note, false) } }
      if let next { send(moved, next) }
    }
  }

  /// Whether a value of this display is being sent.
  func isMoving(_ target: String, _ symbol: String) -> Bool {
    movements[MovedValue(target: target, symbol: symbol)] != nil
  }
}
