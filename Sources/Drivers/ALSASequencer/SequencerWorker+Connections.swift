// SequencerWorker+Connections.swift: devices that come and go. SPDX-License-Identifier: MIT

import CALSA

/// Our ports and queue.
struct SequencerPorts {
  var client: UInt8
  /// Nil where nothing takes MIDI.
  var input: UInt8?
  /// Nil where nothing sends MIDI.
  var output: UInt8?
  /// Where the system's announcements arrive.
  var announcements: UInt8
  var queue: Int32

  var inputAddress: SequencerAddress? { input.map { SequencerAddress(client: client, port: $0) } }
  var outputAddress: SequencerAddress? { output.map { SequencerAddress(client: client, port: $0) } }
}

/// What is to be connected to our ports.
struct ConnectionPolicy {
  var input: EndpointSelection
  var output: EndpointSelection

  /// What our input is to hear; with `all`, not what we send to: it may send it back.
  func sources(_ endpoints: [SequencerEndpoint]) -> [SequencerEndpoint] {
    let picked = input.picks(endpoints.filter(\.isSource))
    guard input == .all else { return picked }
    let ours = Set(destinations(endpoints).map(\.address))
    return picked.filter { !ours.contains($0.address) }
  }

  /// What our output is to reach.
  func destinations(_ endpoints: [SequencerEndpoint]) -> [SequencerEndpoint] {
    output.picks(endpoints.filter(\.isDestination))
  }
}

extension SequencerWorker {
  // MARK: - What we connect

  /// Connects all that is chosen and there. [main, before the thread]
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

  /// Connects a port that appeared, where it is chosen.
  ///
  /// One that was there already is left as it is: somebody may have disconnected it on purpose.
  private func appeared(_ address: SequencerAddress) {
    let endpoints = sequencer.endpoints()
    if let source = choices.sources(endpoints).first(where: { $0.address == address }),
      connect(from: source)
    {
      board.note("The MIDI input \(source.name) is connected.")
    }
    if let destination = choices.destinations(endpoints).first(where: { $0.address == address }),
      connect(to: destination)
    {
      board.note("The MIDI output \(destination.name) is connected.")
    }
  }

  private func vanished(_ isGone: (SequencerAddress) -> Bool) {
    for address in connections.sources.keys.filter(isGone).sorted() { lose(source: address) }
    for address in connections.destinations.keys.filter(isGone).sorted() {
      lose(destination: address)
    }
    // Those that sent without being connected.
    for address in held.sources.filter(isGone) { release(address) }
  }

  private func lose(source: SequencerAddress) {
    release(source)
    guard let name = connections.removeSource(source) else { return }
    board.note("The MIDI input \(name) is disconnected.")
  }

  private func lose(destination: SequencerAddress) {
    guard let name = connections.removeDestination(destination) else { return }
    board.note("The MIDI output \(name) is disconnected.")
  }

  // MARK: - What the system announces

  /// Follows an announcement; false where the event is none.
  func follow(_ event: UnsafePointer<snd_seq_event_t>) -> Bool {
    let data = event.pointee.data
    switch UInt32(event.pointee.type) {
    case SND_SEQ_EVENT_PORT_START.rawValue:
      appeared(SequencerAddress(data.addr))
    case SND_SEQ_EVENT_PORT_EXIT.rawValue:
      let gone = SequencerAddress(data.addr)
      vanished { $0 == gone }
    case SND_SEQ_EVENT_CLIENT_EXIT.rawValue:
      let gone = data.addr.client
      vanished { $0.client == gone }
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

  /// Somebody connected two ports, perhaps ours.
  private func connected(_ sender: SequencerAddress, _ receiver: SequencerAddress) {
    if receiver == ports.inputAddress, connections.sources[sender] == nil {
      let name = sequencer.name(of: sender)
      _ = connections.addSource(sender, name)
      board.note("The MIDI input \(name) is connected.")
    }
    if sender == ports.outputAddress, connections.destinations[receiver] == nil {
      let name = sequencer.name(of: receiver)
      _ = connections.addDestination(receiver, name)
      board.note("The MIDI output \(name) is connected.")
    }
  }

  private func disconnected(_ sender: SequencerAddress, _ receiver: SequencerAddress) {
    if receiver == ports.inputAddress { lose(source: sender) }
    if sender == ports.outputAddress { lose(destination: receiver) }
  }

  /// Makes up for announcements that were lost.
  func reconcile() {
    let endpoints = sequencer.endpoints()
    let there = Set(endpoints.map(\.address))
    vanished { !there.contains($0) }
    for endpoint in endpoints
    where connections.sources[endpoint.address] == nil
      && connections.destinations[endpoint.address] == nil
    {
      appeared(endpoint.address)
    }
    publish()
  }

  private func publish() {
    board.set(
      sources: ConnectionTable.names(connections.sources),
      destinations: ConnectionTable.names(connections.destinations))
  }
}
