// ConnectionDetector.swift: which protocol a connection carries. SPDX-License-Identifier: MIT

import NIOCore

/// Chooses the handlers of a connection by its first byte: HTTP, or OSC with one of two framings. [event loop]
///
/// So one port serves all of them. Browsers can only begin a connection with the name of an HTTP method, or with TLS.
final class ConnectionDetector: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = ByteBuffer

  private let seconds: Double
  private let begin: (OSCFraming.Kind?, any Channel) throws -> Void
  private var deadline: Scheduled<Void>?

  /// - Parameters:
  ///   - seconds: the time for the first byte.
  ///   - begin: adds the handlers for a framing, or those for HTTP.
  init(seconds: Double, begin: @escaping (OSCFraming.Kind?, any Channel) throws -> Void) {
    (self.seconds, self.begin) = (seconds, begin)
  }

  func handlerAdded(context: ChannelHandlerContext) {
    let channel = context.channel
    deadline = context.eventLoop.scheduleTask(in: .nanoseconds(Int64(seconds * 1e9))) {
      channel.close(promise: nil)
    }
  }

  func handlerRemoved(context: ChannelHandlerContext) { deadline?.cancel() }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard let first = unwrapInboundIn(data).readableBytesView.first else { return }
    let kind = OSCFraming.Kind(firstByte: first)
    let isHTTP = UInt8(ascii: "A") ... UInt8(ascii: "Z") ~= first
    guard kind != nil || isHTTP, (try? begin(kind, context.channel)) != nil else {
      context.close(promise: nil)
      return
    }
    context.fireChannelRead(data)
    context.fireChannelReadComplete()
    context.pipeline.syncOperations.removeHandler(self, promise: nil)
  }

  func channelInactive(context: ChannelHandlerContext) {
    deadline?.cancel()
    context.fireChannelInactive()
  }
}
