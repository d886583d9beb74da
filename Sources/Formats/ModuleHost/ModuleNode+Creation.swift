// ModuleNode+Creation.swift: an instance is made, and what is known where that fails. SPDX-License-Identifier: MIT

import CModule
import PluginModel
import Reblocking

extension ModuleNode {
  /// Rates and block lengths that are tried where `create` refuses the given ones, commonest first.
  private static let commonRatesHz = [48_000.0, 44_100, 16_000, 96_000]
  private static let commonBlocks = [480, 512, 256, 128, 64, 160, 320, 1_024]

  /// Calls `create`, if there is one. [main]
  ///
  /// - Throws: `ModuleError.createFailed`, with a rate or a block length at which it succeeds.
  static func create(
    _ library: ModuleLibrary, _ plugin: PluginDescription, _ configuration: NodeConfiguration,
    _ longestBlock: Int
  ) throws(ModuleError) -> UnsafeMutableRawPointer? {
    guard let create = library.functions.create else { return nil }
    let instance = ForeignCode.call(plugin.name) {
      create(configuration.sampleRateHz, UInt32(longestBlock))
    }
    if let instance { return instance }
    func succeeds(_ rateHz: Double, _ frameCount: Int) -> Bool {
      ForeignCode.call(plugin.name) {
        guard let instance = create(rateHz, UInt32(frameCount)) else { return false }
        library.functions.destroy?(instance)
        return true
      }
    }
    let requirements = plugin.module ?? ModuleRequirements()
    let rates: [Double?] = requirements.ratesHz.isEmpty ? commonRatesHz : []
    let blocks: [Int?] = requirements.block == .any ? commonBlocks : []
    // One change explains more than two do.
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

  /// Throws where the code says that it is of another shape than the manifest: it would read and write
  /// beyond what it is given.
  static func checkShape(
    _ library: ModuleLibrary, _ plugin: PluginDescription, _ instance: UnsafeMutableRawPointer?
  ) throws(ModuleError) {
    guard let shape = library.functions.shape else { return }
    var counts = [UInt32](repeating: .max, count: 3)
    shape(instance, &counts)
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
  /// What an adapter has to bring blocks to; nil where any will do that are short enough.
  var shape: BlockConstraint? {
    switch self {
    case .any, .maximum: nil
    case .fixed(let frameCount): .exactly(frameCount: frameCount)
    case .multiple(let frameCount): .multiple(of: frameCount)
    }
  }

  /// The longest block that the module will be given.
  func longest(in configuration: NodeConfiguration) -> Int {
    let maximum = configuration.maximumFrameCount
    guard let shape else {
      guard case .maximum(let frameCount) = self else { return maximum }
      precondition(frameCount > 0, "a module's block must have at least one frame")
      return min(frameCount, maximum)
    }
    return shape.fitsAllBlocks(of: configuration) ? shape.longest(for: maximum) : shape.frameCount
  }
}
