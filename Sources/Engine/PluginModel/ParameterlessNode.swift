// ParameterlessNode.swift: a node without parameters. SPDX-License-Identifier: MIT

/// A node without parameters, which needs no activation.
package protocol ParameterlessNode: Node {}

extension ParameterlessNode {
  /// Never called, because there are no parameters. [main]
  package func setParameter(_ index: Int, to value: Float) {
    preconditionFailure("this node has no parameters")
  }

  /// Never called, because there are no parameters. [main]
  package func parameter(_ index: Int) -> Float {
    preconditionFailure("this node has no parameters")
  }

  /// Does nothing. [main]
  package func activate() {}
  /// Does nothing. [main]
  package func deactivate() {}
}
