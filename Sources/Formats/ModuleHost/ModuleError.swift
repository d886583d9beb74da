// ModuleError.swift: errors of native modules. SPDX-License-Identifier: MIT

package import ErrorModel

/// An error when a native module is loaded or created.
package enum ModuleError: Equatable {
  /// A count that differs between code and manifest.
  package struct Mismatch: Sendable, Equatable {
    /// The counted items, for example `parameters`.
    package let what: String
    /// The count in the code.
    package let found: Int
    /// The count in the manifest.
    package let declared: Int
  }

  /// The file does not exist.
  case missing(path: String)
  /// The file is not a shared library.
  case notALibrary(path: String)
  /// The file is shorter than its own header says.
  case truncated(path: String)
  /// The library is for another processor.
  case wrongArchitecture(path: String, found: String, needed: String)
  /// The dynamic loader rejected it.
  case notLoadable(path: String, reason: String)
  /// The library does not export `process`; `isMangled` if it exports a C++ function with that name.
  case noProcess(path: String, isMangled: Bool)
  /// `create` returned NULL.
  case createFailed(Creation)
  /// The host cannot resample to the rate in the manifest.
  case notResampled(name: String, rateHz: Double, graphRateHz: Double, reason: String)
  /// A manifest key requires a function that is missing.
  case functionMissing(path: String, key: String, function: String)
  /// The numbers of channels or parameters differ between code and manifest.
  case otherShape(name: String, differences: [Mismatch])
  /// The result of `latency` exceeds the limit.
  case latencyTooLong(name: String, frameCount: Int, maximumFrameCount: Int)
  /// `restore` rejected the state.
  case stateRefused(name: String)
  /// Presets of modules are in their manifests and cannot be saved.
  case presetNotSaved(name: String)
  /// A state cannot be written to a file or read from it.
  case stateNotKept(path: String, reason: String)

  /// The error message.
  package var description: String {
    switch self {
    case .missing(let path):
      "\(path): no such file. A module is a shared library with a manifest in the same directory."
    case .notALibrary(let path):
      path.hasSuffix(".so")
        ? "\(path): this is not a shared library. Build one with `cc -shared -fPIC`."
        : "\(path): this is not a shared library or source file. Source files end in .c, .cpp,"
          + " .cc, .cxx or .swift."
    case .truncated(let path):
      "\(path): the library is truncated. Copy or build it again."
    case .wrongArchitecture(let path, let found, let needed):
      "\(path): the library is built for \(found), but this machine needs \(needed). Build it on this machine."
    case .notLoadable(let path, let reason):
      "\(path): the library failed to load: \(reason)."
    case .noProcess(let path, let isMangled):
      isMangled
        ? "\(path): the library exports `process` with a C++ name. Declare it as extern \"C\"."
        : "\(path): the library does not export the required function `process`."
    case .createFailed(let creation): creation.description
    case .notResampled(let name, let rateHz, let graphRateHz, let reason):
      "\(name) works at \(Int(rateHz)) Hz and cannot be resampled to \(Int(graphRateHz)) Hz: \(reason)"
    case .functionMissing(let path, let key, let function):
      "\(path): key `\(key)` requires the function `\(function)`, which the library does not"
        + " export. Add the function or remove the key."
    case .otherShape(let name, let differences):
      "\(name): the code has "
        + differences.map { "\($0.found) \($0.what), but its manifest has \($0.declared)" }
        .joined(separator: ", and ") + ". Declare all of them, in the order of the code."
    case .latencyTooLong(let name, let frameCount, let maximumFrameCount):
      "\(name): `latency` returned \(frameCount) frames. The limit is"
        + " \(maximumFrameCount) frames (10 s)."
    case .stateRefused(let name):
      "\(name): `restore` rejected the saved state. Another version may have written it."
    case .presetNotSaved(let name):
      "\(name) is a module; its presets are in its manifest. Use `outboard save` to store its"
        + " values in a rig."
    case .stateNotKept(let path, let reason):
      "\(path): cannot store the state of a module here: \(reason)."
    }
  }
}

extension ModuleError: HostError {
  /// These are errors of the request.
  package var kind: ErrorKind { .usage }
}
