// RigSceneReader.swift: a rig's scenes. SPDX-License-Identifier: MIT

import Manifests
import PluginModel

/// Reads the scenes of a rig.
enum RigSceneReader {
  private static let sceneExample = "verse: {reverb.mix: 10, echo.bypass: on}"

  /// The scenes that can be read.
  static func readScenes(_ cursor: ManifestCursor) -> [RigScene] {
    let expected = ExpectedValue(what: "a mapping of names to scenes", example: sceneExample)
    var programs: [Int: String] = [:]
    return (cursor.entries(expected) ?? []).compactMap { field in
      guard let scene = readScene(field) else { return nil }
      if let program = scene.program {
        if let other = programs[program] {
          field.report(
            .broken(
              rule: "program \(program) is already assigned to \(other). Change one of them."))
        }
        programs[program] = scene.name
      }
      return scene
    }
  }

  private static func readScene(_ field: ManifestField) -> RigScene? {
    let expected = ExpectedValue(
      what: "a mapping of nodes' parameters to values", example: sceneExample)
    guard let entries = field.value.entries(expected) else { return nil }
    guard !field.key.trimmed.isEmpty else {
      field.report(.broken(rule: "the name of a scene is empty."))
      return nil
    }
    var scene = RigScene(name: field.key, values: [])
    scene.position = field.position
    for entry in entries {
      if entry.key == "over" {
        scene.overSeconds = readOver(entry.value)
        continue
      }
      if entry.key == "program" {
        scene.program = entry.value.integer(
          in: 1 ... 128, ExpectedValue(what: "a MIDI program's number", example: "program: 3"))
        continue
      }
      if entry.key == "complete" {
        scene.isComplete = entry.value.boolean(example: "complete: true") ?? false
        continue
      }
      guard RigLane.split(entry.key) != nil else {
        entry.report(
          .broken(
            rule:
              "\"\(entry.key.shortened)\" is not a parameter. Write NODE.PARAMETER, as in reverb.mix,"
              + " or one of the keys over, program and complete."
          ))
        continue
      }
      let value = ExpectedValue(what: "a value", example: "\(entry.key): 10")
      guard let text = entry.value.text(value) else { continue }
      scene.values.append(RigParameter(symbol: entry.key, text: text, position: entry.position))
    }
    return scene
  }

  private static func readOver(_ cursor: ManifestCursor) -> Double? {
    let expected = ExpectedValue(what: "a duration", example: "over: 2 s")
    guard let text = cursor.text(expected) else { return nil }
    guard let time = MorphTime(text) else {
      cursor.report(.broken(rule: MorphTime.rule(text)))
      return nil
    }
    return time.seconds
  }
}
