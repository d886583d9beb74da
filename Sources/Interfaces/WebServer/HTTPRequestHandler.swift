// HTTPRequestHandler.swift: reads requests of a connection and sends responses. SPDX-License-Identifier: MIT

import NIOCore
import NIOHTTP1
import NIOWebSocket

/// Reads one request after the other, with limits of size and time. [event loop]
final class HTTPRequestHandler: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundOut = HTTPServerResponsePart

  private enum State {
    /// No request has begun.
    case idle
    case reading(HTTPRequestHead, ByteBuffer)
    /// The response is not sent yet.
    case answering
    /// Incoming data is discarded until the connection is closed.
    case closing
  }

  private let router: any HTTPResponder
  private var state = State.idle
  /// Whether the client sends nothing more.
  private var isInputClosed = false
  /// The responses that are not written yet.
  private var openResponses = 0
  /// Closes the connection unless the next step is done in time.
  private var deadline: Scheduled<Void>?

  init(_ router: any HTTPResponder) { self.router = router }

  func handlerAdded(context: ChannelHandlerContext) {
    setDeadline(router.limits.requestSeconds, context)
  }

  func handlerRemoved(context: ChannelHandlerContext) { deadline?.cancel() }

  func channelInactive(context: ChannelHandlerContext) {
    deadline?.cancel()
    context.fireChannelInactive()
  }

  private func setDeadline(_ seconds: Double, _ context: ChannelHandlerContext) {
    deadline?.cancel()
    let channel = context.channel
    deadline = context.eventLoop.scheduleTask(in: .nanoseconds(Int64(seconds * 1e9))) {
      channel.close(promise: nil)
    }
  }

  // MARK: - Requests

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch (unwrapInboundIn(data), state) {
    case (_, .closing), (_, .answering): break
    case (.head(let head), _): begin(head, context)
    case (.body(let part), .reading(let head, var body)):
      guard body.readableBytes + part.readableBytes <= router.limits.messageBytes else {
        return respond(.tooLong, to: head, context, closes: true)
      }
      // Otherwise the append would copy the whole body.
      state = .answering
      body.writeImmutableBuffer(part)
      state = .reading(head, body)
    case (.end, .reading(let head, let body)): answer(head, body, context)
    case (.body, .idle), (.end, .idle): break
    }
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    guard case ChannelEvent.inputClosed = event else {
      return context.fireUserInboundEventTriggered(event)
    }
    isInputClosed = true
    switch state {
    case .reading: context.close(promise: nil)
    case .idle: if openResponses == 0 { context.close(promise: nil) }
    // The response closes the connection.
    case .answering, .closing: break
    }
  }

  private func begin(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
    let request = self.head(head, context)
    if let refusal = router.refusal(of: request) {
      respond(refusal, to: head, context, closes: true)
    } else {
      state = .reading(head, ByteBuffer())
    }
  }

  private func head(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) -> RequestHead {
    RequestHead(head, from: context.channel.remoteAddress?.ipAddress ?? "")
  }

  private func answer(
    _ head: HTTPRequestHead, _ body: ByteBuffer, _ context: ChannelHandlerContext
  ) {
    state = .answering
    deadline?.cancel()
    let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    router.answer(self.head(head, context), body, on: context.eventLoop).whenSuccess { response in
      let (handler, context) = bound.value
      handler.respond(
        response, to: head, context, closes: !head.isKeepAlive || handler.isInputClosed)
    }
  }

  // MARK: - Responses

  private func respond(
    _ response: WebResponse, to head: HTTPRequestHead, _ context: ChannelHandlerContext,
    closes: Bool
  ) {
    // The next request of the connection can arrive before the end of this response is confirmed.
    state = closes ? .closing : .idle
    openResponses += 1
    setDeadline(router.limits.requestSeconds, context)
    var headers = HTTPHeaders(response.headers.map { ($0.name, $0.value) })
    let host = self.head(head, context).acceptedHost
    headers.add(
      contentsOf: WebResponse.securityHeaders(host: host).map { ($0.name, $0.value) })
    if response.status != .notModified {
      headers.add(name: "Content-Length", value: "\(response.body.readableBytes)")
    }
    if closes { headers.add(name: "Connection", value: "close") }
    context.write(
      wrapOutboundOut(.head(.init(version: .http1_1, status: response.status, headers: headers))),
      promise: nil)
    if head.method != .HEAD, response.body.readableBytes > 0 {
      context.write(wrapOutboundOut(.body(.byteBuffer(response.body))), promise: nil)
    }
    let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in
      let (handler, context) = bound.value
      handler.finish(context, closes: closes)
    }
  }

  private func finish(_ context: ChannelHandlerContext, closes: Bool) {
    openResponses -= 1
    guard context.channel.isActive else { return }
    if isInputClosed, openResponses == 0 {
      switch state {
      case .idle, .closing: return context.close(promise: nil)
      // The next request of the client has arrived before its end.
      case .reading, .answering: return
      }
    }
    guard closes else {
      if case .idle = state { setDeadline(router.limits.idleSeconds, context) }
      return
    }
    // The client reads the response before it learns that the connection is closed; the deadline ends it at the latest.
    context.close(mode: .output, promise: nil)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    // A refused WebSocket is answered like any other request.
    guard !(error is NIOWebSocketUpgradeError) else { return }
    context.close(promise: nil)
  }
}
