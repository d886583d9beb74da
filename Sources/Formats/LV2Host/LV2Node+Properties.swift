// LV2Node+Properties.swift: properties and musical time of an LV2 node. SPDX-License-Identifier: MIT

package import PluginModel
internal import Reblocking
internal import Synchronization

extension LV2Node {
  /// Sends a `patch:Set` to the plugin. [main]
  package func setProperty(_ index: Int, to value: PropertyValue) throws(PropertyError) {
    guard let properties else { throw .noPort(name: description.properties[index].name) }
    try properties.set(index, to: value)
  }

  /// The value last set, or reported by the plugin. [main]
  package func property(_ index: Int) -> PropertyValue? { properties?.value(index) }

  /// Returns the properties that the plugin has changed since the last call. [main]
  package func takePropertyChanges() -> [Int] { properties?.takeChanges() ?? [] }

  /// Whether a port has a default other than silence, or is optional. [any]
  package func hasUnconnectedDefault(_ input: Int) -> Bool {
    // The adapter copies the input.
    guard adapter == nil else { return false }
    let port = plugin.ports[plugin.signalPorts[input]]
    return port.restValue != 0 || (port.role == .cvInput && port.isOptional)
  }

  /// Musical time refers to the audio that the plugin receives. [main]
  package func setInputLatency(frameCount: Int) {
    state.pointee.time?.pointee.delayFrames.store(
      frameCount + (adapter?.latencyFrames ?? 0), ordering: .relaxed)
  }

  /// Sends the set properties to the plugin and requests all values.
  ///
  /// An empty run delivers the messages, so that the values apply from the first frame and are known
  /// before it.
  func queryProperties() {
    resetSentTime()
    guard let properties else { return }
    properties.request()
    runLV2Instance(state, 0)
  }

  /// A re-activated instance receives the time again.
  func resetSentTime() { state.pointee.time?.pointee.sentChangeCount = 0 }
}
