// CommonModuleTests.swift: rules for every shipped module. SPDX-License-Identifier: MIT

import ModuleTestSupport
import Testing

private let modules = ModuleManifest.shipped

/// The highest output level at extreme settings, if it is above 60 dB: eight bands and the output's
/// gain may each add 24 dB, and a filter of Q 20 another 26.
private let loudestDecibels = ["parametric-eq": 240.0]

@Suite struct CommonModuleTests {
  @Test(arguments: modules, [[7], [64], [1_000], [3, 1, 509, 64, 2, 1_024]])
  func `blocks of any length give the same output as single frames`(
    module: String, blocks: [Int]
  ) throws {
    let library = try ModuleLibrary(module)
    let changes = parameterChanges(library.manifest, every: 2_711, until: 16_000, seed: 5)
    let input = stereoProgramme(16_000)
    let expected = try ModuleInstance(library).render(
      input, frameCount: 16_000, blocks: [1], changes: changes, messages: melody)
    let output = try ModuleInstance(library).render(
      input, frameCount: 16_000, blocks: blocks, changes: changes, messages: melody)
    for channel in expected.indices {
      let difference = firstDifference(expected[channel], output[channel])
      #expect(
        difference == nil,
        "\(module) differs at frame \(difference ?? 0). \(writeWAV(output, named: module))")
    }
  }

  @Test(arguments: modules)
  func `after a reset, the output is that of a new instance`(module: String) throws {
    let instance = try ModuleInstance(ModuleLibrary(module))
    let input = stereoProgramme(20_000)
    let first = try instance.render(input, frameCount: 20_000, messages: melody)
    instance.reset()
    let second = try instance.render(input, frameCount: 20_000, messages: melody)
    for channel in first.indices {
      let difference = firstDifference(first[channel], second[channel])
      #expect(
        difference == nil,
        "\(module) differs at frame \(difference ?? 0). \(writeWAV(second, named: module))")
    }
  }

  @Test(arguments: modules, Stimulus.allCases)
  func `the output is finite for any input`(module: String, stimulus: Stimulus) throws {
    let library = try ModuleLibrary(module)
    for seed in UInt64(1) ... 6 {
      let instance = try ModuleInstance(library)
      let changes = parameterChanges(library.manifest, every: 1_500, until: 24_000, seed: seed)
      let output = try instance.render(
        [stimulus.signal(24_000)], frameCount: 24_000, blocks: [256], changes: changes,
        messages: melody)
      let isFinite = output.allSatisfy { $0.allSatisfy(\.isFinite) }
      let peak = output.map { Measure.peakDecibels($0) }.max() ?? 0
      #expect(
        isFinite && peak < loudestDecibels[module, default: 60],
        "\(module), seed \(seed), peak \(peak) dB. \(writeWAV(output, named: module))")
    }
  }

  @Test(arguments: modules)
  func `a module writes only the frames of the block`(module: String) throws {
    let library = try ModuleLibrary(module)
    let instance = try ModuleInstance(library)
    let changes = parameterChanges(library.manifest, every: 3_000, until: 18_000, seed: 9)
    _ = try instance.render(
      stereoProgramme(18_000), frameCount: 18_000, blocks: [1, 2, 3, 5, 64, 65, 1_023, 1_024],
      changes: changes, messages: melody)
    #expect(instance.violations == [])
  }

  @Test(arguments: modules, [8_000, 44_100, 96_000, 192_000, 384_000])
  func `every sample rate is supported`(module: String, sampleRateHz: Int) throws {
    let instance = try ModuleInstance(
      ModuleLibrary(module), sampleRateHz: Double(sampleRateHz))
    let output = try instance.render(stereoProgramme(8_000), frameCount: 8_000, messages: melody)
    #expect(output.allSatisfy { $0.allSatisfy(\.isFinite) })
    #expect(output.contains { $0.contains { $0 != 0 } })
  }
}

@Suite struct NotANumberTests {
  @Test(arguments: modules)
  func `the effect of one NaN ends within two seconds`(module: String) throws {
    for broken in [Float.nan, .infinity] {
      let instance = try ModuleInstance(ModuleLibrary(module))
      var input = stereoProgramme(110_000)
      for channel in input.indices { input[channel][4_000] = broken }
      let output = try instance.render(
        input, frameCount: 110_000, blocks: [256], messages: melody)
      let last = output.compactMap { $0.lastIndex { !$0.isFinite } }.max() ?? 0
      #expect(last < 100_000, "\(module) after \(broken) at frame \(last)")
      let sounds = output.contains { $0[104_000...].contains { $0 != 0 } }
      #expect(sounds, "\(module) after \(broken)")
    }
  }
}

/// The inputs for checks of stability.
enum Stimulus: CaseIterable {
  case silence
  case fullScale
  case square
  case denormals
  case burstThenSilence

  func signal(_ frameCount: Int) -> [Float] {
    switch self {
    case .silence: Signals.silence(frameCount)
    case .fullScale: Signals.noise(frameCount, seed: 3)
    case .square: (0 ..< frameCount).map { $0 / 100 % 2 == 0 ? 1 : -1 }
    case .denormals: Signals.noise(frameCount, peak: .leastNormalMagnitude / 16, seed: 4)
    case .burstThenSilence:
      Signals.noise(frameCount / 8, seed: 5) + Signals.silence(frameCount - frameCount / 8)
    }
  }
}

/// Notes for modules that play notes, close together and of every kind.
private let melody: [ModuleInstance.Message] = (0 ..< 60).flatMap { index in
  let key = UInt8(24 + index * 37 % 90)
  return [
    ModuleInstance.Message(at: index * 331, [0x90, key, UInt8(20 + index)]),
    ModuleInstance.Message(at: index * 331 + 11, [0xe0, 0, UInt8(index * 2)]),
    ModuleInstance.Message(at: index * 331 + 200, [0xb0, 64, UInt8(index % 3 * 60)]),
    ModuleInstance.Message(at: index * 331 + 330, [0x80, key, 0]),
  ]
}

/// Two different channels of music-like noise with pauses.
private func stereoProgramme(_ frameCount: Int) -> [[Float]] {
  [UInt64(11), 12].map { seed in
    Signals.noise(frameCount, peak: 0.5, seed: seed).enumerated().map { frame, sample in
      frame / 3_000 % 2 == 0 ? sample : 0
    }
  }
}

/// Every parameter at a new random value at each multiple of `every`, 0 included.
private func parameterChanges(
  _ manifest: ModuleManifest, every period: Int, until end: Int, seed: UInt64
) -> [ModuleInstance.Change] {
  var generator = SplitMix64(seed: seed)
  return stride(from: 0, to: end, by: period).flatMap { frame in
    manifest.parameters.map { parameter in
      let value = Float.random(in: parameter.minimum ... parameter.maximum, using: &generator)
      return .init(at: frame, parameter.symbol, parameter.isInteger ? value.rounded() : value)
    }
  }
}

/// Compares bit patterns, so that -0 and 0 differ and a NaN equals itself.
private func firstDifference(_ first: [Float], _ second: [Float]) -> Int? {
  zip(first, second).enumerated().first { $1.0.bitPattern != $1.1.bitPattern }?.offset
}
