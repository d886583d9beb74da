// Host+Commands.swift: carries out the commands of clients. SPDX-License-Identifier: MIT

import HostModel
import RigSchema
import Session

extension Host {
  /// A command of a MIDI control.
  struct Movement {
    /// After this pause another movement begins.
    static let pause = Duration.seconds(1)

    let target: String
    /// The number of steps in the history after it.
    let step: Int
    let instant = ContinuousClock.now
  }

  /// Carries out a command, or begins to.
  func carryOut(_ pending: PendingCommand) {
    if let stall = FaultMonitor.shared?.stall, !pending.command.worksWithoutAudio {
      pending.complete(Reply(CommandError.stalled(stall.message)))
      return
    }
    switch pending.command {
    case .status: finish(StatusCommand(), pending)
    case .set(let set) where set.isScene:
      let command = SetSceneCommand(values: set)
      if !command.readPresets(in: self, pending) { finish(command, pending) }
    case .set(let set):
      guard let preset = SetCommand.preset(set, in: session) else {
        return finish(SetCommand(values: set), pending, recordsValues: true)
      }
      SwitchCommand.edit(preset).begin(in: self, pending)
    case .save(let save): finish(SaveCommand(save: save), pending)
    case .scene(let scene): finish(SceneCommand(scene: scene), pending)
    case .record(let record): finish(RecordCommand(record: record), pending)
    case .play(let play): finish(PlayCommand(play: play), pending)
    case .meters(let meters): finish(MetersCommand(meters: meters), pending)
    case .top: finish(TopCommand(), pending)
    case .blackBox(let box): finish(BlackBoxCommand(box: box), pending)
    case .load(let load): SwitchCommand.load(load.file).begin(in: self, pending)
    case .insert, .remove, .move, .replace:
      if let edit = RigEdit(pending.command) {
        SwitchCommand.edit(edit).begin(in: self, pending)
      }
    case .undo: SwitchCommand.undo.begin(in: self, pending)
    case .redo: SwitchCommand.redo.begin(in: self, pending)
    case .subscribe(let request):
      publisher.subscribe(pending.client, request, complete: pending.complete)
      if port.isConnected(pending.client) { port.levels.set(request.levels, for: pending.client) }
    case .plugin(let name): finish(DescribeCommand(plugin: name), pending)
    case .acknowledge, .plugins, .rigs, .files:
      pending.complete(Reply(CommandError.noLibrary))
    case .unsubscribe:
      port.levels.set(nil, for: pending.client)
      publisher.unsubscribe(pending.client)
      pending.complete(Reply())
    case .learn(let learn): maps.learn(learn, pending, self)
    case .map(let map): finish(MapCommand(map: map), pending)
    case .transport(let change): finish(TransportCommand(transport: change), pending)
    }
  }

  private func finish(
    _ command: some HostCommand, _ pending: PendingCommand, recordsValues: Bool = false
  ) {
    finish(pending, recordsValues: recordsValues) {
      try command.apply(try command.prepare(in: self), in: self)
    }
  }

  /// Publishes the result of a command, then replies to it; records changed values in the history on request.
  func finish(
    _ pending: PendingCommand, recordsValues: Bool = false, _ apply: () throws -> Reply
  ) {
    var reply: Reply
    let (before, step) = (publisher.state, session.stepNumber)
    do { reply = try apply() } catch { reply = Reply(error) }
    if pending.command.changesState {
      reply.change = publishState(.client, client: pending.client)
      if recordsValues {
        session.recordValues(before.values(changedBy: reply.change?.changes ?? []))
        session.mergeUndoSteps(since: step)
      }
      mergeMovement(of: pending, since: step)
      lastScene = session.scenes.first(where: \.isCurrent)?.name
    }
    pending.complete(reply)
  }

  /// Makes one step of the history of the movement of a MIDI control.
  private func mergeMovement(of pending: PendingCommand, since step: Int) {
    guard pending.client == maps.client, case .set(let set) = pending.command else {
      movement = nil
      return
    }
    let next = Movement(
      target: set.node + "." + (set.values.first?.symbol ?? ""), step: session.stepNumber)
    if let movement, movement.target == next.target, movement.step == step,
      next.step == step + 1, next.instant - movement.instant < Movement.pause
    {
      session.mergeUndoSteps(since: step - 1)
    }
    movement = next
  }
}
