// LV2Features.swift: what this host hands to `instantiate`. SPDX-License-Identifier: MIT

internal import CLV2Support
internal import Glibc
internal import PluginModel

/// The feature array of one instance, with all that it points to.
///
/// Plugins keep the pointers, so it lives as long as the instance. Everything sits in memory of its
/// own at a fixed address.
final class LV2Features {
  private var blocks: [UnsafeMutableRawPointer] = []
  private let resizing = UnsafeMutablePointer<LV2ResizeState>.allocate(capacity: 1)
  private var features: [UnsafePointer<LV2_Feature>?] = []
  /// What a plugin is told of rate and lengths.
  let options: LV2Options
  /// What the features point to and is no memory of this object.
  private var owners: [AnyObject] = []

  /// The array, ended by NULL, as `instantiate` takes it.
  private(set) lazy var pointer = UnsafePointer(keep(features + [nil]))

  /// For an instance that is made as `configuration` says, is given `blocks`, and logs to `log`. [main]
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
    // A block is never split because a parameter has changed.
    offer(LV2.bufferSize + "coarseBlockLength", data: nil)
    if blocks.isFixed { offer(LV2.bufferSize + "fixedBlockLength", data: nil) }
    if blocks.isPowerOfTwo { offer(LV2.bufferSize + "powerOf2BlockLength", data: nil) }
    // Values are brought into their range before a plugin sees them, whatever it says of its bounds.
    offer(LV2.portProperties + "supportsStrictBounds", data: nil)
    // To a file there is no "live"; a plugin that insists on the word gets it, as it is but a hint.
    if !configuration.isOffline || description.requiredFeatures.contains(LV2.core + "isLive") {
      offer(LV2.core + "isLive", data: nil)
    }
    offer(
      LV2.resizePort + "resize", LV2_Resize_Port_Resize(data: resizing, resize: resizeLV2Port))
    offerState(scratch)
  }

  /// For one call of a plugin's `save` or `restore`, with the paths of that call. [main]
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

  /// Tells the feature that makes event buffers larger which there are. [main, inactive]
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

  /// Keeps an object alive, and gives the handle by which callbacks know it.
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
