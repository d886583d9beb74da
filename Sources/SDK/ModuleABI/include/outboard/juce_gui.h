// juce_gui.h: names of user interface classes, so that a processor's files compile unchanged.
// SPDX-License-Identifier: MIT
//
// Nothing here draws or is called: no editor is created.
#pragma once

#include "juce_values.h"

namespace juce {

struct Colour {
  Colour() {}
  template <class... Rest> explicit Colour(const Rest &...) {}
  Colour withAlpha(float) const { return {}; }
  Colour brighter(float = 0) const { return {}; }
  Colour darker(float = 0) const { return {}; }
};
struct Colours {
  static inline const Colour white, black, grey, lightgrey, darkgrey, red, green, blue, yellow, orange, transparentBlack;
};
struct Justification {
  enum Flags { left = 1, right = 2, horizontallyCentred = 4, centred = 36, centredLeft = 33, centredRight = 34, centredTop = 12, centredBottom = 20 };
  Justification(int) {}
};
template <class T> struct Rectangle {
  Rectangle() {}
  Rectangle(T, T, T, T) {}
  Rectangle removeFromTop(T) { return {}; }
  Rectangle removeFromBottom(T) { return {}; }
  Rectangle removeFromLeft(T) { return {}; }
  Rectangle removeFromRight(T) { return {}; }
  Rectangle reduced(T, T = T()) const { return {}; }
  Rectangle toFloat() const { return {}; }
  T getX() const { return T(); }
  T getY() const { return T(); }
  T getWidth() const { return T(); }
  T getHeight() const { return T(); }
  Rectangle getCentre() const { return {}; }
};
struct Graphics;
struct Font;
struct Image {};
struct Path {};
struct MouseEvent;
struct MouseWheelDetails;
struct KeyPress;

struct Component {
  virtual ~Component() {}
  virtual void paint(Graphics &) {}
  virtual void resized() {}
  virtual void mouseDown(const MouseEvent &) {}
  virtual void mouseDrag(const MouseEvent &) {}
  virtual void mouseUp(const MouseEvent &) {}
  template <class... Rest> void addAndMakeVisible(const Rest &...) {}
  template <class... Rest> void setBounds(const Rest &...) {}
  template <class... Rest> void setLookAndFeel(const Rest &...) {}
  void setSize(int, int) {}
  void repaint() {}
  int getWidth() const { return 0; }
  int getHeight() const { return 0; }
  Rectangle<int> getLocalBounds() const { return {}; }
};
struct AudioProcessorEditor : Component {
  explicit AudioProcessorEditor(AudioProcessor &p) : processor(p) {}
  explicit AudioProcessorEditor(AudioProcessor *p) : processor(*p) {}
  AudioProcessor &processor;
};
typedef AudioProcessorEditor GenericAudioProcessorEditor;

struct Slider : Component {
  enum SliderStyle { LinearHorizontal, LinearVertical, LinearBar, LinearBarVertical, Rotary, RotaryHorizontalDrag, RotaryVerticalDrag, RotaryHorizontalVerticalDrag };
  enum TextEntryBoxPosition { NoTextBox, TextBoxLeft, TextBoxRight, TextBoxAbove, TextBoxBelow };
  struct Listener {
    virtual ~Listener() {}
    virtual void sliderValueChanged(Slider *) = 0;
  };
  template <class... Rest> explicit Slider(const Rest &...) {}
};
struct Button : Component {
  struct Listener {
    virtual ~Listener() {}
    virtual void buttonClicked(Button *) = 0;
  };
  template <class... Rest> explicit Button(const Rest &...) {}
  std::function<void()> onClick;
};
typedef Button TextButton;
typedef Button ToggleButton;
typedef Button ImageButton;
struct ComboBox : Component {
  struct Listener {
    virtual ~Listener() {}
    virtual void comboBoxChanged(ComboBox *) = 0;
  };
  template <class... Rest> explicit ComboBox(const Rest &...) {}
};
struct Label : Component {
  template <class... Rest> explicit Label(const Rest &...) {}
};
typedef Label GroupComponent;
struct LookAndFeel {
  virtual ~LookAndFeel() {}
  virtual void drawRotarySlider(Graphics &, int, int, int, int, float, float, float, Slider &) {}
};
typedef LookAndFeel LookAndFeel_V3;
typedef LookAndFeel LookAndFeel_V4;

/// A timer that never fires.
struct Timer {
  virtual ~Timer() {}
  virtual void timerCallback() = 0;
  void startTimer(int) {}
  void startTimerHz(int) {}
  void stopTimer() {}
};
struct AsyncUpdater {
  virtual ~AsyncUpdater() {}
  virtual void handleAsyncUpdate() = 0;
  void triggerAsyncUpdate() {}
  void cancelPendingUpdate() {}
};
struct ChangeBroadcaster;
struct ChangeListener {
  virtual ~ChangeListener() {}
  virtual void changeListenerCallback(ChangeBroadcaster *) = 0;
};
struct ChangeBroadcaster {
  void addChangeListener(ChangeListener *) {}
  void removeChangeListener(ChangeListener *) {}
  void sendChangeMessage() {}
};

} // namespace juce
