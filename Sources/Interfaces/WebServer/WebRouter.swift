// WebRouter.swift: from a request to a response. SPDX-License-Identifier: MIT

import Dispatch
import ErrorModel
import FoundationEssentials
import HostModel
import NIOCore
import NIOHTTP1
import RealtimeKit
import Synchronization

/// Answers requests for files, the state and single commands. [any]
final class WebRouter: HTTPResponder {
  /// The subprotocol of the WebSocket.
  static let subprotocol = "outboard.v1"
  /// The path of the WebSocket.
  static let socketPath = "/socket"

  let port: any CommandPort
  let access: AccessControl
  let limits: WebLimits
  private let openRequests = Mutex(0)

  init(_ port: any CommandPort, _ access: AccessControl, _ limits: WebLimits) {
    (self.port, self.access, self.limits) = (port, access, limits)
  }

  // MARK: - Before the body

  /// Returns the response to a request that is refused before its body is read; nil otherwise.
  func refusal(of head: RequestHead) -> WebResponse? {
    if let refusal = head.refusal(limits) { return refusal }
    guard let methods = Self.methods(of: head.path) else {
      return .refusal("There is nothing at this path.", .notFound)
    }
    guard methods.contains(head.method) else {
      return .wrongMethod(allowed: methods)
    }
    if head.path == Self.socketPath { return Self.needsUpgrade }
    guard head.path.hasPrefix("/api/") else { return nil }
    return refusalOfToken(head) ?? refusalOfType(head)
  }

  private static var needsUpgrade: WebResponse {
    var response = WebResponse.refusal(
      "This path is a WebSocket with the subprotocol \(subprotocol).", .upgradeRequired)
    response.headers.append(("Upgrade", "websocket"))
    return response
  }

  /// The methods of a path; nil if there is nothing.
  private static func methods(of path: Substring) -> [HTTPMethod]? {
    switch path {
    case "/api/v1/command": [.POST]
    case "/api/v1/state": [.GET]
    case socketPath: [.GET]
    case OpenAPIDocument.path: [.GET, .HEAD]
    default: PageFile.file(at: path) == nil ? nil : [.GET, .HEAD]
    }
  }

  private func refusalOfToken(_ head: RequestHead) -> WebResponse? {
    let values = head.headers["authorization"]
    guard values.count == 1, values[0].lowercased().hasPrefix("bearer ") else {
      return Self.unauthorized(
        ErrorInfo(message: "Send the header \"Authorization: Bearer TOKEN\".", kind: .usage))
    }
    switch access.authenticate(String(values[0].dropFirst(7)), from: head.address) {
    case .success: return nil
    case .failure(let error): return Self.unauthorized(error)
    }
  }

  private static func unauthorized(_ error: ErrorInfo) -> WebResponse {
    guard error.kind != .busy else { return .error(error, .tooManyRequests) }
    var response = WebResponse.error(error, .unauthorized)
    response.headers.append(("WWW-Authenticate", "Bearer"))
    return response
  }

  /// Pages of other sites can send other types without asking.
  private func refusalOfType(_ head: RequestHead) -> WebResponse? {
    guard head.method == .POST else { return nil }
    let types = head.headers["content-type"]
    let type = types.first?.prefix { $0 != ";" }.lowercased().filter { $0 != " " }
    guard types.count == 1, type == "application/json" else {
      return .refusal(
        "Send the header \"Content-Type: application/json\".", .unsupportedMediaType)
    }
    return nil
  }

  // MARK: - After the body

  /// Answers a request that was not refused.
  func answer(
    _ head: RequestHead, _ body: ByteBuffer, on eventLoop: any EventLoop
  ) -> EventLoopFuture<WebResponse> {
    switch head.path {
    case "/api/v1/command": return command(body, on: eventLoop)
    case "/api/v1/state": return state(on: eventLoop)
    case OpenAPIDocument.path:
      return eventLoop.makeSucceededFuture(.json(OpenAPIDocument.data))
    default:
      let response = PageFile.file(at: head.path).map { Self.response(with: $0, to: head) }
      return eventLoop.makeSucceededFuture(
        response ?? .refusal("There is nothing at this path.", .notFound))
    }
  }

  private static func response(with file: PageFile, to head: RequestHead) -> WebResponse {
    let known = head.headers[canonicalForm: "if-none-match"].contains {
      $0 == file.entityTag[...] || $0 == "*"
    }
    var response = unsafe WebResponse(
      status: known ? .notModified : .ok,
      headers: [("ETag", file.entityTag), ("Cache-Control", "no-cache")],
      body: known ? ByteBuffer() : ByteBuffer(bytes: file.bytes))
    if !known { response.headers.append(("Content-Type", file.contentType)) }
    return response
  }

  private func command(_ body: ByteBuffer, on eventLoop: any EventLoop)
    -> EventLoopFuture<WebResponse>
  {
    let message: CommandMessage
    do {
      message = try CommandMessage(line: body.readableBytesView)
    } catch {
      let id = CommandMessage.identifier(in: body.readableBytesView)
      return eventLoop.makeSucceededFuture(.reply(ReplyMessage(Reply(error), id: id)))
    }
    guard !message.command.needsConnection else {
      let error = ErrorInfo(
        message: "\(message.command.name.rawValue) needs a WebSocket at \(Self.socketPath).",
        kind: .usage)
      return eventLoop.makeSucceededFuture(.reply(ReplyMessage(Reply(error), id: message.id)))
    }
    return reply(to: message.command, on: eventLoop) {
      .reply(ReplyMessage($0, id: message.id))
    }
  }

  private func state(on eventLoop: any EventLoop) -> EventLoopFuture<WebResponse> {
    reply(to: .subscribe(.init(events: [])), on: eventLoop) { reply in
      guard case .subscribed(let subscribed)? = reply.result, let snapshot = subscribed.snapshot
      else { return .reply(ReplyMessage(reply)) }
      return .json(JSONLine.data(snapshot))
    }
  }

  /// Carries out a command as a new client, on another thread, because it may take long.
  private func reply(
    to command: Command, on eventLoop: any EventLoop,
    _ convert: @escaping @Sendable (Reply) -> WebResponse
  ) -> EventLoopFuture<WebResponse> {
    let isAdmitted = openRequests.withLock { count in
      guard count < limits.requestCount else { return false }
      count += 1
      return true
    }
    guard isAdmitted else {
      return eventLoop.makeSucceededFuture(
        .error(
          ErrorInfo(
            message:
              "The session is busy with \(limits.requestCount) other requests. Try again later.",
            kind: .busy), .serviceUnavailable))
    }
    let promise = eventLoop.makePromise(of: WebResponse.self)
    _ = DetachedThread.start { [self] in
      let client = port.connect { _ in }
      let isDone = DispatchSemaphore(value: 0)
      _ = port.submit(command, from: client) { reply in
        promise.succeed(convert(reply))
        isDone.signal()
      }
      isDone.wait()
      port.disconnect(client)
      openRequests.withLock { $0 -= 1 }
    }
    return promise.futureResult
  }
}

extension Command {
  /// Whether the command concerns later messages of its connection.
  fileprivate var needsConnection: Bool {
    switch self {
    case .subscribe, .unsubscribe, .acknowledge: true
    default: false
    }
  }
}
