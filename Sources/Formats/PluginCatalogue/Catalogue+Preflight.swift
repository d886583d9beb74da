// Catalogue+Preflight.swift: preflight tests of plugins. SPDX-License-Identifier: MIT

internal import PluginModel

extension Catalogue {
  /// Runs a preflight and returns its outcome.
  ///
  /// See `result`. [main]
  package func preflight(
    _ entry: CatalogueEntry, at conditions: Preflight.Conditions = .standard
  ) -> Preflight.Outcome {
    result(of: entry, at: conditions).outcome
  }

  /// Returns the preflight result of a plugin: the stored one if its files are unchanged, otherwise that of a
  /// new test in a helper process, which may take seconds. [main]
  ///
  /// Calls `onSlow` once if the test takes long.
  package func result(
    of entry: CatalogueEntry, at conditions: Preflight.Conditions = .standard,
    onSlow: (() -> Void)? = nil
  ) -> Preflight.Result {
    if let refusal = entry.refusal { return Preflight.Result(.skipped(message: refusal)) }
    guard !child.isInProcess else { return Preflight.Result(.passed) }
    let known = cachedPreflights(entry)
    if let stored = known.first(where: { $0.conditions == conditions }) { return stored.result }
    let signature = signature(of: entry) ?? 0
    guard let plugin = description(of: entry) else {
      return Preflight.Result(.skipped(message: "\(entry.name) is no longer installed."))
    }
    let latest = CachedPreflight(
      conditions: conditions, result: runPreflight(entry, plugin, conditions, onSlow))
    if child.canceller?.hasEnded == true {
      return Preflight.Result(.skipped(message: "\(entry.name): the preflight is incomplete."))
    }
    // A plugin that failed without a crash may lack something that exists the next time, so do not store it.
    if case .skipped = latest.result.outcome { return latest.result }
    var writer = BinaryEncoder()
    writer.write(known.suffix(Self.memoryLength - 1) + [latest]) { $0.write($1) }
    store(writer.bytes, of: entry, as: Self.memory, signature)
    return latest.result
  }

  /// Returns the worst stored outcome of a plugin under any conditions; nil if it was not tested since its
  /// files changed. [main]
  package func cachedPreflight(_ entry: CatalogueEntry) -> Preflight.Outcome? {
    let outcomes = cachedPreflights(entry).map(\.result.outcome)
    return outcomes.max { $0.badness < $1.badness }
  }

  /// Returns the stored traits of a plugin. [main]
  package func traits(of entry: CatalogueEntry) -> Preflight.Traits {
    cachedPreflights(entry).reduce(into: []) { $0.formUnion($1.result.traits) }
  }

  private static let memory = "preflights"
  /// The maximum number of stored conditions; the oldest is replaced.
  private static let memoryLength = 32

  private func cachedPreflights(_ entry: CatalogueEntry) -> [CachedPreflight] {
    cached(entry, as: Self.memory) { reader throws(BinaryDecodingError) in
      try reader.list { reader throws(BinaryDecodingError) in try reader.decodePreflight() }
    } ?? []
  }

  // MARK: - The helper process

  private func runPreflight(
    _ entry: CatalogueEntry, _ plugin: PluginDescription, _ conditions: Preflight.Conditions,
    _ onSlow: (() -> Void)?
  ) -> Preflight.Result {
    var (stage, remarks, traits) = (Preflight.Stage.load, [String](), Preflight.Traits())
    var crash: CrashReport?
    func failure(_ end: ChildExit) -> Preflight.Result {
      // The process may have been ended by the timeout of its crash report.
      let words = crash.map { end.isSilence ? end.text : ChildExit.signalled($0.signal).text }
      let location = crash?.location.map { " (in \($0))" } ?? ""
      let situation = "\(stage.text)\(conditions.text(for: stage))\(location)"
      return Preflight.Result(
        .failed(stage: stage, message: "\(plugin.name) \(words ?? end.text) \(situation)."))
    }
    do throws(ChildProcess.SpawnError) {
      var child = try ChildProcess(command, memoryBytes: limits.memoryBytes)
      var slowness = SlowPreflight(onSlow)
      let request = ChildRequest.preflight(source: entry.source, plugin: plugin, conditions)
      guard child.socket.send(request.record) else { return failure(child.end()) }
      while true {
        guard child.waitForData(within: limits.preflightSeconds, waiting: { slowness.poll() })
        else {
          crash = interrupt(&child)
          return failure(.timedOut(seconds: limits.preflightSeconds))
        }
        guard child.socket.receive() else { return failure(child.end()) }
        do throws(BinaryDecodingError) {
          while let report = try nextReport(&child.socket) {
            switch report {
            case .stage(let next): stage = next
            case .remark(let message): remarks.append(message)
            case .done(let message):
              return Preflight.Result(
                message.isEmpty ? .passed : .skipped(message: message), remarks: remarks,
                traits: traits)
            case .traits(let found): traits = found
            case .crash(let report): crash = report
            case .found, .preset, .sign: break
            }
          }
        } catch {
          return failure(.protocolError)
        }
      }
    } catch {
      // Not the plugin's fault, so it is not stored.
      let end = ChildExit.notStarted(error.code).text
      return Preflight.Result(.skipped(message: "\(plugin.name): the preflight \(end)."))
    }
  }

  /// Requests from a hanging helper process where it hangs; returns nil if it does not answer.
  private func interrupt(_ child: inout ChildProcess) -> CrashReport? {
    child.interrupt()
    var found: CrashReport?
    while found?.isLocated != true, child.waitForData(within: 0.5), child.socket.receive() {
      while let report = try? nextReport(&child.socket) {
        if case .crash(let crash) = report { found = crash }
      }
    }
    return found
  }

  private var command: ChildCommand {
    var command = child
    // Freed memory must be as unpredictable as new memory.
    command.cachesSmallMemory = false
    return command
  }

  private func nextReport(_ socket: inout MessageSocket) throws(BinaryDecodingError)
    -> ChildResponse?
  {
    try socket.next { reader throws(BinaryDecodingError) in try ChildResponse(&reader) }
  }
}

/// Reports a preflight that takes long.
private struct SlowPreflight {
  private static let expectedSeconds = 0.4
  private let startNanoseconds = Clock.now
  private var notify: (() -> Void)?

  init(_ notify: (() -> Void)?) { self.notify = notify }

  /// Calls the handler once.
  mutating func poll() {
    guard Clock.now > startNanoseconds + Clock.nanoseconds(Self.expectedSeconds) else { return }
    notify?()
    notify = nil
  }
}

/// A stored preflight result.
private struct CachedPreflight {
  var conditions: Preflight.Conditions
  var result: Preflight.Result
}

extension Preflight.Outcome {
  /// A larger number is worse.
  fileprivate var badness: Int {
    switch self {
    case .passed: 0
    case .skipped: 1
    case .failed: 2
    }
  }
}

extension BinaryEncoder {
  fileprivate mutating func write(_ preflight: CachedPreflight) {
    write(preflight.conditions)
    let outcome = preflight.result.outcome
    switch outcome {
    case .passed: write(UInt8(0))
    case .skipped: write(UInt8(0xff))
    case .failed(let stage, _): write(stage.rawValue)
    }
    write(outcome.refusal ?? "")
    write(preflight.result.remarks) { $0.write($1) }
    write(preflight.result.traits.rawValue)
  }
}

extension BinaryDecoder {
  fileprivate mutating func decodePreflight() throws(BinaryDecodingError) -> CachedPreflight {
    let conditions = try conditions()
    let tag = try number(UInt8.self)
    let message = try text()
    let remarks = try list { reader throws(BinaryDecodingError) in try reader.text() }
    let traits = Preflight.Traits(rawValue: try number())
    let outcome: Preflight.Outcome
    switch tag {
    case 0: outcome = .passed
    case 0xff: outcome = .skipped(message: message)
    default:
      guard let stage = Preflight.Stage(rawValue: tag) else { throw BinaryDecodingError() }
      outcome = .failed(stage: stage, message: message)
    }
    return CachedPreflight(
      conditions: conditions, result: Preflight.Result(outcome, remarks: remarks, traits: traits))
  }
}
