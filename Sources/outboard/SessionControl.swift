// SessionControl.swift: what others can ask of a run. SPDX-License-Identifier: MIT

import Control
import FilePlayback
import FileRecording
import FoundationEssentials
import Glibc
import PluginModel
import RenderGraph
import Rig
import Session

/// Meets the requests that reach a run's socket. [main]
final class SessionControl {
  private let session: LiveSession
  private let editing: RigSwitcher
  private let server: ControlServer

  /// Listens under a name; `onArrival` is called on another thread when there is something to answer.
  init(
    _ session: LiveSession, _ editing: RigSwitcher, named name: String,
    onArrival: @escaping @Sendable () -> Void
  ) throws(ControlError) {
    self.session = session
    self.editing = editing
    server = try ControlServer(
      named: Self.name(for: name), check: { PathProbe.refusal(of: $0) }, onArrival: onArrival)
  }

  /// What a run is called that is to have a name like this.
  static func name(for text: String) -> String { SocketDirectory.name(for: text) }

  /// Meets all requests that have come.
  func answer() {
    server.serve { request, later in
      if let stall = FaultMonitor.shared?.stall, request.action != .describe {
        return Self.reply(.failure(Stalled(stall)))
      }
      let tell: RigSwitcher.CompletionHandler = {
        later(Self.reply($0.map { ControlReply(notes: $0) }))
      }
      do {
        switch request.action {
        case .load: editing.load(try Self.file(of: request), tell: tell)
        case .undo: editing.undo(tell: tell)
        case .redo: editing.redo(tell: tell)
        default: return Self.reply(.success(try meet(request)))
        }
        return nil
      } catch {
        return Self.reply(.failure(error))
      }
    }
  }

  private static func reply(_ outcome: Result<ControlReply, any Error>) -> ControlReply {
    switch outcome {
    case .success(let reply): return reply
    case .failure(let error):
      let isWorkFailed =
        error is SaveError || error is SupersededError || error is BlackBoxError || error is Stalled
      let status: Failure.Status = isWorkFailed ? .failure : .usageError
      return ControlReply(error: .init(message: "\(error)", status: Int(status.rawValue)))
    }
  }

  private static func file(of request: ControlRequest) throws -> String {
    guard let file = request.file, !file.isEmpty else {
      throw Incomplete(description: "load needs \"file\", a rig's absolute path or its name.")
    }
    return file
  }

  /// Is reached no longer.
  func stop() { server.stop() }

  private struct Incomplete: Error, CustomStringConvertible {
    let description: String
  }

  /// No block is rendered at present.
  private struct Stalled: Error, CustomStringConvertible {
    let description: String

    init(_ stall: FaultMonitor.Stall) {
      description = "\(stall.sentence); nothing that is asked for would be heard."
    }
  }

  private func meet(_ request: ControlRequest) throws -> ControlReply {
    switch request.action {
    case .describe:
      return describe()
    case .save:
      guard let file = request.file, file.hasPrefix("/") else {
        throw Incomplete(description: "save needs \"file\", an absolute path.")
      }
      try session.save(to: file, replaces: request.replaces ?? false)
      return ControlReply()
    case .set:
      guard let node = request.node, let values = request.values, !values.isEmpty else {
        throw Incomplete(description: "set needs \"node\", and \"values\" by symbol.")
      }
      let ordered = values.sorted { $0.key < $1.key }.map { (symbol: $0.key, text: $0.value.text) }
      return ControlReply(
        notes: try session.set(node, to: ordered, folder: request.folder ?? "/"))
    case .scene: return try meet(scene: request)
    case .record:
      return ControlReply(notes: try session.record(try Self.order(request), node: request.node))
    case .play:
      return ControlReply(notes: try session.play(try Self.playOrder(request), node: request.node))
    case .measure: return measure()
    case .meters:
      if request.restarts ?? false { session.restartMeters() }
      var reply = ControlReply()
      reply.rig = session.rigName
      reply.meters = session.meterReadings().map(MeterValues.init)
      return reply
    case .blackBox:
      guard let folder = request.file, folder.hasPrefix("/") else {
        throw Incomplete(description: "black-box needs \"file\", a folder's absolute path.")
      }
      try session.writeBlackBox(to: folder)
      return ControlReply()
    // They are answered when they are done.
    case .load, .undo, .redo: return ControlReply()
    }
  }

  private func meet(scene request: ControlRequest) throws -> ControlReply {
    guard let name = request.scene else {
      var reply = ControlReply()
      reply.scenes = session.scenes.map {
        ControlReply.Scene(name: $0.name, over: $0.overSeconds, current: $0.isCurrent)
      }
      return reply
    }
    if request.stores ?? false { return ControlReply(notes: try session.storeScene(name)) }
    if let over = request.over, !(0 ... MorphTime.longestSeconds ~= over) {
      throw Incomplete(description: MorphTime.rule("\(over)"))
    }
    return ControlReply(notes: try session.recall(name, over: request.over))
  }

  /// What a recorder is told; nil where it is asked how it stands.
  private static func order(_ request: ControlRequest) throws -> RecorderCommand? {
    guard let word = request.order else { return nil }
    guard let order = RecorderCommand(word, text: request.text) else {
      throw Incomplete(
        description: NodeCommandArguments.unknown(word, among: RecorderCommand.words))
    }
    return order
  }

  /// What a player is told; nil where it is asked how it stands.
  private static func playOrder(_ request: ControlRequest) throws -> PlayerCommand? {
    guard let word = request.order else { return nil }
    let seconds = request.text.flatMap(DurationText.seconds)
    if word == "seek", seconds == nil {
      throw Incomplete(
        description: "\(request.text ?? "That") is no time to seek; write 90 s, or 1:30.")
    }
    guard let order = PlayerCommand(word, seconds: seconds) else {
      throw Incomplete(description: NodeCommandArguments.unknown(word, among: PlayerCommand.words))
    }
    return order
  }

  private func measure() -> ControlReply {
    var reply = ControlReply()
    reply.rig = session.rigName
    reply.loads = session.nodeLoads().map { node in
      ControlReply.Load(
        name: node.name, plugin: node.plugin, mean: node.mean * 100, p99: node.percentile * 100,
        worst: node.worst * 100,
        peak: node.peak > 0 && node.peak.isFinite ? 20 * log10(Double(node.peak)) : nil,
        latency: node.latencyFrames, faults: node.faultCount, lastFault: node.lastFault?.word)
    }
    return reply
  }

  private func describe() -> ControlReply {
    var reply = ControlReply()
    reply.rig = session.rigName
    if let stall = FaultMonitor.shared?.stall {
      reply.rig = "\(session.rigName): \(stall.sentence)"
    }
    reply.process = Int(getpid())
    let readouts = session.readouts
    reply.nodes = session.nodeValues.map { node in
      let symbols = node.plugin.parameters.map(\.symbol)
      let first = readouts.first { $0.node == node.name || $0.node == "\(node.name)/1" }
      var described = ControlReply.Node(
        name: node.name, plugin: node.plugin.identifier,
        values: Dictionary(zip(symbols, node.values)) { first, _ in first },
        readouts: first.map(ReadoutFormatter.figures))
      described.shown = zip(node.plugin.parameters, node.values).map(ControlReply.Shown.init)
      described.shownReadouts = first.map { readouts in
        zip(readouts.plugin.readouts, readouts.values).filter(\.1.isFinite)
          .map(ControlReply.Shown.init)
      }
      return described
    }
    return reply
  }
}
