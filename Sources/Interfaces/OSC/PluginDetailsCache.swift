// PluginDetailsCache.swift: requests the descriptions of plugins. SPDX-License-Identifier: MIT

import Dispatch
import HostModel
import NIOCore
import RealtimeKit
import Synchronization

/// Requests descriptions on a separate thread, because the first one can take a second. [event loop]
final class PluginDetailsCache {
  private let port: any CommandPort
  private let eventLoop: any EventLoop
  private var known: [String: PluginDetails] = [:]
  /// The plugins without a description, such as built-in nodes.
  private var missing: Set<String> = []
  private var request: EventLoopFuture<Void>?

  init(_ port: any CommandPort, on eventLoop: any EventLoop) {
    (self.port, self.eventLoop) = (port, eventLoop)
  }

  subscript(_ plugin: String) -> PluginDetails? { known[plugin] }

  /// Requests all descriptions again when they are needed, because the rig has changed.
  func reset() { (known, missing) = ([:], []) }

  /// Calls `body` on the event loop once these plugins were described.
  func load(_ plugins: Set<String>, _ body: @escaping () -> Void) {
    let wanted = plugins.filter { known[$0] == nil && !missing.contains($0) }
    guard !wanted.isEmpty else { return body() }
    let bound = NIOLoopBound((self, body), eventLoop: eventLoop)
    (request ?? start(wanted)).whenComplete { _ in
      let (cache, body) = bound.value
      cache.load(plugins, body)
    }
  }

  private func start(_ wanted: Set<String>) -> EventLoopFuture<Void> {
    let promise = eventLoop.makePromise(of: [String: PluginDetails].self)
    _ = DetachedThread.start { [port] in
      promise.succeed(Self.describe(wanted, port))
    }
    let bound = NIOLoopBound(self, eventLoop: eventLoop)
    let future = promise.futureResult.map { found in
      let cache = bound.value
      cache.request = nil
      cache.known.merge(found) { $1 }
      cache.missing.formUnion(wanted.subtracting(found.keys))
    }
    request = future
    return future
  }

  private static func describe(
    _ plugins: Set<String>, _ port: any CommandPort
  ) -> [String: PluginDetails] {
    let found = Mutex<[String: PluginDetails]>([:])
    let client = port.connect { _ in }
    for plugin in plugins {
      let isDone = DispatchSemaphore(value: 0)
      let reply = SharedReply()
      _ = port.submit(.plugin(plugin), from: client) {
        reply.value.withLock { [result = $0.result] value in value = result }
        isDone.signal()
      }
      isDone.wait()
      if case .plugin(let json)? = reply.value.withLock({ $0 }) {
        found.withLock { $0[plugin] = PluginDetails(json) }
      }
    }
    port.disconnect(client)
    return found.withLock { $0 }
  }

  private final class SharedReply: Sendable {
    let value = Mutex<Reply.Payload?>(nil)
  }
}
