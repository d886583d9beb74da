// SessionManagerClient.swift: a session in the care of a session manager. SPDX-License-Identifier: MIT

import ErrorModel
import FoundationEssentials
package import HostModel
import NIOCore
import NIOPosix
import RealtimeKit

/// Lets a session manager (NSM) open and save the session.
///
/// Source of the protocol: New Session Manager API, version 1.1. The manager ends the session by SIGTERM.
package final class SessionManagerClient: HostInterface, Sendable {
  /// How long a manager may take for its first answer.
  package static let answerTimeout = Duration.seconds(10)
  /// Runs until the process ends, because replies of the session may still arrive after `stop`.
  private static let group = withSignalsBlocked {
    MultiThreadedEventLoopGroup(numberOfThreads: 1)
  }

  private let eventLoop: any EventLoop
  private let conversation: NIOLoopBound<SessionManagerConversation>

  /// Finds the manager that `NSM_URL` names. [any]
  ///
  /// - Parameters:
  ///   - continues: whether the session was restarted after a fault, so that its values are newer than its file.
  ///   - managed: the identity, which the session has kept if it was restarted.
  ///   - answerTimeout: the time for the first answer.
  ///   - environment: of the process.
  /// - Returns: the interface; nil if there is no manager.
  package static func kind(
    continues: Bool, keeping managed: ManagedSession = ManagedSession(),
    answerTimeout: Duration = answerTimeout,
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) -> HostInterfaceKind? {
    guard let url = environment["NSM_URL"], !url.isEmpty else { return nil }
    return HostInterfaceKind { connection in
      try SessionManagerClient(
        try SessionManagerAddress(url), answerTimeout, managed, continues: continues, connection)
    }
  }

  /// Begins on the thread of the network, because the name of a host can take seconds to be found. [main]
  private init(
    _ address: SessionManagerAddress, _ answerTimeout: Duration, _ managed: ManagedSession,
    continues: Bool, _ connection: HostConnection
  ) throws {
    let eventLoop = Self.group.next()
    self.eventLoop = eventLoop
    // The session has this client before it begins, so no change is missed.
    conversation = try eventLoop.submit {
      NIOLoopBound(
        SessionManagerConversation(connection, managed, continues: continues, on: eventLoop),
        eventLoop: eventLoop)
    }.wait()
    eventLoop.execute { [conversation] in
      Self.open(address, answerTimeout, managed, conversation.value, connection.notify)
    }
  }

  /// Opens the socket, and announces the session; a session with a socket has been announced. [event loop]
  private static func open(
    _ address: SessionManagerAddress, _ answerTimeout: Duration, _ managed: ManagedSession,
    _ conversation: SessionManagerConversation, _ notify: @escaping @Sendable (HostNotice) -> Void
  ) {
    let eventLoop = conversation.eventLoop
    let bound = NIOLoopBound(conversation, eventLoop: eventLoop)
    do {
      let server = try address.resolved()
      let kept = managed.identity.socket
      let socket = try kept ?? ManagedSession.openSocket(at: server.ownAddress())
      DatagramBootstrap(group: eventLoop)
        .channelOption(
          .recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 65_536)
        )
        .channelInitializer { channel in
          channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandler(
              SessionManagerHandler(server, bound.value))
          }
        }
        .withBoundSocket(try ManagedSession.copy(socket))
        .whenComplete { result in
          switch result {
          case .success(let channel):
            bound.value.begin(over: channel, to: server)
            guard kept == nil else { return }
            bound.value.announce()
            managed.identity.socket = socket
            eventLoop.scheduleTask(in: TimeAmount(answerTimeout)) {
              guard bound.value.isSilent else { return }
              let seconds = max(1, Int(answerTimeout.components.seconds))
              notify(.sessionManagerMissing(.silent(url: address.url, seconds: seconds)))
            }
          case .failure(let error):
            notify(
              .sessionManagerMissing(.unreachable(url: address.url, reason: "\(error)")))
          }
        }
    } catch {
      let known = error as? SessionManagerError
      notify(
        .sessionManagerMissing(known ?? .unreachable(url: address.url, reason: "\(error)")))
    }
  }

  /// Closes the socket. [main]
  package func stop() {
    eventLoop.execute { [conversation] in conversation.value.stop() }
  }
}

/// Reads datagrams of the manager. [event loop]
private final class SessionManagerHandler: ChannelInboundHandler {
  typealias InboundIn = AddressedEnvelope<ByteBuffer>

  private let server: SocketAddress
  private let conversation: SessionManagerConversation

  init(_ server: SocketAddress, _ conversation: SessionManagerConversation) {
    (self.server, self.conversation) = (server, conversation)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let envelope = unwrapInboundIn(data)
    // Anything but a message of the manager is ignored, because an answer would help an attacker.
    guard server.isSource(envelope.remoteAddress),
      case .message(let message)? = try? OSCDecoder.decode(Array(envelope.data.readableBytesView))
    else { return }
    conversation.receive(message)
  }

  /// An error of one datagram does not end the socket.
  func errorCaught(context: ChannelHandlerContext, error: any Error) {}
}
