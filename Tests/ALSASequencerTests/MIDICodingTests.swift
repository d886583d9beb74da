// MIDICodingTests.swift: conversion from events to bytes and back. SPDX-License-Identifier: MIT

import CALSA
import Testing

@testable import ALSASequencer

@Suite struct MIDICodingTests {
  /// Encodes and decodes messages.
  private func roundTrip(_ messages: [UInt8]..., maximumByteCount: Int = 4_096) throws -> [[UInt8]]
  {
    var encoder = try MIDIEncoder()
    var decoder = try MIDIDecoder(maximumByteCount: maximumByteCount)
    var decoded: [[UInt8]] = []
    for message in messages {
      encoder.begin(message)
      while var event = encoder.next() { decoded += decoder.decode(&event) }
    }
    return decoded
  }

  @Test(
    arguments: [
      [0x90, 60, 100], [0x90, 60, 0], [0x8f, 127, 1], [0xa3, 1, 2], [0xb2, 64, 127], [0xc5, 17],
      [0xd1, 99], [0xe0, 0, 64], [0xf1, 0x23], [0xf2, 1, 2], [0xf3, 4], [0xf6], [0xf8], [0xfa],
      [0xfb],
      [0xfc], [0xff], [0xf0, 0x7e, 0x7f, 6, 1, 0xf7], [0xf0, 0xf7],
    ] as [[UInt8]]) func `every kind of message is converted`(message: [UInt8]) throws
  {
    #expect(try roundTrip(message) == [message])
  }

  @Test func `each message has its status byte`() throws {
    let messages: [[UInt8]] = [[0x90, 60, 100], [0x90, 61, 100], [0x90, 62, 100]]
    #expect(try roundTrip(messages[0], messages[1], messages[2]) == messages)
  }

  @Test func `active sensing is dropped`() throws {
    #expect(try roundTrip([0xfe], [0xf8]) == [[0xf8]])
  }

  @Test(arguments: [255, 256, 257, 512, 4_000])
  func `a long system-exclusive message is sent in pieces and reassembled`(count: Int) throws {
    let message = [0xf0] + (0 ..< count - 2).map { UInt8($0 % 128) } + [0xf7]
    #expect(try roundTrip(message) == [message])
    var encoder = try MIDIEncoder()
    encoder.begin(message)
    var pieces = 0
    while encoder.next() != nil { pieces += 1 }
    #expect(pieces == (count + 255) / 256)
  }

  @Test func `a message that is too long is dropped completely`() throws {
    let long = [0xf0] + [UInt8](repeating: 1, count: 1_000) + [0xf7]
    #expect(
      try roundTrip([0x90, 1, 1], long, [0x90, 2, 2], maximumByteCount: 600) == [
        [0x90, 1, 1], [0x90, 2, 2],
      ])
  }

  @Test func `a message that breaks off is dropped, and its source continues`() throws {
    var decoder = try MIDIDecoder(maximumByteCount: 4_096)
    let begun = exclusive([0xf0, 1, 2], from: 20, &decoder)
    #expect(begun == [])
    var note = event(SND_SEQ_EVENT_NOTEON, from: 20)
    note.data.note = snd_seq_ev_note_t(
      channel: 2, note: 60, velocity: 9, off_velocity: 0, duration: 0)
    #expect(decoder.decode(&note) == [[0x92, 60, 9]])
    let rest = exclusive([3, 0xf7], from: 20, &decoder)
    #expect(rest == [])
    #expect(decoder.brokenCount == 1)
  }

  @Test func `pieces from two sources are not mixed`() throws {
    var decoder = try MIDIDecoder(maximumByteCount: 4_096)
    _ = exclusive([0xf0, 1], from: 20, &decoder)
    _ = exclusive([0xf0, 2], from: 21, &decoder)
    let one = exclusive([3, 0xf7], from: 20, &decoder)
    let other = exclusive([4, 0xf7], from: 21, &decoder)
    #expect(one == [[0xf0, 1, 3, 0xf7]])
    #expect(other == [[0xf0, 2, 4, 0xf7]])
  }

  @Test func `a 14-bit controller becomes two messages`() throws {
    var decoder = try MIDIDecoder(maximumByteCount: 4_096)
    var event = event(SND_SEQ_EVENT_CONTROL14, from: 20)
    event.data.control = snd_seq_ev_ctrl_t(channel: 3, unused: (0, 0, 0), param: 1, value: 0x1234)
    #expect(decoder.decode(&event) == [[0xb3, 1, 0x24], [0xb3, 33, 0x34]])
  }

  @Test func `events other than MIDI are ignored`() throws {
    var decoder = try MIDIDecoder(maximumByteCount: 4_096)
    var echo = event(SND_SEQ_EVENT_ECHO, from: 20)
    #expect(decoder.decode(&echo) == [])
  }

  private func event(_ type: snd_seq_event_type, from client: UInt8) -> snd_seq_event_t {
    var event = snd_seq_event_t()
    event.type = UInt8(type.rawValue)
    event.source.client = client
    return event
  }

  /// Returns the messages that a part of a system-exclusive message completes.
  private func exclusive(
    _ bytes: [UInt8], from client: UInt8, _ decoder: inout MIDIDecoder
  ) -> [[UInt8]] {
    var bytes = bytes
    return bytes.withUnsafeMutableBytes { buffer in
      var event = event(SND_SEQ_EVENT_SYSEX, from: client)
      event.flags = UInt8(SND_SEQ_EVENT_LENGTH_VARIABLE)
      event.data.ext.len = UInt32(buffer.count)
      event.data.ext.ptr = buffer.baseAddress
      return decoder.decode(&event)
    }
  }
}
