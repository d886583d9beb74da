"""web_tests_session: tests of scripts/test-web for several browsers, lost connections, pairing, keyboard and hostile names."""
import socket
import subprocess

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from web_machine import PHONE
from web_tests import CHAIN, HOSTILE, chain, clean, same, state_value

LEAST_TARGET = 44


def control(machine, session, *words):
    """Runs a session command of the program, as another client."""
    subprocess.run([machine.program, *words], env=machine.environment, check=True, capture_output=True, timeout=20)


def test_two_browsers_and_a_terminal(machine):
    session = machine.start(CHAIN)
    laptop, phone = machine.page(session.url), machine.page(session.url, PHONE)
    for page in (laptop, phone):
        page.open("hall")
    laptop.one('[data-symbol="mix"] [role=slider]').send_keys(Keys.END)
    state_value(phone, "hall", "mix", "100 percent")
    phone.one('[data-symbol="mix"] [role=slider]').send_keys(Keys.HOME)
    state_value(laptop, "hall", "mix", "0 percent")
    control(machine, session, "set", "hall", "mix=42", "decay=5 s")
    for page in (laptop, phone):
        state_value(page, "hall", "mix", "42 percent")
        state_value(page, "hall", "decay", "5 seconds")
    control(machine, session, "insert", "limiter")
    for page in (laptop, phone):
        page.wait(lambda page=page: len(page.slots()) == 4, "the node that another client has added")
        same(page.one(".panel h1").text, "hall", "the selection stays")
        clean(page)


def test_held_control_is_not_moved(machine):
    session = machine.start(CHAIN)
    page = machine.page(session.url)
    page.open("hall")
    dial = page.one('[data-symbol="mix"] [role=slider]')
    hold = ActionChains(page.driver)
    hold.click_and_hold(dial).move_by_offset(0, -20).perform()
    held = page.value("mix")
    control(machine, session, "set", "hall", "mix=1", "decay=7 s")
    state_value(page, "hall", "decay", "7 seconds")
    same(page.value("mix"), held, "a control in use")
    ActionChains(page.driver).release().perform()
    page.wait(lambda: page.value("mix") == "1 percent", "the session's value after the control is let go")


def test_connection_lost_and_back(machine):
    token = machine.directory / "token"
    token.write_text("0123456789abcdef" * 4 + "\n")
    token.chmod(0o600)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    options = ("--http", port, "--http-token-file", str(token))
    first = machine.start(CHAIN, *options)
    page = machine.page(first.url)
    page.open("hall")
    first.stop()
    page.wait(lambda: page.one(".banner").text != "" and page.run("return document.body.dataset.connection") != "open", "the banner")
    machine.start(CHAIN.replace("mix: 30", "mix: 77"), *options)
    page.wait(lambda: page.run("return document.body.dataset.connection") == "open", "the connection is back")
    page.wait(lambda: not page.one(".banner").is_displayed() if page.all(".banner.shown") else True, "no banner")
    state_value(page, "hall", "mix", "77 percent")
    page.one('[data-symbol="mix"] [role=slider]').send_keys(Keys.HOME)
    state_value(page, "hall", "mix", "0 percent")


def test_wrong_token(machine):
    session = machine.start(CHAIN)
    page = machine.page(session.url.split("#")[0] + "#token=wrong")
    page.wait(lambda: page.one("#welcome .field-error").text != "", "the reason")
    assert page.one("#code").is_displayed()
    page.driver.get(session.url)
    page.run("location.reload()")
    page.wait(lambda: page.slots() == ["eq", "comp", "hall"], "the right address")
    same(page.run("return location.hash"), "", "the token is removed from the address bar")
    page.run("location.reload()")
    page.wait(lambda: page.slots() == ["eq", "comp", "hall"], "the token is known after a reload")


def test_pairing(machine):
    session = machine.start(CHAIN, "--http", "lan")
    code = session.line(r"code (\w+)")
    page = machine.page(session.url.split("#")[0], PHONE)
    page.one("#code").send_keys("0000000" if code != "0000000" else "1111111")
    page.press("Connect")
    page.wait(lambda: page.one("#welcome .field-error").text != "", "a wrong code")
    page.one("#code").send_keys(code)
    page.press("Connect")
    page.wait(lambda: page.slots() == ["eq", "comp", "hall"], "paired")
    page.run("location.reload()")
    page.wait(lambda: page.slots() == ["eq", "comp", "hall"], "the phone stays paired")


def test_keyboard(machine):
    page = chain(machine)
    keys = lambda *sequence: ActionChains(page.driver).send_keys(*sequence).perform()
    page.open("eq")
    page.run("document.querySelector('[data-unit=eq] .slot-open').focus()")
    keys(Keys.ARROW_RIGHT, Keys.ENTER)
    page.wait(lambda: page.one(".panel h1").text == "comp", "the next plugin")
    ActionChains(page.driver).key_down(Keys.ALT).send_keys(Keys.ARROW_RIGHT).key_up(Keys.ALT).perform()
    page.wait(lambda: page.slots() == ["eq", "hall", "comp"], "moved by keyboard")
    same(page.run("return document.activeElement.closest('[data-unit]').dataset.unit"), "comp", "the focus stays")
    keys("b")
    page.wait(lambda: page.one('[data-unit="comp"] .power').get_attribute("aria-checked") == "false", "bypass by keyboard")
    keys(Keys.DELETE)
    page.wait(lambda: page.slots() == ["eq", "hall"], "removed by keyboard")
    ActionChains(page.driver).key_down(Keys.CONTROL).send_keys("z").key_up(Keys.CONTROL).perform()
    page.wait(lambda: page.slots() == ["eq", "hall", "comp"], "undo by keyboard")
    keys("/")
    page.one("dialog .search").send_keys("limiter")
    page.wait(lambda: page.all('dialog [data-plugin="outboard.limiter"]'), "search")
    keys(Keys.ARROW_DOWN)
    page.run("document.querySelector('[data-plugin=\"outboard.limiter\"]').focus()")
    keys(Keys.ENTER)
    page.wait(lambda: len(page.slots()) == 4, "added by keyboard")
    names = page.run("""return [...document.querySelectorAll('button, input, select, [role=slider]')].filter((one) => !one.closest('[hidden]'))
        .filter((one) => !(one.getAttribute('aria-label') || one.textContent.trim() || one.labels?.length || one.title)).map((one) => one.outerHTML)""")
    same(names, [], "elements without a name")
    clean(page)


def test_hostile_names(machine):
    rig = (f"outboard: 1\nname: '{HOSTILE}'\nnodes: {{zzz: {{plugin: outboard.gain}}, hall: {{plugin: outboard.reverb}}}}\n"
           "connections: [in -> zzz -> hall -> out]\n")
    session = machine.start(rig)
    page = machine.page(None)
    # Rigs with such node names are refused. So the page gets them as from a session that does not refuse them.
    page.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": """
        const Real = WebSocket, hostile = JSON.stringify(%r).slice(1, -1);
        window.WebSocket = class extends Real {
          set onmessage(listener) {
            super.onmessage = listener && ((message) => listener({data: message.data.replaceAll('zzz', hostile).replaceAll('"Gain"', `"${hostile}"`)}));
          }
        };""" % HOSTILE})
    page.driver.get(session.url)
    page.open(HOSTILE)
    same(page.one("#rig-name").text, HOSTILE, "the rig's name")
    page.wait(lambda: page.one('[data-unit="hall"]') and page.one(".panel-kind").text == HOSTILE, "the plugin's name")
    page.press("More")
    page.run("document.querySelector('dialog').close()")
    page.press(f"Remove {HOSTILE}")
    page.wait(lambda: HOSTILE in page.one(".toast").text, "an error with the name")
    assert page.run("return window.hit") is None, "a name was executed"
    same(page.run("return document.querySelectorAll('img').length"), 0, "images")
    clean(page)


# Lets a test answer commands and send events as the session would: `window.answers` by command, `window.inject(event)`.
BETWEEN = """
    const Real = WebSocket;
    window.sent = []; window.answers = {};
    window.WebSocket = class extends Real {
      set onmessage(listener) { super.onmessage = listener; window.socket = this; if (listener) window.inject = (one) => listener({data: JSON.stringify(one)}); }
      send(text) {
        const one = JSON.parse(text), answer = window.answers[one.command];
        window.sent.push(one);
        if (answer) answer(one, (reply) => window.inject({...reply, id: one.id}));
        else super.send(text);
      }
    };"""


def between(machine, answers=""):
    session = machine.start(CHAIN)
    page = machine.page(None)
    page.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": BETWEEN + answers})
    page.driver.get(session.url)
    page.wait(lambda: page.slots() == ["eq", "comp", "hall"], "the chain")
    return page


def test_changes_while_disconnected(machine):
    page = between(machine)
    session = machine.sessions[-1]
    page.open("hall")
    page.one('[data-symbol="mix"] [role=slider]').send_keys(Keys.END)
    state_value(page, "hall", "mix", "100 percent")
    # The next connection waits until the other client has changed the value.
    page.run("window.Held = window.WebSocket; window.WebSocket = class extends EventTarget { constructor() { super(); window.waiting = this; } close() {} send() {} }; window.socket.close(); window.sent.length = 0")
    page.wait(lambda: page.run("return window.waiting !== undefined"), "the attempt to connect again")
    assert page.one(".banner").text, "the page says that the connection is lost"
    control(machine, session, "set", "hall", "mix=12")
    page.run("window.WebSocket = window.Held; window.waiting.onclose({code: 1006})")
    state_value(page, "hall", "mix", "12 percent")
    revision = page.run("return window.sent.find((one) => one.command === 'subscribe').revision")
    # The reply to the own change may be lost with the connection, so the last revision can be that of the snapshot.
    assert isinstance(revision, int), f"the page subscribes from its last revision, not from {revision}"
    page.wait(lambda: not page.all(".banner.shown"), "no banner")


def test_midi_learn(machine):
    page = between(machine, """window.maps = [];
        window.answers.map = (one, reply) => { if (one.remove) window.maps = []; reply({maps: window.maps}); };
        window.answers.learn = (one, reply) => { if (one.target) window.moved = () => reply({notes: ['cc 21 now controls hall.mix.']}); else reply({}); };""")
    page.open("hall")
    page.click('[data-symbol="mix"] .value')
    page.press("Learn MIDI")
    page.wait(lambda: page.run("return window.sent.some((one) => one.target === 'hall.mix')"), "the command learn")
    page.run("window.maps = [{number: 1, control: 'cc 21', target: 'hall.mix', options: '0..60 %'}]; window.moved()")
    page.wait(lambda: page.one('[data-symbol="mix"]').get_attribute("data-midi") == "cc 21", "the mapping at its control")
    page.press("More")
    page.press("MIDI mappings")
    page.press("hall.mix")
    page.wait(lambda: page.one('dialog .empty'), "removed")
    page.press("Close")
    page.press("More")
    page.press("Learn MIDI")
    before = page.value("decay")
    page.click('[data-symbol="decay"] [role=slider]')
    page.wait(lambda: page.run("return window.sent.some((one) => one.target === 'hall.decay')"), "learn by tapping")
    same(page.value("decay"), before, "a tapped control is not moved")
    page.press("Cancel")
    page.wait(lambda: page.run("return window.sent.some((one) => one.command === 'learn' && !one.target)"), "cancelled")
    clean(page)


def test_problems_in_words(machine):
    page = between(machine)
    page.run("window.inject({event: 'device', seconds: 4, device: 'hw:1', direction: 'playback', state: 'missing', reason: 'The device hw:1 was disconnected.'})")
    page.wait(lambda: page.one(".banner").text == "The device hw:1 was disconnected.", "device loss")
    page.run("window.inject({event: 'device', seconds: 5, device: 'hw:1', direction: 'playback', state: 'running'})")
    page.wait(lambda: not page.all(".banner.shown"), "the device is back")
    page.run("window.inject({event: 'xrun', seconds: 6, xruns: 1, lostSeconds: 0.11})")
    page.wait(lambda: "interrupted" in page.one(".log").text, "an xrun in words")
    page.run("window.inject({event: 'changed', seconds: 7, revision: 1e6, changes: [{change: 'fault', node: 'hall', value: true}]})")
    page.wait(lambda: "Faulty" in page.one('[data-unit="hall"]').text, "a fault at the card")
    page.open("hall")
    page.wait(lambda: "fault" in page.one(".panel .fault").text, "a fault in the panel")
    page.run("window.inject({event: 'levels', sequence: 1, inputPeakDBFS: [0], outputPeakDBFS: [null], nodes: [], load: 0.95, xruns: 2})")
    page.wait(lambda: page.run("return document.querySelector('.clip').classList.contains('on')"), "clipping")
    page.run("window.inject({event: 'stopped', seconds: 9, failure: 'hw:1 failed.'})")
    page.wait(lambda: "ended: hw:1 failed." in page.one(".banner").text, "the end")


def test_phone(machine):
    page = chain(machine, PHONE)
    for tab in ("scenes", "transport", "health", "chain"):
        page.click(f'[data-tab="{tab}"]')
        page.one(f"#{tab}")
        same(page.run("return document.documentElement.scrollWidth <= innerWidth"), True, f"no sideways scrolling in {tab}")
    page.open("hall")
    small = page.run("""const least = arguments[0];
        return [...document.querySelectorAll('button, select, .dial')].filter((one) => one.offsetParent && !one.classList.contains('clip'))
        .map((one) => [one, one.getBoundingClientRect()]).filter(([, box]) => box.width > 0 && (box.width < least || box.height < least))
        .map(([one, box]) => `${one.className} ${box.width}x${box.height}`)""", LEAST_TARGET)
    same(small, [], "touch targets below 44 px")
    crossed = page.run("""return [...document.querySelectorAll('.control:has(> .dial)')].filter((one) => {
        const [outer, name, style] = [one.getBoundingClientRect(), one.querySelector('.control-name').getBoundingClientRect(),
          getComputedStyle(one.querySelector('.bar-fill'))];
        const marks = style.backgroundSize.split(', ').map((size) => parseFloat(size.split(' ')[1]));
        return style.boxShadow !== 'none' || marks[0] > name.top - outer.top || marks[1] > outer.bottom - name.bottom;
      }).map((one) => one.dataset.symbol)""")
    same(crossed, [], "markers of values across the text")
    dial = page.one('[data-symbol="mix"] [role=slider]')
    page.run("arguments[0].scrollIntoView({block: 'center'})", dial)
    ActionChains(page.driver).click_and_hold(dial).move_by_offset(30, 0).move_by_offset(30, 0).release().perform()
    page.wait(lambda: float(page.value("mix").split()[0]) > 40, "a dragged bar")
    clean(page)


def test_touch(machine):
    session = machine.start(CHAIN)
    phone, laptop = machine.page(session.url, PHONE, touch=True), machine.page(session.url)
    for page in (phone, laptop):
        page.open("hall")
    dial = phone.one('[data-symbol="mix"] [role=slider]')
    before = phone.value("mix")
    lift = phone.touch(dial, *[(8, 0)] * 10)
    phone.wait(lambda: float(phone.value("mix").split()[0]) > 40, "the value under the finger")
    phone.wait(lambda: laptop.value("mix") == phone.value("mix"), "the value in another browser while the finger moves")
    lift()
    dragged = phone.value("mix")
    state_value(laptop, "hall", "mix", dragged)
    # A finger that moves up scrolls the page. The sound stays as it was.
    top = "return [...document.querySelectorAll('*')].reduce((sum, one) => sum + one.scrollTop, 0)"
    start = phone.run(top)
    lift = phone.touch(dial, *[(0, -30)] * 12)
    lift()
    phone.wait(lambda: phone.run(top) != start, "the page scrolls")
    same(phone.value("mix"), dragged, "the value after scrolling")
    assert dragged != before
    # Two taps go back to the default.
    for _ in range(2):
        phone.touch(dial)()
    phone.wait(lambda: phone.value("mix") != dragged, "the default")
    state_value(laptop, "hall", "mix", phone.value("mix"))
    clean(phone)


def test_first_use(machine):
    """The three steps of docs/guides/phone-and-browser.md: run, open the address, enter the code; then a knob."""
    session = machine.start(CHAIN, "--http", "lan")
    found = session.line(r"other devices: (http://\S+ \(pairing code \w+)")
    url, code = found.split(" (pairing code ")
    phone = machine.page(url, PHONE, touch=True)
    phone.touch(phone.one("#code"))()
    phone.one("#code").send_keys(code)
    phone.touch(phone.button("Connect"))()
    phone.wait(lambda: phone.slots() == ["eq", "comp", "hall"], "the chain after one code")
    phone.touch(phone.one('[data-unit="hall"] .slot-open'))()
    dial = phone.one('[data-symbol="mix"] [role=slider]')
    before = phone.value("mix")
    phone.touch(dial, *[(8, 0)] * 10)()
    phone.wait(lambda: phone.value("mix") != before, "the knob")
    laptop = machine.page(session.url)
    laptop.open("hall")
    state_value(laptop, "hall", "mix", phone.value("mix"))
    assert phone.value("mix") != before


def test_reduced_motion_and_dark(machine):
    session = machine.start(CHAIN)
    light, dark = machine.page(session.url), machine.page(session.url, dark=True)
    colour = "return getComputedStyle(document.body).backgroundColor"
    for page in (light, dark):
        page.open("hall")
    assert light.run(colour) != dark.run(colour), "dark mode has other colours"
    dark.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-reduced-motion", "value": "reduce"}]})
    same(dark.run("return getComputedStyle(document.querySelector('.switch')).transitionDuration"), "0s", "transitions")
