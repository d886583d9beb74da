// Trimming.swift: trims collections. SPDX-License-Identifier: MIT

extension StringProtocol {
  /// Returns the text without the characters at its two ends that satisfy `isRemoved`.
  func trimming(while isRemoved: (Character) -> Bool) -> String {
    guard let first = firstIndex(where: { !isRemoved($0) }),
      let last = lastIndex(where: { !isRemoved($0) })
    else { return "" }
    return String(self[first ... last])
  }
}
