// ModuleTestError.swift: why a module cannot be tested. SPDX-License-Identifier: MIT

/// The error that a module cannot be tested.
package enum ModuleTestError: Error, CustomStringConvertible {
  /// A parameter lacks a key, or its default is out of its range.
  case unreadableParameter(manifest: String, entry: String)
  /// The library is not in the build directory, or the loader refuses it.
  case unloadableLibrary(name: String, searched: [String], reason: String)
  /// The library loads but does not export a required function.
  case missingFunction(library: String, symbol: String)
  /// `create` returned NULL.
  case creationFailed(library: String, sampleRateHz: Double)
  /// A test names a parameter that the manifest does not.
  case unknownParameter(library: String, symbol: String, known: [String])

  package var description: String {
    switch self {
    case .unreadableParameter(let manifest, let entry):
      "The manifest \(manifest) has a parameter that needs symbol, minimum, default and maximum "
        + "in ascending order: \(entry)."
    case .unloadableLibrary(let name, let searched, let reason):
      "lib\(name).so was not loaded from \(searched.joined(separator: " or ")): \(reason)."
    case .missingFunction(let library, let symbol):
      "lib\(library).so exports no '\(symbol)', which the contract requires."
    case .creationFailed(let library, let sampleRateHz):
      "lib\(library).so made no instance at \(sampleRateHz) Hz; create returned NULL."
    case .unknownParameter(let library, let symbol, let known):
      "'\(library)' has no parameter '\(symbol)'; it has \(known.joined(separator: ", "))."
    }
  }
}
