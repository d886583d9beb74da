// main.swift: the helper process of the tests, and a catalogue for manual tests. SPDX-License-Identifier: MIT

import Glibc
import InstalledFormats
import Isolation
import LV2Host
import PluginCatalogue
import PluginLoading
import PluginModel
import PluginValidation

/// Milliseconds since an arbitrary time.
func milliseconds() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) / 1e6
}

func list(_ catalogue: Catalogue) {
  for entry in catalogue.entries {
    print(entry.identifier, entry.name, entry.category, entry.refusal ?? "", separator: "\t")
  }
  for fault in catalogue.faults { print("fault", fault.message, separator: "\t") }
  for duplicate in catalogue.duplicates { print("duplicate", duplicate.message, separator: "\t") }
}

func tryAll(_ catalogue: Catalogue) {
  for entry in catalogue.entries {
    print(entry.identifier, catalogue.preflight(entry).refusal ?? "runs", separator: "\t")
  }
}

/// Loads and instantiates one plugin as `run` does, and prints the duration of each part.
func start(_ name: String, _ catalogue: Catalogue) throws {
  let begun = milliseconds()
  let entry = try catalogue.entry(named: name)
  let named = milliseconds()
  let plugin = try LV2Scanner.plugin(entry.identifier, inBundle: entry.unit)
  let read = milliseconds()
  let node = try LV2Node(
    plugin, NodeConfiguration(sampleRateHz: 48_000, maximumFrameCount: 512, isOffline: true))
  try node.activate()
  let made = milliseconds()
  print("named \(named - begun) ms, read \(read - named) ms, made \(made - read) ms")
}

/// Creates, runs and destroys one plugin in this process, for a debugger.
func once(_ uri: String, _ bundle: String) throws {
  let plugin = try LV2Scanner.plugin(uri, inBundle: bundle)
  try LV2Preflight.run(plugin) { print($0) }
}

if let argument = CommandLine.arguments.dropFirst().first {
  FormatRegistry.installed.runHelper(argument)
}
// With a separate cache directory, a test needs only these arguments.
if CommandLine.arguments.dropFirst().first == ScanHelper.argument {
  ScanHelper.run(sources: [.lv2])
}
if CommandLine.arguments.dropFirst().first == ValidationHelper.argument {
  let library = PluginLibrary(formats: .installed, catalogue: Catalogue(sources: []))
  ValidationHelper.run(
    make: { try library.makeNode($0, $1) }, keepsGlobals: { library.keepsGlobals($0) })
}
if CommandLine.arguments.dropFirst().first == WorkerHelper.argument {
  WorkerHelper.run(.installed)
}
let catalogue = Catalogue(sources: [.lv2])
switch CommandLine.arguments.dropFirst().first {
case "list": list(catalogue)
case "try": tryAll(catalogue)
case "once": try once(CommandLine.arguments[2], CommandLine.arguments[3])
case "start": try start(CommandLine.arguments[2], catalogue)
default: print("catalogue-child list | try | once URI BUNDLE | start NAME")
}
