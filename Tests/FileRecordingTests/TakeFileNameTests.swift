// TakeFileNameTests.swift: numbers and times in the names of recordings. SPDX-License-Identifier: MIT

import AudioTestSupport
import Foundation
import Testing

@testable import FileRecording

@Suite struct TakeFileNameTests {
  private func path(_ name: String, take: Int = 1, part: Int = 1) throws -> String {
    var facts = TakeFileName.Values(take: take, time: 0)
    facts.part = part
    return try TakeFileName(name).path(facts)
  }

  @Test func `placeholders become numbers, in the last part of the path only`() throws {
    #expect(try path("/a%take/b.wav") == "/a%take/b.wav")
    #expect(try path("a/take-%take.wav", take: 7) == "a/take-007.wav")
    #expect(try path("%take%part.flac", take: 1_234, part: 3) == "123403.flac")
    #expect(try path("take.wav", part: 2) == "take-2.wav")
    #expect(try path("take-%part.wav", part: 12) == "take-12.wav")
    #expect(try path("100%%take.wav") == "100%take.wav")
    #expect(try path("100%.wav") == "100%.wav")
    #expect(try path("no-ending%take") == "no-ending001")
  }

  @Test func `times are those of the start`() throws {
    let name = try TakeFileName("%date_%time.wav").path(TakeFileName.Values(time: 1_000_000_000))
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.dateFormat = "yyyy-MM-dd_HH-mm-ss"
    #expect(name == formatter.string(from: Date(timeIntervalSince1970: 1e9)) + ".wav")
  }

  @Test func `an unknown placeholder is reported`() {
    #expect(
      message { _ = try TakeFileName("band-%n.wav") }
        == "band-%n.wav has %n in its name, which is not a placeholder. Use %take, %part, %date"
        + " and %time. %% is a percent sign.")
  }

  @Test func `the next take is one above the highest existing one`() throws {
    let scratch = try TemporaryDirectory()
    let name = try TakeFileName(scratch.file("a-%take-%date.wav"))
    #expect(name.nextTake() == 1)
    for file in [
      "a-003-2026-01-31.wav", "a-011-2026-02-01-2.wav", "b-100-2026-01-01.wav", "a-x.wav",
      "a-010-2026-02-01.wav.labels.txt",
    ] { try Data().write(to: URL(fileURLWithPath: scratch.file(file))) }
    #expect(name.nextTake() == 12)
    #expect(try TakeFileName(scratch.file("no/a-%take.wav")).nextTake() == 1)
  }
}
