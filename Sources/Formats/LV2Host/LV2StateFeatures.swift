// LV2StateFeatures.swift: the features for state. SPDX-License-Identifier: MIT

internal import CLV2Support

extension LV2Features {
  /// Adds features for `instantiate`: files are created in the instance's directory, and paths are unchanged. [main]
  func offerState(_ scratch: LV2ScratchDirectory) {
    offer(LV2.state + "loadDefaultState", data: nil)
    offer(LV2.state + "threadSafeRestore", data: nil)
    offer(
      LV2.state + "makePath", LV2_State_Make_Path(handle: handle(scratch), path: makeScratchPath))
    offer(
      LV2.state + "mapPath",
      LV2_State_Map_Path(
        handle: nil, abstract_path: mapPathToItself, absolute_path: mapPathToItself))
    offer(LV2.state + "freePath", LV2_State_Free_Path(handle: nil, free_path: freePath))
  }

  /// Adds features for one call of `save` or `restore`. [main]
  func offerState(_ paths: LV2StatePaths) {
    let handle = handle(paths)
    offer(LV2.state + "threadSafeRestore", data: nil)
    offer(LV2.state + "makePath", LV2_State_Make_Path(handle: handle, path: makeStatePath))
    offer(
      LV2.state + "mapPath",
      LV2_State_Map_Path(
        handle: handle, abstract_path: abstractStatePath, absolute_path: absoluteStatePath))
    offer(LV2.state + "freePath", LV2_State_Free_Path(handle: nil, free_path: freePath))
  }
}
