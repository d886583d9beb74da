// SequencerWorker+Connections.swift: devices that are connected and disconnected.
// SPDX-License-Identifier: MIT

import CALSA
import ErrorModel

/// The ports of this client.
struct SequencerPorts {
  var client: UInt8
  /// The input port; nil if the rig takes no MIDI.
  var input: UInt8?
  /// The output port; nil if the rig sends no MIDI.
  var output: UInt8?
  /// The port for the system's announcements.
  var announcements: UInt8
  var queue: Int32

  var inputAddress: SequencerAddress? { input.map { SequencerAddress(client: client, port: $0) } }
  var outputAddress: SequencerAddress? { output.map { SequencerAddress(client: client, port: $0) } }
}

/// The devices to connect to the ports.
struct ConnectionPolicy {
  var input: EndpointSelection
  var output: EndpointSelection

  /// Returns the sources to connect; `all` excludes destinations, because they may echo.
  func sources(_ endpoints: [SequencerEndpoint]) -> [SequencerEndpoint] {
    let picked = input.selects(endpoints.filter(\.isSource))
    guard input == .all else { return picked }
    let selectedAddresses = Set(destinations(endpoints).map(\.address))
    return picked.filter { !selectedAddresses.contains($0.address) }
  }

  /// Returns the destinations to connect.
  func destinations(_ endpoints: [SequencerEndpoint]) -> [SequencerEndpoint] {
    output.selects(endpoints.filter(\.isDestination))
  }
}

extension SequencerWorker {
  // MARK: - Making connections

  /// Connects all selected devices that are present. [main, before the thread]
  func connectAll() {
    let endpoints = sequencer.endpoints()
    for source in choices.sources(endpoints) { _ = connect(from: source) }
    for destination in choices.destinations(endpoints) { _ = connect(to: destination) }
    publish()
  }

  private func connect(from source: SequencerEndpoint) -> Bool {
    guard let input = ports.inputAddress, sequencer.connect(source.address, to: input)
    else { return false }
    return connections.addSource(source.address, source.name)
  }

  private func connect(to destination: SequencerEndpoint) -> Bool {
    guard let output = ports.outputAddress, sequencer.connect(output, to: destination.address)
    else { return false }
    return connections.addDestination(destination.address, destination.name)
  }

  /// Connects a port that appeared, if it is selected.
  ///
  /// A port that was present before is unchanged: the user may have disconnected it.
  private func deviceAppeared(_ address: SequencerAddress) {
    let endpoints = sequencer.endpoints()
    if let source = choices.sources(endpoints).first(where: { $0.address == address }),
      connect(from: source)
    {
      board.notices.append(.midiConnected("input", source.name))
    }
    if let destination = choices.destinations(endpoints).first(where: { $0.address == address }),
      connect(to: destination)
    {
      board.notices.append(.midiConnected("output", destination.name))
    }
  }

  private func deviceDisappeared(_ isGone: (SequencerAddress) -> Bool) {
    for address in connections.sources.keys.filter(isGone).sorted() { remove(source: address) }
    for address in connections.destinations.keys.filter(isGone).sorted() {
      remove(destination: address)
    }
    // Includes sources that sent without a connection.
    for address in heldNotes.sources.filter(isGone) { release(address) }
  }

  private func remove(source: SequencerAddress) {
    release(source)
    guard let name = connections.removeSource(source) else { return }
    board.notices.append(.midiDisconnected("input", name))
  }

  private func remove(destination: SequencerAddress) {
    guard let name = connections.removeDestination(destination) else { return }
    board.notices.append(.midiDisconnected("output", name))
  }

  // MARK: - Announcements of the system

  /// Processes an announcement; returns false for another event.
  func follow(_ event: UnsafePointer<snd_seq_event_t>) -> Bool {
    let data = event.pointee.data
    switch UInt32(event.pointee.type) {
    case SND_SEQ_EVENT_PORT_START.rawValue:
      deviceAppeared(SequencerAddress(data.addr))
    case SND_SEQ_EVENT_PORT_EXIT.rawValue:
      let address = SequencerAddress(data.addr)
      deviceDisappeared { $0 == address }
    case SND_SEQ_EVENT_CLIENT_EXIT.rawValue:
      let address = data.addr.client
      deviceDisappeared { $0.client == address }
    case SND_SEQ_EVENT_PORT_SUBSCRIBED.rawValue:
      connected(SequencerAddress(data.connect.sender), SequencerAddress(data.connect.dest))
    case SND_SEQ_EVENT_PORT_UNSUBSCRIBED.rawValue:
      disconnected(SequencerAddress(data.connect.sender), SequencerAddress(data.connect.dest))
    case SND_SEQ_EVENT_CLIENT_START.rawValue, SND_SEQ_EVENT_CLIENT_CHANGE.rawValue,
      SND_SEQ_EVENT_PORT_CHANGE.rawValue:
      return true
    default: return false
    }
    publish()
    return true
  }

  /// Handles a new connection between two ports, which may be ours.
  private func connected(_ sender: SequencerAddress, _ receiver: SequencerAddress) {
    if receiver == ports.inputAddress, connections.sources[sender] == nil {
      let name = sequencer.name(of: sender)
      _ = connections.addSource(sender, name)
      board.notices.append(.midiConnected("input", name))
    }
    if sender == ports.outputAddress, connections.destinations[receiver] == nil {
      let name = sequencer.name(of: receiver)
      _ = connections.addDestination(receiver, name)
      board.notices.append(.midiConnected("output", name))
    }
  }

  private func disconnected(_ sender: SequencerAddress, _ receiver: SequencerAddress) {
    if receiver == ports.inputAddress { remove(source: sender) }
    if sender == ports.outputAddress { remove(destination: receiver) }
  }

  /// Compensates for announcements that were lost.
  func restoreConnections() {
    let endpoints = sequencer.endpoints()
    let there = Set(endpoints.map(\.address))
    deviceDisappeared { !there.contains($0) }
    for endpoint in endpoints
    where connections.sources[endpoint.address] == nil
      && connections.destinations[endpoint.address] == nil
    {
      deviceAppeared(endpoint.address)
    }
    publish()
  }

  private func publish() {
    replies?.clearAddresses()
    board.set(
      sources: ConnectionTable.names(connections.sources),
      destinations: ConnectionTable.names(connections.destinations))
  }
}
