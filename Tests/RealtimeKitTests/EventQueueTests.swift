// EventQueueTests.swift: order, capacity, and messages that are kept when full. SPDX-License-Identifier: MIT

import RealtimeKit
import Testing

@Suite struct EventQueueTests {
  private func frames(_ queue: borrowing EventQueue) -> [UInt32] {
    (0 ..< queue.count).map { queue.frame(at: $0) }
  }

  private func facts(_ queue: borrowing EventQueue) -> (count: Int, dropped: Int) {
    (queue.count, queue.droppedCount)
  }

  @Test func `messages are sorted by frame, and those of one frame keep their order`() {
    var queue = EventQueue()
    for (index, frame) in [UInt32(5), 2, 5, 0, 2].enumerated() {
      queue.add(frame: frame, [0x90, UInt8(index)], 2)
    }
    #expect(frames(queue) == [0, 2, 2, 5, 5])
    let second = (0 ..< 5).map { queue.message(at: $0)[1] }
    #expect(second == [3, 1, 4, 0, 2])
    queue.clear()
    #expect(facts(queue).count == 0)
  }

  @Test func `a full queue still accepts note-offs and counts dropped messages`() {
    var queue = EventQueue(capacity: 8, capacityBytes: 1_000)
    for key in UInt8(0) ..< 10 { queue.add(frame: 0, [0x90, key, 100], 3) }
    #expect(facts(queue).count == 6)
    #expect(facts(queue).dropped == 4)
    queue.add(frame: 1, [0x80, 0, 0], 3)
    queue.add(frame: 1, [0xb0, 123, 0], 3)
    #expect(facts(queue).count == 8)
    queue.add(frame: 1, [0x80, 1, 0], 3)
    #expect(facts(queue).count == 8)
    #expect(facts(queue).dropped == 5)
  }

  @Test func `a queue can run out of bytes before it runs out of messages`() {
    var queue = EventQueue(capacity: 100, capacityBytes: 16)
    queue.add(frame: 0, [UInt8](repeating: 0xf0, count: 12), 12)
    queue.add(frame: 0, [0x90, 1, 1], 3)
    queue.add(frame: 0, [0x90, 1, 0], 3)
    #expect(facts(queue).count == 2)
    #expect(facts(queue).dropped == 1)
    let byteCount = queue.byteCount(at: 0)
    #expect(byteCount == 12)
  }

  @Test(arguments: [
    ([UInt8(0x80), 60, 64], true), ([0x9f, 60, 0], true), ([0x90, 60, 1], false),
    ([0xb0, 64, 63], true), ([0xb0, 64, 64], false), ([0xb3, 123, 0], true),
    ([0xb0, 7, 0], false), ([0xe0, 0, 64], false), ([0xff], true), ([0xf8], false), ([], false),
  ])
  func `messages that end notes are recognised`(message: [UInt8], ends: Bool) {
    #expect(endsNote(message, message.count) == ends)
  }

  @Test func `a full ring reserves room for messages that must not be lost`() {
    let ring = MessageRing(capacityBytes: 256)
    var count = 0
    while ring.write(time: 7, [1, 2, 3], 3, sparingBytes: 64) { count += 1 }
    #expect(count == 6)
    let taken = [
      ring.write(time: 8, [4, 5], 2), ring.write(time: 9, [6]), ring.write(time: 9, [6]),
    ]
    #expect(taken == [true, true, false])
    let (time, byteCount) = (ring.nextTime(), ring.nextByteCount())
    #expect(time == 7)
    #expect(byteCount == 3)
  }
}
