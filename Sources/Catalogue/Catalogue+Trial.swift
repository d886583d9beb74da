// Catalogue+Trial.swift: trying a plugin before it is let in. SPDX-License-Identifier: MIT

internal import PluginModel

extension Catalogue {
  /// Whether a plugin survives being used: as remembered, if its files have not changed, else by
  /// trying it in a child process, which takes as long as the plugin does. [main]
  package func trial(_ entry: CatalogueEntry) -> Trial.Outcome {
    if let refusal = entry.refusal { return .declined(sentence: refusal) }
    if let known = rememberedTrial(entry) { return known }
    let signature = signature(of: entry) ?? 0
    guard let plugin = description(of: entry) else {
      return .declined(sentence: "\(entry.name) is no longer installed.")
    }
    let outcome = tryInChild(entry, plugin)
    remember(outcome, entry, signature)
    return outcome
  }

  /// As `trial`, without trying: nil if it has not been tried since its files changed. [main]
  package func rememberedTrial(_ entry: CatalogueEntry) -> Trial.Outcome? {
    remembered(entry, as: Self.memory) { reader throws(RecordFault) in
      try Trial.Outcome(&reader)
    }
  }

  private static let memory = "trials"

  private func remember(_ outcome: Trial.Outcome, _ entry: CatalogueEntry, _ signature: UInt64) {
    remember(outcome.record, of: entry, as: Self.memory, signature)
  }

  // MARK: - The child

  private func tryInChild(_ entry: CatalogueEntry, _ plugin: PluginDescription) -> Trial.Outcome {
    var stage = Trial.Stage.load
    func failure(_ end: ChildEnd) -> Trial.Outcome {
      .failed(stage: stage, sentence: "\(plugin.name) \(end.words) \(stage.words).")
    }
    do throws(ChildProcess.StartFault) {
      var child = try ChildProcess(command, memoryBytes: limits.memoryBytes)
      guard child.socket.send(ChildRequest.trial(source: entry.source, plugin: plugin).record)
      else { return failure(child.end()) }
      while true {
        guard child.hasNews(within: limits.trialSeconds) else {
          return failure(.silent(seconds: limits.trialSeconds))
        }
        guard child.socket.receive() else { return failure(child.end()) }
        while let report = nextReport(&child.socket) {
          switch report {
          case .stage(let next): stage = next
          case .done(let sentence):
            return sentence.isEmpty ? .runs : .declined(sentence: sentence)
          case .found: break
          }
        }
      }
    } catch {
      return failure(.notStarted(error.code))
    }
  }

  private var command: ChildCommand { child }

  private func nextReport(_ socket: inout MessageSocket) -> ChildReport? {
    // What cannot be read is passed over: the child then ends, or runs into the time-out.
    (try? socket.next { reader throws(RecordFault) in try ChildReport(&reader) }) ?? nil
  }
}

extension Trial.Outcome {
  fileprivate var record: [UInt8] {
    var writer = RecordWriter()
    switch self {
    case .runs: writer.write(UInt8(0))
    case .declined: writer.write(UInt8(0xff))
    case .failed(let stage, _): writer.write(stage.rawValue)
    }
    writer.write(refusal ?? "")
    return writer.bytes
  }

  fileprivate init(_ reader: inout RecordReader) throws(RecordFault) {
    let tag = try reader.number(UInt8.self)
    let sentence = try reader.text()
    switch tag {
    case 0: self = .runs
    case 0xff: self = .declined(sentence: sentence)
    default:
      guard let stage = Trial.Stage(rawValue: tag) else { throw RecordFault() }
      self = .failed(stage: stage, sentence: sentence)
    }
  }
}
