// LV2Options.swift: what a plugin is told of rate and lengths, at the start and later. SPDX-License-Identifier: MIT

internal import CLV2Support
internal import PluginModel

/// An array of options, ended by one that is all zero, at a fixed address.
///
/// Values have the declared types (a Float for the rate, Int for the lengths), which several hosts get
/// wrong. Plugins keep the pointers, so it lives as long as the instance that was given it.
final class LV2Options {
  /// What every plugin is told, by URI; one that requires another option cannot be hosted.
  static let known: Set<String> = [
    LV2.parameters + "sampleRate", LV2.bufferSize + "minBlockLength",
    LV2.bufferSize + "maxBlockLength", LV2.bufferSize + "nominalBlockLength",
    LV2.bufferSize + "sequenceSize",
  ]

  /// The array, as `instantiate` and `options:interface` take it.
  let pointer: UnsafeMutablePointer<LV2_Options_Option>
  private let rateHz: UnsafeMutablePointer<Float>
  private let lengths: UnsafeMutablePointer<Int32>
  private static let lengthKeys = [
    "minBlockLength", "maxBlockLength", "nominalBlockLength", "sequenceSize",
  ]

  /// Tells a plugin of the rate of `configuration` and of `blocks`. [main]
  init(_ configuration: NodeConfiguration, _ blocks: LV2BlockLengths, for plugin: LV2Plugin) {
    let values = [
      blocks.minimumFrameCount, blocks.maximumFrameCount, blocks.nominalFrameCount,
      LV2Ports.largestEventBytes(plugin.ports),
    ]
    rateHz = .allocate(capacity: 1)
    rateHz.initialize(to: Float(configuration.sampleRateHz))
    lengths = .allocate(capacity: values.count)
    pointer = .allocate(capacity: values.count + 2)
    pointer.initialize(to: Self.option(LV2.parameters + "sampleRate", "Float", rateHz))
    for (index, value) in values.enumerated() {
      (lengths + index).initialize(to: Int32(clamping: value))
      (pointer + 1 + index).initialize(
        to: Self.option(LV2.bufferSize + Self.lengthKeys[index], "Int", lengths + index))
    }
    (pointer + 1 + values.count).initialize(to: LV2_Options_Option())
  }

  deinit {
    pointer.deallocate()
    lengths.deallocate()
    rateHz.deallocate()
  }

  private static func option<Value>(
    _ key: String, _ type: String, _ value: UnsafeMutablePointer<Value>
  ) -> LV2_Options_Option {
    LV2_Options_Option(
      context: LV2_OPTIONS_INSTANCE, subject: 0, key: URIDMap.shared.number(key),
      size: UInt32(MemoryLayout<Value>.size), type: URIDMap.shared.number(LV2.atom + type),
      value: UnsafeRawPointer(value))
  }
}

extension LV2Instance {
  /// Tells a plugin that wants to hear of it that options have changed. [main, not rendering]
  ///
  /// - Returns: whether it listens, and takes them all.
  func tell(_ options: LV2Options) -> Bool {
    exclusively {
      guard let set = optionsInterface?.pointee.set else { return false }
      return set(handle, options.pointer) == LV2_OPTIONS_SUCCESS.rawValue
    }
  }
}
