// WebSocketHandler.swift: the frames of a WebSocket. SPDX-License-Identifier: MIT

import Control
import ErrorModel
import FoundationEssentials
import HostModel
package import NIOCore
import NIOWebSocket

/// Signs a client in, joins the parts of its messages, and checks that it is still there. [event loop]
final class WebSocketHandler: ChannelInboundHandler {
  typealias InboundIn = WebSocketFrame
  typealias OutboundOut = WebSocketFrame

  /// Starts the threads of a client that has signed in; false if there are too many clients.
  typealias Admission = @Sendable (WebSocketLines) -> Bool

  private let access: AccessControl
  private let limits: WebLimits
  private let admit: Admission
  private let onSignIn: @Sendable () -> Void
  private var grant: AccessControl.Grant?
  private var lines: WebSocketLines?
  /// The parts of a message that is not complete.
  private var fragments: (opcode: WebSocketOpcode, count: Int, data: ByteBuffer)?
  private var unansweredPings = 0
  private var isClosing = false
  private var deadline: Scheduled<Void>?
  private var pings: RepeatedTask?

  /// - Parameters:
  ///   - access: checks the token.
  ///   - limits: of the sign-in and of messages.
  ///   - onSignIn: called when a token was accepted.
  ///   - admit: starts a client.
  init(
    _ access: AccessControl, _ limits: WebLimits, onSignIn: @escaping @Sendable () -> Void,
    admit: @escaping Admission
  ) {
    (self.access, self.limits, self.onSignIn, self.admit) = (access, limits, onSignIn, admit)
  }

  func handlerAdded(context: ChannelHandlerContext) {
    let channel = context.channel
    deadline = context.eventLoop.scheduleTask(in: .seconds(limits.signInSeconds)) {
      channel.closeWebSocket(.signIn, "No token was sent in time.")
    }
  }

  func channelInactive(context: ChannelHandlerContext) {
    deadline?.cancel()
    pings?.cancel()
    lines?.end()
    context.fireChannelInactive()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    if case NIOWebSocketError.invalidFrameLength = error {
      refuseLength(context)
    } else {
      close(.protocolError, context)
    }
  }

  // MARK: - Frames

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let frame = unwrapInboundIn(data)
    unansweredPings = 0
    guard !isClosing else { return }
    // Browsers always mask, so that no proxy takes a message for a request.
    guard frame.maskKey != nil else { return close(.protocolError, context) }
    // They belong to extensions, of which there is none.
    guard !frame.rsv1, !frame.rsv2, !frame.rsv3 else { return close(.protocolError, context) }
    switch frame.opcode {
    case .text, .binary, .continuation: join(frame, context)
    case .ping:
      let pong = WebSocketFrame(fin: true, opcode: .pong, data: frame.unmaskedData)
      context.writeAndFlush(wrapOutboundOut(pong), promise: nil)
    case .pong: break
    case .connectionClose: close(.normalClosure, context)
    default: close(.protocolError, context)
    }
  }

  private func join(_ frame: WebSocketFrame, _ context: ChannelHandlerContext) {
    var part = frame.unmaskedData
    var message = fragments ?? (frame.opcode, 0, ByteBuffer())
    guard (fragments == nil) == (frame.opcode != .continuation) else {
      return close(.protocolError, context)
    }
    guard message.opcode == .text else { return close(.unacceptableData, context) }
    message.count += 1
    let limit = grant == nil ? limits.signInBytes : limits.messageBytes
    guard message.data.readableBytes + part.readableBytes <= limit else {
      return refuseLength(context)
    }
    guard message.count <= limits.fragmentCount else { return close(.policyViolation, context) }
    fragments = nil
    if message.count == 1 { message.data = part } else { message.data.writeBuffer(&part) }
    guard frame.fin else {
      fragments = message
      return
    }
    receive(message.data, context)
  }

  private func receive(_ message: ByteBuffer, _ context: ChannelHandlerContext) {
    guard String(validating: message.readableBytesView, as: UTF8.self) != nil else {
      return close(.dataInconsistentWithMessage, context)
    }
    if let lines {
      // Empty lines of sockets are skipped, but each message has a reply.
      let isEmpty = message.readableBytes == 0
      lines.append(isEmpty ? Data(" ".utf8) : Data(message.readableBytesView))
    } else {
      signIn(Array(message.readableBytesView), context)
    }
  }

  private func refuseLength(_ context: ChannelHandlerContext) {
    guard let lines, !isClosing else { return close(.messageTooLarge, context) }
    // The client is sent an error, and then disconnected.
    isClosing = true
    lines.appendTooLong()
  }

  private func close(_ code: WebSocketErrorCode, _ context: ChannelHandlerContext) {
    guard !isClosing else { return }
    isClosing = true
    context.channel.closeWebSocket(code)
  }

  // MARK: - Sign-in

  private func signIn(_ line: [UInt8], _ context: ChannelHandlerContext) {
    let id = CommandMessage.identifier(in: line)
    let message: SignInMessage?
    do { message = try SignInMessage(line) } catch { return refuse(ErrorInfo(error), id, context) }
    let address = context.channel.remoteAddress?.ipAddress ?? ""
    switch message {
    case .authenticate(let token)?:
      switch access.authenticate(token, from: address) {
      case .success(let grant): accept(grant, .object(of: [("id", id)]), context)
      case .failure(let error): refuse(error, id, context)
      }
    case .pair(let code, let name)?:
      switch access.pair(code: code, name: name, from: address) {
      case .success(let token):
        accept(token.digest, .object(of: [("id", id), ("token", .string(token.text))]), context)
      case .failure(let error): refuse(error, id, context)
      }
    case nil: refuse(Self.notSignedIn, id, context)
    }
  }

  private static let notSignedIn = ErrorInfo(
    message: "Sign in first with {\"command\": \"authenticate\", \"token\": \"...\"}.", kind: .usage
  )

  private func accept(
    _ grant: AccessControl.Grant, _ reply: JSONValue, _ context: ChannelHandlerContext
  ) {
    deadline?.cancel()
    self.grant = grant
    onSignIn()
    send(reply.line, context)
    let lines = WebSocketLines(context.channel)
    guard admit(lines) else {
      send(Self.line(ConnectionTable.full, nil), context)
      return close(.tryAgainLater, context)
    }
    self.lines = lines
    let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    let interval = TimeAmount.seconds(limits.pingSeconds)
    pings = context.eventLoop.scheduleRepeatedTask(initialDelay: interval, delay: interval) { _ in
      let (handler, context) = bound.value
      handler.ping(context)
    }
  }

  private func refuse(_ error: ErrorInfo, _ id: JSONValue?, _ context: ChannelHandlerContext) {
    send(Self.line(error, id), context)
    close(.signIn, context)
  }

  private static func line(_ error: ErrorInfo, _ id: JSONValue?) -> String {
    String(decoding: JSONLine.data(ReplyMessage(Reply(error), id: id)), as: UTF8.self)
  }

  private func send(_ text: String, _ context: ChannelHandlerContext) {
    let frame = WebSocketFrame(fin: true, opcode: .text, data: ByteBuffer(string: text))
    context.writeAndFlush(wrapOutboundOut(frame), promise: nil)
  }

  // MARK: - Pings

  private func ping(_ context: ChannelHandlerContext) {
    guard let grant, let lines, !isClosing else { return }
    guard access.isValid(grant) else { return close(.signIn, context) }
    // While commands wait, answers to pings are not read either.
    guard unansweredPings < limits.unansweredPings || lines.isPaused else {
      context.close(promise: nil)
      return
    }
    unansweredPings += 1
    let frame = WebSocketFrame(fin: true, opcode: .ping, data: ByteBuffer())
    context.writeAndFlush(wrapOutboundOut(frame), promise: nil)
  }
}

extension WebSocketErrorCode {
  /// The token is missing, wrong, or no longer valid.
  fileprivate static let signIn = WebSocketErrorCode(codeNumber: 4_401)
  /// There are too many clients.
  fileprivate static let tryAgainLater = WebSocketErrorCode(codeNumber: 1_013)
}

extension TimeAmount {
  /// A time in seconds with a fraction.
  package static func seconds(_ seconds: Double) -> TimeAmount {
    .nanoseconds(Int64(seconds * 1e9))
  }
}
