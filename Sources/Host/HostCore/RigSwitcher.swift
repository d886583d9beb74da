// RigSwitcher.swift: switches a session to another rig. SPDX-License-Identifier: MIT

import ErrorModel
import RigSchema
import Session

/// Switches a session to other rigs. [main]
///
/// A rig is read, and its plugins are resolved, compiled and preflighted, on other threads. Only
/// one change is prepared at a time: the latest.
final class RigSwitcher {
  /// Receives the result of a change: messages, or the error.
  typealias CompletionHandler = (Result<[String], any Error>) -> Void

  private let session: LiveSession
  private let settings: HostSettings
  private let onProgress: @Sendable () -> Void
  private var follower: FileSetWatcher?
  private var change: Change?
  /// Changes of nodes that wait for the one that is being prepared.
  private var waiting: [(edit: RigEdit, completion: CompletionHandler)] = []
  /// Called when the rig file was read again and its rig is active.
  var onReload: () -> Void = {}

  /// A change that is being prepared.
  private struct Change {
    enum Kind {
      case load(name: String)
      case edit(RigEdit)
      case undo
      case redo
    }
    /// The stage of the preparation.
    enum Stage {
      case reading(RigReading)
      case preparing(RigLoader)
    }
    let kind: Kind
    var stage: Stage
    /// The revisions of the undo history when the change began.
    let historyNumber: Int
    let stepNumber: Int
    /// Messages from reading the rig.
    var notes: [String] = []
    let completion: CompletionHandler
  }

  /// Creates a switcher for a session; `onProgress` is called on another thread when `poll` has
  /// work to do.
  init(
    _ session: LiveSession, _ settings: HostSettings, onProgress: @escaping @Sendable () -> Void
  ) {
    (self.session, self.settings, self.onProgress) = (session, settings, onProgress)
  }

  /// Switches to each saved version of the rig file; nil if the file cannot be watched. [main]
  func follow(_ follower: FileSetWatcher?) {
    guard let name = settings.rig else { return }
    self.follower = follower
    guard follower == nil else { return }
    session.notices.append(.rigNotWatched(name))
  }

  /// Saves the rig; its file is not read again for that. [main]
  ///
  /// - Parameter save: returns the path and the text that it has written.
  /// - Throws: the errors of `save`.
  func saving(_ save: () throws -> (path: String, text: String)) throws {
    if let follower { try follower.saving(save) } else { _ = try save() }
  }

  /// Applies a change that is ready, and reads the rig file again if it was saved.
  ///
  /// The session's next report contains the result.
  func poll() {
    if let follower, follower.takeChange(), let name = settings.rig { load(again: name) }
    finish()
  }

  private func load(again name: String) {
    load(name) { [session, onReload] outcome in
      switch outcome {
      case .success(let notes):
        onReload()
        session.notices.append(.rigReloaded(name))
        session.notices.append(contentsOf: notes.map(HostNotice.note))
      case .failure(is SupersededError): break
      case .failure(let error): session.notices.append(.rigNotReloaded(name, error))
      }
    }
  }

  /// Reads the rig file again, for example after a signal.
  ///
  /// The session's next report contains the result. [main]
  func reload() {
    guard let name = settings.rig else {
      session.notices.append(.rigFileMissing)
      return
    }
    load(again: name)
  }

  // MARK: - Changes

  /// Switches to a rig, given its path or its name.
  func load(_ name: String, completion: @escaping CompletionHandler) {
    giveUp(for: "\(name) was requested")
    let formats = session.formats
    let reading = RigReading({ try RigReader.read(named: name, formats) }, onEnd: onProgress)
    begin(.load(name: name), .reading(reading), completion)
  }

  /// Changes nodes and connections of the present rig, after other such changes that are being prepared.
  func edit(_ edit: RigEdit, completion: @escaping CompletionHandler) {
    if case .edit? = change?.kind {
      waiting.append((edit, completion))
      return
    }
    giveUp(for: "another change was requested")
    begin(
      .edit(edit),
      .preparing(
        session.prepare(edit, runsPreflight: settings.runsPreflight, onEnd: onProgress)),
      completion)
  }

  /// Cancels the pending change; otherwise undoes the last one.
  func undo(completion: @escaping CompletionHandler) {
    switch change?.kind {
    case .load(let name):
      giveUp(for: "it was cancelled")
      return completion(.success(["Loading \(name) was cancelled."]))
    case .edit:
      giveUp(for: "it was cancelled")
      return completion(.success(["The change was cancelled."]))
    case .undo, .redo, nil: break
    }
    giveUp(for: "an undo was requested")
    do {
      if let loader = try session.prepareUndo(onEnd: onProgress) {
        begin(.undo, .preparing(loader), completion)
      } else {
        completion(.success(try session.undo()))
      }
    } catch {
      completion(.failure(error))
    }
  }

  /// Repeats the change that was undone last.
  func redo(completion: @escaping CompletionHandler) {
    giveUp(for: "a redo was requested")
    do {
      if let loader = try session.prepareRedo(onEnd: onProgress) {
        begin(.redo, .preparing(loader), completion)
      } else {
        completion(.success(try session.redo()))
      }
    } catch {
      completion(.failure(error))
    }
  }

  private func begin(
    _ kind: Change.Kind, _ stage: Change.Stage, _ completion: @escaping CompletionHandler
  ) {
    change = Change(
      kind: kind, stage: stage, historyNumber: session.historyNumber,
      stepNumber: session.stepNumber, completion: completion)
  }

  /// Resolves and preflights the plugins of a rig that was read.
  private func prepare() {
    guard var change, case .reading(let reading) = change.stage, let outcome = reading.take() else {
      return
    }
    do {
      var description = try outcome.get()
      change.notes = description.notes.map { "\($0)" }
      settings.applyOptions(&description)
      session.shareDevices(to: &description)
      let preparation = session.prepare(
        description, runsPreflight: settings.runsPreflight, onEnd: onProgress)
      change.stage = .preparing(preparation)
      self.change = change
    } catch {
      self.change = nil
      change.completion(.failure(error))
    }
  }

  private func finish() {
    prepare()
    guard let change, case .preparing(let preparation) = change.stage,
      let outcome = preparation.take()
    else { return }
    self.change = nil
    do {
      let ready = try outcome.get()
      let isOutdated = change.stepNumber != session.stepNumber
      switch change.kind {
      case .load: change.completion(.success(change.notes + (try session.edit(to: ready))))
      case .edit(let edit) where change.historyNumber != session.historyNumber:
        self.edit(edit, completion: change.completion)
      case .edit: change.completion(.success(try session.finishEdit(with: ready)))
      // A change meanwhile can be undone, too.
      case .undo where isOutdated: undo(completion: change.completion)
      case .redo where isOutdated: redo(completion: change.completion)
      case .undo: change.completion(.success(try session.undo(to: ready)))
      case .redo: change.completion(.success(try session.redo(to: ready)))
      }
    } catch {
      change.completion(.failure(error))
    }
    if self.change == nil, !waiting.isEmpty {
      let next = waiting.removeFirst()
      edit(next.edit, completion: next.completion)
    }
  }

  /// Cancels the pending change and those that wait for it, and reports an error to their clients.
  private func giveUp(for reason: String) {
    guard let change else { return }
    self.change = nil
    switch change.stage {
    case .reading(let reading): reading.cancel()
    case .preparing(let preparation): preparation.cancel()
    }
    let what =
      switch change.kind {
      case .load(let name): "\(name) was not loaded"
      case .edit: "The rig was not changed"
      case .undo: "Nothing was undone"
      case .redo: "Nothing was redone"
      }
    let error = SupersededError(description: "\(what): \(reason) before it was ready.")
    change.completion(.failure(error))
    let waiting = waiting
    self.waiting = []
    for next in waiting { next.completion(.failure(error)) }
  }

  /// Stops watching the rig file and cancels the pending change.
  func stop() {
    follower?.stop()
    giveUp(for: "the session ended")
  }
}

/// The error of a change that another one replaced before it was ready.
struct SupersededError: HostError {
  let description: String
  var kind: ErrorKind { .superseded }
}
