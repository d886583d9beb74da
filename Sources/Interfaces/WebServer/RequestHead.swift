// RequestHead.swift: a request without its body. SPDX-License-Identifier: MIT

package import NIOCore
package import NIOHTTP1

/// A request without its body.
package struct RequestHead: Sendable {
  /// The method.
  package let method: HTTPMethod
  /// The path, without the query.
  package let path: Substring
  /// The text after the question mark; empty if there is none.
  package let query: Substring
  /// All headers.
  package let headers: HTTPHeaders
  /// The address of the client.
  let address: String

  init(_ head: HTTPRequestHead, from address: String) {
    (method, headers, self.address) = (head.method, head.headers, address)
    let target = head.uri.prefix { $0 != "#" }
    path = target.prefix { $0 != "?" }
    query = target.dropFirst(path.count + 1)
  }

  /// The `Host` header if requests with it are accepted.
  var acceptedHost: String? {
    let hosts = headers["host"]
    return hosts.count == 1 && RequestOrigin.isLocal(hosts[0]) ? hosts[0] : nil
  }

  /// Returns the response to a request of another site, or with a body that is too long; nil otherwise. [any]
  package func refusal(_ limits: WebLimits) -> WebResponse? {
    if let reason = RequestOrigin.refusal(hosts: headers["host"], origins: headers["origin"]) {
      return .refusal(reason, .forbidden)
    }
    if let length = headers.first(name: "content-length"),
      Int(length).map({ $0 > limits.messageBytes }) ?? true
    {
      return .tooLong
    }
    guard headers["transfer-encoding"].allSatisfy({ $0.lowercased() == "chunked" }) else {
      return .refusal("Only the transfer encoding chunked is supported.", .notImplemented)
    }
    return nil
  }
}

/// Answers requests. [any]
package protocol HTTPResponder: Sendable {
  /// The limits of requests.
  var limits: WebLimits { get }

  /// Returns the response to a request that is refused before its body is read; nil otherwise.
  func refusal(of head: RequestHead) -> WebResponse?

  /// Answers a request that was not refused.
  func answer(
    _ head: RequestHead, _ body: ByteBuffer, on eventLoop: any EventLoop
  ) -> EventLoopFuture<WebResponse>
}
