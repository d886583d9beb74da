// LiveSession+Commands.swift: commands to a session. SPDX-License-Identifier: MIT

package import FilePlayback
package import FileRecording
import PluginCatalogue
import PluginLoading
import RigPlanning
package import RigSchema

extension LiveSession {
  // MARK: - Rigs

  /// Switches to another rig, with as few changes as possible. [main]
  ///
  /// Nodes with the same name, plugin and start settings continue with their state. Values that
  /// differ in the new rig are set; others are unchanged. New nodes fade in, removed nodes render
  /// their tails. Device settings take effect at the next start.
  ///
  /// - Returns: messages about the change.
  /// - Throws: every error that can be found; the session is unchanged then.
  package func edit(to next: PreparedRig) throws -> [String] {
    try replacing { try active.edit(to: next) }
  }

  /// Undoes the last edit. [main]
  ///
  /// - Returns: messages about the change.
  /// - Throws: `EditError.nothingToUndo`, or the errors of `edit`.
  package func undo() throws -> [String] { try replacing { try active.undo() } }

  /// Redoes the last undone edit. [main]
  ///
  /// - Returns: messages about the change.
  /// - Throws: `EditError.nothingToRedo`, or the errors of `edit`.
  package func redo() throws -> [String] { try replacing { try active.redo() } }

  /// Switches to another rig; a scene change of the previous one ends then.
  private func replacing(_ change: () throws -> [String]) rethrows -> [String] {
    let notes = try change()
    sceneControl.cancel()
    return notes
  }

  /// Watches the sources of the rig's modules.
  ///
  /// Each time one is saved it is compiled, preflighted and activated. [main]
  ///
  /// `report` performs the last step and returns the messages about it.
  ///
  /// - Parameter onUpdate: called on another thread when `report` has work to do.
  package func followSources(onUpdate: @escaping @Sendable () -> Void) {
    sources.follow(onUpdate: onUpdate)
  }

  // MARK: - Rigs that were prepared on another thread

  /// A rig without a device uses the open one. [main]
  package func shareDevices(to other: inout RigDescription) {
    guard other.isOffline else { return }
    (other.inputs, other.outputs) = (rig.rig.inputs, rig.rig.outputs)
  }

  /// Starts to prepare a rig for a later `edit`. [main]
  ///
  /// - Parameters:
  ///   - rig: the rig as it was read.
  ///   - runsPreflight: whether preflight runs for plugins that are not active yet.
  ///   - onEnd: called on another thread when `RigLoader.take` has a result.
  /// - Returns: the loader.
  package func prepare(
    _ rig: RigDescription, runsPreflight: Bool, onEnd: @escaping @Sendable () -> Void
  ) -> RigLoader {
    RigLoader(
      rig, library.sharedConfiguration, conditions(runsPreflight: runsPreflight), onEnd: onEnd)
  }

  /// Starts to prepare a change of the present rig for `finishEdit`. [main]
  ///
  /// - Parameters:
  ///   - edit: the change.
  ///   - runsPreflight: whether preflight runs for plugins that are not active yet.
  ///   - onEnd: called on another thread when `RigLoader.take` has a result.
  /// - Returns: the loader.
  package func prepare(
    _ edit: RigEdit, runsPreflight: Bool, onEnd: @escaping @Sendable () -> Void
  ) -> RigLoader {
    var present = rig.rig
    RecordingTaps.disconnect(in: &present)
    return RigLoader(
      present, edit, library.sharedConfiguration, conditions(runsPreflight: runsPreflight),
      onEnd: onEnd)
  }

  private func conditions(runsPreflight: Bool) -> RigLoader.PreflightConditions {
    RigLoader.PreflightConditions(
      preflight: Preflight.Conditions(graph.configuration), playing: graph.members.map(\.plugin),
      runsPreflight: runsPreflight)
  }

  /// Starts to prepare the rig before the last change, whose sources may have to be compiled again. [main]
  ///
  /// - Returns: the loader; nil if the last change changed only values, so that `undo` is immediate.
  /// - Throws: `EditError.nothingToUndo`, or `ManifestError` if a nested rig of the time before a restart cannot be read.
  package func prepareUndo(onEnd: @escaping @Sendable () -> Void) throws -> RigLoader? {
    guard let step = active.history.previous else { throw EditError.nothingToUndo }
    return try step.rig.map { try prepare($0, onEnd: onEnd) }
  }

  /// Starts to prepare the rig that was undone last. [main]
  ///
  /// - Returns: the loader; nil if only values change, so that `redo` is immediate.
  /// - Throws: `EditError.nothingToRedo`, or the errors of `prepareUndo`.
  package func prepareRedo(onEnd: @escaping @Sendable () -> Void) throws -> RigLoader? {
    guard let step = active.history.following else { throw EditError.nothingToRedo }
    return try step.rig.map { try prepare($0, onEnd: onEnd) }
  }

  private func prepare(
    _ earlier: EarlierRig, onEnd: @escaping @Sendable () -> Void
  ) throws -> RigLoader {
    prepare(
      try earlier.description(for: rig.rig), runsPreflight: earlier.runsPreflight, onEnd: onEnd)
  }

  /// Records parameter values that were set, as one step of the history. [main]
  package func recordValues(_ changes: [ValueChange]) {
    guard !changes.isEmpty else { return }
    active.history.record(UndoStep(values: changes))
  }

  /// Makes one step of the history of all changes since `stepNumber` had this value. [main]
  package func mergeUndoSteps(since number: Int) { active.history.merge(since: number) }

  /// Switches to a prepared rig. [main]
  ///
  /// - Returns: messages for the user.
  /// - Throws: the errors of `edit`; the session is unchanged then.
  package func edit(to ready: RigLoader.LoadedRig) throws -> [String] {
    try edit(to: adopted(ready)) + ready.remarks
  }

  /// Switches to the present rig with a prepared change. [main]
  ///
  /// - Returns: messages for the user.
  /// - Throws: the errors of `edit`; the session is unchanged then.
  package func finishEdit(with ready: RigLoader.LoadedRig) throws -> [String] {
    var next = adopted(ready)
    // A user may have set properties while the plugin was prepared.
    for node in rig.rig.nodes where node.name != ready.resetNode {
      guard
        let index = next.rig.nodes.firstIndex(where: {
          $0.name == node.name && $0.source == node.source
        })
      else { continue }
      next.rig.nodes[index].properties = node.properties
    }
    return ready.notes
      + (try replacing { try active.change(to: next, resetting: ready.resetNode) })
      + ready.remarks
  }

  /// Undoes the last edit with the prepared rig. [main]
  package func undo(to ready: RigLoader.LoadedRig) throws -> [String] {
    try replacing { try active.undo(to: adopted(ready)) } + ready.remarks
  }

  /// Redoes the last undone edit with the prepared rig. [main]
  package func redo(to ready: RigLoader.LoadedRig) throws -> [String] {
    try replacing { try active.redo(to: adopted(ready)) } + ready.remarks
  }

  private func adopted(_ ready: RigLoader.LoadedRig) -> PreparedRig {
    for build in ready.builds { library.register(build) }
    library.register(ready.traits)
    return ready.rig
  }

  // MARK: - Values and scenes

  /// Sets parameters and properties of a node, or the gain of a connection.
  ///
  /// Sets all values, or none if one of them is invalid. [main]
  ///
  /// Values take effect in the next block. A module that gets another file is crossfaded.
  ///
  /// - Parameters:
  ///   - name: the node's name in the rig, in any letter case, or a connection as in
  ///     `voice -> hall`.
  ///   - values: the values by symbol or name, in the syntax of a rig file.
  ///   - directory: the directory that relative paths start from.
  /// - Returns: messages about corrected values.
  /// - Throws: `SetValueError` with all invalid values.
  package func set(
    _ name: String, to values: [(symbol: String, text: String)], directory: String = "/"
  ) throws -> [String] {
    try self.values.set(name, to: values, directory: directory)
  }

  /// Records that parameters were set by another thread, so that a scene change no longer changes
  /// them. [main]
  package func recordManualChange(of parameters: [Int], ofNode name: String) {
    sceneControl.drop(parameters, of: name)
  }

  /// Recalls a scene. [main]
  ///
  /// Values that the scene does not contain are unchanged. Switches and choices change in the
  /// middle of the duration.
  ///
  /// - Parameters:
  ///   - name: the scene's name, in any letter case.
  ///   - seconds: the duration; nil for that of the scene, otherwise immediate.
  /// - Returns: messages about the change.
  /// - Throws: `SetValueError` if no such scene exists, or if a node cannot be bypassed.
  package func recall(_ name: String, over seconds: Double? = nil) throws -> [String] {
    try sceneControl.recall(name, over: seconds)
  }

  /// Advances the scene change; called a hundred times a second while `isMorphing`. [main]
  package func advanceMorph() { sceneControl.advanceMorph() }

  /// Stores the current values as a scene of the rig; an existing scene of that name is replaced.
  /// [main]
  ///
  /// - Returns: messages about the scene.
  /// - Throws: `SetValueError` if the name is empty.
  package func storeScene(_ name: String) throws -> [String] { try sceneControl.storeScene(name) }

  // MARK: - Files

  /// Writes the rig with its current values to a file, and the plugin states with their files to a
  /// directory next to it.
  ///
  /// The file is complete or does not exist. [main]
  ///
  /// - Parameters:
  ///   - path: the absolute path of the rig file.
  ///   - replaces: whether an existing file is overwritten.
  /// - Returns: the path in its usual form, and the text.
  /// - Throws: `SaveError` if it cannot be written, or errors of a plugin.
  @discardableResult
  package func save(to path: String, replaces: Bool) throws -> (path: String, text: String) {
    let saved = try RigSaver(active: active).save(to: path, replaces: replaces)
    savedTexts[saved.path] = saved.text
    return saved
  }

  /// Writes the rig with its current values to the file that it was read from, with the comments of
  /// that file. [main]
  ///
  /// - Parameter replaces: whether changes of the file by another program are overwritten.
  /// - Returns: the path and the text.
  /// - Throws: `SaveError` if it cannot be written, or errors of a plugin.
  @discardableResult
  package func saveInPlace(replaces: Bool) throws -> (path: String, text: String) {
    let saved = try RigSaver(active: active).saveInPlace(
      lastSaved: savedTexts, replaces: replaces)
    savedTexts[saved.path] = saved.text
    return saved
  }

  /// Returns the rig as it was read, with the current values of its nodes. [main]
  ///
  /// - Parameter directory: the directory of the new rig file. Relative paths become absolute if it is
  ///   another directory.
  /// - Returns: the rig, with its diagnostics and locations.
  package func rigNow(in directory: String) -> RigDescription {
    RigSaver(active: active).rigNow(in: directory)
  }

  /// Writes the audio, MIDI and block times of the last ten seconds to a new directory. [main]
  ///
  /// - Parameter path: the absolute path of the directory.
  /// - Throws: `BlackBoxError`.
  package func writeBlackBox(to path: String) throws { try blackBoxes.write(to: path) }

  /// Sends a command to one player or to all. [main]
  ///
  /// - Parameters:
  ///   - order: the command; nil to read the status.
  ///   - name: the player's name in the rig, in any letter case; nil for all.
  /// - Returns: a status message for each player if `order` is nil.
  /// - Throws: an error if no such player exists, or the error of the only one.
  package func play(_ order: PlayerCommand?, node name: String?) throws -> [String] {
    try PlayerControl(active: active).perform(order, node: name)
  }

  /// Sends a command to one recorder or to all, which start or stop at the same frame. [main]
  ///
  /// - Parameters:
  ///   - order: the command; nil to read the status.
  ///   - name: the recorder's name in the rig, in any letter case; nil for all.
  /// - Returns: a status message for each recorder.
  /// - Throws: an error if no such recorder exists, or the error of the only one.
  package func record(_ order: RecorderCommand?, node name: String?) throws -> [String] {
    try RecorderControl(active: active).perform(order, node: name)
  }
}
