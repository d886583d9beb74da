// WebResponse.swift: a response to an HTTP request. SPDX-License-Identifier: MIT

import ErrorModel
package import FoundationEssentials
import HostModel
import NIOCore
package import NIOHTTP1

/// A response with its headers.
package struct WebResponse: Sendable {
  var status: HTTPResponseStatus
  var headers: [(name: String, value: String)]
  var body: ByteBuffer
  /// Whether the connection is closed afterwards, so that the rest of a request is not read.
  var closes = false

  /// A response without a body.
  package static func empty(_ status: HTTPResponseStatus) -> WebResponse {
    WebResponse(status: status, headers: [], body: ByteBuffer())
  }

  /// JSON.
  package static func json(_ body: Data, _ status: HTTPResponseStatus = .ok) -> WebResponse {
    WebResponse(
      status: status,
      headers: [("Content-Type", "application/json"), ("Cache-Control", "no-store")],
      body: ByteBuffer(bytes: body))
  }

  /// An error as the reply to a command has it.
  static func error(_ error: ErrorInfo, _ status: HTTPResponseStatus) -> WebResponse {
    json(JSONLine.data(ReplyMessage(Reply(error))), status)
  }

  /// An error by its message.
  package static func refusal(_ message: String, _ status: HTTPResponseStatus) -> WebResponse {
    error(ErrorInfo(message: message, kind: .usage), status)
  }

  /// The refusal of a body that is too long.
  static let tooLong = refusal("The request is longer than 1 MiB.", .payloadTooLarge)

  /// The refusal of a method.
  package static func wrongMethod(allowed methods: [HTTPMethod]) -> WebResponse {
    let allowed = methods.map(\.rawValue).joined(separator: ", ")
    var response = refusal("Use \(allowed) for this path.", .methodNotAllowed)
    response.headers.append(("Allow", allowed))
    return response
  }

  /// The reply to a command.
  static func reply(_ message: ReplyMessage) -> WebResponse {
    let status: HTTPResponseStatus =
      switch message.reply.error?.kind {
      case nil: .ok
      case .usage: .badRequest
      case .superseded: .conflict
      case .device, .stalled, .ending, .busy: .serviceUnavailable
      case .failure, .interrupted: .internalServerError
      }
    return json(JSONLine.data(message), status)
  }

  /// Returns the headers of every response, which limit what a browser does with it.
  ///
  /// The host is the accepted `Host` header; nil if it was not accepted.
  static func securityHeaders(host: String?) -> [(name: String, value: String)] {
    // Some browsers do not count a WebSocket as a request to the page's own site.
    let sockets = host.map { " ws://\($0)" } ?? ""
    return [
      (
        "Content-Security-Policy",
        "default-src 'self'; connect-src 'self'\(sockets); frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
      ),
      ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"),
      ("Cross-Origin-Resource-Policy", "same-origin"),
      ("Cross-Origin-Opener-Policy", "same-origin"),
    ]
  }
}
