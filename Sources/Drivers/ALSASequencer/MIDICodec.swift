// MIDICodec.swift: converts between sequencer events and MIDI bytes. SPDX-License-Identifier: MIT

import CALSA
import Glibc

/// The owner of an alsa-lib MIDI parser, which only one thread may use at a time.
final class ALSAMIDICodec {
  let handle: OpaquePointer

  /// Creates a parser that writes a status byte into every message. [main]
  ///
  /// - Parameter bufferBytes: the longest piece of a system-exclusive message that it produces.
  /// - Throws: `SequencerError` if there is no memory.
  init(bufferBytes: Int) throws(SequencerError) {
    var handle: OpaquePointer?
    let status = snd_midi_event_new(bufferBytes, &handle)
    guard status >= 0, let handle else {
      throw .refused(step: "create a MIDI parser", reason: Sequencer.message(status))
    }
    snd_midi_event_init(handle)
    snd_midi_event_no_status(handle, 1)
    self.handle = handle
  }

  deinit {
    snd_midi_event_free(handle)
  }
}

/// Converts events to complete MIDI messages. [sequencer thread]
struct MIDIDecoder {
  /// The longest system-exclusive message that is assembled, in bytes; longer ones are dropped.
  let maximumByteCount: Int
  /// The number of system-exclusive messages that were too long or incomplete.
  private(set) var brokenCount = 0

  private let coder: ALSAMIDICodec
  private var scratch: [UInt8]
  /// System-exclusive messages without their end so far.
  private var unfinished: [SequencerAddress: [UInt8]] = [:]
  /// Sources whose system-exclusive message is too long and is skipped up to its end.
  private var tooLong: Set<SequencerAddress> = []

  init(maximumByteCount: Int) throws(SequencerError) {
    self.maximumByteCount = maximumByteCount
    coder = try ALSAMIDICodec(bufferBytes: 16)
    scratch = [UInt8](repeating: 0, count: 4096)
  }

  /// Returns the messages that an event completes, each with its status byte.
  ///
  /// A change of a 14-bit controller is several messages. Active sensing is discarded because no
  /// program needs it.
  mutating func decode(_ event: UnsafePointer<snd_seq_event_t>) -> [[UInt8]] {
    let source = SequencerAddress(event.pointee.source)
    var bytes = raw(event)
    guard let first = bytes.first, first != 0xfe else { return [] }
    if first >= 0xf8 { return [bytes] }
    if event.pointee.type == UInt8(SND_SEQ_EVENT_SYSEX.rawValue) {
      return exclusive(&bytes, from: source).map { [$0] } ?? []
    }
    abandon(source)
    return Self.split(bytes)
  }

  /// Drops the unfinished message of a source that was disconnected.
  mutating func abandon(_ source: SequencerAddress) {
    if unfinished.removeValue(forKey: source) != nil { brokenCount += 1 }
    tooLong.remove(source)
  }

  private mutating func raw(_ event: UnsafePointer<snd_seq_event_t>) -> [UInt8] {
    if event.pointee.type == UInt8(SND_SEQ_EVENT_SYSEX.rawValue) {
      let data = event.pointee.data.ext
      guard let bytes = data.ptr else { return [] }
      return Array(UnsafeRawBufferPointer(start: bytes, count: Int(data.len)))
    }
    let count = snd_midi_event_decode(coder.handle, &scratch, scratch.count, event)
    return count > 0 ? Array(scratch[..<count]) : []
  }

  /// Assembles the pieces of a system-exclusive message; returns nil until it is complete.
  private mutating func exclusive(
    _ piece: inout [UInt8], from source: SequencerAddress
  ) -> [UInt8]? {
    if piece[0] == 0xf0 {
      abandon(source)
    } else if unfinished[source] == nil, !tooLong.contains(source) {
      return nil
    }
    let isEnd = piece.last == 0xf7
    if tooLong.contains(source) {
      if isEnd { tooLong.remove(source) }
      return nil
    }
    var message = unfinished.removeValue(forKey: source) ?? []
    message += piece
    if message.count > maximumByteCount {
      brokenCount += 1
      if !isEnd { tooLong.insert(source) }
      return nil
    }
    if isEnd { return message }
    unfinished[source] = message
    return nil
  }

  /// Splits messages at their status bytes.
  private static func split(_ bytes: [UInt8]) -> [[UInt8]] {
    var messages: [[UInt8]] = []
    for byte in bytes {
      if byte >= 0x80 || messages.isEmpty {
        messages.append([byte])
      } else {
        messages[messages.count - 1].append(byte)
      }
    }
    return messages
  }
}

/// Converts MIDI bytes to a sequence of events. [sequencer thread]
struct MIDIEncoder {
  private let coder: ALSAMIDICodec
  private var bytes: [UInt8] = []
  private var position = 0

  /// The piece size that the kernel uses for devices.
  static let pieceBytes = 256

  init() throws(SequencerError) {
    coder = try ALSAMIDICodec(bufferBytes: Self.pieceBytes)
  }

  /// Begins a message; the rest of the previous one is dropped.
  mutating func begin(_ message: [UInt8]) {
    bytes = message
    position = 0
    snd_midi_event_reset_encode(coder.handle)
  }

  /// Returns the next event of the message, such as a piece of a long system-exclusive one; nil at
  /// its end.
  ///
  /// It refers to memory that the next call overwrites.
  mutating func next() -> snd_seq_event_t? {
    while position < bytes.count {
      var event = snd_seq_event_t()
      let taken = bytes.withUnsafeBufferPointer { buffer in
        buffer.baseAddress.map {
          snd_midi_event_encode(coder.handle, $0 + position, bytes.count - position, &event)
        } ?? -1
      }
      guard taken > 0 else { return nil }
      position += taken
      if event.type != UInt8(SND_SEQ_EVENT_NONE.rawValue) { return event }
    }
    return nil
  }
}

extension SequencerAddress {
  /// Converts from the C type `snd_seq_addr_t`.
  init(_ address: snd_seq_addr_t) {
    self.init(client: address.client, port: address.port)
  }

  var native: snd_seq_addr_t { snd_seq_addr_t(client: client, port: port) }
}
