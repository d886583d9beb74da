// AnalyserTests.swift: reports of the analyser for known signals. SPDX-License-Identifier: MIT

import Builtins
import FixtureSupport
import Foundation
import PluginModel
import Testing

private func report(
  _ input: [[Float]], sampleRateHz: Double = 48_000, blocks: [Int] = [480]
) throws -> AnalyserReport {
  let analyser = try analyser(input.count, sampleRateHz)
  _ = render(analyser, input, frames: input[0].count, blocks: blocks)
  return analyser.takeReport()
}

private func analyser(_ channels: Int, _ sampleRateHz: Double = 48_000) throws -> Analyser {
  let node = Builtin.analyser.makeNode(
    channelCount: channels,
    NodeConfiguration(sampleRateHz: sampleRateHz, maximumFrameCount: 1_024))
  return try #require(node as? Analyser)
}

private func sine(
  _ hertz: Double, _ amplitude: Double = 1, seconds: Double = 1, sampleRateHz: Double = 48_000
) -> [Float] {
  (0 ..< Int(seconds * sampleRateHz)).map {
    Float(amplitude * sin(2 * .pi * hertz * Double($0) / sampleRateHz))
  }
}

@Suite struct AnalyserLevelTests {
  @Test func `a sine of full scale has 0 dB as peak and as mean`() throws {
    let report = try report([sine(1_000), sine(1_000, 0.1), sine(1_000, 0)])
    #expect(abs(report.peakDecibels[0]) < 1e-3 && abs(report.rmsDecibels[0]) < 1e-3)
    #expect(abs(report.peakDecibels[1] + 20) < 1e-3 && abs(report.rmsDecibels[1] + 20) < 1e-3)
    #expect(report.peakDecibels[2] == -.infinity && report.rmsDecibels[2] == -.infinity)
  }

  @Test func `the mean level of a square wave is 3 dB above that of a sine`() throws {
    let square = (0 ..< 4_800).map { Float($0 / 24 % 2 == 0 ? 1 : -1) }
    let report = try report([square])
    #expect(abs(report.rmsDecibels[0] - 10 * log10(2)) < 1e-6)
    #expect(report.peakDecibels[0] == 0)
  }

  @Test(arguments: [[1], [7, 1_000], [1_024]])
  func `levels do not depend on the length of the blocks`(blocks: [Int]) throws {
    var noise = Noise()
    let input = noise.take(10_000)
    let (one, other) = (try report([input]), try report([input], blocks: blocks))
    #expect(one.peakDecibels == other.peakDecibels)
    #expect(abs(one.rmsDecibels[0] - other.rmsDecibels[0]) < 1e-3)
    #expect(one.bands == other.bands)
  }

  @Test func `each report covers the time since the last one`() throws {
    let analyser = try analyser(1)
    _ = render(analyser, [sine(1_000)], frames: 48_000, blocks: [480])
    #expect(abs(analyser.takeReport().rmsDecibels[0]) < 1e-3)
    _ = render(analyser, [sine(1_000, 0.01)], frames: 48_000, blocks: [480])
    let second = analyser.takeReport()
    #expect(abs(second.rmsDecibels[0] + 40) < 1e-3 && abs(second.peakDecibels[0] + 40) < 1e-3)
    #expect(analyser.takeReport().rmsDecibels == [-.infinity])
  }

  @Test func `before the first block and in silence levels are minus infinity`()
    throws
  {
    let analyser = try analyser(2)
    let empty = analyser.takeReport()
    _ = render(analyser, [sine(1, 0), sine(1, 0)], frames: 48_000, blocks: [480])
    for report in [empty, analyser.takeReport()] {
      #expect(report.peakDecibels == [-.infinity, -.infinity])
      #expect(report.rmsDecibels == [-.infinity, -.infinity])
      #expect(report.bands.count == 10 && report.bands.allSatisfy { $0.decibels == -.infinity })
      #expect(report.strongestHz == nil)
    }
  }

  @Test(arguments: [Float.nan, .infinity])
  func `a sample that is not finite is reported, and the next report is clean`(fault: Float)
    throws
  {
    let analyser = try analyser(2)
    var faulty = sine(1_000)
    faulty[47_000] = fault
    _ = render(analyser, [faulty, sine(1_000)], frames: 48_000, blocks: [480])
    let report = analyser.takeReport()
    #expect(report.peakDecibels[0] == .infinity && report.rmsDecibels[0] == .infinity)
    #expect(abs(report.rmsDecibels[1]) < 1e-3)
    #expect(report.bands.allSatisfy { $0.decibels == .infinity })
    #expect(report.strongestHz == nil)
    _ = render(analyser, [sine(1_000), sine(1_000)], frames: 48_000, blocks: [480])
    let healed = analyser.takeReport()
    #expect(abs(healed.rmsDecibels[0]) < 1e-3)
    #expect(abs(try #require(healed.strongestHz) - 1_000) < 0.1)
  }

  @Test func `reset discards the measurement`() throws {
    let analyser = try analyser(1)
    _ = render(analyser, [sine(1_000)], frames: 48_000, blocks: [480])
    analyser.reset()
    let report = analyser.takeReport()
    #expect(report.rmsDecibels == [-.infinity] && report.strongestHz == nil)
  }
}

@Suite struct SpectrumTests {
  @Test(arguments: [44_100.0, 48_000, 96_000])
  func `the strongest frequency of a clean tone is found to a tenth of a hertz`(rate: Double) throws
  {
    for hertz in [50, 110.3, 440, 997, 1_000, 3_333.3, 12_345.6, 19_000] {
      for amplitude in [1, 0.001] {
        let tone = sine(hertz, amplitude, seconds: 0.3, sampleRateHz: rate)
        let found = try #require(try report([tone], sampleRateHz: rate).strongestHz)
        #expect(abs(found - hertz) < 0.1)
      }
    }
  }

  @Test func `of two tones the stronger is reported, with any constant offset`()
    throws
  {
    let (loud, soft) = (sine(700, 0.02), sine(5_000, 0.01))
    let sum = zip(loud, soft).map { $0 + $1 + 0.5 }
    #expect(abs(try #require(try report([sum]).strongestHz) - 700) < 0.1)
  }

  @Test func `the spectrum is computed from the newest samples`() throws {
    let input = sine(300) + sine(2_500)
    #expect(abs(try #require(try report([input]).strongestHz) - 2_500) < 0.1)
  }

  @Test func `a tone in the middle of a band has its level there and no level elsewhere`() throws {
    let bands = try report([sine(1_000, 0.5)]).bands
    #expect(bands.map(\.centreHz) == [31.5, 63, 125, 250, 500, 1_000, 2_000, 4_000, 8_000, 16_000])
    for band in bands {
      if band.centreHz == 1_000 {
        #expect(abs(band.decibels + 6.02) < 0.01)
      } else {
        #expect(band.decibels < -80)
      }
    }
  }

  @Test func `bands of white noise rise by 3 dB an octave, and add up to its level`() throws {
    var noise = Noise(seed: 7)
    let analyser = try analyser(1)
    var powers = [Double](repeating: 0, count: 10)
    let rounds = 60
    for _ in 0 ..< rounds {
      _ = render(analyser, [noise.take(8_192)], frames: 8_192, blocks: [512])
      for (index, band) in analyser.takeReport().bands.enumerated() {
        powers[index] += pow(10, band.decibels / 10) / Double(rounds)
      }
    }
    // The mean square of numbers evenly distributed from -1 to 1 is 1/3, that of a sine 1/2.
    for index in 2 ..< 9 {
      let octaveHz = 1_000 * pow(2, Double(index - 5)) * 0.5.squareRoot()
      let expected = 10 * log10(2 / 3 * octaveHz / 24_000)
      #expect(abs(10 * log10(powers[index]) - expected) < 1)
      #expect(abs(10 * log10(powers[index + 1] / powers[index]) - 3.01) < 1.2)
    }
    let covered = 2 / 3 * (16_000 * 2.0.squareRoot() - 22.1) / 24_000
    #expect(abs(10 * log10(powers.reduce(0, +) / covered)) < 0.2)
  }

  @Test func `a low rate has fewer bands`() throws {
    let report = try report([sine(440, sampleRateHz: 8_000)], sampleRateHz: 8_000)
    #expect(report.bands.last?.centreHz == 2_000)
  }

  @Test func `the analyser has only inputs, and no parameters`() throws {
    let plugin = Builtin.analyser.description(channelCount: 3)
    #expect(plugin.audioInputs.count == 3 && plugin.audioOutputs.isEmpty)
    #expect(plugin.parameters.isEmpty && plugin.readouts.isEmpty)
    #expect(try analyser(3).audioInputCount == 3)
  }
}
