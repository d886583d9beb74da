// ModuleError.swift: why a native module cannot be used. SPDX-License-Identifier: MIT

package import ErrorModel

/// A native module that cannot be loaded or made.
package enum ModuleError: Equatable {
  /// A number in which code and manifest differ.
  package struct Mismatch: Sendable, Equatable {
    /// What is counted, for instance `parameters`.
    package let what: String
    /// How many the code has.
    package let found: Int
    /// How many the manifest has.
    package let declared: Int
  }

  /// There is no file.
  case missing(path: String)
  /// The file is not a shared library.
  case notALibrary(path: String)
  /// The file is shorter than its own header says.
  case truncated(path: String)
  /// The library is for another processor.
  case wrongArchitecture(path: String, found: String, needed: String)
  /// The dynamic loader refuses it, for the reason it gives.
  case notLoadable(path: String, reason: String)
  /// It does not export `process`; `isMangled` if it exports a C++ function of that name.
  case noProcess(path: String, isMangled: Bool)
  /// `create` returned NULL.
  case createFailed(Creation)
  /// The host cannot resample to the rate that the manifest asks for.
  case notResampled(name: String, rateHz: Double, graphRateHz: Double, reason: String)
  /// The manifest has what only a function that is missing could give, or take.
  case functionMissing(path: String, key: String, function: String)
  /// The code has other numbers of channels or parameters than the manifest.
  case otherShape(name: String, differences: [Mismatch])
  /// `latency` returned more than the host believes.
  case latencyTooLong(name: String, frameCount: Int, maximumFrameCount: Int)
  /// `restore` did not take what it was given.
  case stateRefused(name: String)
  /// Presets of modules stand in their manifests.
  case presetNotSaved(name: String)
  /// A state cannot be written to a file, or read from it.
  case stateNotKept(path: String, reason: String)

  /// One sentence for people.
  package var description: String {
    switch self {
    case .missing(let path):
      "\(path): there is no such file; a module is a shared library with its manifest beside it."
    case .notALibrary(let path):
      path.hasSuffix(".so")
        ? "\(path): this is not a shared library; build one with `cc -shared -fPIC`."
        : "\(path): this is neither a shared library nor a source by its name; sources end in .c, .cpp,"
          + " .cc, .cxx or .swift."
    case .truncated(let path):
      "\(path): the library is cut short, as after a copy that did not finish; copy or build it again."
    case .wrongArchitecture(let path, let found, let needed):
      "\(path): the library is made for \(found), and this machine needs \(needed); build it here."
    case .notLoadable(let path, let reason):
      "\(path): the library does not load: \(reason)."
    case .noProcess(let path, let isMangled):
      isMangled
        ? "\(path): the library exports `process` under a C++ name; put extern \"C\" before it."
        : "\(path): the library does not export a function named `process`, which a module must."
    case .createFailed(let creation): creation.description
    case .notResampled(let name, let rateHz, let graphRateHz, let reason):
      "\(name) works at \(Int(rateHz)) Hz and cannot be resampled to \(Int(graphRateHz)) Hz: \(reason)"
    case .functionMissing(let path, let key, let function):
      "\(path): the manifest has `\(key)`, and the library does not export `\(function)`; add the"
        + " function, or take the key away."
    case .otherShape(let name, let differences):
      "\(name): the code has "
        + differences.map { "\($0.found) \($0.what), where its manifest has \($0.declared)" }
        .joined(separator: ", and ") + "; declare each of them, in the code's order."
    case .latencyTooLong(let name, let frameCount, let maximumFrameCount):
      "\(name): `latency` returned \(frameCount) frames, and the longest delay that is made up for is"
        + " \(maximumFrameCount) frames (10 s)."
    case .stateRefused(let name):
      "\(name): `restore` did not take the saved state, which another version may have written."
    case .presetNotSaved(let name):
      "\(name) is a module, whose presets stand in its manifest; `outboard save` keeps how it is set"
        + " in a rig."
    case .stateNotKept(let path, let reason):
      "\(path): the state of a module is not kept there: \(reason)."
    }
  }
}

extension ModuleError: HostError {
  /// The request, or what it names, is wrong.
  package var kind: ErrorKind { .usage }
}
