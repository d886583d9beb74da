// ParameterlessNode.swift: a built-in that nothing can be set on. SPDX-License-Identifier: MIT

package import PluginModel

/// A node without parameters, which is ready as soon as it is made.
package protocol ParameterlessNode: Node {}

extension ParameterlessNode {
  /// Never called: there is nothing to set. [main]
  package func setParameter(_ index: Int, to value: Float) {
    preconditionFailure("this node has no parameters")
  }

  /// Never called: there is nothing to read. [main]
  package func parameter(_ index: Int) -> Float {
    preconditionFailure("this node has no parameters")
  }

  /// Nothing to do. [main]
  package func activate() {}
  /// Nothing to do. [main]
  package func deactivate() {}
}
