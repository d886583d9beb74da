// RigNodeError.swift: an error in one key of a node. SPDX-License-Identifier: MIT

import Manifests
import RigSchema

/// An error in one key of a node.
struct RigNodeError: Error {
  let position: SourcePosition
  let keyPath: String
  let fault: DiagnosticKind

  init(position: SourcePosition, keyPath: String, fault: DiagnosticKind) {
    (self.position, self.keyPath, self.fault) = (position, keyPath, fault)
  }

  init(_ setting: BuiltinSetting, of node: RigNode, _ fault: DiagnosticKind) {
    self.init(
      position: setting.position, keyPath: "\(node.keyPath).\(setting.key)", fault: fault)
  }

  func diagnostic(in file: String) -> Diagnostic {
    Diagnostic(file: file, position: position, keyPath: keyPath, fault: fault)
  }
}
