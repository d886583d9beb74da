// OSCQueryServer.swift: answers OSCQuery requests. SPDX-License-Identifier: MIT

import FoundationEssentials
import HostModel
import NIOCore
import NIOHTTP1
import WebServer

/// Describes the addresses to clients, and reports when they change. [event loop]
final class OSCQueryServer {
  private let surface: OSCSurface
  private let details: PluginDetailsCache
  private let name: String
  private let port: Int
  private var sockets: [ObjectIdentifier: OSCQuerySocket] = [:]

  init(_ surface: OSCSurface, _ details: PluginDetailsCache, name: String, port: Int) {
    (self.surface, self.details, self.name, self.port) = (surface, details, name, port)
  }

  // MARK: - Requests

  /// Answers a request once the plugins were described.
  func answer(_ head: RequestHead, _ complete: @escaping (WebResponse) -> Void) {
    if head.query == "HOST_INFO" { return complete(.json(hostInfo)) }
    surface.refresh()
    let plugins = Set(surface.space.methods.compactMap(\.plugin))
    details.load(plugins) { complete(self.response(head)) }
  }

  private func response(_ head: RequestHead) -> WebResponse {
    let tree = OSCQueryTree(surface.space, surface.scenes) { [details] in details[$0] }
    // An address can have percent signs, so the path is tried as it was sent first.
    let paths = [String(head.path), Self.decoded(head.path)]
    guard let path = paths.first(where: { tree.description(at: $0) != nil }),
      let description = tree.description(at: path)
    else { return .refusal("There is nothing at this path.", .notFound) }
    guard !head.query.isEmpty else { return .json(Data(description.line.utf8)) }
    let attribute = String(head.query)
    let access = description["ACCESS"]
    let isHidden = attribute == "VALUE" && (access == .integer(0) || access == .integer(2))
    guard OSCQueryTree.attributes.contains(attribute), !isHidden,
      let value = tree.attribute(attribute, at: path)
    else { return .empty(.noContent) }
    return .json(Data(value.line.utf8))
  }

  /// Replaces `%` and two hexadecimal digits by the byte.
  private static func decoded(_ path: Substring) -> String {
    var (bytes, rest): ([UInt8], Substring.UTF8View) = ([], path.utf8)
    while let byte = rest.popFirst() {
      let digits = rest.prefix(2)
      if byte == UInt8(ascii: "%"), digits.count == 2,
        let value = UInt8(String(Substring(digits)), radix: 16)
      {
        bytes.append(value)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private var hostInfo: Data {
    let extensions = [
      "ACCESS", "VALUE", "RANGE", "DESCRIPTION", "UNIT", "CLIPMODE", "OVERLOADS", "LISTEN",
      "PATH_ADDED", "PATH_REMOVED", "PATH_CHANGED",
    ]
    let info = JSONValue.object(of: [
      ("NAME", .string(name)), ("OSC_PORT", .integer(port)), ("OSC_TRANSPORT", .string("UDP")),
      ("WS_PORT", .integer(port)),
      ("EXTENSIONS", .object(extensions.map { JSONValue.Member($0, .bool(true)) })),
    ])
    return Data(info.line.utf8)
  }

  // MARK: - Sockets

  func add(_ socket: OSCQuerySocket) { sockets[ObjectIdentifier(socket)] = socket }

  func remove(_ socket: OSCQuerySocket) { sockets[ObjectIdentifier(socket)] = nil }

  /// Reports changed addresses to all clients.
  func report(from old: OSCAddressSpace, to new: OSCAddressSpace) {
    details.reset()
    guard !sockets.isEmpty else { return }
    for change in OSCQueryTree.changes(from: old, to: new) {
      let line = JSONValue.object(of: [
        ("COMMAND", .string(change.command)), ("DATA", .string(change.path)),
      ]).line
      for socket in sockets.values { socket.send(line) }
    }
  }
}

/// Passes requests of connections to the server. [any]
struct OSCQueryResponder: HTTPResponder {
  let limits: WebLimits
  let server: NIOLoopBound<OSCQueryServer>

  func refusal(of head: RequestHead) -> WebResponse? {
    if let refusal = head.refusal(limits) { return refusal }
    let methods: [HTTPMethod] = [.GET, .HEAD]
    return methods.contains(head.method) ? nil : .wrongMethod(allowed: methods)
  }

  func answer(
    _ head: RequestHead, _ body: ByteBuffer, on eventLoop: any EventLoop
  ) -> EventLoopFuture<WebResponse> {
    let promise = eventLoop.makePromise(of: WebResponse.self)
    server.value.answer(head) { promise.succeed($0) }
    return promise.futureResult
  }
}
