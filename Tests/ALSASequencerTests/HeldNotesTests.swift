// HeldNotesTests.swift: notes that are still on when a source disappears. SPDX-License-Identifier: MIT

import Testing

@testable import ALSASequencer

@Suite struct HeldNotesTests {
  private let keyboard = SequencerAddress(client: 20, port: 0)
  private let pads = SequencerAddress(client: 24, port: 0)
  private var held = HeldNotes()

  private mutating func follow(_ messages: [UInt8]..., from source: SequencerAddress? = nil) {
    for message in messages { held.follow(message, from: source ?? keyboard) }
  }

  @Test mutating func `each held note is ended once, on its channel`() {
    follow([0x90, 60, 100], [0x93, 64, 1], [0x90, 60, 90])
    #expect(held.release(keyboard) == [[0x80, 60, 64], [0x83, 64, 64]])
    #expect(held.release(keyboard).isEmpty)
  }

  @Test mutating func `a note that was ended by any message is not ended again`() {
    follow([0x90, 60, 100], [0x80, 60, 0], [0x90, 61, 100], [0x90, 61, 0])
    #expect(held.sources.isEmpty)
    #expect(held.release(keyboard).isEmpty)
  }

  @Test mutating func `a held pedal is released after the notes`() {
    follow([0xb0, 64, 127], [0x90, 60, 100], [0xb0, 66, 127], [0xb0, 66, 0])
    #expect(held.release(keyboard) == [[0x80, 60, 64], [0xb0, 64, 0]])
  }

  @Test mutating func `a key that another source also holds is not ended`() {
    follow([0x90, 60, 100], [0x90, 62, 100])
    follow([0x90, 60, 100], from: pads)
    #expect(held.release(keyboard) == [[0x80, 62, 64]])
    #expect(held.release(pads) == [[0x80, 60, 64]])
  }

  @Test(arguments: [UInt8(120), 123, 126])
  mutating func `all notes off ends the notes of its channel`(controller: UInt8) {
    follow([0x90, 60, 100], [0x91, 61, 100], [0xb0, 64, 127], [0xb0, controller, 0])
    #expect(held.release(keyboard) == [[0x81, 61, 64], [0xb0, 64, 0]])
  }

  @Test mutating func `reset of all controllers lifts the pedals of its channel`() {
    follow([0xb0, 64, 127], [0xb1, 64, 127], [0x90, 64, 100], [0xb0, 121, 0])
    #expect(held.release(keyboard) == [[0x80, 64, 64], [0xb1, 64, 0]])
  }

  @Test mutating func `other messages hold no notes`() {
    follow([0xe0, 0, 64], [0xb0, 7, 100], [0xc0, 5], [0xf0, 1, 0xf7], [0xa0, 60, 100])
    #expect(held.sources.isEmpty)
  }
}
