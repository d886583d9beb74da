// LV2Features.swift: the features passed to `instantiate`. SPDX-License-Identifier: MIT

internal import CLV2Support
internal import Glibc
internal import PluginModel

/// The feature array of an instance with its data.
///
/// Plugins keep the pointers, so it lives as long as the instance. All data is at fixed addresses.
final class LV2Features {
  private var blocks: [UnsafeMutableRawPointer] = []
  private let resizing = UnsafeMutablePointer<LV2ResizeState>.allocate(capacity: 1)
  private var features: [UnsafePointer<LV2_Feature>?] = []
  /// The options with sample rate and block lengths.
  let options: LV2Options
  /// The objects that the features point to.
  private var owners: [AnyObject] = []

  /// The NULL-terminated array for `instantiate`.
  private(set) lazy var pointer = UnsafePointer(keep(features + [nil]))

  /// Creates the features of an instance with a configuration, `blocks` and a log. [main]
  init(
    for plugin: LV2Plugin, _ configuration: NodeConfiguration, _ blocks: LV2BlockLengths,
    log: OpaquePointer, worker: LV2Worker?, scratch: LV2ScratchDirectory
  ) {
    let description = plugin.description
    options = LV2Options(configuration, blocks, for: plugin)
    resizing.initialize(to: LV2ResizeState(slots: UnsafeMutableBufferPointer(start: nil, count: 0)))
    offerEverywhere(log: log, worker: worker)
    if plugin.ports.contains(where: \.role.isLegacyEvents) {
      offer(LV2.event, clv2_event_feature())
    }
    offer(LV2.bufferSize + "boundedBlockLength", data: nil)
    // Blocks are never split at parameter changes.
    offer(LV2.bufferSize + "coarseBlockLength", data: nil)
    if blocks.isFixed { offer(LV2.bufferSize + "fixedBlockLength", data: nil) }
    if blocks.isPowerOfTwo { offer(LV2.bufferSize + "powerOf2BlockLength", data: nil) }
    // Values are clamped before a plugin receives them, so strict bounds are always supported.
    offer(LV2.portProperties + "supportsStrictBounds", data: nil)
    // Offline rendering is not live. A plugin that requires this hint gets it anyway.
    if !configuration.isOffline || description.requiredFeatures.contains(LV2.core + "isLive") {
      offer(LV2.core + "isLive", data: nil)
    }
    offer(
      LV2.resizePort + "resize", LV2_Resize_Port_Resize(data: resizing, resize: resizeLV2Port))
    offerState(scratch)
  }

  /// Creates the features of one `save` or `restore` call, with its paths. [main]
  init(
    _ options: LV2Options, log: OpaquePointer, worker: LV2Worker?, paths: LV2StatePaths
  ) {
    self.options = options
    offerEverywhere(log: log, worker: worker)
    offerState(paths)
  }

  private func offerEverywhere(log: OpaquePointer, worker: LV2Worker?) {
    offer(LV2.urid + "map", LV2_URID_Map(handle: nil, map: mapURID))
    offer(LV2.urid + "unmap", LV2_URID_Unmap(handle: nil, unmap: unmapURID))
    offer(LV2.legacyMap, clv2_legacy_map(callback_data: nil, uri_to_id: mapLegacyURI))
    offer(LV2.log + "log", clv2_log_feature(log))
    if let worker { offer(LV2.worker + "schedule", clv2_worker_feature(worker.pointer)) }
    offer(LV2.options + "options", data: UnsafeMutableRawPointer(options.pointer))
  }

  deinit {
    resizing.deallocate()
    for block in blocks { free(block) }
  }

  /// Passes the ports to the resize feature. [main, inactive]
  func resize(_ slots: UnsafeMutableBufferPointer<AtomSlot>) { resizing.pointee.slots = slots }

  // MARK: - Memory

  /// Copies values to memory that lives as long as this object.
  private func keep<Value>(_ values: [Value]) -> UnsafeMutableRawPointer {
    let byteCount = values.count * MemoryLayout<Value>.stride
    guard let block = malloc(byteCount) else { fatalError("no memory for LV2 features") }
    values.withUnsafeBytes { bytes in
      if let start = bytes.baseAddress { memcpy(block, start, byteCount) }
    }
    blocks.append(block)
    return block
  }

  private func keep(
    _ values: [UnsafePointer<LV2_Feature>?]
  ) -> UnsafeMutablePointer<UnsafePointer<LV2_Feature>?> {
    let block: UnsafeMutableRawPointer = keep(values)
    return block.bindMemory(to: UnsafePointer<LV2_Feature>?.self, capacity: values.count)
  }

  /// Retains an object and returns the handle for callbacks.
  func handle(_ owner: AnyObject) -> UnsafeMutableRawPointer {
    owners.append(owner)
    return Unmanaged.passUnretained(owner).toOpaque()
  }

  func offer<Data>(_ uri: String, _ data: Data) { offer(uri, data: keep([data])) }

  func offer(_ uri: String, data: UnsafeMutableRawPointer?) {
    guard let text = strdup(uri) else { return }
    blocks.append(UnsafeMutableRawPointer(text))
    let feature: UnsafeMutableRawPointer = keep([LV2_Feature(URI: text, data: data)])
    features.append(UnsafePointer(feature.bindMemory(to: LV2_Feature.self, capacity: 1)))
  }
}
