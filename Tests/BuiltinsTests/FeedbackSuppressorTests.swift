// FeedbackSuppressorTests.swift: feedback is stopped, and music is unchanged. SPDX-License-Identifier: MIT

import AudioFiles
import Builtins
import FixtureSupport
import Foundation
import PluginModel
import Testing

private func decibels(_ linear: Float) -> Double { 20 * log10(Double(max(linear, 1e-9))) }

/// A large array, which `#expect` must not print.
private func isSame(_ one: some Collection<Float>, _ other: some Collection<Float>) -> Bool {
  one.elementsEqual(other)
}

/// A few words, then room noise, in which feedback is easy to detect.
private func words(_ seconds: Double, rate: Double = 48_000) -> [Float] {
  let speech = Programme.speech.make(rate, seconds: seconds)
  let noise = Programme.noiseBursts.make(rate, seconds: seconds)
  return speech.indices.map { Double($0) / rate < 0.5 ? speech[$0] * 0.3 : noise[$0] * 0.001 }
}

/// The longest time in seconds that `samples` stay above a mean level in dB, in steps of 20 ms.
private func longestStretch(_ samples: [Float], above level: Double, rate: Double) -> Double {
  let step = Int(rate / 50)
  var (longest, current) = (0, 0)
  for start in stride(from: 0, through: samples.count - step, by: step) {
    let energy = samples[start ..< start + step].reduce(0) { $0 + $1 * $1 } / Float(step)
    current = decibels(energy.squareRoot()) > level ? current + 1 : 0
    longest = max(longest, current)
  }
  return Double(longest) * 0.02
}

/// Processes a programme without feedback.
private func open(
  _ programme: [Float], rate: Double = 48_000, blocks: [Int] = [64]
) -> (played: [Float], reports: [FeedbackEvent]) {
  let node = FeedbackSuppressor(
    captureCount: 1, outputCount: 1,
    NodeConfiguration(sampleRateHz: rate, maximumFrameCount: blocks.max() ?? 1))
  let played = render(
    node, [programme, programme], frames: programme.count, blocks: blocks)
  return (played[0], node.takeReports())
}

@Suite struct FeedbackSuppressorLoopTests {
  struct Case: CustomTestStringConvertible {
    var delay: Double
    var gain: Double
    var isMany: Bool
    var testDescription: String { "\(delay * 1_000) ms, \(gain) dB, \(isMany ? "many" : "one")" }
  }

  static let cases = [0.003, 0.01, 0.03, 0.1, 0.3].flatMap { delay in
    [3.0, 6].flatMap { gain in
      [false, true].map { Case(delay: delay, gain: gain, isMany: $0) }
    }
  }

  private func loop(_ one: Case) -> AcousticLoop {
    var loop = AcousticLoop()
    loop.delaySeconds = one.delay
    loop.gainDecibels = one.gain
    guard one.isMany else { return loop }
    loop.direct = 0.1
    loop.resonances = [
      .init(hertz: 1_240, q: 12, share: 1), .init(hertz: 410, q: 8, share: 0.9),
      .init(hertz: 3_150, q: 15, share: 0.85), .init(hertz: 2_300, q: 10, share: 0.7),
    ]
    return loop
  }

  @Test(arguments: cases)
  func `feedback stops within half a second and is reported`(one: Case) {
    let loop = loop(one)
    // Up to the time when the first notch begins to be removed.
    let programme = words(one.delay < 0.3 ? 5 : 7)
    let bare = loop.run(programme, guarded: false)
    let guarded = loop.run(programme)
    #expect(longestStretch(guarded.played, above: -12, rate: 48_000) < 0.5)
    let last = guarded.played.suffix(24_000).map(abs).max() ?? 1
    #expect(decibels(last) < -20)
    // The loop of 3 ms at 3 dB rings, but has no single feedback frequency.
    guard decibels(bare.played.suffix(24_000).map(abs).max() ?? 0) > -20 else { return }
    #expect(guarded.reports.contains { $0.action == .notched || $0.action == .ducked })
  }

  @Test(arguments: [0.01, 0.03]) func `feedback is reduced before it clips`(delay: Double) {
    var loop = AcousticLoop()
    loop.delaySeconds = delay
    loop.gainDecibels = 3
    let programme = words(3)
    #expect(loop.run(programme, guarded: false).played.contains { abs($0) >= 0.999 })
    let guarded = loop.run(programme)
    #expect(!guarded.played.contains { abs($0) >= 0.999 })
    let report = guarded.reports.first
    #expect(report?.action == .notched)
    #expect(abs((report?.frequencyHz ?? 0) - 1_240) < 60)
  }

  @Test(arguments: [44_100.0, 96_000, 192_000])
  func `feedback is stopped at any rate`(rate: Double) {
    var loop = AcousticLoop()
    loop.sampleRateHz = rate
    loop.delaySeconds = 0.02
    let programme = words(2.5, rate: rate)
    let guarded = loop.run(programme)
    #expect(longestStretch(guarded.played, above: -12, rate: rate) < 0.5)
    #expect(decibels(guarded.played.suffix(4_800).map(abs).max() ?? 1) < -20)
    #expect(guarded.reports.contains { $0.action == .notched })
  }

  @Test func `other signals pass a notch unchanged`() {
    var loop = AcousticLoop()
    loop.delaySeconds = 0.02
    let quiet = words(3)
    let speech = Programme.speech.make(48_000, seconds: 3)
    let programme = quiet.indices.map { $0 < 72_000 ? quiet[$0] : speech[$0] }
    let guarded = loop.run(programme)
    let half = guarded.played.suffix(48_000)
    let level = half.reduce(0) { $0 + $1 * $1 }
    let wanted = speech.suffix(48_000).reduce(0) { $0 + $1 * $1 }
    #expect(abs(10 * log10(Double(level / wanted))) < 6)
  }

  @Test func `a notch is removed after its feedback loop was opened`() {
    var loop = AcousticLoop()
    loop.delaySeconds = 0.02
    // The microphone is disconnected after the feedback: there is no signal.
    let node = FeedbackSuppressor(
      captureCount: 1, outputCount: 1,
      NodeConfiguration(sampleRateHz: 48_000, maximumFrameCount: 64))
    var reports = loop.run(words(2), on: node).reports
    #expect(reports.contains { $0.action == .notched })
    loop.gainDecibels = -40
    let rest = loop.run([Float](repeating: 0, count: 12 * 48_000), on: node)
    reports += rest.reports
    #expect(reports.contains { $0.action == .released })
    let after = loop.run(Programme.piano.make(48_000, seconds: 1), on: node)
    #expect(isSame(after.played, after.captured))
    #expect(after.reports.isEmpty)
    #expect(node.reportCount == reports.count)
  }

  @Test func `clipping without a tone lowers the gain`() {
    var loop = AcousticLoop()
    loop.delaySeconds = 0.1
    loop.direct = 1
    loop.resonances = []
    loop.gainDecibels = 8
    let guarded = loop.run(words(4))
    #expect(guarded.reports.contains { $0.action == .ducked && $0.frequencyHz == 0 })
    #expect(longestStretch(guarded.played, above: -12, rate: 48_000) < 0.5)
    #expect(decibels(guarded.played.suffix(24_000).map(abs).max() ?? 1) < -20)
  }
}

@Suite struct FeedbackSuppressorLeavesAloneTests {
  /// Programmes that only a trial notch can distinguish from feedback: a pure tone with a linear
  /// rise.
  static let tried: [Programme] = [.whistleOnsets, .speech]

  @Test(arguments: Programme.allCases.filter { !tried.contains($0) })
  func `sound outside a feedback loop passes bit for bit`(programme: Programme) {
    let sound = programme.make(48_000)
    let result = open(sound)
    #expect(isSame(result.played, sound))
    #expect(result.reports.isEmpty)
  }

  @Test(arguments: tried)
  func `a growing tone that is not feedback gets one notch, for at most half a second`(
    programme: Programme
  ) {
    let sound = programme.make(48_000)
    let result = open(sound)
    let changed = zip(result.played, sound).count { $0 != $1 }
    #expect(changed < 24_000)
    #expect(result.reports.allSatisfy { $0.action == .ignored })
    #expect(result.reports.count <= 1)
    #expect(isSame(result.played.suffix(48_000), sound.suffix(48_000)))
  }

  @Test(arguments: [44_100.0, 96_000, 192_000])
  func `music passes unchanged at any rate`(rate: Double) {
    for programme in [Programme.organCrescendo, .whistleVibrato, .synthSlowAttack, .sweep] {
      let sound = programme.make(rate, seconds: 3)
      #expect(isSame(open(sound, rate: rate).played, sound), "\(programme)")
    }
  }

  @Test func `the bundled recording passes unchanged`() throws {
    let path = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "manifests/recordings/guitar.flac")
    let sound = try AudioFileLoader.read(path: path.path, sampleRateHz: 48_000)[0]
    let result = open(sound)
    #expect(isSame(result.played, sound))
    #expect(result.reports.isEmpty)
  }

  @Test(arguments: [[1], [7, 500, 64], [4_096]])
  func `the result does not depend on the block length`(blocks: [Int]) {
    let sound = Programme.whistleOnsets.make(48_000, seconds: 2)
    let one = open(sound)
    let other = open(sound, blocks: blocks)
    #expect(isSame(one.played, other.played) && one.reports == other.reports)
    #expect(!isSame(one.played, sound))
  }

  @Test func `samples that are not finite pass, without a later effect`() {
    var sound = Programme.organCrescendo.make(48_000, seconds: 2)
    sound[20_000] = .nan
    sound[30_000] = .infinity
    let result = open(sound)
    #expect(result.played[20_000].isNaN && result.played[30_000] == .infinity)
    #expect(isSame(result.played.suffix(48_000), sound.suffix(48_000)))
    #expect(result.reports.isEmpty)
  }

  @Test func `each of many channels passes bit for bit, also in place`() {
    let node = FeedbackSuppressor(
      captureCount: 3, outputCount: 2,
      NodeConfiguration(sampleRateHz: 48_000, maximumFrameCount: 64))
    var noise = Noise()
    let input = (0 ..< 5).map { _ in noise.take(10_000).map { $0 * 0.5 } }
    let output = render(node, input, frames: 10_000, blocks: [64, 13])
    #expect(isSame(output[0], input[0]) && isSame(output[1], input[1]))
    let again = render(node, input, frames: 10_000, blocks: [64], inPlace: true)
    #expect(isSame(again[0], input[0]) && isSame(again[1], input[1]))
  }

  @Test func `a channel that is not a microphone is not analysed`() {
    let tone = Programme.whistleOnsets.make(48_000, seconds: 2)
    let silence = [Float](repeating: 0, count: tone.count)
    func played(microphones: [Int]) -> [Float] {
      let node = FeedbackSuppressor(
        captureCount: 3, outputCount: 1, microphones: microphones,
        NodeConfiguration(sampleRateHz: 48_000, maximumFrameCount: 64))
      return render(node, [tone, tone, silence, silence], frames: tone.count, blocks: [64])[0]
    }
    #expect(isSame(played(microphones: [1, 2]), tone))
    #expect(!isSame(played(microphones: [2, 0]), tone))
  }

  @Test func `reset removes all notches`() {
    let node = FeedbackSuppressor(
      captureCount: 1, outputCount: 1,
      NodeConfiguration(sampleRateHz: 48_000, maximumFrameCount: 64))
    let sound = Programme.whistleOnsets.make(48_000, seconds: 1)
    let first = render(node, [sound, sound], frames: 48_000, blocks: [64])
    node.reset()
    let second = render(node, [sound, sound], frames: 48_000, blocks: [64])
    #expect(isSame(first[0], second[0]) && !isSame(first[0], sound))
    #expect(!node.takeReports().isEmpty && node.takeReports().isEmpty)
  }
}

@Suite struct FeedbackSuppressorMinuteTests {
  /// Tones that grow like feedback and end while they are tested, or are tested often: see
  /// docs/internals/feedback-suppression.md.
  static let mistaken: [LongProgramme] = [
    .monotoneSpeech, .highMonotoneSpeech, .whisperedVowels, .whistleMelody, .whistleSwells,
    .reversedNotes, .feedbackDelay,
  ]

  @Test(arguments: LongProgramme.allCases.filter { !mistaken.contains($0) })
  func `after a minute without feedback no notch remains`(programme: LongProgramme) {
    let sound = programme.make(48_000)
    let result = open(sound)
    #expect(result.reports.allSatisfy { $0.action == .ignored })
    // Some tones get a trial notch for a moment.
    #expect(result.reports.count <= 15)
    let changed = zip(result.played, sound).count { $0 != $1 }
    #expect(changed < 5 * 48_000)
    let energy = { (samples: [Float]) in samples.reduce(0) { $0 + Double($1 * $1) } }
    #expect(abs(10 * log10(energy(result.played) / energy(sound))) < 0.5)
  }

  @Test(arguments: [LongProgramme.monotoneSpeech, .highMonotoneSpeech, .feedbackDelay])
  func `a notch is removed when the tone is as loud as before`(programme: LongProgramme) {
    let sound = programme.make(48_000)
    let result = open(sound)
    #expect(result.reports.contains { $0.action == .notched })
    #expect(result.reports.last?.action == .ignored)
    // A notch stays for its time and is removed slowly, so the output differs for 10 s and more.
    let changed = zip(result.played, sound).count { $0 != $1 }
    #expect(changed < 5 * 48_000)
  }
}
