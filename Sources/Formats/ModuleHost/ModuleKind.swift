// ModuleKind.swift: native modules as a kind of plugin. SPDX-License-Identifier: MIT

package import PluginModel

extension PluginKind {
  /// A native module, named by its id.
  package static let module = PluginKind(rawValue: "module")
}

extension FormatTraits {
  /// The traits of native modules.
  package static let module = FormatTraits(
    [.propertiesNeedNewNode, .readoutsDescribeFile], noun: "a module",
    stateFile: ModuleNode.stateFileName,
    leakAdvice:
      "an instance is created and destroyed, also on each hot reload. Free in `destroy` what `create`"
      + " allocates (in a port: OUTBOARD_RELEASE).")
}
