// LV2Options.swift: the options of an instance. SPDX-License-Identifier: MIT

internal import CLV2Support
internal import PluginModel

/// A zero-terminated array of options at a fixed address.
///
/// Values have the specified types: Float for the rate, Int for the lengths. Plugins keep the pointers, so the array
/// lives as long as the instance.
final class LV2Options {
  /// The supported options by URI.
  ///
  /// A plugin that requires another option cannot be hosted.
  static let known: Set<String> = [
    LV2.parameters + "sampleRate", LV2.bufferSize + "minBlockLength",
    LV2.bufferSize + "maxBlockLength", LV2.bufferSize + "nominalBlockLength",
    LV2.bufferSize + "sequenceSize",
  ]

  /// The array for `instantiate` and the options interface.
  let pointer: UnsafeMutablePointer<LV2_Options_Option>
  private let rateHz: UnsafeMutablePointer<Float>
  private let lengths: UnsafeMutablePointer<Int32>
  private static let lengthKeys = [
    "minBlockLength", "maxBlockLength", "nominalBlockLength", "sequenceSize",
  ]

  /// Creates the options from the rate of `configuration` and `blocks`. [main]
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
  /// Notifies a plugin of changed options, if it has the interface. [main, not rendering]
  ///
  /// - Returns: whether the plugin accepted all of them.
  func notifyChanged(_ options: LV2Options) -> Bool {
    exclusively(.quick("set")) {
      guard let set = optionsInterface?.pointee.set else { return false }
      return set(handle, options.pointer) == LV2_OPTIONS_SUCCESS.rawValue
    }
  }
}
