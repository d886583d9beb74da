// LiveSession+SceneSteps.swift: scenes in their order. SPDX-License-Identifier: MIT

extension LiveSession {
  /// Recalls the scene that is `step` places after the current one; the last is followed by the first. [main]
  ///
  /// - Returns: messages about the change.
  /// - Throws: the errors of `recall`, or that the rig has no scenes.
  package func recallScene(step: Int) throws -> [String] {
    let all = scenes
    guard !all.isEmpty else {
      throw SetValueError(messages: [
        "This rig has no scenes. To store one, run `outboard scene --store NAME`."
      ])
    }
    let present = all.firstIndex(where: \.isCurrent)
    let next = present.map { $0 + step } ?? (step > 0 ? 0 : all.count - 1)
    return try sceneControl.recall(all[(next + all.count) % all.count].name)
  }
}
