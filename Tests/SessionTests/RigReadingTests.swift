// RigReadingTests.swift: rigs that are read on another thread. SPDX-License-Identifier: MIT

import Foundation
import Manifests
import RigSchema
import Session
import Synchronization
import TestWaits
import Testing

@Suite final class `A rig that is read in the background`: Sendable {
  private let path: String

  init() { path = NSTemporaryDirectory() + "outboard-reading-" + UUID().uuidString }

  deinit { unlink(path) }

  @Test func `a rig that was read is returned`() throws {
    try "outboard: 1\nconnections: [in -> out]\n".write(
      toFile: path, atomically: true, encoding: .utf8)
    let isOver = DispatchSemaphore(value: 0)
    let reading = RigReading({ [path] in try RigReader.read(path: path) }) { isOver.signal() }
    isOver.waitOrTrap()
    #expect(try reading.take()?.get().connections.count == 1)
  }

  @Test func `a rig that cannot be read has the reason`() throws {
    let isOver = DispatchSemaphore(value: 0)
    let reading = RigReading({ [path] in try RigReader.read(path: path) }) { isOver.signal() }
    isOver.waitOrTrap()
    #expect(throws: ManifestError.self) { try reading.take()?.get() }
  }

  @Test func `reading from a file system that hangs is abandoned without blocking other requests`()
    throws
  {
    #expect(mkfifo(path, 0o600) == 0)
    let isOpen = DispatchSemaphore(value: 0)
    let hasEnded = Atomic<Bool>(false)
    // Opening a pipe waits for its writer, as a network file system waits for its server.
    let reading = RigReading({ [path] in
      let file = open(path, O_RDONLY)
      isOpen.signal()
      close(file)
      return try RigReader.read(text: "outboard: 1\nconnections: [in -> out]\n", file: path)
    }) { hasEnded.store(true, ordering: .releasing) }
    #expect(reading.take().map { _ in true } == nil)
    reading.cancel()
    // The server replies: the thread ends without a report.
    let writer = open(path, O_WRONLY)
    isOpen.waitOrTrap()
    close(writer)
    while reading.take().map({ _ in true }) == nil { sched_yield() }
    let wasReported = hasEnded.load(ordering: .acquiring)
    #expect(!wasReported)
  }
}
