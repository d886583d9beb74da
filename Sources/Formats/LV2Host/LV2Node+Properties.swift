// LV2Node+Properties.swift: what an LV2 node is told in messages: properties and musical time. SPDX-License-Identifier: MIT

package import PluginModel
internal import Reblocking
internal import Synchronization

extension LV2Node {
  /// Sends the plugin a `patch:Set`. [main]
  package func setProperty(_ index: Int, to value: PropertyValue) throws(PropertyError) {
    guard let properties else { throw .noPort(name: description.properties[index].name) }
    try properties.set(index, to: value)
  }

  /// The value last set, or told by the plugin. [main]
  package func property(_ index: Int) -> PropertyValue? { properties?.value(index) }

  /// The properties that the plugin has told another value of since the last call. [main]
  package func takePropertyChanges() -> [Int] { properties?.takeChanges() ?? [] }

  /// Whether a port has a default that is not silence, or may be left alone. [any]
  package func knowsUnconnected(_ input: Int) -> Bool {
    // The adapter copies what it is given.
    guard adapter == nil else { return false }
    let port = plugin.ports[plugin.signalPorts[input]]
    return port.restValue != 0 || (port.role == .cvInput && port.isOptional)
  }

  /// Musical time is told as it is for the sound that the plugin hears. [main]
  package func setInputLatency(frameCount: Int) {
    state.pointee.time?.pointee.delayFrames.store(
      frameCount + (adapter?.latencyFrames ?? 0), ordering: .relaxed)
  }

  /// Asks the plugin for its properties, having told it those that are set.
  ///
  /// A run of no frames makes it listen, so that the values are in force at the first frame, and known
  /// before it.
  func learnProperties() {
    forgetToldTime()
    guard let properties else { return }
    properties.ask()
    runLV2Instance(state, 0)
  }

  /// An instance that was activated anew is told of time again.
  func forgetToldTime() { state.pointee.time?.pointee.toldChangeCount = 0 }
}
