// HTTPPipeline.swift: the handlers of a connection. SPDX-License-Identifier: MIT

package import NIOCore
import NIOHTTP1
package import NIOWebSocket

/// Sets up connections that carry HTTP, and WebSockets after an upgrade.
package enum HTTPPipeline {
  /// Adds the handlers of HTTP. [event loop]
  ///
  /// - Parameters:
  ///   - channel: the connection.
  ///   - responder: answers requests.
  ///   - upgrader: accepts WebSockets.
  /// - Throws: errors of the pipeline.
  package static func begin(
    _ channel: any Channel, _ responder: any HTTPResponder, _ upgrader: NIOWebSocketServerUpgrader
  ) throws {
    let limits = responder.limits
    // A client may end its side after its request, and still read the response.
    _ = channel.setOption(.allowRemoteHalfClosure, value: true)
    var decoder = NIOHTTPDecoderLimitConfiguration()
    decoder.maxHeaderFieldSize = limits.headerBytes
    decoder.maxHeaderListSize = limits.headerBytes
    decoder.maxHeaderFieldCount = limits.headerCount
    let pipeline = channel.pipeline.syncOperations
    try pipeline.configureHTTPServerPipeline(
      withServerUpgrade: (upgraders: [upgrader], completionHandler: { _ in }),
      withEncoderConfiguration: .init(), withDecoderLimitConfiguration: decoder)
    try pipeline.addHandler(HTTPRequestHandler(responder))
  }

  /// Replaces the handler of requests by one of frames. [event loop]
  ///
  /// - Parameters:
  ///   - channel: the connection.
  ///   - handler: reads frames.
  /// - Throws: errors of the pipeline.
  package static func upgrade(_ channel: any Channel, to handler: any ChannelHandler) throws {
    _ = channel.setOption(.allowRemoteHalfClosure, value: false)
    let pipeline = channel.pipeline.syncOperations
    let former = try pipeline.context(handlerType: HTTPRequestHandler.self)
    pipeline.removeHandler(context: former, promise: nil)
    try pipeline.addHandler(handler)
  }
}
