"""web_tests_focus: tests of scripts/test-web for the focus, the search by keyboard, a session that stops, and lamps."""
import signal

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from web_machine import PHONE
from web_tests import CHAIN, chain, clean, same


def focused(page):
    """The unit whose card has the focus."""
    return page.run("return document.activeElement.closest('[data-unit]')?.dataset.unit")


def keys(page, *sequence, held=None):
    chain_of_keys = ActionChains(page.driver)
    if held:
        chain_of_keys.key_down(held)
    chain_of_keys.send_keys(*sequence)
    if held:
        chain_of_keys.key_up(held)
    chain_of_keys.perform()


def wait_focus(page, unit):
    page.wait(lambda: focused(page) == unit, f"the focus on {unit}")


def test_focus_after_changes(machine):
    page = chain(machine)
    page.wait(lambda: page.slots() == ["eq", "comp", "hall"], "the chain")
    keys(page, "/")
    page.one("dialog .search").send_keys("limiter")
    page.wait(lambda: page.all("dialog [data-plugin]")[0].get_attribute("data-plugin") == "outboard.limiter", "the results")
    keys(page, Keys.ARROW_DOWN, Keys.ENTER)
    wait_focus(page, "limiter")
    keys(page, Keys.ARROW_LEFT, held=Keys.ALT)
    page.wait(lambda: page.slots() == ["eq", "comp", "limiter", "hall"], "moved by keyboard")
    wait_focus(page, "limiter")
    keys(page, "b")
    page.wait(lambda: page.one('[data-unit="limiter"] .power').get_attribute("aria-checked") == "false", "bypass by keyboard")
    keys(page, Keys.DELETE)
    page.wait(lambda: page.slots() == ["eq", "comp", "hall"], "removed by keyboard")
    wait_focus(page, "hall")
    page.wait(lambda: page.one(".panel h1").text == "hall", "the panel of the next plugin")
    keys(page, "z", held=Keys.CONTROL)
    page.wait(lambda: len(page.slots()) == 4, "undo")
    wait_focus(page, "hall")
    # A dialog that is closed without a choice.
    keys(page, "/")
    page.one("dialog .search")
    keys(page, Keys.ESCAPE)
    page.wait(lambda: not page.all("dialog"), "the closed dialog")
    wait_focus(page, "hall")
    # Buttons of the panel: the plugin is replaced, and the focus stays on the button; then it is removed.
    page.open("comp")
    page.run("document.querySelector('[aria-label=\"Replace comp\"]').focus()")
    keys(page, Keys.ENTER)
    page.one("dialog .search").send_keys("tremolo", Keys.ENTER)
    page.wait(lambda: page.one(".panel-kind").text == "Tremolo", "the other plugin")
    page.wait(lambda: page.run("return document.activeElement.ariaLabel") == "Replace comp", "the focus after a replacement")
    page.run("document.querySelector('[aria-label=\"Remove comp\"]').focus()")
    keys(page, Keys.ENTER)
    page.wait(lambda: page.slots() == ["eq", "limiter", "hall"], "removed by the panel")
    wait_focus(page, "limiter")
    clean(page)


def test_focus_with_other_clients(machine):
    session = machine.start(CHAIN)
    page, other = machine.page(session.url), machine.page(session.url)
    page.open("hall")
    other.open("eq")
    page.run("document.querySelector('[data-symbol=mix] [role=slider]').focus()")
    other.press("Remove eq")
    page.wait(lambda: len(page.slots()) == 2, "removed by another client")
    page.wait(lambda: page.run("return document.activeElement.closest('[data-symbol]')?.dataset.symbol") == "mix", "the focus of the knob")
    # The focus never passes to a knob of another plugin.
    other.open("hall")
    other.press("Remove hall")
    wait_focus(page, "comp")


def test_enter_adds_the_first_result(machine):
    page = chain(machine)
    page.wait(lambda: len(page.slots()) == 3, "the chain")
    keys(page, "/")
    # Enter comes before the results.
    page.one("dialog .search").send_keys("tremolo", Keys.ENTER)
    page.wait(lambda: page.slots() == ["eq", "comp", "hall", "tremolo"], "the first result")
    wait_focus(page, "tremolo")
    keys(page, "/")
    page.one("dialog .search").send_keys(Keys.ENTER)
    page.wait(lambda: page.all("dialog [data-plugin]"), "all plugins, as nothing was typed")
    page.one("dialog .search").send_keys("xyzzy", Keys.ENTER)
    page.wait(lambda: "No plugin matches" in page.one("dialog .hint").text, "no result")
    same(len(page.slots()), 4, "the nodes")
    clean(page)


def test_session_that_does_not_respond(machine):
    session = machine.start(CHAIN)
    page = machine.page(session.url)
    page.open("hall")
    page.wait(lambda: "48000 Hz" in page.one("#health .facts").text, "a session that responds")
    session.process.send_signal(signal.SIGSTOP)
    try:
        page.wait(lambda: page.one("#banner").text == "The session does not respond.", "the banner")
        page.click('[data-unit="comp"] .power')
        page.one('[data-symbol="mix"] [role=slider]').send_keys(Keys.END)
        pending = "return [...document.querySelectorAll('[aria-busy=true]')].filter((one) => getComputedStyle(one).outlineStyle === 'dashed').length"
        same(page.run(pending), 2, "parts that wait")
        same(page.one('[data-unit="comp"] .power').get_attribute("aria-checked"), "true", "a bypass without a reply")
    finally:
        session.process.send_signal(signal.SIGCONT)
    page.wait(lambda: not any(one.is_displayed() for one in page.all("#banner")), "no banner")
    page.wait(lambda: page.one('[data-unit="comp"] .power').get_attribute("aria-checked") == "false", "the bypass")
    page.wait(lambda: page.run("return document.querySelectorAll('[aria-busy=true]').length") == 0, "nothing that waits")
    same(page.value("mix"), "100 percent", "the value")
    clean(page)


def test_silence_is_counted_in_checks(machine):
    page = chain(machine)
    states = page.module("""
        const { Connection } = await import('/connection.js');
        const real = [setInterval, clearInterval], states = [];
        let check;
        window.setInterval = (run) => { check = run; return 1; };
        window.clearInterval = () => {};
        const socket = { send() {}, close() {} };
        const connection = new Connection('x', () => socket);
        connection.onSilence = (isSilent) => states.push(isSilent);
        connection.open({ token: 't' });
        // A page that was hidden makes one check before it gets the messages that wait.
        for (let i = 0; i < 5; i += 1) { check(); socket.onmessage({ data: '{"event": "levels"}' }); }
        states.push('quiet');
        for (let i = 0; i < 5; i += 1) check();
        socket.onmessage({ data: '{"event": "levels"}' });
        check(); check(); check();
        socket.onclose({ code: 1006 });
        [window.setInterval, window.clearInterval] = real;
        return states;""")
    same(states, ["quiet", True, False, True, False], "what the connection reports")


def test_clip_lamps(machine):
    page = chain(machine, PHONE)
    page.wait(lambda: page.all(".clip"), "the lamps")
    box = page.run("""const boxes = [...document.querySelectorAll('.clip')].map((one) => one.getBoundingClientRect());
        const [x, y] = [boxes[0].x + boxes[0].width / 2, (boxes[0].top + boxes[1].bottom) / 2];
        const isLamp = (dx, dy) => document.elementFromPoint(x + dx, y + dy)?.classList.contains('clip');
        const length = (step) => { let n = 0; while (isLamp(...step(n + 1))) n += 1; return n; };
        return { width: length((n) => [n, 0]) + length((n) => [-n, 0]) + 1, height: length((n) => [0, n]) + length((n) => [0, -n]) + 1,
          look: boxes.map((one) => [one.width, one.height]) };""")
    assert box["width"] >= 40 and box["height"] >= 40, f"the lamps are a target of {box}"
    same(box["look"], [[14, 14], [14, 14]], "what is seen")
    more = page.run("""const box = document.querySelector('[aria-label=More]').getBoundingClientRect();
        return [1, 43].map((y) => document.elementFromPoint(box.x + box.width / 2, box.y + y)?.closest('button')?.ariaLabel)""")
    same(more, ["More", "More"], "the button above the lamps")
    page.run("for (const one of document.querySelectorAll('.clip')) one.classList.add('on')")
    page.click(".clip")
    same(len(page.all(".clip.on")), 0, "lamps that are on")
    clean(page)
