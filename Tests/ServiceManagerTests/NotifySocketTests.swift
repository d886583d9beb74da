// NotifySocketTests.swift: messages to a service manager, over real sockets. SPDX-License-Identifier: MIT

import Glibc
import ServiceManager
import Testing

@Suite struct `A notify socket` {
  /// A simulated service manager: a bound datagram socket, read without waiting.
  private final class Manager {
    let descriptor: Int32
    private let path: String?

    init(_ name: String) throws {
      descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
      path = name.hasPrefix("/") ? name : nil
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      var bytes = Array(name.utf8)
      if path == nil { bytes[0] = 0 }
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
      let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
      let status = withUnsafePointer(to: address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
      }
      try #require(status == 0)
    }

    deinit {
      close(descriptor)
      if let path { unlink(path) }
    }

    /// The next message; nil if there is none.
    func next() -> String? {
      var bytes = [UInt8](repeating: 0, count: 4_096)
      let count = recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
      return count < 0 ? nil : String(decoding: bytes[..<count], as: UTF8.self)
    }
  }

  private static func name(_ start: String) -> String {
    "\(start)outboard-notify-\(getpid())-\(UInt32.random(in: 0 ... .max))"
  }

  @Test(arguments: ["/tmp/", "@"])
  func `messages arrive at a path and at an abstract name`(_ start: String) throws {
    let name = Self.name(start)
    let manager = try Manager(name)
    let notifier = try #require(NotifySocket(name))
    #expect(notifier.send(.ready(status: "load 4.1 %")))
    #expect(notifier.send(.watchdog))
    #expect(notifier.send(.stopping))
    #expect(manager.next() == "READY=1\nSTATUS=load 4.1 %")
    #expect(manager.next() == "WATCHDOG=1")
    #expect(manager.next() == "STOPPING=1")
    #expect(manager.next() == nil)
  }

  @Test func `a status cannot contain another assignment`() {
    #expect(ServiceMessage.status("hw:1 is\nREADY=1\r\ngone").text == "STATUS=hw:1 is READY=1 gone")
  }

  @Test func `a manager that does not read blocks nothing`() throws {
    let name = Self.name("@")
    let manager = try Manager(name)
    let notifier = try #require(NotifySocket(name))
    var sent = 0
    // The kernel queues a limited number of datagrams. Beyond that limit a blocking send would hang here.
    while sent < 1_000_000, notifier.send(.watchdog) { sent += 1 }
    #expect(sent < 1_000_000)
    #expect(manager.next() == "WATCHDOG=1")
    #expect(notifier.send(.watchdog))
  }

  @Test func `a manager that has ended has no effect`() throws {
    let notifier = try #require(NotifySocket(Self.name("/tmp/")))
    #expect(!notifier.send(.watchdog))
  }

  @Test(arguments: [
    "", "@", "/", "relative", "vsock:2:1234", "/" + String(repeating: "x", count: 107),
  ])
  func `invalid names are refused`(_ name: String) {
    #expect(NotifySocket(name) == nil)
  }

  @Test func `the longest possible path works`() throws {
    let stem = Self.name("/tmp/")
    let name = stem + String(repeating: "x", count: 107 - stem.utf8.count)
    let manager = try Manager(name)
    #expect(try #require(NotifySocket(name)).send(.watchdog))
    #expect(manager.next() == "WATCHDOG=1")
  }

  @Test func `the socket is read from the environment once and not inherited`() async {
    // In a separate process, because the environment belongs to the whole process.
    await #expect(processExitsWith: .success) {
      let name = `A notify socket`.name("@")
      let manager = try Manager(name)
      setenv("NOTIFY_SOCKET", name, 1)
      let notifier = try #require(NotifySocket.fromEnvironment())
      #expect(getenv("NOTIFY_SOCKET") == nil)
      #expect(NotifySocket.fromEnvironment() == nil)
      notifier.send(.stopping)
      #expect(manager.next() == "STOPPING=1")
    }
  }
}
