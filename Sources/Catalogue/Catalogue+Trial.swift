// Catalogue+Trial.swift: trying a plugin before it is let in. SPDX-License-Identifier: MIT

internal import PluginModel

extension Catalogue {
  /// Whether a plugin survives being used: as remembered, if its files have not changed, else by
  /// trying it in a child process, which takes as long as the plugin does. [main]
  package func trial(
    _ entry: CatalogueEntry, at conditions: Trial.Conditions = .usual
  ) -> Trial.Outcome {
    if let refusal = entry.refusal { return .declined(sentence: refusal) }
    let known = rememberedTrials(entry)
    if let trial = known.first(where: { $0.conditions == conditions }) { return trial.outcome }
    let signature = signature(of: entry) ?? 0
    guard let plugin = description(of: entry) else {
      return .declined(sentence: "\(entry.name) is no longer installed.")
    }
    let trial = HeldTrial(
      conditions: conditions, outcome: tryInChild(entry, plugin, conditions))
    if child.ender?.hasEnded == true {
      return .declined(sentence: "\(entry.name) was not tried to the end.")
    }
    // One that declined in good order may have missed something that is there the next time.
    if case .declined = trial.outcome { return trial.outcome }
    var writer = RecordWriter()
    writer.write(known.suffix(Self.memoryLength - 1) + [trial]) { $0.write($1) }
    remember(writer.bytes, of: entry, as: Self.memory, signature)
    return trial.outcome
  }

  /// The worst that came of a plugin under any conditions, without trying: nil if it has not been tried
  /// since its files changed. [main]
  package func rememberedTrial(_ entry: CatalogueEntry) -> Trial.Outcome? {
    let outcomes = rememberedTrials(entry).map(\.outcome)
    return outcomes.max { $0.badness < $1.badness }
  }

  private static let memory = "trials"
  /// More rates and lengths than anybody goes through; the oldest is tried again.
  private static let memoryLength = 32

  private func rememberedTrials(_ entry: CatalogueEntry) -> [HeldTrial] {
    remembered(entry, as: Self.memory) { reader throws(RecordFault) in
      try reader.list { reader throws(RecordFault) in try reader.heldTrial() }
    } ?? []
  }

  // MARK: - The child

  private func tryInChild(
    _ entry: CatalogueEntry, _ plugin: PluginDescription, _ conditions: Trial.Conditions
  ) -> Trial.Outcome {
    var stage = Trial.Stage.load
    func failure(_ end: ChildEnd) -> Trial.Outcome {
      .failed(
        stage: stage,
        sentence: "\(plugin.name) \(end.words) \(stage.words)\(conditions.words(for: stage)).")
    }
    do throws(ChildProcess.StartFault) {
      var child = try ChildProcess(command, memoryBytes: limits.memoryBytes)
      let request = ChildRequest.trial(source: entry.source, plugin: plugin, conditions)
      guard child.socket.send(request.record) else { return failure(child.end()) }
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

/// A trial as it is remembered.
private struct HeldTrial {
  var conditions: Trial.Conditions
  var outcome: Trial.Outcome
}

extension Trial.Outcome {
  /// The larger, the worse.
  fileprivate var badness: Int {
    switch self {
    case .runs: 0
    case .declined: 1
    case .failed: 2
    }
  }
}

extension RecordWriter {
  fileprivate mutating func write(_ trial: HeldTrial) {
    write(trial.conditions)
    switch trial.outcome {
    case .runs: write(UInt8(0))
    case .declined: write(UInt8(0xff))
    case .failed(let stage, _): write(stage.rawValue)
    }
    write(trial.outcome.refusal ?? "")
  }
}

extension RecordReader {
  fileprivate mutating func heldTrial() throws(RecordFault) -> HeldTrial {
    let conditions = try conditions()
    let tag = try number(UInt8.self)
    let sentence = try text()
    switch tag {
    case 0: return HeldTrial(conditions: conditions, outcome: .runs)
    case 0xff:
      return HeldTrial(conditions: conditions, outcome: .declined(sentence: sentence))
    default:
      guard let stage = Trial.Stage(rawValue: tag) else { throw RecordFault() }
      return HeldTrial(
        conditions: conditions, outcome: .failed(stage: stage, sentence: sentence))
    }
  }
}
