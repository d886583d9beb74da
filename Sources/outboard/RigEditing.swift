// RigEditing.swift: a run led over to another rig. SPDX-License-Identifier: MIT

import Rig
import Session

/// Reads rigs for something that runs, as its command line has them, and leads it over to them. [main]
final class RigEditing {
  private let session: LiveSession
  private let library: PluginLibrary
  private let arguments: RigArguments
  private let apply: (inout RigDescription) -> Void
  private var follower: RigFollower?

  /// For a run that was begun with these arguments, `apply` doing what the command line says to a rig.
  init(
    _ session: LiveSession, _ library: PluginLibrary, _ arguments: RigArguments,
    apply: @escaping (inout RigDescription) -> Void
  ) {
    self.session = session
    self.library = library
    self.arguments = arguments
    self.apply = apply
  }

  /// Begins to watch the rig's file; `onChange` is called on another thread when it has been saved.
  func follow(onChange: @escaping @Sendable () -> Void) {
    guard let name = arguments.rig else { return }
    follower = RigFollower(RigFolders.path(of: name), onChange: onChange)
    guard follower == nil else { return }
    session.tell(
      "\(name) is not watched, as the system has no watch left (fs.inotify.max_user_instances);"
        + " `outboard load` reads it again.")
  }

  /// Reads the rig's file, if it was saved, and tells what became of it with the session's next report.
  func attend() {
    guard let follower, follower.takeChange(), let name = arguments.rig else { return }
    do {
      let notes = try load(name)
      session.tell("\(name) is heard as it is now.")
      for note in notes { session.tell(note) }
    } catch {
      session.tell("What \(name) was before plays on. \(error)")
    }
  }

  /// Leads the run over to a rig, named by its path or its name, and returns what is worth knowing.
  func load(_ name: String) throws -> [String] {
    var description = try RigReader.read(named: name)
    let notes = description.notes.map { "\($0)" }
    guard !description.isOffline else { throw SessionError.offlineRig(file: name) }
    apply(&description)
    var prepared = try PreparedRig(description, library)
    prepared.triesPlugins = !arguments.skipTrial
    try arguments.check(prepared, library)
    return notes + (try session.edit(to: prepared))
  }

  /// Watches no longer.
  func stop() { follower?.stop() }
}
