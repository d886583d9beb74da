// RecordCommand.swift: the command `record`. SPDX-License-Identifier: MIT

import FileRecording
import HostModel
import Session

/// Controls recorders.
struct RecordCommand: HostCommand {
  let record: Command.Record

  func apply(_: Void, in host: Host) throws -> Reply {
    let order = record.action.flatMap { RecorderCommand($0.word, text: $0.text) }
    return Reply(notes: try host.session.record(order, node: record.node))
  }
}
