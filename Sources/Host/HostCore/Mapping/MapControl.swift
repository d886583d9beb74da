// MapControl.swift: the MIDI mappings of a host. SPDX-License-Identifier: MIT

import CRealtime
import ErrorModel
import HostModel
import RigPlanning
import RigSchema
import Session

/// Opens the devices of mappings, learns new ones and sends feedback. [main]
///
/// Without mappings nothing is opened.
final class MapControl {
  /// How long a control may take to be moved, in ns.
  static let learnNanoseconds: UInt64 = 30_000_000_000

  /// A command that waits for a control.
  private struct Learning {
    let pending: PendingCommand
    let target: String
    /// The range and words after the target.
    let options: String
    let device: String?
    let deadline: UInt64
  }

  private let mapper: ControlMapper
  private let port: HostPort
  private let open: ControllerOpener?
  private var plans: [MapPlan] = []
  private var link: (any ControllerLink)?
  private var request: ControllerRequest?
  private var learning: Learning?
  /// The notices for the next report.
  private var notices: [HostNotice] = []

  init(
    _ port: HostPort, _ session: SessionState, open: ControllerOpener?,
    wake: @escaping @Sendable () -> Void
  ) {
    (self.port, self.open) = (port, open)
    mapper = ControlMapper(port, session, wake: wake)
  }

  /// The client that is named as the origin of changes.
  var client: ClientID { mapper.client }

  // MARK: - Mappings

  /// Uses the mappings of the session's present rig.
  func follow(_ session: LiveSession) {
    guard session.maps != plans else { return }
    plans = session.maps
    mapper.replace(plans)
    do { try connect() } catch {
      notices.append(.mappingsInactive(error))
    }
  }

  /// Follows a published change.
  func follow(_ changed: Event.Changed?, _ state: SessionState, _ session: LiveSession) {
    guard let changed, !plans.isEmpty else { return }
    mapper.follow(changed, state, isRecording: session.recorderStates.contains(true))
    sendFeedback()
  }

  /// Connects the devices that mappings and learning need.
  private func connect() throws {
    let sources = plans.map(\.map.source)
    var needed = ControllerRequest(
      devices: Set(sources.compactMap(\.device)),
      includesHardware: sources.contains { $0.device == nil })
    if let learning {
      if let device = learning.device { needed.devices.insert(device) }
      needed.includesHardware = needed.includesHardware || learning.device == nil
    }
    guard needed != request else { return }
    link?.stop()
    (link, request) = (nil, nil)
    guard !needed.devices.isEmpty || needed.includesHardware else { return }
    guard let open else { throw MapError.noDevices }
    link = try open(needed) { [mapper] in mapper.receive($0) }
    request = needed
  }

  // MARK: - Supervision

  /// Ends learning, sends feedback, and returns notices; called ten times a second.
  func poll(_ host: Host) -> [HostNotice] {
    guard link != nil || learning != nil || !notices.isEmpty else { return [] }
    let now = crealtime_nanoseconds()
    if learning != nil { pollLearning(host, now) }
    mapper.setRecording(host.session.recorderStates.contains(true))
    sendFeedback()
    defer { notices = [] }
    return notices + (link?.takeNotices() ?? [])
  }

  private func sendFeedback() {
    guard let link else { return }
    for message in mapper.takeFeedback(at: crealtime_nanoseconds()) {
      link.send(message.bytes, to: message.device)
    }
  }

  // MARK: - Learning

  /// Waits for a control that moves, or cancels that.
  func learn(_ command: Command.Learn, _ pending: PendingCommand, _ host: Host) {
    guard let target = command.target else {
      let hadTarget = learning?.target
      end { _ in Reply(MapError.cancelled) }
      pending.complete(
        hadTarget == nil ? Reply(MapError.nothingToCancel) : Reply())
      return
    }
    do {
      if let learning { throw MapError.busy(target: learning.target) }
      let options = [command.range, command.options].compactMap(\.self).joined(separator: " ")
      // The control is a placeholder: target and options are checked.
      let trial = try host.session.plan(RigMap("cc 0 -> \(target) \(options)"))
      learning = Learning(
        pending: pending, target: trial.namedMap.target, options: options, device: command.device,
        deadline: crealtime_nanoseconds() + Self.learnNanoseconds)
      do { try connect() } catch {
        learning = nil
        throw error
      }
      mapper.learn(
        ControlLearner(isForButton: trial.target.needsPress, device: command.device))
    } catch {
      pending.complete(Reply(error))
    }
  }

  private func pollLearning(_ host: Host, _ now: UInt64) {
    guard let learning else { return }
    if !port.isConnected(learning.pending.client) {
      end { _ in Reply(MapError.cancelled) }
    } else if let (control, encoding) = mapper.learned(at: now) {
      end { pending in
        host.finish(pending) { try bind(control, encoding, learning, host) }
        return nil
      }
    } else if now >= learning.deadline {
      end { _ in Reply(MapError.timeout(device: learning.device)) }
    }
  }

  /// Ends learning, and replies with the result of `finish` unless that has replied.
  private func end(_ finish: (PendingCommand) -> Reply?) {
    guard let learning = learning.take() else { return }
    mapper.learn(nil)
    if let reply = finish(learning.pending) { learning.pending.complete(reply) }
    // A device that was opened to learn is closed.
    try? connect()
  }

  private func bind(
    _ control: ControlSource, _ encoding: RigMap.Encoding?, _ learning: Learning, _ host: Host
  ) throws -> Reply {
    var map = try RigMap("\(control) -> \(learning.target) \(learning.options)")
    if let encoding, map.mode == nil, map.action == nil { map.mode = .relative(encoding) }
    let maps = host.session.currentRig.maps.filter {
      $0.source != map.source || $0.target != map.target
    }
    let notes = try host.session.setMaps(maps + [map])
    return Reply(
      notes: ["\(map.source) now controls \(map.target)."] + sharing(map, maps) + notes,
      .maps([MapInfo(map, number: maps.count + 1)]))
  }

  /// Returns a message if the control has other targets too.
  private func sharing(_ map: RigMap, _ others: [RigMap]) -> [String] {
    let targets = others.filter { $0.source == map.source }.map(\.target)
    return targets.isEmpty ? [] : ["It also controls \(targets.joined(separator: " and "))."]
  }

  /// Ends everything.
  func stop() {
    end { _ in Reply(HostStateError.ending) }
    link?.stop()
    link = nil
  }
}

extension MapPlan.Target {
  /// Whether a control needs only to be pressed.
  fileprivate var needsPress: Bool { if case .action = self { true } else { isSwitch } }
}

extension MapInfo {
  /// Describes a mapping of a rig.
  init(_ map: RigMap, number: Int) {
    var options = map
    options.target = ""
    let line = options.description
    let rest = line.dropFirst("\(map.source) ->".count)
    self.init(
      number: number, control: map.source.description, target: map.target,
      options: String(rest.drop { $0 == " " }))
  }
}
