// ModuleManifestReader+Parameters.swift: a module's parameters. SPDX-License-Identifier: MIT

import Manifests
import PluginModel

extension ModuleManifestReader {
  private static let parameterKeys = [
    "symbol", "name", "unit", "minimum", "default", "maximum", "scale", "smoothing", "choices",
  ]

  /// The parameters, and for each the time over which the host ramps it, in seconds.
  static func readParameters(_ cursor: ManifestCursor) -> ([Parameter], [Double]) {
    let expected = ExpectedValue(
      what: "a list of parameters",
      example: "- {symbol: mix, name: Mix, minimum: 0, default: 50, maximum: 100}")
    guard let items = cursor.items(expected) else { return ([], []) }
    var parameters: [Parameter] = []
    var smoothing: [Double] = []
    for item in items {
      guard let fields = item.fields(known: parameterKeys, expected) else { continue }
      var parameter = readParameter(fields)
      readDefault(fields, into: &parameter)
      checkUnique(parameter.symbol, among: parameters.map(\.symbol), of: "parameters", fields)
      parameters.append(parameter)
      smoothing.append(readSmoothing(fields, of: parameter))
    }
    return (parameters, smoothing)
  }

  private static let readoutKeys = [
    "symbol", "name", "unit", "minimum", "maximum", "scale", "choices",
  ]

  /// Reads the readouts of the module.
  static func readReadouts(_ cursor: ManifestCursor) -> [Parameter] {
    let expected = ExpectedValue(
      what: "a list of readouts",
      example: "- {symbol: pitch, name: Pitch, unit: Hz, minimum: 0, maximum: 5000}")
    var readouts: [Parameter] = []
    for item in cursor.items(expected) ?? [] {
      guard let fields = item.fields(known: readoutKeys, expected) else { continue }
      var readout = readParameter(fields, isReadout: true)
      readout.defaultValue = readout.minimum
      checkUnique(readout.symbol, among: readouts.map(\.symbol), of: "readouts", fields)
      readouts.append(readout)
    }
    return readouts
  }

  /// Reports a symbol that occurs twice.
  static func checkUnique(
    _ symbol: String, among others: [String], of list: String, _ fields: ManifestFields
  ) {
    guard !symbol.isEmpty, let duplicate = others.firstIndex(of: symbol) else { return }
    fields["symbol"]?.report(
      .broken(
        rule: "symbol \"\(symbol)\" is already used by \(list)[\(duplicate + 1)]. Symbols must be"
          + " unique."))
  }

  /// Reads the symbol and the name of an entry; empty if missing.
  static func readNames(
    _ fields: ManifestFields, example: (symbol: String, name: String)
  ) -> (symbol: String, name: String) {
    let symbol = fields.required("symbol", example: "symbol: \(example.symbol)").flatMap(readSymbol)
    let name = ExpectedValue(what: "a name", example: "name: \(example.name)")
    return (
      symbol ?? "", fields.required("name", example: name.example)?.text(name) ?? ""
    )
  }

  /// All of a parameter but its default.
  private static func readParameter(
    _ fields: ManifestFields, isReadout: Bool = false
  ) -> Parameter {
    let names = readNames(fields, example: ("decay", "Decay"))
    var parameter = Parameter(symbol: names.symbol, name: names.name)
    if let unit = fields["unit"], unit.node.content != .text("", isQuoted: true) {
      parameter.unit = unit.text(ExpectedValue(what: "a unit", example: "unit: dB")) ?? ""
    }
    (parameter.scale, parameter.traits) = readScale(fields, isReadout: isReadout)
    readRange(fields, into: &parameter)
    readChoices(fields, into: &parameter)
    return parameter
  }

  // MARK: - Range

  /// The scale of a switch that resets itself.
  private static let trigger = "trigger"

  private static func readScale(
    _ fields: ManifestFields, isReadout: Bool
  ) -> (ParameterScale, ParameterTraits) {
    let scales: [ParameterScale] = [.linear, .logarithmic, .integer, .toggle]
    let words = scales.map(\.rawValue) + (isReadout ? [] : [trigger])
    let expected = ExpectedValue(what: "a scale", example: "scale: logarithmic")
    if let cursor = fields["scale"] {
      let word = cursor.word(among: words, expected)
      if word == trigger { return (.toggle, .trigger) }
      return (word.flatMap(ParameterScale.init(rawValue:)) ?? .linear, [])
    }
    // A list of names alone counts through them.
    if case .list = fields["choices"]?.node.content { return (.integer, []) }
    return (.linear, [])
  }

  private static func readRange(_ fields: ManifestFields, into parameter: inout Parameter) {
    var namedCount = 0
    if case .list(let names) = fields["choices"]?.node.content { namedCount = names.count }
    let hasOwnRange = parameter.scale == .toggle || namedCount > 1
    func end(_ key: String, _ fallback: Float) -> Float? {
      let expected = ExpectedValue(what: "a number", example: "\(key): 1")
      if hasOwnRange, fields[key] == nil { return fallback }
      return fields.required(key, example: expected.example)?.number(expected).map(Float.init)
    }
    let minimum = end("minimum", 0)
    let maximum = end("maximum", namedCount > 1 ? (minimum ?? 0) + Float(namedCount - 1) : 1)
    guard let minimum, let maximum else { return }
    guard minimum.isFinite, maximum.isFinite, minimum < maximum else {
      (fields["maximum"] ?? fields["minimum"] ?? fields.owner).report(
        .broken(
          rule: "the maximum, \(plain(maximum)), is not above the minimum, \(plain(minimum))."))
      return
    }
    (parameter.minimum, parameter.maximum) = (minimum, maximum)
    if parameter.scale == .logarithmic, minimum <= 0 {
      fields["minimum"]?.report(
        .broken(
          rule: "a logarithmic range must start above 0, not at \(plain(minimum)). Raise it or use"
            + " \"scale: linear\"."))
    }
    let isWhole = minimum == minimum.rounded() && maximum == maximum.rounded()
    if parameter.scale == .integer, !isWhole {
      fields["scale"]?.report(
        .broken(
          rule: "an integer range needs whole limits, found \(plain(minimum)) and"
            + " \(plain(maximum))."))
    }
  }

  private static func readDefault(_ fields: ManifestFields, into parameter: inout Parameter) {
    parameter.defaultValue = parameter.minimum
    let needsNoRange = parameter.scale == .toggle || !parameter.choices.isEmpty
    guard
      let cursor = needsNoRange
        ? fields["default"] : fields.required("default", example: "default: 0.5"),
      let text = cursor.text(ExpectedValue(what: "a value", example: "default: 0.5"))
    else { return }
    // Without a range no check is possible; the missing range was reported.
    let hasRange = ["minimum", "maximum"].allSatisfy { fields[$0] != nil } || needsNoRange
    switch ParameterValue.parse(text, for: parameter) {
    case .success(let value) where value.note == nil:
      parameter.defaultValue = value.value
    case .success where hasRange:
      cursor.report(
        .broken(
          rule:
            "the default, \(text), is not an allowed value. Allowed: \(parameter.allowedValues)."))
    case .failure(let error) where hasRange || !parameter.choices.isEmpty:
      cursor.report(.reported(message: error.description))
    default:
      break
    }
  }

  // MARK: - Choices

  private static func readChoices(_ fields: ManifestFields, into parameter: inout Parameter) {
    guard let cursor = fields["choices"] else { return }
    let expected = ExpectedValue(
      what: "a mapping of values to names", example: "choices: {0: Off, 1: Soft}")
    let name = ExpectedValue(what: "a name", example: "Soft")
    if case .list = cursor.node.content {
      for (offset, item) in (cursor.items(expected) ?? []).enumerated() {
        let value = parameter.minimum + Float(offset)
        add(item.text(name), value, at: item, to: &parameter)
      }
    } else {
      for field in cursor.entries(expected) ?? [] {
        guard let value = Quantity(field.key), value.unit.isEmpty else {
          field.report(
            .notANumber(
              found: field.key.shortened, expected: "a value", example: expected.example))
          continue
        }
        add(field.value.text(name), Float(value.value), at: field.value, to: &parameter)
      }
    }
    guard parameter.scale == .integer else { return }
    let values = Set(parameter.choices.map(\.value))
    let count = Double(parameter.maximum) - Double(parameter.minimum) + 1
    parameter.isEnumeration = Double(values.count) == count
  }

  private static func add(
    _ name: String?, _ value: Float, at cursor: ManifestCursor, to parameter: inout Parameter
  ) {
    guard let name else { return }
    guard value >= parameter.minimum, value <= parameter.maximum else {
      cursor.report(
        .outOfRange(
          found: plain(value), minimum: plain(parameter.minimum),
          maximum: plain(parameter.maximum)))
      return
    }
    if parameter.scale == .integer, value != value.rounded() {
      cursor.report(
        .broken(rule: "\(plain(value)) is not a whole number; the parameter has scale integer."))
    }
    if let duplicate = parameter.choices.first(where: { $0.name.lowercased() == name.lowercased() })
    {
      cursor.report(
        .broken(
          rule:
            "\"\(name)\" is already the name of \(plain(duplicate.value)). Names must be unique,"
            + " ignoring case."))
    } else if parameter.choices.contains(where: { $0.value == value }) {
      cursor.report(.broken(rule: "\(plain(value)) has a name already."))
    }
    parameter.choices.append(Parameter.Choice(value: value, name: name))
  }

  // MARK: - Smoothing

  private static func readSmoothing(_ fields: ManifestFields, of parameter: Parameter) -> Double {
    let expected = ExpectedValue(what: "a time with its unit", example: "smoothing: 20 ms")
    guard let cursor = fields["smoothing"], let text = cursor.text(expected) else { return 0 }
    guard let quantity = Quantity(text), !quantity.unit.isEmpty,
      let seconds = quantity.converted(to: "s")
    else {
      cursor.report(
        .wrongType(
          found: "\"\(text.shortened)\"", expected: expected.what, example: expected.example))
      return 0
    }
    guard seconds >= 0, seconds <= ModuleRequirements.longestSmoothingSeconds else {
      cursor.report(
        .outOfRange(
          found: text, minimum: "0 s",
          maximum: "\(plain(ModuleRequirements.longestSmoothingSeconds)) s"))
      return 0
    }
    guard parameter.scale == .linear || parameter.scale == .logarithmic else {
      cursor.report(
        .broken(
          rule:
            "a parameter of scale \(parameter.scale.rawValue) cannot be smoothed. Use smoothing only with"
            + " a linear or logarithmic scale."))
      return 0
    }
    return seconds
  }
}
