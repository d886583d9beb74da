// Catalogue+Trial.swift: trying a plugin before it is let in. SPDX-License-Identifier: MIT

internal import Glibc
internal import PluginModel

extension Catalogue {
  /// Whether a plugin survives being used: as remembered, if its files have not changed, else by
  /// trying it in a child process, which takes as long as the plugin does. [main]
  package func trial(_ entry: CatalogueEntry) -> Trial.Outcome {
    if let refusal = entry.refusal { return .declined(sentence: refusal) }
    let signature = signature(of: entry) ?? 0
    if let known = rememberedTrial(entry, signature) { return known }
    guard let plugin = description(of: entry) else {
      return .declined(sentence: "\(entry.name) is no longer installed.")
    }
    let outcome = tryInChild(entry, plugin)
    remember(outcome, entry, signature)
    return outcome
  }

  /// As `trial`, without trying: nil if it has not been tried since its files changed. [main]
  package func rememberedTrial(_ entry: CatalogueEntry) -> Trial.Outcome? {
    rememberedTrial(entry, signature(of: entry) ?? 0)
  }

  private func rememberedTrial(_ entry: CatalogueEntry, _ signature: UInt64) -> Trial.Outcome? {
    guard let path = trialPath(entry) else { return nil }
    return TrialFile.read(path, identifier: entry.identifier, signature: signature)
  }

  private func remember(_ outcome: Trial.Outcome, _ entry: CatalogueEntry, _ signature: UInt64) {
    guard let path = trialPath(entry) else { return }
    TrialFile.write(outcome, to: path, identifier: entry.identifier, signature: signature)
  }

  /// A file for each plugin, so that two programs that try two plugins do not meet.
  private func trialPath(_ entry: CatalogueEntry) -> String? {
    guard let cacheFolder else { return nil }
    var digest = Digest()
    digest.add(entry.source)
    digest.add(entry.identifier)
    return "\(cacheFolder)/trials/\(String(digest.value, radix: 16))"
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
        guard wait(child.socket.descriptor) else {
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

  /// Waits for the child to say something; false if it is silent for too long.
  private func wait(_ descriptor: Int32) -> Bool {
    let deadline = Clock.now + Clock.nanoseconds(limits.trialSeconds)
    while true {
      var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      let count = Glibc.poll(&poll, 1, Clock.millisecondsUntil(deadline))
      if count > 0 { return true }
      if count == 0 { return false }
    }
  }
}

/// The outcome of one trial, as a file.
enum TrialFile {
  static func read(_ path: String, identifier: String, signature: UInt64) -> Trial.Outcome? {
    guard let file = MappedFile(path) else { return nil }
    // The reader holds an address and does not keep the file mapped.
    defer { withExtendedLifetime(file) {} }
    var reader = RecordReader(file.bytes)
    do throws(RecordFault) {
      guard try reader.number(UInt64.self) == CacheFile.program,
        try reader.number(UInt64.self) == signature, try reader.text() == identifier
      else { return nil }
      let tag = try reader.number(UInt8.self)
      let sentence = try reader.text()
      switch tag {
      case 0: return .runs
      case 0xff: return .declined(sentence: sentence)
      default: return Trial.Stage(rawValue: tag).map { .failed(stage: $0, sentence: sentence) }
      }
    } catch {
      return nil
    }
  }

  static func write(
    _ outcome: Trial.Outcome, to path: String, identifier: String, signature: UInt64
  ) {
    var writer = RecordWriter()
    writer.write(CacheFile.program)
    writer.write(signature)
    writer.write(identifier)
    switch outcome {
    case .runs: writer.write(UInt8(0))
    case .declined: writer.write(UInt8(0xff))
    case .failed(let stage, _): writer.write(stage.rawValue)
    }
    writer.write(outcome.refusal ?? "")
    _ = AtomicFile.write(writer.bytes, to: path)
  }
}
