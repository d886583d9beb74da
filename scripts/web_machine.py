"""web_machine: sessions with a web page and browsers that show it, for scripts/test-web."""
import json
import os
import queue
import re
import shutil
import subprocess
import tempfile
import threading
from pathlib import Path

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

TIMEOUT_S = 60
PHONE, LAPTOP = (390, 844), (1280, 800)


class Session:
    """A running program with a page. `url` holds the token."""

    def __init__(self, machine, rig, *options):
        self.machine, self.rig = machine, rig
        self.lines = queue.Queue()
        self.process = subprocess.Popen(
            [machine.program, "run", "--rig", rig, "--in", "dummy", "--out", "dummy", *(options or ["--http", "loopback"])],
            env=machine.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()
        self.url = self.line(r"http://127\S+#token=[^\s)]+")

    def _read(self):
        for line in self.process.stdout:
            self.lines.put(line)
        self.lines.put(None)

    def line(self, pattern):
        """Waits for output that matches, and returns the match."""
        seen = []
        while (text := self.lines.get(timeout=TIMEOUT_S)) is not None:
            seen.append(text)
            if found := re.search(pattern, text):
                return found.group(found.lastindex or 0)
        raise AssertionError(f"the program ended: {''.join(seen)}")

    def stop(self):
        self.process.terminate()
        self.process.wait(TIMEOUT_S)

    def status(self):
        """What `outboard status --json` reports for the session."""
        out = subprocess.run([self.machine.program, "status", "--json"], env=self.machine.environment, capture_output=True,
                             text=True, check=True, timeout=TIMEOUT_S).stdout
        found = json.loads(out)
        sessions = found if isinstance(found, list) else found.get("sessions", [found])
        return next(one for one in sessions if one.get("process") == self.process.pid)


class Page:
    """A browser window. Methods wait for conditions, never for a time."""

    def __init__(self, machine, url, size=LAPTOP, dark=False, touch=False):
        options = webdriver.ChromeOptions()
        for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--hide-scrollbars"):
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        options.binary_location = shutil.which("chromium")
        self.driver = webdriver.Chrome(service=Service(shutil.which("chromedriver")), options=options)
        scale = 2 if size == PHONE else 1
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": size[0], "height": size[1], "deviceScaleFactor": scale, "mobile": touch})
        if touch:
            self.driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": True, "maxTouchPoints": 5})
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {
            "features": [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]})
        self.console, self.requests = [], []
        machine.pages.append(self)
        if url:
            self.driver.get(url)

    def wait(self, condition, what):
        """Waits until the function returns something true, and returns it."""
        def guarded(_):
            try:
                return condition()
            except Exception:  # elements that are being replaced
                return False
        return WebDriverWait(self.driver, TIMEOUT_S, poll_frequency=0.03).until(guarded, f"timed out: {what}")

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector):
        """The first visible element that matches, as soon as there is one."""
        return self.wait(lambda: next((e for e in self.all(selector) if e.is_displayed()), None), selector)

    def button(self, text):
        """The visible button whose text or label contains the text."""
        def find():
            dialogs = self.all("dialog[open]")
            for element in (dialogs[-1] if dialogs else self.driver).find_elements(By.CSS_SELECTOR, "button"):
                label = f"{element.text} {element.get_attribute('aria-label') or ''}"
                if text.lower() in label.lower() and element.is_displayed():
                    return element
            return None
        return self.wait(find, f"button {text}")

    def click(self, selector):
        def press():
            self.one(selector).click()
            return True
        return self.wait(press, f"click {selector}")

    def press(self, text):
        def push():
            self.button(text).click()
            return True
        return self.wait(push, f"press {text}")

    def open(self, unit):
        """Selects a node and waits for its panel."""
        self.click(f'[data-unit="{unit}"] .slot-open')
        return self.wait(lambda: self.one(".panel h1").text == unit, f"panel of {unit}")

    def touch(self, element, *steps):
        """Touches the middle of an element and moves the finger by each (x, y) in pixels; returns a function that lifts it."""
        self.run("arguments[0].scrollIntoView({block: 'center'})", element)
        x, y = self.run("const b = arguments[0].getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2]", element)

        def send(kind, *points):
            self.driver.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": kind, "touchPoints": list(points)})
        send("touchStart", {"x": x, "y": y})
        for dx, dy in steps:
            x, y = x + dx, y + dy
            send("touchMove", {"x": x, "y": y})
        return lambda: send("touchEnd")

    def slots(self):
        return self.driver.execute_script(
            "return [...document.querySelectorAll('#chain [data-unit]')].map((one) => one.dataset.unit)")

    def value(self, symbol):
        """The value that a control shows to screen readers."""
        return self.one(f'[data-symbol="{symbol}"] [role=slider]').get_attribute("aria-valuetext")

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def module(self, script):
        """Runs an asynchronous function body in the page and returns its result."""
        result = self.driver.execute_async_script(
            f"const done = arguments[0]; (async () => {{ {script} }})().then((r) => done([true, r]), (e) => done([false, String(e)]))")
        assert result[0], result[1]
        return result[1]

    def collect(self):
        """Keeps messages of the console and addresses of requests, which the browser returns only once."""
        self.console += [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] in ("Network.requestWillBeSent", "Network.webSocketCreated"):
                parameters = message["params"]
                self.requests.append(parameters.get("url") or parameters["request"]["url"])

    def close(self):
        self.driver.quit()


class Machine:
    """Starts sessions and browsers in a directory that is deleted at the end."""

    def __init__(self, root, program):
        self.root, self.program = root, str(program)
        self.sessions, self.pages = [], []

    def __enter__(self):
        self.directory = Path(tempfile.mkdtemp(prefix="ow-"))
        run = self.directory / "run"
        run.mkdir(mode=0o700)
        self.environment = {**os.environ, "XDG_RUNTIME_DIR": str(run), "HOME": str(self.directory), "NO_COLOR": "1",
                            "XDG_CONFIG_HOME": str(self.directory / "config"), "XDG_STATE_HOME": str(self.directory / "state")}
        return self

    def __exit__(self, *_):
        self.close_pages()
        shutil.rmtree(self.directory, ignore_errors=True)

    def start(self, rig, *options):
        """Starts a session with an included rig, or with the text of a rig."""
        if "\n" in rig:
            path = self.directory / f"rig-{len(list(self.directory.glob('rig-*')))}.yaml"
            path.write_text(rig)
            rig = str(path)
        self.sessions.append(Session(self, rig, *options))
        return self.sessions[-1]

    def page(self, url, size=LAPTOP, dark=False, touch=False):
        return Page(self, url, size, dark, touch)

    def close_pages(self):
        for page in self.pages:
            page.close()
        self.pages.clear()
        for session in self.sessions:
            if session.process.poll() is None:
                session.stop()
        self.sessions.clear()
