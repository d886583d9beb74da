// ModuleNode+Creation.swift: creates an instance, or finds the reason of a failure. SPDX-License-Identifier: MIT

import CModule
import PluginModel
import Reblocking

extension ModuleNode {
  /// Rates and block lengths to try if `create` fails, most common first.
  private static let commonRatesHz = [48_000.0, 44_100, 16_000, 96_000]
  private static let commonBlocks = [480, 512, 256, 128, 64, 160, 320, 1_024]

  /// Calls `create` if the library exports it. [main]
  ///
  /// - Throws: `ModuleError.createFailed`, with a rate or block length at which it succeeds.
  static func create(
    _ library: ModuleLibrary, _ plugin: PluginDescription, _ configuration: NodeConfiguration,
    _ longestBlock: Int
  ) throws(ModuleError) -> UnsafeMutableRawPointer? {
    guard let create = library.functions.create else { return nil }
    let owner = ForeignCode.Owner(plugin.name)
    let instance = ForeignCode.call(owner, .slow("create")) {
      create(configuration.sampleRateHz, UInt32(longestBlock))
    }
    if let instance { return instance }
    func succeeds(_ rateHz: Double, _ frameCount: Int) -> Bool {
      ForeignCode.call(owner, .slow("create")) {
        guard let instance = create(rateHz, UInt32(frameCount)) else { return false }
        library.functions.destroy?(instance)
        return true
      }
    }
    let requirements = plugin.module ?? ModuleRequirements()
    let rates: [Double?] = requirements.ratesHz.isEmpty ? commonRatesHz : []
    let blocks: [Int?] = requirements.block == .any ? commonBlocks : []
    // A single change is a better explanation than two.
    let attempts =
      rates.map { ($0, nil) } + blocks.map { (nil, $0) }
      + rates.flatMap { rate in blocks.map { (rate, $0) } }
    let possible = attempts.first { rate, frameCount in
      succeeds(rate ?? configuration.sampleRateHz, frameCount ?? longestBlock)
    }
    throw .createFailed(
      ModuleError.Creation(
        name: plugin.name, sampleRateHz: configuration.sampleRateHz,
        maximumFrameCount: longestBlock, requirements: requirements, possibleRateHz: possible?.0,
        possibleFrameCount: possible?.1))
  }

  /// Throws if the code has other counts than the manifest, because it would access memory out of bounds.
  static func checkPortCounts(
    _ library: ModuleLibrary, _ plugin: PluginDescription, _ instance: UnsafeMutableRawPointer?
  ) throws(ModuleError) {
    guard let shape = library.functions.shape else { return }
    var counts = [UInt32](repeating: .max, count: 3)
    ForeignCode.watched(ForeignCode.Owner(plugin.name), .quick("create")) {
      shape(instance, &counts)
    }
    let declared = [plugin.audioInputs.count, plugin.audioOutputs.count, plugin.parameters.count]
    let differences = zip(["inputs", "outputs", "parameters"], zip(counts, declared)).compactMap {
      what, pair -> ModuleError.Mismatch? in
      guard pair.0 != .max, Int(pair.0) != pair.1 else { return nil }
      return ModuleError.Mismatch(what: what, found: Int(pair.0), declared: pair.1)
    }
    guard differences.isEmpty else {
      throw .otherShape(name: plugin.name, differences: differences)
    }
  }
}

extension ModuleRequirements.Block {
  /// The block constraint for an adapter; nil if all lengths up to the maximum are allowed.
  var shape: BlockConstraint? {
    switch self {
    case .any, .maximum: nil
    case .fixed(let frameCount): .exactly(frameCount: frameCount)
    case .multiple(let frameCount): .multiple(of: frameCount)
    }
  }

  /// The longest block that the module receives.
  func longest(in configuration: NodeConfiguration) -> Int {
    let maximum = configuration.maximumFrameCount
    guard let shape else {
      guard case .maximum(let frameCount) = self else { return maximum }
      precondition(frameCount > 0, "a module's block must have at least one frame")
      return min(frameCount, maximum)
    }
    return shape.acceptsAnyBlock(of: configuration)
      ? shape.maximumLength(for: maximum) : shape.frameCount
  }
}
