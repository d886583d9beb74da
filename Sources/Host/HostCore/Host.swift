// Host.swift: one running session, its commands and events. SPDX-License-Identifier: MIT

import AudioDriver
import Dispatch
package import HostModel
import PluginModel
package import RigSchema
package import Session

/// Owns a session, carries out the commands of clients and sends them events. [main]
///
/// A command has three steps. `prepare` checks it, on another thread if that can take long. `apply` makes the change
/// between two blocks, as a whole or not at all. `finish` increments the revision, sends the change to the other
/// clients and replies.
package final class Host {
  /// The shortest interval between publications of plain parameter values, in ns.
  private var publicationNanoseconds: UInt64 { port.mailbox.hasReplies ? 10_000_000 : 20_000_000 }

  /// The session.
  package let session: LiveSession
  /// The port to which clients send commands.
  package let port: HostPort
  /// The addresses at which users reach the interfaces. [main]
  var addresses: [String] = []
  let switcher: RigSwitcher
  let publisher: StatePublisher
  let maps: MapControl
  /// The last command of a MIDI control; nil if another command followed.
  var movement: Movement?
  private var reporter = EventReporter()
  private var targetKeys: [TargetKey] = []
  private var lastPublication: UInt64 = 0
  var lastScene: String?
  /// The load in the last report, as a fraction.
  private(set) var lastLoad = 0.0
  /// Whether a scene change was in progress at the last report.
  private var wasMorphing = false

  /// The nodes and automated parameters of a target; another key requires a new table.
  private struct TargetKey: Equatable {
    let nodes: [ObjectIdentifier]
    let automated: Set<Int>
    let moves: [ObjectIdentifier]
  }

  /// Creates a host for a session that is not started yet. [main]
  ///
  /// - Parameters:
  ///   - session: the session. Only the host uses it from now on.
  ///   - settings: the settings from the command line.
  ///   - revision: the number of changes before a restart.
  ///   - wake: called on any thread when `serve` has work to do.
  package init(
    _ session: LiveSession, _ settings: HostSettings = HostSettings(), revision: UInt64 = 0,
    wake: @escaping @Sendable () -> Void
  ) {
    self.session = session
    port = HostPort(wake: wake, queries: settings.queries)
    switcher = RigSwitcher(session, settings, onProgress: wake)
    publisher = StatePublisher(SessionState(session), port, revision: revision)
    maps = MapControl(port, publisher.state, open: settings.openControllers, wake: wake)
    switcher.onReload = { [unowned self] in _ = publishState(.file) }
    refreshTargets()
    maps.follow(session)
  }

  /// The number of changes of the state. [main]
  package var revision: UInt64 { publisher.revision }
  /// The state as it was last published. [main]
  package var snapshot: Snapshot { Snapshot(revision: revision, state: publisher.state) }

  // MARK: - Work

  /// Executes the commands that clients have sent, and continues scene changes. [main]
  ///
  /// - Returns: whether plain parameter values were published, which need no report.
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
      session.advanceMorph()
      wasMorphing = true
    }
    publishLevels()
    return hasValues
  }

  /// How long `serve` may wait to be called again, in seconds, at most `longest`. [main]
  package func pause(atMost longest: Double) -> Double {
    let longest = min(
      longest, port.levels.pause(at: DispatchTime.now().uptimeNanoseconds) ?? longest)
    guard port.mailbox.isAwaited else { return longest }
    let elapsed = DispatchTime.now().uptimeNanoseconds - lastPublication
    let interval = publicationNanoseconds
    guard elapsed < interval else { return 0 }
    return min(longest, Double(interval - elapsed) / 1e9)
  }

  /// Supervises the session, and publishes changes that no command caused; called ten times a
  /// second. [main]
  ///
  /// - Throws: the error that ends the session.
  package func report() throws -> LiveSession.Report {
    // While no block is rendered, a change would be reported without taking effect.
    let isStalled = FaultMonitor.shared?.stall != nil
    port.mailbox.setClosed(isStalled)
    if !isStalled { switcher.poll() }
    publishLevels(whenDue: false)
    var report = try session.report()
    lastLoad = report.meanLoad
    let scene = session.scenes.first(where: \.isCurrent)?.name
    let isOfScene = session.isMorphing || wasMorphing || scene != lastScene
    _ = publishState(isOfScene ? .scene : .session)
    (lastScene, wasMorphing) = (scene, session.isMorphing)
    report.midiNotices += maps.poll(self)
    publish(report)
    return report
  }

  private func publish(_ report: LiveSession.Report) {
    let events = reporter.events(
      for: report, of: session, at: publisher.seconds,
      wantsMeters: publisher.isWanted(.meter))
    for event in events { publisher.send(event) }
  }

  // MARK: - Events

  /// Seconds since the host was created, rounded to milliseconds. [any]
  package var seconds: Double { publisher.seconds }

  /// Executes the commands of interfaces so far, and publishes the start of the session. [main]
  ///
  /// - Parameter notes: messages about the start.
  package func publishStart(notes: [String]) {
    serve()
    publisher.send(reporter.started(session, notes: notes))
  }

  /// Whether `serve` must be called a hundred times a second, or after `pause`, before the next
  /// report. [main]
  package var isBusy: Bool {
    session.isMorphing || port.mailbox.isAwaited || !port.levels.isEmpty
  }

  /// Switches to each saved version of the rig file; nil if the file cannot be watched. [main]
  package func follow(_ file: FileSetWatcher?) { switcher.follow(file) }

  /// Reads the rig file again. [main]
  package func reload() { switcher.reload() }

  /// Ends all work and completes waiting commands with an error. [main]
  package func stop() {
    publishValues()
    maps.stop()
    switcher.stop()
    port.close()
  }

  // MARK: - Publication

  /// Publishes the difference from the state that was last published.
  func publishState(
    _ source: Event.Changed.Source, client: ClientID? = nil
  ) -> Event.Changed? {
    refreshTargets()
    publishValues()
    var next = SessionState(session)
    // Values that clients set meanwhile are published next, with their client as the origin.
    for pending in port.mailbox.pending {
      next.keep(pending.symbol, of: pending.node, from: publisher.state)
    }
    let change = publisher.update(to: next, origin(source, client), client: client)
    maps.follow(session)
    maps.follow(change, publisher.state, session)
    return change
  }

  /// The source that is named for a change by a client.
  private func origin(
    _ source: Event.Changed.Source, _ client: ClientID?
  ) -> Event.Changed.Source { client == maps.client ? .midi : source }

  private var mustPublishValues: Bool {
    port.mailbox.isAwaited
      && DispatchTime.now().uptimeNanoseconds - lastPublication >= publicationNanoseconds
  }

  /// Publishes values that were set directly, grouped by client, and replies.
  private func publishValues() {
    let batches = port.mailbox.take()
    guard !batches.isEmpty else { return }
    lastPublication = DispatchTime.now().uptimeNanoseconds
    for batch in batches {
      for (node, values) in Dictionary(grouping: batch.values, by: \.node) {
        session.recordManualChange(of: values.map(\.parameter), ofNode: node)
      }
      let values = publisher.state.values(
        changedBy: batch.values.map {
          .parameter(node: $0.node, symbol: $0.symbol, value: $0.value)
        }
      ).filter { $0.old != $0.new }
      let change = publisher.apply(
        values, origin(.client, batch.client), client: batch.client)
      maps.follow(change, publisher.state, session)
      session.recordValues(values)
      for completion in batch.completions {
        var reply = Reply(notes: completion.notes)
        reply.change = change
        completion.complete(reply)
      }
    }
  }

  /// Passes the nodes of the current graph to the mailbox.
  private func refreshTargets() {
    let all = session.parameterTargets
    let keys = all.map { target in
      TargetKey(
        nodes: target.nodes.map(ObjectIdentifier.init), automated: target.automated,
        moves: target.moves.map(ObjectIdentifier.init))
    }
    guard keys != targetKeys else { return }
    targetKeys = keys
    let nested = Set(session.currentRig.nested.map { $0.name.lowercased() })
    port.mailbox.replace(
      targets: all.compactMap { target in
        guard target.nodes.allSatisfy((\.capabilities.takesParametersOnAnyThread)),
          !nested.contains(target.name.lowercased())
        else { return nil }
        return .init(
          name: target.name, parameters: target.parameters, nodes: target.nodes,
          automated: target.automated, moves: target.moves)
      })
  }
}
