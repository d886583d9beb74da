// PluginDescription+BinaryCoding.swift: binary encoding of plugin descriptions. SPDX-License-Identifier: MIT
//
// If you change a field, increase `CacheFile.formatVersion`.

package import PluginModel

extension BinaryEncoder {
  /// Appends a description, its texts clipped. [any]
  package mutating func write(_ whole: PluginDescription) {
    let plugin = whole.clipped
    write(plugin.kind.rawValue)
    write(plugin.format)
    for text in [
      plugin.identifier, plugin.name, plugin.maker, plugin.licence, plugin.category,
      plugin.summary, plugin.location, plugin.library,
    ] { write(text) }
    write(plugin.audioInputs) { $0.write($1) }
    write(plugin.audioOutputs) { $0.write($1) }
    write(plugin.cvInputs) { $0.write($1) }
    write(plugin.cvOutputs) { $0.write($1) }
    write(plugin.properties) { $0.write($1) }
    write(plugin.parameters) { $0.write($1) }
    write(plugin.readouts) { $0.write($1) }
    write(plugin.presets) { $0.write($1) }
    write(plugin.acceptsMIDI)
    write(plugin.producesMIDI)
    write(plugin.midiSymbols.input)
    write(plugin.midiSymbols.output)
    write(plugin.reportsLatency)
    for texts in [
      plugin.transportFacts, plugin.otherPorts, plugin.requiredFeatures, plugin.optionalFeatures,
    ] { write(texts) { $0.write($1) } }
    write(plugin.refusal != nil)
    write(plugin.refusal ?? "")
    write(plugin.module != nil)
    if let module = plugin.module { write(module) }
  }

  private mutating func write(_ format: FormatTraits) {
    write(format.flags.rawValue)
    for text in [format.noun, format.stateFile, format.clearingFunction, format.leakAdvice] {
      write(text)
    }
  }

  private mutating func write(_ port: AudioPort) {
    write(port.symbol)
    write(port.name)
    write(port.group)
    write(port.isMain)
    write(port.restValue)
  }

  private mutating func write(_ parameter: Parameter) {
    write(parameter.symbol)
    write(parameter.name)
    write(parameter.unit)
    write(parameter.minimum)
    write(parameter.defaultValue)
    write(parameter.maximum)
    write(parameter.scale.rawValue)
    write(parameter.isEnumeration)
    write(parameter.traits.rawValue)
    write(parameter.choices) {
      $0.write($1.value)
      $0.write($1.name)
    }
  }

  private mutating func write(_ preset: ParameterPreset) {
    write(preset.name)
    write(preset.values) {
      $0.write(Int64($1.parameter))
      $0.write($1.value)
    }
  }

  private mutating func write(_ module: ModuleRequirements) {
    switch module.block {
    case .any: write(UInt8(0), 0)
    case .fixed(let count): write(UInt8(1), count)
    case .multiple(let count): write(UInt8(2), count)
    case .maximum(let count): write(UInt8(3), count)
    }
    write(module.smoothingSeconds) { $0.write($1.bitPattern) }
    write(module.canRunInPlace)
    write(module.isSingle)
    write(module.ratesHz) { $0.write(Int64($1)) }
  }

  private mutating func write(_ tag: UInt8, _ count: Int) {
    write(tag)
    write(Int64(count))
  }
}

extension BinaryDecoder {
  /// Reads a description. [any]
  package mutating func description() throws(BinaryDecodingError) -> PluginDescription {
    let (kind, format) = (PluginKind(rawValue: try text()), try format())
    var plugin = PluginDescription(
      kind: kind, identifier: try text(), name: try text(), format: format)
    plugin.maker = try text()
    plugin.licence = try text()
    plugin.category = try text()
    plugin.summary = try text()
    plugin.location = try text()
    plugin.library = try text()
    plugin.audioInputs = try list { reader throws(BinaryDecodingError) in try reader.audioPort() }
    plugin.audioOutputs = try list { reader throws(BinaryDecodingError) in try reader.audioPort() }
    plugin.cvInputs = try list { reader throws(BinaryDecodingError) in try reader.audioPort() }
    plugin.cvOutputs = try list { reader throws(BinaryDecodingError) in try reader.audioPort() }
    plugin.properties = try list { reader throws(BinaryDecodingError) in try reader.property() }
    plugin.parameters = try list { reader throws(BinaryDecodingError) in try reader.parameter() }
    plugin.readouts = try list { reader throws(BinaryDecodingError) in try reader.parameter() }
    let parameterCount = plugin.parameters.count
    plugin.presets = try list { reader throws(BinaryDecodingError) in
      try reader.preset(parameterCount: parameterCount)
    }
    plugin.acceptsMIDI = try flag()
    plugin.producesMIDI = try flag()
    plugin.midiSymbols.input = try text()
    plugin.midiSymbols.output = try text()
    plugin.reportsLatency = try flag()
    plugin.transportFacts = try texts()
    plugin.otherPorts = try texts()
    plugin.requiredFeatures = try texts()
    plugin.optionalFeatures = try texts()
    let isRefused = try flag()
    let refusal = try text()
    plugin.refusal = isRefused ? refusal : nil
    plugin.module = try flag() ? try module() : nil
    return plugin
  }

  private mutating func format() throws(BinaryDecodingError) -> FormatTraits {
    FormatTraits(
      FormatTraits.Flags(rawValue: try number()), noun: try text(), stateFile: try text(),
      clearingFunction: try text(), leakAdvice: try text())
  }

  private mutating func texts() throws(BinaryDecodingError) -> [String] {
    try list { reader throws(BinaryDecodingError) in try reader.text() }
  }

  private mutating func audioPort() throws(BinaryDecodingError) -> AudioPort {
    AudioPort(
      symbol: try text(), name: try text(), group: try text(), isMain: try flag(),
      restValue: try float())
  }

  private mutating func parameter() throws(BinaryDecodingError) -> Parameter {
    var parameter = Parameter(symbol: try text(), name: try text(), unit: try text())
    parameter.minimum = try float()
    parameter.defaultValue = try float()
    parameter.maximum = try float()
    guard let scale = ParameterScale(rawValue: try text()) else { throw BinaryDecodingError() }
    parameter.scale = scale
    parameter.isEnumeration = try flag()
    parameter.traits = ParameterTraits(rawValue: try number())
    parameter.choices = try list { reader throws(BinaryDecodingError) in
      Parameter.Choice(value: try reader.float(), name: try reader.text())
    }
    return parameter
  }

  private mutating func preset(parameterCount: Int) throws(BinaryDecodingError) -> ParameterPreset {
    ParameterPreset(
      name: try text(),
      values: try list { reader throws(BinaryDecodingError) in
        let parameter = Int(try reader.number(Int64.self))
        guard 0 ..< parameterCount ~= parameter else { throw BinaryDecodingError() }
        return ParameterPreset.Value(parameter: parameter, value: try reader.float())
      })
  }

  private mutating func module() throws(BinaryDecodingError) -> ModuleRequirements {
    var module = ModuleRequirements()
    let tag = try number(UInt8.self)
    let count = Int(try number(Int64.self))
    // Values that no manifest may have would crash the program when it creates the module.
    guard tag == 0 || ModuleRequirements.blockFrames ~= count else { throw BinaryDecodingError() }
    switch tag {
    case 0: module.block = .any
    case 1: module.block = .fixed(frameCount: count)
    case 2: module.block = .multiple(of: count)
    case 3: module.block = .maximum(frameCount: count)
    default: throw BinaryDecodingError()
    }
    module.smoothingSeconds = try list { reader throws(BinaryDecodingError) in
      let seconds = Double(bitPattern: try reader.number())
      guard 0 ... ModuleRequirements.longestSmoothingSeconds ~= seconds else {
        throw BinaryDecodingError()
      }
      return seconds
    }
    module.canRunInPlace = try flag()
    module.isSingle = try flag()
    module.ratesHz = try list { reader throws(BinaryDecodingError) in
      let rate = Int(try reader.number(Int64.self))
      guard ModuleRequirements.rateHz ~= rate else { throw BinaryDecodingError() }
      return rate
    }
    return module
  }
}
