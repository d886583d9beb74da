// EditError.swift: why nothing was undone or redone. SPDX-License-Identifier: MIT

/// The reason why there is nothing to undo or redo.
package enum EditError: Error, Equatable, CustomStringConvertible {
  /// No edit was made, or all were undone.
  case nothingToUndo
  /// No change was undone since the last edit.
  case nothingToRedo

  /// The message to the user.
  package var description: String {
    switch self {
    case .nothingToUndo: "Nothing to undo."
    case .nothingToRedo:
      "Nothing to redo: no change was undone since the last edit."
    }
  }
}
