// OrganTests.swift: pitch, envelope, pedal, bend and voices of the organ. SPDX-License-Identifier: MIT

import Foundation
import ModuleTestSupport
import Testing

@Suite struct OrganTests {
  private let library: ModuleLibrary
  /// One drawbar at the pitch of the key, an attack of a frame, no velocity.
  private let plain: [(String, Float)] = [
    ("bar_16", 0), ("bar_5", 0), ("bar_8", 8), ("bar_4", 0), ("bar_2_2_3", 0), ("bar_2", 0),
    ("bar_1", 0), ("attack", 1), ("velocity", 0), ("level", 0),
  ]

  init() throws { library = try ModuleLibrary("organ") }

  private typealias Message = ModuleInstance.Message

  private func render(
    _ messages: [Message], _ frameCount: Int = 48_000, _ values: [(String, Float)] = []
  ) throws -> [Float] {
    let both = try ModuleInstance(library, plain + values)
      .render(frameCount: frameCount, messages: messages)
    // One drawbar at 0 dB has a peak of a quarter.
    return zip(both[0], both[1]).map { ($0 + $1) * 2 }
  }

  private func peak(_ samples: ArraySlice<Float>) -> Float {
    samples.reduce(0) { max($0, abs($1)) }
  }

  @Test(arguments: [(UInt8(69), 440.0), (57, 220), (60, 261.6256), (108, 4_186.009)])
  func `a key plays a sine at its pitch from its frame on`(
    key: UInt8, hertz: Double
  ) throws {
    let output = try render([Message(at: 1_000, [0x90, key, 1])])
    #expect(peak(output[..<1_000]) == 0)
    let ideal = Signals.sine(hertz, 47_000)
    let after = zip(output[1_100...], ideal[100...]).map { abs($0 - $1) }.max() ?? 1
    // The table of keys has four decimals, so phases drift apart slightly.
    #expect(after < 0.002, "\(after)")
  }

  @Test func `the output is silent before any note, and soon after the last one`() throws {
    let output = try render([Message(at: 0, [0x90, 60, 99]), Message(at: 9_600, [0x80, 60, 0])])
    #expect(peak(output[4_800 ..< 9_600]) > 0.99)
    // The release falls by 60 dB in 6.9 times 30 ms.
    #expect(peak(output[(9_600 + 9_936)...]) < 0.001_1)
    #expect(peak(output[(9_600 + 24_000)...]) == 0)
    #expect(peak(try render([], 4_800)[...]) == 0)
  }

  @Test func `the pedal holds released notes until it goes up`() throws {
    let output = try render([
      Message(at: 0, [0xb0, 64, 127]), Message(at: 0, [0x90, 60, 99]),
      Message(at: 100, [0x90, 60, 0]), Message(at: 24_000, [0xb0, 64, 0]),
    ])
    #expect(peak(output[20_000 ..< 24_000]) > 0.99)
    #expect(peak(output[44_000...]) == 0)
  }

  @Test func `the wheel bends by two semitones, and only its channel`() throws {
    let up = try render([
      Message(at: 0, [0xe3, 127, 127]), Message(at: 0, [0x93, 69, 99]),
      Message(at: 0, [0xe4, 0, 0]),
    ])
    let bent = 440 * pow(2, 2.0 / 12 * 8_191 / 8_192)
    let ideal = Signals.sine(bent, 48_000)
    #expect((zip(up[100...], ideal[100...]).map { abs($0 - $1) }.max() ?? 1) < 0.001)
  }

  @Test(arguments: [UInt8(120), 123]) func `all sound off and all notes off work`(
    controller: UInt8
  ) throws {
    let chord = (0 ..< 10).map { Message(at: 0, [0x90, UInt8(50 + $0), 99]) }
    let output = try render(chord + [Message(at: 4_800, [0xb0, controller, 0])])
    #expect(peak(output[..<4_800]) > 1)
    #expect(peak(output[40_000...]) == 0)
    // 63 % in five milliseconds, where the release has thirty.
    if controller == 120 { #expect(peak(output[9_600...]) == 0) }
  }

  @Test func `a seventeenth note takes over a voice without a click`() throws {
    var messages = (0 ..< 16).map { Message(at: 0, [0x90, UInt8(40 + $0), 99]) }
    messages.append(Message(at: 24_000, [0x90, 70, 99]))
    let output = try render(messages)
    let steps = zip(output, output.dropFirst()).map { abs($1 - $0) }
    let usual = steps[20_000 ..< 23_990].max() ?? 0
    #expect((steps[23_990 ..< 24_100].max() ?? 9) < usual * 1.5)
    #expect(Spectrum(Array(output.suffix(16_384))).peakDecibels(fromHz: 460, toHz: 472) > -12)
  }

  @Test func `the highest key with all drawbars has only the frequencies of its drawbars`() throws {
    let all = [
      "bar_16", "bar_5", "bar_8", "bar_4", "bar_2_2_3", "bar_2", "bar_1_3_5", "bar_1_1_3", "bar_1",
    ].map { ($0, Float(8)) }
    let output = try render([Message(at: 0, [0x90, 120, 99])], 65_536, all)
    let settled = Array(output.suffix(60_000))
    // Drawbars at 4.2, 8.4, 12.6 and 16.7 kHz. There is nothing between them, and nothing above 0.45 of the rate.
    #expect(Spectrum(settled).peakDecibels(fromHz: 9_500, toHz: 11_500) < -90)
    #expect(Spectrum(settled).peakDecibels(fromHz: 22_000, toHz: 24_000) < -90)
  }

  @Test func `an overflow of messages ends all notes, so that none stays on`() throws {
    var messages = [Message(at: 0, [0x90, 60, 99])]
    messages += (0 ..< 1_100).map { _ in Message(at: 1, [0xb0, 7, 1]) }
    messages.append(Message(at: 1, [0x80, 60, 0]))
    #expect(peak(try render(messages)[24_000...]) == 0)
  }
}
