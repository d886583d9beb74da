// PeerPair.swift: compares one plugin with other hosts. SPDX-License-Identifier: MIT

/// One plugin in Outboard and in its peers.
struct PeerPair {
  private let rendering: Rendering
  private let peers: [Peer]

  init(_ rendering: Rendering, peers: [Peer]) {
    self.rendering = rendering
    self.peers = peers
  }

  /// Compares a plugin with the peers, and returns the result of the most similar one.
  ///
  /// If the output of a peer is equal, further peers are not run.
  func compare(_ plugin: ListedPlugin, _ package: String) throws -> PeerRow {
    var rows: [PeerRow] = []
    for peer in peers {
      let (sharedConfiguration, finding) = try compare(plugin, peer)
      rows.append(
        PeerRow(
          identifier: plugin.id, package: package, sharedConfiguration: sharedConfiguration,
          peer: sharedConfiguration < .alone ? peer.rawValue : "", finding: finding))
      if sharedConfiguration.isSame { break }
    }
    guard let best = rows.min(by: { $0.sharedConfiguration < $1.sharedConfiguration }) else {
      throw CorpusFault("There is no peer to compare with.")
    }
    guard best.sharedConfiguration < .alone || rows.count == 1 else {
      return PeerRow(
        identifier: plugin.id, package: package, sharedConfiguration: best.sharedConfiguration,
        peer: "",
        finding: zip(peers, rows).map { "\($0): \($1.finding)" }.joined(separator: "; "))
    }
    return best
  }

  private func compare(_ plugin: ListedPlugin, _ peer: Peer) throws -> (Similarity, String) {
    var input = Rendering.Input(channelCount: plugin.audioInputs.count)
    var theirs = try rendering.theirs(plugin, peer, input)
    // A second attempt, because some fail occasionally.
    if case .failure = theirs { theirs = try rendering.theirs(plugin, peer, input) }
    guard case .sound(var others, _) = theirs else { return (.alone, theirs.reason) }
    var ours = try rendering.ours(plugin, input, blockFrames: peer.blockFrames)
    if case .sound(_, let latency) = ours, latency * 2 > input.frameCount {
      // Nothing to compare would remain.
      input.frameCount += (latency / peer.blockFrames + 1) * peer.blockFrames
      ours = try rendering.ours(plugin, input, blockFrames: peer.blockFrames)
      if case .sound(let longer, _) = try rendering.theirs(plugin, peer, input) { others = longer }
    }
    guard case .sound(let own, let latency) = ours else { return (.failed, ours.reason) }
    let plain = Difference(own, others, latency: latency)
    guard plain.sharedConfiguration == .different else {
      return (plain.sharedConfiguration, plain.words)
    }
    return try explain(plugin, peer, input, plain, own, others, latency)
  }

  /// Whether the initial values, or the plugin itself, cause the difference.
  private func explain(
    _ plugin: ListedPlugin, _ peer: Peer, _ input: Rendering.Input, _ plain: Difference,
    _ ours: [[Float]], _ theirs: [[Float]], _ latency: Int
  ) throws -> (Similarity, String) {
    if case .sound(let again, _) = try rendering.theirs(plugin, peer, input),
      !Difference(again, theirs, latency: 0).sharedConfiguration.isSame
    {
      return (.wavers, "\(peer) differs from itself")
    }
    if case .sound(let again, _) = try rendering.ours(plugin, input, blockFrames: peer.blockFrames),
      !Difference(again, ours, latency: 0).sharedConfiguration.isSame
    {
      return (.wavers, "outboard differs from itself")
    }
    let values = plugin.parameters.map { Peer.Value(symbol: $0.symbol, value: $0.default) }
    if peer.acceptsValues, !values.isEmpty,
      case .sound(let set, _) = try rendering.theirs(plugin, peer, input, values),
      Difference(ours, set, latency: latency).sharedConfiguration.isSame
    {
      return (.equalWhenSet, plain.words)
    }
    return (.different, plain.words)
  }
}
