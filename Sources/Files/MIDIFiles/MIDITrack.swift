// MIDITrack.swift: one track of a MIDI file. SPDX-License-Identifier: MIT

/// A track's messages and changes of tempo, by ticks.
struct MIDITrack {
  struct Message {
    var tick: Int
    var bytes: [UInt8]
  }

  struct Tempo {
    var tick: Int
    var microsecondsPerQuarter: Int
  }

  private(set) var messages: [Message] = []
  private(set) var tempi: [Tempo] = []
  /// The declared end of the track, or its last event.
  private(set) var endTick = 0

  private let path: String
  private let number: Int
  private var rest: ArraySlice<UInt8>
  /// The status byte that data bytes without one belong to.
  private var runningStatus: UInt8?
  /// A system-exclusive message of which more follows.
  private var unfinished: [UInt8]?

  /// The largest number of ticks in a track: more than a year at any usual tempo.
  private static let longestTicks = 1 << 40

  private enum Meta {
    static let endOfTrack: UInt8 = 0x2F
    static let tempo: UInt8 = 0x51
  }

  init(_ bytes: ArraySlice<UInt8>, number: Int, path: String) throws(MIDIFileError) {
    self.path = path
    self.number = number
    rest = bytes
    while !rest.isEmpty {
      let delta = try readLength()
      endTick += delta
      guard endTick <= Self.longestTicks else { throw malformedError("it is too long") }
      if try !readEvent() { return }
    }
  }

  private func malformedError(_ reason: String) -> MIDIFileError {
    .malformed(path: path, track: number, reason: reason)
  }

  // MARK: - Events

  /// Reads one event; false at the end of the track.
  private mutating func readEvent() throws(MIDIFileError) -> Bool {
    switch try peek() {
    case 0xFF: return try readMeta()
    case 0xF0, 0xF7: try readExclusive()
    case 0xF1 ... 0xFE: try readSystem()
    default: try readChannel()
    }
    return true
  }

  private mutating func readChannel() throws(MIDIFileError) {
    let first = try peek()
    let status: UInt8
    if first & 0x80 != 0 {
      status = try next()
      runningStatus = status
    } else if let running = runningStatus {
      status = running
    } else {
      throw malformedError("it has data (\(first)) before any message")
    }
    let dataCount = [0xC0, 0xD0].contains(status & 0xF0) ? 1 : 2
    var bytes = [status]
    for _ in 0 ..< dataCount {
      let data = try next()
      guard data & 0x80 == 0 else {
        throw malformedError("a message has \(data) for a value of 0 to 127")
      }
      bytes.append(data)
    }
    messages.append(Message(tick: endTick, bytes: bytes))
  }

  /// System-common and real-time messages do not belong in a file, but some write them.
  private mutating func readSystem() throws(MIDIFileError) {
    let status = try next()
    let dataCount =
      switch status {
      case 0xF1, 0xF3: 1
      case 0xF2: 2
      default: 0
      }
    var bytes = [status]
    for _ in 0 ..< dataCount { bytes.append(try next() & 0x7F) }
    // They end running status, real-time ones excepted.
    if status < 0xF8 { runningStatus = nil }
    messages.append(Message(tick: endTick, bytes: bytes))
  }

  /// `F0 length bytes` begins a message, `F7 length bytes` continues it, or escapes any bytes.
  private mutating func readExclusive() throws(MIDIFileError) {
    runningStatus = nil
    let isBeginning = try next() == 0xF0
    let content = try readBytes(try readLength())
    var bytes = isBeginning ? [0xF0] + content : (unfinished ?? []) + content
    // Escaped bytes can be anything; only an unfinished message can be continued.
    guard isBeginning || unfinished != nil else {
      if content.first.map({ $0 & 0x80 != 0 }) == true {
        messages.append(Message(tick: endTick, bytes: content))
      }
      return
    }
    guard bytes.last == 0xF7 else {
      unfinished = bytes
      return
    }
    unfinished = nil
    // A status inside would end the message at every receiver.
    bytes.removeLast()
    guard bytes.dropFirst().allSatisfy({ $0 & 0x80 == 0 }) else { return }
    messages.append(Message(tick: endTick, bytes: bytes + [0xF7]))
  }

  /// Reads a meta event; returns false at the end of the track.
  private mutating func readMeta() throws(MIDIFileError) -> Bool {
    _ = try next()
    let kind = try next()
    let content = try readBytes(try readLength())
    if kind == Meta.tempo, content.count == 3 {
      let microseconds = content.reduce(0) { $0 << 8 | Int($1) }
      if microseconds > 0 {
        tempi.append(Tempo(tick: endTick, microsecondsPerQuarter: microseconds))
      }
    }
    return kind != Meta.endOfTrack
  }

  // MARK: - Bytes

  private func peek() throws(MIDIFileError) -> UInt8 {
    guard let byte = rest.first else { throw malformedError("it ends in the middle of an event") }
    return byte
  }

  private mutating func next() throws(MIDIFileError) -> UInt8 {
    let byte = try peek()
    rest.removeFirst()
    return byte
  }

  private mutating func readBytes(_ count: Int) throws(MIDIFileError) -> [UInt8] {
    guard count <= rest.count else { throw malformedError("it ends in the middle of an event") }
    defer { rest.removeFirst(count) }
    return Array(rest.prefix(count))
  }

  /// A number in groups of seven bits, the high ones first, four groups at most.
  private mutating func readLength() throws(MIDIFileError) -> Int {
    var value = 0
    for _ in 0 ..< 4 {
      let byte = try next()
      value = value << 7 | Int(byte & 0x7F)
      if byte & 0x80 == 0 { return value }
    }
    throw malformedError("a number in it is longer than four bytes")
  }
}
