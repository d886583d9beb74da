// OSCServer.swift: the OSC interface of a session. SPDX-License-Identifier: MIT

import Glibc
import HostModel
import NIOCore
import NIOPosix
import RealtimeKit

/// Receives messages, and sends values to subscribers.
///
/// One thread reads and writes all sockets.
final class OSCServer: HostInterface, Sendable {
  /// What one thread owns.
  private struct Parts {
    let channels: OSCChannels
    let surface: OSCSurface
    let observer: OSCObserver
  }

  /// The address for messages.
  let address: String?
  /// Runs until the process ends, because replies of the session may still arrive after `stop`.
  private static let group = withSignalsBlocked {
    MultiThreadedEventLoopGroup(numberOfThreads: 1)
  }
  private let eventLoop: any EventLoop
  private let datagrams: any Channel
  private let parts: NIOLoopBound<Parts>

  /// Receives at sockets that are bound. [main]
  ///
  /// - Throws: errors of the system.
  init(_ sockets: OSCSockets, address: String, _ connection: HostConnection) throws {
    self.address = address
    let eventLoop = Self.group.next()
    self.eventLoop = eventLoop
    let parts = try eventLoop.submit { [port = connection.port, notify = connection.notify] in
      let channels = OSCChannels()
      let surface = OSCSurface(port, channels, on: eventLoop, notify: notify)
      let observer = OSCObserver(port, surface, on: eventLoop)
      return NIOLoopBound(
        Parts(channels: channels, surface: surface, observer: observer), eventLoop: eventLoop)
    }.wait()
    self.parts = parts
    let descriptors = sockets.take()
    close(descriptors.connections)
    datagrams = try DatagramBootstrap(group: eventLoop)
      .channelOption(.maxMessagesPerRead, value: 32)
      .channelOption(
        .recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 65_536)
      )
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(DatagramHandler(parts.value.surface))
        }
      }
      .withBoundSocket(descriptors.datagrams).wait()
    try eventLoop.submit { [datagrams] in parts.value.channels.datagrams = datagrams }.wait()
  }

  /// Closes the sockets. [main]
  func stop() {
    try? datagrams.close().wait()
    try? eventLoop.submit { [parts] in
      parts.value.observer.stop()
      parts.value.surface.stop()
    }.wait()
  }
}
