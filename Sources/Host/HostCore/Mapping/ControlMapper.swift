// ControlMapper.swift: applies the messages of MIDI devices. SPDX-License-Identifier: MIT

import HostModel
import PluginModel
import RigPlanning
import RigSchema
import Synchronization

/// Applies the mappings of a session to the messages of MIDI devices, on their thread.
///
/// Values of plain parameters take effect without the main thread, through the mailbox; those of continuous ones move
/// from one message to the next. Other values are commands; while one is carried out, only the last value of each target
/// is kept.
final class ControlMapper: Sendable {
  /// A control counts as touched for this time after its last message, in ns.
  static let touchNanoseconds: UInt64 = 500_000_000

  private struct State {
    var decoder = ControlDecoder()
    var maps: [ActiveMap] = []
    var learner: ControlLearner?
    /// The last published state of the session.
    var session: SessionState
    /// Whether a recorder records.
    var isRecording = false
    /// Commands that wait for the one that is carried out, by target.
    var waiting: [(key: String, command: Command)] = []
    var isBusy = false
  }

  /// The client that is named as the origin of changes.
  let client: ClientID
  private let port: HostPort
  private let wake: @Sendable () -> Void
  private let state: Mutex<State>

  init(_ port: HostPort, _ session: SessionState, wake: @escaping @Sendable () -> Void) {
    (self.port, self.wake) = (port, wake)
    client = port.connect { _ in }
    state = Mutex(State(session: session))
  }

  // MARK: - Mappings

  /// Replaces the mappings; those that are the same continue. [main]
  func replace(_ plans: [MapPlan]) {
    state.withLock { state in
      let old = state.maps
      state.maps = plans.map { plan in old.first { $0.plan == plan } ?? ActiveMap(plan) }
      for index in state.maps.indices where state.maps[index].plan.map.hasFeedback {
        state.maps[index].hasUnsentFeedback = true
      }
    }
  }

  // MARK: - Messages

  /// Applies a message. [the thread of the devices]
  func receive(_ message: ControllerMessage) {
    var commands: [(key: String, command: Command)] = []
    var mustWake = false
    state.withLock { state in
      for event in state.decoder.decode(message) {
        state.learner?.observe(event)
        for index in state.maps.indices where state.maps[index].plan.map.source.matches(event) {
          state.maps[index].touched = event.time
          state.maps[index].sender = event.control
          apply(event, &state, index, &commands, &mustWake)
        }
      }
    }
    if mustWake { wake() }
    for (key, command) in commands { send(command, key) }
  }

  private func apply(
    _ event: ControlEvent, _ state: inout State, _ index: Int,
    _ commands: inout [(key: String, command: Command)], _ mustWake: inout Bool
  ) {
    let target = state.maps[index].plan.target
    switch target {
    case .action(let action):
      guard state.maps[index].response.isPress(event.value),
        let command = action.command(in: state.session, isRecording: state.isRecording)
      else { return }
      // Every press counts; the time of a tap is that of the message.
      commands.append(("", action == .tapTempo ? port.tap(at: event.time) : command))
    case .parameter(let node, let parameter):
      let rampTime = state.maps[index].plan.hasRamps ? event.time : nil
      let outcome = port.mailbox.adjust(
        node, parameter.symbol, from: client, rampTime: rampTime
      ) { present in
        state.maps[index].value(after: event, present: present, legal: target.legal)
      }
      switch outcome {
      case .set(let isFirst): mustWake = mustWake || isFirst
      case .needsMainThread(let value):
        if let command = target.command(setting: value) {
          commands.append((state.maps[index].plan.map.target, command))
        }
      case .isNotHere: command(event, &state, index, &commands)
      case .unchanged: break
      }
    case .bypass, .wet, .gain: command(event, &state, index, &commands)
    }
  }

  /// Adds the command that sets a value on the main thread.
  private func command(
    _ event: ControlEvent, _ state: inout State, _ index: Int,
    _ commands: inout [(key: String, command: Command)]
  ) {
    let target = state.maps[index].plan.target
    guard let present = target.value(in: state.session),
      let value = state.maps[index].value(after: event, present: present, legal: target.legal),
      value != present, let command = target.command(setting: value)
    else { return }
    // The next message refers to this value.
    for change in target.changes(to: value) { state.session.apply(change) }
    commands.append((state.maps[index].plan.map.target, command))
  }

  // MARK: - Commands

  /// Submits a command, or keeps it until the one before it is done.
  private func send(_ command: Command, _ key: String) {
    let isNext = state.withLock { state in
      if state.isBusy {
        let index = key.isEmpty ? nil : state.waiting.firstIndex { $0.key == key }
        if let index {
          state.waiting[index].command = command
        } else {
          state.waiting.append((key, command))
        }
        return false
      }
      state.isBusy = true
      return true
    }
    if isNext { submit(command) }
  }

  private func submit(_ command: Command) {
    port.submitDirectly(command, from: client) { [weak self] _ in self?.continueCommands() }
  }

  private func continueCommands() {
    let next = state.withLock { state -> Command? in
      guard !state.waiting.isEmpty else {
        state.isBusy = false
        return nil
      }
      return state.waiting.removeFirst().command
    }
    if let next { submit(next) }
  }

  // MARK: - Learning

  /// Starts to watch for a control that moves; nil to end it. [main]
  func learn(_ learner: ControlLearner?) { state.withLock { $0.learner = learner } }

  /// The control that has moved, and its encoding; nil for none yet. [main]
  func learned(at now: UInt64) -> (control: ControlSource, encoding: RigMap.Encoding?)? {
    state.withLock { state in
      state.learner.flatMap { learner in
        learner.result(at: now).map { ($0, learner.encoding) }
      }
    }
  }

  // MARK: - State and feedback

  /// Follows a published change. [main]
  func follow(_ changed: Event.Changed, _ session: SessionState, isRecording: Bool) {
    state.withLock { state in
      state.session = session
      state.isRecording = isRecording
      for index in state.maps.indices where state.maps[index].plan.map.hasFeedback {
        let target = state.maps[index].plan.target
        guard changed.changes.contains(where: target.isChanged),
          target.value(in: session) != state.maps[index].written
            || changed.client != client
        else { continue }
        state.maps[index].hasUnsentFeedback = true
      }
    }
  }

  /// Records whether a recorder records. [main]
  func setRecording(_ isRecording: Bool) { state.withLock { $0.isRecording = isRecording } }

  /// Returns the messages for devices whose values somebody else has changed. [main]
  ///
  /// A control that is touched receives its value after that.
  func takeFeedback(at now: UInt64) -> [(device: String, bytes: [UInt8])] {
    state.withLock { state in
      var messages: [(device: String, bytes: [UInt8])] = []
      for index in state.maps.indices where state.maps[index].hasUnsentFeedback {
        let map = state.maps[index]
        let source = map.plan.map.source
        guard now >= map.touched &+ Self.touchNanoseconds || map.touched == 0,
          let device = map.sender?.device ?? source.device,
          let value = map.plan.target.value(in: state.session)
        else { continue }
        state.maps[index].hasUnsentFeedback = false
        let position = map.plan.scale.position(of: Double(value))
        let channel = map.sender?.channel ?? source.channel ?? 1
        messages += source.messages(showing: position, channel: channel).map { (device, $0) }
      }
      return messages
    }
  }
}

extension MapPlan.Target {
  /// Returns the change of the state that setting a value makes.
  fileprivate func changes(to value: Float) -> [StateChange] {
    switch self {
    case .bypass(let node): [.bypass(node: node, isOn: value == 1)]
    case .wet(let node): [.wet(node: node, level: value / 100)]
    case .gain(let name): [.gain(connection: name, decibels: value.isFinite ? value : nil)]
    case .parameter(let node, let parameter):
      [.parameter(node: node, symbol: parameter.symbol, value: value)]
    case .action: []
    }
  }
}
