// juce_tree.cpp: a gain that keeps its values in a tree and reads the host's tempo. SPDX-License-Identifier: MIT
#include <JuceHeader.h>

namespace ids {
static const juce::Identifier root("ROOT"), band("BAND"), gain("gain"), number("number");
}

class TreeGain : public juce::AudioProcessor, private juce::ValueTree::Listener {
public:
  TreeGain() : tree(ids::root) {
    for (int i = 0; i < 2; ++i) {
      juce::ValueTree child(ids::band);
      child.setProperty(ids::number, i, nullptr).setProperty(ids::gain, 0.5, nullptr);
      tree.appendChild(child, nullptr);
    }
    tree.addListener(this);
    first = tree.getChild(0).getPropertyAsValue(ids::gain, nullptr);
    addParameter(amount = new juce::AudioParameterFloat("amount", "Amount", 0.0f, 1.0f, 0.5f));
  }
  void prepareToPlay(double, int) override {
    channels.clear();
    for (int c = getTotalNumInputChannels(); --c >= 0;) channels.add(c);
  }
  void processBlock(juce::AudioBuffer<float> &buffer, juce::MidiBuffer &) override {
    double tempo = 60;
    if (auto *head = getPlayHead())
      if (auto position = head->getPosition()) tempo = position->getBpm().orFallback(tempo);
    for (auto child : tree) child.setProperty(ids::gain, amount->get(), nullptr);
    for (int c : channels) {
      const auto child = tree.getChildWithProperty(ids::number, c);
      // Two calls of the listener per change: one for each band.
      const float factor = float(first.getValue()) == amount->get() && changes % 2 == 0 && tempo == 60 ? 1.0f : 0.0f;
      buffer.applyGain(c, 0, buffer.getNumSamples(), float(child[ids::gain]) * factor);
    }
  }
  const juce::String getName() const override { return "Tree gain"; }

private:
  void valueTreePropertyChanged(juce::ValueTree &changed, const juce::Identifier &property) override {
    if (changed.hasType(ids::band) && changed.getRoot() == tree && property == ids::gain) ++changes;
  }
  juce::ValueTree tree;
  juce::Value first;
  juce::AudioParameterFloat *amount;
  juce::SortedSet<int> channels;
  int changes = 0;
};

juce::AudioProcessor *JUCE_CALLTYPE createPluginFilter() { return new TreeGain(); }
