// ScanHelper.swift: scan and preflight in a helper process. SPDX-License-Identifier: MIT

internal import CProcess
internal import CRealtimeSafety
internal import Glibc
internal import PluginModel

/// The helper process that scans bundles and runs preflights.
package enum ScanHelper {
  /// The hidden first argument that starts the program as a helper process.
  package static let argument = "--helper-catalogue"

  /// Answers the parent's requests until the parent closes the socket; never returns. [main]
  ///
  /// - Parameter sources: the sources of the parent's catalogue.
  package static func run(sources: [PluginSource]) -> Never {
    // A hung plugin must not outlive the parent, which would have killed it.
    cprocess_end_with_parent()
    var socket = MessageSocket.helperSide
    let noise = CapturedStderr()
    while let request = nextRequest(&socket) {
      let message = answer(request, sources, socket, noise)
      guard socket.send(ChildResponse.done(message: message).record) else { break }
    }
    // `_exit`, because exit handlers of plugins may crash or hang.
    _exit(socket.exitStatus)
  }

  private static func nextRequest(_ socket: inout MessageSocket) -> ChildRequest? {
    try? socket.wait { reader throws(BinaryDecodingError) in try ChildRequest(&reader) }
  }

  /// Handles a request and returns an error message, or an empty string.
  private static func answer(
    _ request: ChildRequest, _ sources: [PluginSource], _ socket: MessageSocket,
    _ noise: CapturedStderr
  ) -> String {
    switch request {
    case .scan(let name, let unit, let part):
      guard let source = sources.first(where: { $0.name == name }) else { return unknown(name) }
      return scan(unit, part, source, socket, noise)
    case .preflight(let name, let plugin, let conditions):
      guard let source = sources.first(where: { $0.name == name }) else { return unknown(name) }
      // Never freed, because a crash may come at any time.
      if let library = unsafe strdup(plugin.library) {
        unsafe crts_report_crashes(socket.descriptor, ChildResponse.crashKind, library)
      }
      do {
        // Same as in use.
        cprocess_fill_heap(0)
        let traits = try source.preflight(plugin, conditions) {
          _ = socket.send(ChildResponse.stage($0).record)
        }
        _ = socket.send(ChildResponse.traits(traits).record)
        probe(plugin, conditions, source, socket)
        return ""
      } catch {
        return "\(error)"
      }
    }
  }

  /// The maximum duration of one probe run, in seconds; it does less than the preflight.
  private static let probeSeconds = ChildLimits.sourceSeconds

  /// Reports notes about a plugin that passed the preflight.
  private static func probe(
    _ plugin: PluginDescription, _ conditions: Preflight.Conditions, _ source: PluginSource,
    _ socket: MessageSocket
  ) {
    // A copy of the process would lack the plugin's threads and hang.
    guard let load = source.probe, cprocess_measure_holdings().threads == 1 else { return }
    let probe = MemoryProbe(
      frameCount: conditions.maximumFrameCount, limitSeconds: probeSeconds,
      sendHeartbeat: { _ = socket.send(ChildResponse.sign.record) },
      load: { try load(plugin, conditions) })
    for message in probe.remarks(on: plugin) {
      _ = socket.send(ChildResponse.remark(message: message).record)
    }
  }

  private static func unknown(_ source: String) -> String {
    "the scan process has no plugin source named \"\(source)\"."
  }

  private static func scan(
    _ unit: String, _ part: BundleSlice, _ source: PluginSource, _ socket: MessageSocket,
    _ noise: CapturedStderr
  ) -> String {
    noise.clear()
    var fault = ""
    do {
      try source.scan(unit, part) { event in
        let libraryFault = source.libraryFault(noise.take())
        switch event {
        case .opened:
          if let libraryFault { fault = "\(unit): \(libraryFault)." }
        case .found(var scannedPlugin):
          if let libraryFault {
            // Other faults of the plugin follow from this one.
            scannedPlugin.description.refusal =
              "\(scannedPlugin.description.name) cannot be hosted: \(libraryFault)."
          }
          _ = socket.send(ChildResponse.found(scannedPlugin).record)
        case .preset(let preset): _ = socket.send(ChildResponse.preset(preset).record)
        }
      }
    } catch {
      return "\(error)"
    }
    return fault
  }
}

/// Captures what libraries print to standard error.
///
/// Some print the line of a broken file only there.
private final class CapturedStderr {
  private let descriptor: Int32

  init() {
    descriptor = cprocess_memory_file()
    if descriptor >= 0 { dup2(descriptor, 2) }
  }

  /// Clears the captured text.
  func clear() {
    guard descriptor >= 0 else { return }
    ftruncate(descriptor, 0)
    lseek(descriptor, 0, SEEK_SET)
  }

  /// Returns and clears the captured text, up to 64 KiB.
  func take() -> String {
    guard descriptor >= 0 else { return "" }
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count = unsafe pread(descriptor, &bytes, bytes.count, 0)
    clear()
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
  }
}
