// SequencerTests.swift: the messages on a machine without a sequencer. SPDX-License-Identifier: MIT

import Glibc
import Testing

@testable import ALSASequencer

@Suite struct SequencerTests {
  @Test(.enabled(if: access("/dev/snd/seq", F_OK) != 0))
  func `without a sequencer the message names the kernel module`() {
    let error = #expect(throws: SequencerError.self) { try SequencerDevices.all() }
    #expect(error == .noSequencer)
    #expect(
      error?.description
        == "The kernel's MIDI sequencer is missing. Load it with `sudo modprobe snd-seq`.")
    #expect(error?.exitStatus == 3)
  }

  @Test func `error messages are sentences`() {
    #expect(
      SequencerError.notPermitted.description
        == "Permission to open the MIDI sequencer was denied. Add your user to the group audio "
        + "(sudo adduser $USER audio) and log in again.")
    #expect(
      SequencerError.wordWithNames(word: "all").description
        == "The word all cannot be combined with other MIDI devices. Remove one.")
    #expect(
      SequencerError.refused(step: "make a port", reason: "No such device").description
        == "The MIDI sequencer could not make a port: No such device.")
  }

  @Test func `a port name that repeats its client's name is omitted`() {
    #expect(endpoint(20, 0, "Pad", "Pad").name == "Pad")
    #expect(endpoint(20, 0, "Pad", "").name == "Pad")
    #expect(endpoint(20, 0, "Pad", "MIDI 1").name == "Pad:MIDI 1")
  }
}
