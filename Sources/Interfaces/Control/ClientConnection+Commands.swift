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
  ///   - onEnd: called on the thread that reads, after the client has disconnected.
  package func start(
    _ port: any CommandPort, _ limits: ClientLimits, onEnd: @escaping @Sendable () -> Void
  ) {
    _ = DetachedThread.start { self.sendAll(seconds: limits.lineSeconds) }
    _ = DetachedThread.start {
      let client = port.connect { event in
        self.queue.append(event: event) { self.transport.sendNow(line: $0) }
      }
      self.readCommands(port, client, limits)
      port.disconnect(client)
      self.finish()
      onEnd()
    }
  }

  private func readCommands(_ port: any CommandPort, _ client: ClientID, _ limits: ClientLimits) {
    while true {
      let read = transport.readLine(
        idleSeconds: isSubscribed ? 1e9 : limits.idleSeconds, lineSeconds: limits.lineSeconds)
      switch read {
      case .line(let line) where line.isEmpty: continue
      case .line(let line):
        guard begin() else { return }
        carryOut(line, port, client)
      case .tooLong:
        guard begin() else { return }
        let error = ProtocolError.tooLong(bytes: ClientLimits.longestRequestBytes)
        end(ReplyMessage(Reply(error)))
        return
      case .ended, .late: return
      }
    }
  }

  private func carryOut(_ line: Data, _ port: any CommandPort, _ client: ClientID) {
    let message: CommandMessage
    do {
      message = try CommandMessage(line: line)
    } catch {
      end(ReplyMessage(Reply(error), id: CommandMessage.identifier(in: line)))
      return
    }
    let isDone = DispatchSemaphore(value: 0)
    let result = port.submit(message.command, from: client) { reply in
      self.end(message.command.hasReply ? ReplyMessage(reply, id: message.id) : nil)
      isDone.signal()
    }
    if case .waitsForReply = result { isDone.wait() }
  }
}
