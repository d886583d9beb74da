// ClientConnection+Commands.swift: carries out the commands of a client. SPDX-License-Identifier: MIT

import Dispatch
import FoundationEssentials
package import HostModel
import RealtimeKit

extension ClientConnection {
  /// Starts the threads of the connection: one reads commands, the other sends replies and events. [any]
  ///
  /// - Parameters:
  ///   - port: carries out the commands.
  ///   - limits: the time limits.
  ///   - table: holds the connection until it has ended.
  ///   - onEnd: called on the thread that reads, after the client has disconnected.
  package func start(
    _ port: any CommandPort, _ limits: ClientLimits, in table: ConnectionTable,
    onEnd: @escaping @Sendable () -> Void = {}
  ) {
    _ = DetachedThread.start { self.sendAll(seconds: limits.lineSeconds) }
    _ = DetachedThread.start {
      let client = port.connect { event in
        self.queue.append(event: event) { self.transport.sendNow(line: $0) }
      }
      self.readCommands(port, client, limits, table)
      port.disconnect(client)
      self.finish()
      onEnd()
      table.remove(self)
    }
  }

  private func readCommands(
    _ port: any CommandPort, _ client: ClientID, _ limits: ClientLimits, _ table: ConnectionTable
  ) {
    while true {
      let read = transport.readLine(
        idleSeconds: isSubscribed ? 1e9 : limits.idleSeconds, lineSeconds: limits.lineSeconds)
      switch read {
      case .line(let line) where line.isEmpty: continue
      case .line(let line):
        guard begin() else { return }
        carryOut(line, port, client, table)
      case .tooLong:
        guard begin() else { return }
        let error = ProtocolError.tooLong(bytes: ClientLimits.longestRequestBytes)
        end(ReplyMessage(Reply(error)), at: replies.takePosition())
        return
      case .ended, .late: return
      }
    }
  }

  private func carryOut(
    _ line: Data, _ port: any CommandPort, _ client: ClientID, _ table: ConnectionTable
  ) {
    let message: CommandMessage
    do {
      message = try CommandMessage(line: line)
    } catch {
      let reply = ReplyMessage(Reply(error), id: CommandMessage.identifier(in: line))
      end(reply, at: replies.takePosition())
      return
    }
    // The reply to a command that waits for a person must not hold back the others.
    let position = message.command.waitsForPerson ? nil : replies.takePosition()
    if case .subscribe = message.command, !table.subscribe(self) {
      end(ReplyMessage(Reply(ConnectionTable.tooManySubscribers), id: message.id), at: position)
      return
    }
    let isDone = DispatchSemaphore(value: 0)
    let result = port.submit(message.command, from: client) { reply in
      if message.command.name == .unsubscribe { self.isSubscribed = false }
      self.end(message.command.hasReply ? ReplyMessage(reply, id: message.id) : nil, at: position)
      isDone.signal()
    }
    if case .waitsForReply = result { isDone.wait() }
  }
}
