// juce_tree.h: JUCE-style values and trees of values. SPDX-License-Identifier: MIT
#pragma once

#include "juce_state.h"

namespace juce {

/// A value: nothing, a number or a text.
class var {
public:
  var() {}
  var(const String &value) : text(value), kind(string) {}
  var(const char *value) : text(value), kind(string) {}
  var(bool value) : number(value), kind(whole) {}
  var(int value) : number(value), kind(whole) {}
  var(int64 value) : number(double(value)), kind(whole) {}
  var(float value) : number(double(value)), kind(real) {}
  var(double value) : number(value), kind(real) {}
  operator float() const { return float(toDouble()); }
  operator double() const { return toDouble(); }
  operator int() const { return int(toDouble()); }
  operator int64() const { return int64(toDouble()); }
  operator bool() const { return kind == string && (text == "true" || text == "yes") ? true : toDouble() != 0; }
  operator String() const { return toString(); }
  String toString() const {
    return kind == whole ? String((long long)(number)) : kind == real ? String(number) : text;
  }
  bool isVoid() const { return kind == nothing; }
  bool isString() const { return kind == string; }
  bool isInt() const { return kind == whole; }
  bool isDouble() const { return kind == real; }
  bool operator==(const var &other) const {
    if (isNumber() && other.isNumber()) return number == other.number;
    return isVoid() == other.isVoid() && toString() == other.toString();
  }
  bool operator!=(const var &other) const { return !(*this == other); }

private:
  enum Kind { nothing, whole, real, string };
  bool isNumber() const { return kind == whole || kind == real; }
  double toDouble() const { return kind == string ? text.getDoubleValue() : number; }
  String text;
  double number = 0;
  Kind kind = nothing;
};

class UndoManager {
public:
  void beginNewTransaction(const String & = {}) {}
  bool undo() { return false; }
  bool redo() { return false; }
  void clearUndoHistory() {}
};

/// A tree of values by name. Copies refer to the same tree.
class ValueTree {
public:
  struct Listener {
    virtual ~Listener() {}
    virtual void valueTreePropertyChanged(ValueTree &, const Identifier &) {}
    virtual void valueTreeChildAdded(ValueTree &, ValueTree &) {}
    virtual void valueTreeChildRemoved(ValueTree &, ValueTree &, int) {}
    virtual void valueTreeChildOrderChanged(ValueTree &, int, int) {}
    virtual void valueTreeParentChanged(ValueTree &) {}
    virtual void valueTreeRedirected(ValueTree &) {}
  };
  ValueTree() {}
  explicit ValueTree(const Identifier &name) : node(std::make_shared<Node>()) { node->type = name; }
  ValueTree(const Identifier &name, std::initializer_list<std::pair<Identifier, var>> values,
            std::initializer_list<ValueTree> children = {})
      : ValueTree(name) {
    node->values.assign(values.begin(), values.end());
    for (const auto &child : children) appendChild(child, nullptr);
  }
  std::unique_ptr<XmlElement> createXml() const { return std::unique_ptr<XmlElement>(new XmlElement()); }
  static ValueTree fromXml(const XmlElement &) { return {}; }
  static ValueTree readFromData(const void *, size_t) { return {}; }
  void writeToStream(MemoryOutputStream &) const {}

  bool isValid() const { return node && node->type.isNotEmpty(); }
  Identifier getType() const { return node ? node->type : Identifier(); }
  bool hasType(const Identifier &name) const { return isValid() && node->type == name; }
  bool operator==(const ValueTree &other) const { return node == other.node; }
  bool operator!=(const ValueTree &other) const { return node != other.node; }

  // Values
  int getNumProperties() const { return node ? int(node->values.size()) : 0; }
  Identifier getPropertyName(int at) const {
    return at >= 0 && at < getNumProperties() ? node->values[size_t(at)].first : Identifier();
  }
  bool hasProperty(const Identifier &name) const { return find(name) != nullptr; }
  const var &getProperty(const Identifier &name) const {
    static const var none;
    const var *value = find(name);
    return value != nullptr ? *value : none;
  }
  var getProperty(const Identifier &name, const var &otherwise) const {
    const var *value = find(name);
    return value != nullptr ? *value : otherwise;
  }
  const var &operator[](const Identifier &name) const { return getProperty(name); }
  inline class Value getPropertyAsValue(const Identifier &name, UndoManager *, bool = false);
  ValueTree &setProperty(const Identifier &name, const var &value, UndoManager *) {
    if (!node) return *this;
    if (var *held = find(name)) {
      if (*held == value) return *this;
      *held = value;
    } else {
      node->values.emplace_back(name, value);
    }
    tell(name);
    return *this;
  }
  void removeProperty(const Identifier &name, UndoManager *) {
    if (!hasProperty(name)) return;
    auto &all = node->values;
    all.erase(std::find_if(all.begin(), all.end(), [&](auto &one) { return one.first == name; }));
    tell(name);
  }
  void removeAllProperties(UndoManager *undo) {
    while (getNumProperties() > 0) removeProperty(getPropertyName(0), undo);
  }
  void copyPropertiesFrom(const ValueTree &other, UndoManager *undo) {
    for (int i = 0; i < other.getNumProperties(); i++)
      setProperty(other.getPropertyName(i), other[other.getPropertyName(i)], undo);
  }

  // Children
  int getNumChildren() const { return node ? int(node->children.size()) : 0; }
  ValueTree getChild(int at) const {
    return at >= 0 && at < getNumChildren() ? node->children[size_t(at)] : ValueTree();
  }
  ValueTree getChildWithName(const Identifier &name) const {
    return first([&](const ValueTree &child) { return child.hasType(name); });
  }
  ValueTree getChildWithProperty(const Identifier &name, const var &value) const {
    return first([&](const ValueTree &child) { return child[name] == value; });
  }
  ValueTree getOrCreateChildWithName(const Identifier &name, UndoManager *undo) {
    const ValueTree found = getChildWithName(name);
    if (found.isValid()) return found;
    const ValueTree made(name);
    appendChild(made, undo);
    return made;
  }
  int indexOf(const ValueTree &child) const {
    for (int i = 0; i < getNumChildren(); i++)
      if (getChild(i) == child) return i;
    return -1;
  }
  void addChild(const ValueTree &child, int at, UndoManager *) {
    if (!node || !child.node) return;
    auto &all = node->children;
    all.insert(at < 0 || at > getNumChildren() ? all.end() : all.begin() + at, child);
    child.node->parent = node;
    ValueTree added = child;
    notify([&](ValueTree &tree, Listener &listener) { listener.valueTreeChildAdded(tree, added); });
  }
  void appendChild(const ValueTree &child, UndoManager *undo) { addChild(child, -1, undo); }
  void removeChild(int at, UndoManager *) {
    ValueTree child = getChild(at);
    if (!child.node) return;
    node->children.erase(node->children.begin() + at);
    child.node->parent.reset();
    notify([&](ValueTree &tree, Listener &listener) { listener.valueTreeChildRemoved(tree, child, at); });
  }
  void removeChild(const ValueTree &child, UndoManager *undo) { removeChild(indexOf(child), undo); }
  void removeAllChildren(UndoManager *undo) {
    while (getNumChildren() > 0) removeChild(getNumChildren() - 1, undo);
  }
  ValueTree getParent() const { return node ? ValueTree(node->parent.lock()) : ValueTree(); }
  ValueTree getRoot() const { return getParent().isValid() ? getParent().getRoot() : *this; }
  ValueTree createCopy() const {
    if (!node) return {};
    ValueTree copy(node->type);
    copy.node->values = node->values;
    for (const auto &child : node->children) copy.appendChild(child.createCopy(), nullptr);
    return copy;
  }
  auto begin() const { return children().begin(); }
  auto end() const { return children().end(); }

  void addListener(Listener *listener) {
    if (node) node->listeners.addIfNotAlreadyThere(listener);
  }
  void removeListener(Listener *listener) {
    if (node) node->listeners.removeFirstMatchingValue(listener);
  }
  /// Reports a changed value to the listeners of this tree and of the trees that contain it. [render]
  void tell(const Identifier &property) {
    notify([&](ValueTree &tree, Listener &listener) { listener.valueTreePropertyChanged(tree, property); });
  }

private:
  struct Node {
    Identifier type;
    std::vector<std::pair<Identifier, var>> values;
    std::vector<ValueTree> children;
    std::weak_ptr<Node> parent;
    Array<Listener *> listeners;
  };
  explicit ValueTree(std::shared_ptr<Node> shared) : node(std::move(shared)) {}
  var *find(const Identifier &name) const {
    for (int i = 0; i < getNumProperties(); i++)
      if (node->values[size_t(i)].first == name) return &node->values[size_t(i)].second;
    return nullptr;
  }
  template <class Suits> ValueTree first(Suits suits) const {
    for (const auto &child : children())
      if (suits(child)) return child;
    return {};
  }
  const std::vector<ValueTree> &children() const {
    static const std::vector<ValueTree> none;
    return node ? node->children : none;
  }
  template <class Message> void notify(Message message) {
    ValueTree changed = *this;
    for (auto at = node; at != nullptr; at = at->parent.lock())
      for (auto *listener : at->listeners) message(changed, *listener);
  }
  std::shared_ptr<Node> node;
};

/// A single value, or a property of a tree.
class Value {
public:
  struct Listener {
    virtual ~Listener() {}
    virtual void valueChanged(Value &) = 0;
  };
  Value() : Value(ValueTree("Value"), "value") {}
  explicit Value(const var &value) : Value() { setValue(value); }
  Value(const ValueTree &from, const Identifier &property) : tree(from), name(property) {}
  var getValue() const { return tree[name]; }
  void setValue(const var &value) { tree.setProperty(name, value, nullptr); }
  Value &operator=(const var &value) { return setValue(value), *this; }
  operator var() const { return getValue(); }
  String toString() const { return getValue().toString(); }
  void referTo(const Value &other) { tree = other.tree, name = other.name; }
  void addListener(Listener *) {}
  void removeListener(Listener *) {}

private:
  ValueTree tree;
  Identifier name;
};
inline Value ValueTree::getPropertyAsValue(const Identifier &name, UndoManager *, bool) { return {*this, name}; }

} // namespace juce
