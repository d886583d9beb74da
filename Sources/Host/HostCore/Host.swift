// Host.swift: one running session, its commands and events. SPDX-License-Identifier: MIT

import Dispatch
package import HostModel
import PluginModel
package import Rig
package import Session

/// Owns a session, carries out the commands of clients and sends them events. [main]
///
/// A command has three steps. `prepare` checks it, on another thread if that can take long. `apply` makes the change
/// between two blocks, as a whole or not at all. `finish` increments the revision, sends the change to the other
/// clients and replies.
package final class Host {
  /// Values of plain parameters are published at most this often.
  private static let publicationNanoseconds: UInt64 = 5_000_000

  /// The session.
  package let session: LiveSession
  /// Where clients send commands.
  package let port: HostPort
  let switcher: RigSwitcher
  let publisher: StatePublisher
  private var reporter = EventReporter()
  private let reportsMeters: Bool
  private var targetKeys: [TargetKey] = []
  private var lastPublication: UInt64 = 0
  private var lastScene: String?
  /// Whether values were on their way to a scene since the last report.
  private var wasMorphing = false

  /// The nodes and automated parameters of a target; another key requires a new table.
  private struct TargetKey: Equatable {
    let nodes: [ObjectIdentifier]
    let automated: Set<Int>
  }

  /// A host for a session that is made but not started yet. [main]
  ///
  /// - Parameters:
  ///   - session: made, and not used by anyone else from now on.
  ///   - settings: how it was started.
  ///   - wake: called on any thread when there is something for `serve` to do.
  package init(
    _ session: LiveSession, _ settings: HostSettings = HostSettings(),
    wake: @escaping @Sendable () -> Void
  ) {
    self.session = session
    port = HostPort(wake: wake)
    switcher = RigSwitcher(session, settings, onProgress: wake)
    publisher = StatePublisher(SessionState(session), port)
    reportsMeters = settings.reportsMeters
    switcher.onReload = { [unowned self] in _ = publishState(.file) }
    refreshTargets()
  }

  /// How many changes of the state there were. [main]
  package var revision: UInt64 { publisher.revision }
  /// The state as it was published last. [main]
  package var snapshot: Snapshot { Snapshot(revision: revision, state: publisher.state) }

  // MARK: - Work

  /// Carries out what clients have sent, and moves values on that are on their way to a scene. [main]
  ///
  /// - Returns: whether there were values of plain parameters, which call for no report.
  @discardableResult
  package func serve() -> Bool {
    let hasValues = !port.mailbox.isEmpty
    if mustPublishValues { publishValues() }
    for command in port.takeCommands() {
      // Values that were sent before the command are published before it.
      publishValues()
      carryOut(command)
    }
    if session.isMorphing {
      publishValues()
      session.morphOn()
      wasMorphing = true
    }
    return hasValues
  }

  /// How long `serve` may wait to be called again, in seconds, at most `longest`. [main]
  package func pause(atMost longest: Double) -> Double {
    guard !port.mailbox.isEmpty else { return longest }
    let elapsed = DispatchTime.now().uptimeNanoseconds - lastPublication
    guard elapsed < Self.publicationNanoseconds else { return 0 }
    return min(longest, Double(Self.publicationNanoseconds - elapsed) / 1e9)
  }

  /// Supervises the session, as is due ten times a second, and publishes what it changes by itself. [main]
  ///
  /// - Throws: what ends the session.
  package func report() throws -> LiveSession.Report {
    // While no block is rendered, a change would be reported without taking effect.
    let isStalled = FaultMonitor.shared?.stall != nil
    port.mailbox.setClosed(isStalled)
    if !isStalled { switcher.attend() }
    let report = try session.report()
    let scene = session.scenes.first(where: \.isCurrent)?.name
    let isOfScene = session.isMorphing || wasMorphing || scene != lastScene
    _ = publishState(isOfScene ? .scene : .session)
    (lastScene, wasMorphing) = (scene, session.isMorphing)
    publish(report)
    return report
  }

  private func publish(_ report: LiveSession.Report) {
    let events = reporter.events(
      for: report, of: session, at: publisher.seconds,
      wantsMeters: reportsMeters || publisher.isWanted(.meter))
    for event in events { publisher.send(event) }
  }

  // MARK: - Events

  /// Seconds since the host was created, rounded to milliseconds. [any]
  package var seconds: Double { publisher.seconds }

  /// Sets the function that receives every event in this process. [main]
  package func observe(_ observer: @escaping (EventMessage) -> Void) {
    publisher.observer = observer
  }

  /// Publishes that the devices were opened. [main]
  ///
  /// - Parameter notes: what is worth knowing, one sentence each.
  package func publishStart(notes: [String]) {
    publisher.send(reporter.started(session, notes: notes))
  }

  /// Publishes that the session has ended. [main]
  ///
  /// - Parameter notices: what has happened since the last report, one sentence each.
  package func publishEnd(notices: [String]) {
    for notice in notices { publisher.send(.notice(.init(notice: notice))) }
    publisher.send(.stopped(.init(session)))
  }

  /// Sends the fault that ends the session to clients. [any, while the main thread does nothing]
  package func publishFailure(_ fault: FatalFault) {
    publisher.sendToClients(.failure(.init(fault)))
  }

  /// Whether `serve` is to be called a hundred times a second, or after `pause`, before the next report. [main]
  package var isBusy: Bool { session.isMorphing || !port.mailbox.isEmpty }

  /// Switches to what the rig file becomes each time it is saved; nil if it cannot be watched. [main]
  package func follow(_ file: RigFileWatcher?) { switcher.follow(file) }

  /// Reads the rig file again. [main]
  package func reload() { switcher.reload() }

  /// Ends all work and completes waiting commands with an error. [main]
  package func stop() {
    publishValues()
    switcher.stop()
    port.close()
  }

  // MARK: - Commands

  private func carryOut(_ pending: PendingCommand) {
    if let stall = FaultMonitor.shared?.stall, !pending.command.worksWithoutSound {
      pending.complete(Reply(CommandError.stalled(stall.sentence)))
      return
    }
    switch pending.command {
    case .status: finish(StatusCommand(), pending)
    case .set(let set): finish(SetCommand(values: set), pending)
    case .save(let save): finish(SaveCommand(save: save), pending)
    case .scene(let scene): finish(SceneCommand(scene: scene), pending)
    case .record(let record): finish(RecordCommand(record: record), pending)
    case .play(let play): finish(PlayCommand(play: play), pending)
    case .meters(let meters): finish(MetersCommand(meters: meters), pending)
    case .top: finish(TopCommand(), pending)
    case .blackBox(let box): finish(BlackBoxCommand(box: box), pending)
    case .load(let load): SwitchCommand.load(load.file).begin(in: self, pending)
    case .undo: SwitchCommand.undo.begin(in: self, pending)
    case .redo: SwitchCommand.redo.begin(in: self, pending)
    case .subscribe(let wish):
      publisher.subscribe(pending.client, wish, complete: pending.complete)
    case .unsubscribe:
      publisher.unsubscribe(pending.client)
      pending.complete(Reply())
    }
  }

  private func finish(_ command: some HostCommand, _ pending: PendingCommand) {
    finish(pending) { try command.apply(try command.prepare(in: self), in: self) }
  }

  /// Replies with what a command led to, once that is published.
  func finish(_ pending: PendingCommand, _ apply: () throws -> Reply) {
    var reply: Reply
    do { reply = try apply() } catch { reply = Reply(error) }
    if pending.command.changesState {
      reply.change = publishState(.client, client: pending.client)
      lastScene = session.scenes.first(where: \.isCurrent)?.name
    }
    pending.complete(reply)
  }

  // MARK: - Publication

  /// Publishes what differs from the state that was published last.
  func publishState(
    _ source: Event.Changed.Source, client: ClientID? = nil
  ) -> Event.Changed? {
    refreshTargets()
    publishValues()
    var next = SessionState(session)
    // Values that clients set meanwhile are published next, with their client.
    for pending in port.mailbox.pending {
      next.keep(pending.symbol, of: pending.node, from: publisher.state)
    }
    return publisher.update(to: next, source, client: client)
  }

  private var mustPublishValues: Bool {
    !port.mailbox.isEmpty && pause(atMost: 1) == 0
  }

  /// Publishes values that have been set directly, each client's together, and replies.
  private func publishValues() {
    let batches = port.mailbox.take()
    guard !batches.isEmpty else { return }
    lastPublication = DispatchTime.now().uptimeNanoseconds
    for batch in batches {
      for (node, values) in Dictionary(grouping: batch.values, by: \.node) {
        session.noteManualChange(of: values.map(\.parameter), ofNode: node)
      }
      let change = publisher.apply(
        batch.values.map {
          .parameter(node: $0.node, symbol: $0.symbol, value: $0.value)
        }, .client, client: batch.client)
      for completion in batch.completions {
        var reply = Reply(notes: completion.notes)
        reply.change = change
        completion.complete(reply)
      }
    }
  }

  /// Gives the mailbox the nodes of the current graph.
  private func refreshTargets() {
    let all = session.parameterTargets
    let keys = all.map { target in
      TargetKey(nodes: target.nodes.map(ObjectIdentifier.init), automated: target.automated)
    }
    guard keys != targetKeys else { return }
    targetKeys = keys
    let nested = Set(session.currentRig.nested.map { $0.name.lowercased() })
    port.mailbox.replace(
      targets: all.compactMap { target in
        guard target.nodes.allSatisfy((\.abilities.takesParametersOnAnyThread)),
          !nested.contains(target.name.lowercased())
        else { return nil }
        return .init(
          name: target.name, parameters: target.parameters, nodes: target.nodes,
          automated: target.automated)
      })
  }
}
