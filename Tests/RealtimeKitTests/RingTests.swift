// RingTests.swift: rings on one thread and between two. SPDX-License-Identifier: MIT

import Glibc
import RealtimeKit
import Testing

/// Reads the oldest message.
private func take(_ ring: borrowing MessageRing) -> (time: UInt64, bytes: [UInt8])? {
  guard let time = ring.nextTime() else { return nil }
  let scratch = UnsafeMutableRawPointer.allocate(
    byteCount: ring.maximumByteCount, alignment: 16)
  defer { scratch.deallocate() }
  let count = ring.take(into: scratch)
  return (time, Array(UnsafeRawBufferPointer(start: scratch, count: count)))
}

@Suite struct MessageRingTests {
  @Test func `messages are complete, in order, and have their times`() {
    let ring = MessageRing(capacityBytes: 4_096)
    #expect(ring.nextTime() == nil)
    for length in 0 ..< 40 {
      let bytes = [UInt8](repeating: UInt8(length), count: length)
      #expect(ring.write(time: UInt64(length) << 40, bytes) == true)
    }
    for length in 0 ..< 40 {
      let message = take(ring)
      #expect(message?.time == UInt64(length) << 40)
      #expect(message?.bytes == [UInt8](repeating: UInt8(length), count: length))
    }
    #expect(ring.nextTime() == nil)
  }

  @Test func `a full ring refuses a message and keeps its content`() {
    let ring = MessageRing(capacityBytes: 256)
    var written: [UInt8] = []
    while ring.write(time: 0, [UInt8(written.count)]) { written.append(UInt8(written.count)) }
    // 32 bytes each: a header of 16, and the message rounded up.
    #expect(written.count == 8)
    #expect(ring.write(time: 0, []) == false)
    #expect(ring.write(time: 0, [1, 2, 3]) == false)
    for byte in written { #expect(take(ring)?.bytes == [byte]) }
    #expect(ring.write(time: 0, [9]) == true)
  }

  @Test func `messages of every length survive the ring's end`() {
    let ring = MessageRing(capacityBytes: 256)
    #expect(ring.maximumByteCount == 112)
    for round in 0 ..< 2_000 {
      let length = round % (ring.maximumByteCount + 1)
      let bytes = (0 ..< length).map { UInt8(truncatingIfNeeded: round &+ $0) }
      #expect(ring.write(time: UInt64(round), bytes) == true)
      let message = take(ring)
      #expect(message?.time == UInt64(round) && message?.bytes == bytes)
    }
  }

  @Test func `a message longer than the longest is refused by an empty ring`() {
    let ring = MessageRing(capacityBytes: 256)
    #expect(ring.write(time: 0, [UInt8](repeating: 0, count: ring.maximumByteCount + 1)) == false)
    #expect(ring.write(time: 0, [UInt8](repeating: 0, count: ring.maximumByteCount)) == true)
  }

  @Test func `a ring has at least the requested capacity`() {
    for capacity in [0, 1, 64, 65, 1_000] {
      let ring = MessageRing(capacityBytes: capacity)
      for _ in 0 ..< capacity / 32 { #expect(ring.write(time: 0, [1]) == true) }
    }
  }
}

@Suite struct SampleRingTests {
  @Test func `samples are read in order, as many as requested`() {
    let ring = SampleRing(minimumCapacity: 100)
    for sample in 0 ..< 10 { ring.write(Float(sample)) }
    #expect(ring.read(atMost: 4) == [0, 1, 2, 3])
    #expect(ring.read(atMost: 0) == [])
    #expect(ring.read(atMost: 100) == [4, 5, 6, 7, 8, 9])
    #expect(ring.read(atMost: 100) == [])
  }

  @Test func `messages that do not fit are dropped and counted, and the oldest remain`() {
    let ring = SampleRing(minimumCapacity: 64)
    for sample in 0 ..< 100 { ring.write(Float(sample)) }
    #expect(ring.droppedCount == 36)
    #expect(ring.read(atMost: .max) == (0 ..< 64).map(Float.init))
    ring.write(7)
    #expect(ring.read(atMost: .max) == [7])
    #expect(ring.droppedCount == 36)
  }

  @Test func `samples wrap around the ring's end in order`() {
    let ring = SampleRing(minimumCapacity: 64)
    var next = 0
    for round in 0 ..< 500 {
      let count = round % 64
      for sample in next ..< next + count { ring.write(Float(sample)) }
      #expect(ring.read(atMost: .max) == (next ..< next + count).map(Float.init))
      next += count
    }
    #expect(ring.droppedCount == 0)
  }
}

// MARK: - Two threads

/// The shared state of the two threads of a stress test.
private struct Stress: ~Copyable {
  static var messageCount: UInt64 { 50_000 }
  static var sampleCount: Int { 200_000 }
  let messages = MessageRing(capacityBytes: 1_024)
  let samples = SampleRing(minimumCapacity: 256)
}

@c(stress_writes_messages)
private func writeMessages(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let context else { return nil }
  let stress = context.assumingMemoryBound(to: Stress.self)
  for number in 0 ..< Stress.messageCount {
    let length = Int(number % 61)
    let bytes = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: length)
    while !stress.pointee.messages.write(time: number, bytes) { sched_yield() }
  }
  return nil
}

@c(stress_writes_samples)
private func writeSamples(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let context else { return nil }
  let stress = context.assumingMemoryBound(to: Stress.self)
  for sample in 0 ..< Stress.sampleCount { stress.pointee.samples.write(Float(sample)) }
  return nil
}

@Suite struct RingStressTests {
  private func withWriter(
    _ writer: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer?,
    _ read: (borrowing Stress) -> Void
  ) {
    let stress = UnsafeMutablePointer<Stress>.allocate(capacity: 1)
    stress.initialize(to: Stress())
    defer {
      stress.deinitialize(count: 1)
      stress.deallocate()
    }
    var thread = pthread_t()
    #expect(pthread_create(&thread, nil, writer, stress) == 0)
    read(stress.pointee)
    #expect(pthread_join(thread, nil) == 0)
  }

  @Test func `no message is lost, torn or out of order between two threads`() {
    withWriter(writeMessages) { stress in
      var wrong = 0
      for number in 0 ..< Stress.messageCount {
        while stress.messages.nextTime() == nil { sched_yield() }
        let expected = [UInt8](
          repeating: UInt8(truncatingIfNeeded: number), count: Int(number % 61))
        let message = take(stress.messages)
        if message?.time != number || message?.bytes != expected { wrong += 1 }
      }
      #expect(wrong == 0)
      #expect(stress.messages.nextTime() == nil)
    }
  }

  @Test func `samples between two threads stay in order, and lost ones are counted`() {
    withWriter(writeSamples) { stress in
      var (last, received, disordered) = (Float(-1), 0, 0)
      while received + stress.samples.droppedCount < Stress.sampleCount {
        for sample in stress.samples.read(atMost: 1_000) {
          if sample <= last { disordered += 1 }
          last = sample
          received += 1
        }
      }
      #expect(disordered == 0)
      #expect(received > 0)
      #expect(received + stress.samples.droppedCount == Stress.sampleCount)
    }
  }
}
