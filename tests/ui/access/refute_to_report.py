"""From two files to a bug report on a real desktop: `refute_to_report.py atspi|keys PROGRAM CASES ARTEFACTS`.

atspi: as a screen reader does it, by names, roles, relations and actions, without coordinates and without a pointer.
keys:  with keys from the X server and a window manager; leaves a picture of the window in ARTEFACTS.
CASES is the folder with the pairs. Exit status 77: a package is missing, which one is said.
"""

import json
import os
import re
import signal
import subprocess
import sys

from desktop import Desktop, fail, skip_unless_installed, wait_for

PAIR = "part_read_shifted"
OTHER = "relu_twice"
REPORT_FILES = ["reference.lsg.json", "rewritten.lsg.json", "result.json", "report.html", "report.md", "replay.sh"]


def check_report(folder):
    missing = [name for name in REPORT_FILES if not os.path.exists(os.path.join(folder, name))]
    if missing:
        fail("the report lacks %s; it has %s" % (missing, sorted(os.listdir(folder)) if os.path.isdir(folder) else "no folder"))
    with open(os.path.join(folder, "result.json"), encoding="utf-8") as file:
        result = json.load(file)
    if result["verdict"] != "refuted" or result["counterexample"] is None:
        fail("the report says %s" % result["verdict"])
    return result


def quit_cleanly(process):
    try:
        status = process.wait(20)
    except subprocess.TimeoutExpired:
        fail("the program is still there after it was asked to quit")
    if status != 0:
        fail("the program ended with status %d" % status)


class Keys:
    """Keys and looks at the window from outside, as a person at the desk has them."""

    def __init__(self, desktop):
        self.desktop = desktop

    def run(self, *command):
        return self.desktop.answer(*command).strip()

    def window(self, title, seconds=60.0):
        """The visible window whose title matches, once the window manager has given it the focus."""
        name = lambda: self.run("xdotool", "getactivewindow", "getwindowname")
        return wait_for(lambda: "a window '%s'; active is '%s'" % (title, name()),
                        lambda: re.search(title, name()) and self.run("xdotool", "getactivewindow"), seconds)

    def press(self, *keys):
        for key in keys:
            self.run("xdotool", "key", "--clearmodifiers", key)

    def type(self, text):
        self.run("xdotool", "type", "--delay", "5", text)

    def picture(self, window, file):
        """Grey levels of a picture of the window, which stays in `file`."""
        wait_for("a picture of the window", lambda: self.run("import", "-silent", "-window", window, file) or os.path.exists(file))
        levels = self.run("convert", file, "-colorspace", "Gray", "-format", "%k %[fx:standard_deviation] %w %h", "info:").split()
        return int(levels[0]), float(levels[1]), int(levels[2]), int(levels[3])


def by_keys(desktop, program, cases, artefacts):
    pair = lambda name, side: os.path.join(cases, "%s.%s.lsg.json" % (name, side))
    process = desktop.start(program)
    keys = Keys(desktop)
    keys.window("^Lemmascope$")
    keys.press("ctrl+o")
    keys.window("^Open Pair")
    keys.type(pair(PAIR, "ref"))
    keys.press("Tab", "Tab")  # past Browse…
    keys.type(pair(PAIR, "rew"))
    keys.press("Return")
    window = keys.window(PAIR + r".*\u21e2.*" + PAIR)

    # The verdict: the program itself says when it is there, by the recent pairs it keeps.
    recent = desktop.path("state_home/lemmascope/recent.json")

    def verdict():
        try:
            with open(recent, encoding="utf-8") as file:
                return "refuted: value" in file.read()
        except FileNotFoundError:
            return False

    wait_for("the verdict", verdict)
    keys.press("F8")
    file = os.path.join(artefacts, "refuted.png")

    last = []

    def painted():
        """A whole window, many greys, and nothing moves any more."""
        colours, spread, width, height = keys.picture(window, file)
        with open(file, "rb") as picture:
            last.append(picture.read())
        return colours > 50 and spread > 0.02 and width > 1000 and height > 600 and len(last) > 1 and last[-1] == last[-2]

    wait_for("a window that is not blank", painted, 30, pause=0.5)

    folder = desktop.path("report by keys")
    keys.press("ctrl+shift+e")
    keys.window("^Export Report")
    keys.press("ctrl+a")
    keys.type(folder)
    keys.press("Return")
    wait_for("the report", lambda: os.path.exists(os.path.join(folder, "replay.sh")))
    check_report(folder)
    keys.window(PAIR)
    keys.press("ctrl+q")
    quit_cleanly(process)


class Reader:
    """What a screen reader sees of one program."""

    def __init__(self, pyatspi, name):
        from gi.repository import GLib

        self.pyatspi = pyatspi
        self.name = name
        self.desktop = pyatspi.Registry.getDesktop(0)
        self.heard = []
        self.events = GLib.MainContext.default()
        self.application = wait_for("the program on the accessibility bus", self.find_application)
        self.application.set_cache_mask(pyatspi.Atspi.Cache.NONE)  # always what is there now
        pyatspi.Registry.registerEventListener(lambda event: self.heard.append(str(event.any_data)), "object:property-change:accessible-name")

    def find_application(self):
        for i in range(self.desktop.childCount):
            child = self.desktop.getChildAtIndex(i)
            if child is not None and child.name == self.name and child.childCount > 0:
                return child
        return None

    def walk(self, root=None, most=20000):
        """All that is there, parents first; what goes away meanwhile is left out."""
        waiting = [root or self.application]
        while waiting and most > 0:
            node = waiting.pop()
            most -= 1
            yield node
            try:
                children = [node.getChildAtIndex(i) for i in range(min(node.childCount, 500))]
            except Exception:  # gone since
                continue
            waiting.extend(child for child in reversed(children) if child is not None)

    def find(self, role, pattern, root=None, visible=False, seconds=60.0):
        """`role`: one, or several of which any will do."""
        matches = re.compile(pattern)
        roles = (role,) if isinstance(role, str) else role

        def look():
            for node in self.walk(root):
                try:
                    if node.getRoleName() in roles and matches.search(node.name) and (not visible or self.has(node, "STATE_SHOWING")):
                        return node
                except Exception:  # gone since
                    continue
            return None

        return wait_for("%s named %s" % (" or ".join(roles), pattern), look, seconds)

    def hear(self, pattern):
        """Waits for a name that changes to what matches: what is told without being asked for."""

        def listen():
            while self.events.pending():
                self.events.iteration(False)
            return any(re.search(pattern, text) for text in self.heard)

        wait_for(lambda: "'%s' among what was heard: %s" % (pattern, self.heard), listen)

    def has(self, node, state):
        return node.getState().contains(getattr(self.pyatspi, state))

    def act(self, node, *names):
        action = node.queryAction()
        known = [action.getName(i) for i in range(action.nActions)]
        for name in names:
            if name in known:
                action.doAction(known.index(name))
                return
        fail("%s '%s' can %s, not %s" % (node.getRoleName(), node.name, known, names))

    def choose(self, menu, entry):
        bar = self.find("menu bar", ".")
        item = self.find("menu item", entry, self.find("menu item", menu, bar))
        wait_for("%s can be chosen" % entry, lambda: self.has(item, "STATE_ENABLED"))
        self.act(item, "Press", "ShowMenu")

    def write(self, node, text):
        node.queryEditableText().setTextContents(text)
        wait_for("the text is there", lambda: node.queryText().getText(0, -1) == text)

    def table(self, name):
        """Rows of the visible table of that name, as texts."""
        table = self.find(("table", "tree", "tree table"), name, visible=True)
        asked = table.queryTable()
        return [[asked.getAccessibleAt(row, column).name for column in range(asked.nColumns)] for row in range(asked.nRows)]

    def relations(self, node):
        found = {}
        for relation in node.getRelationSet():
            found.setdefault(relation.getRelationType(), []).extend(relation.getTarget(i).name for i in range(relation.getNTargets()))
        return found


def by_screen_reader(desktop, program, cases):
    os.environ.update(desktop.environment)
    import pyatspi

    pair = lambda name, side: os.path.join(cases, "%s.%s.lsg.json" % (name, side))
    process = desktop.start(program, pair(OTHER, "ref"), pair(OTHER, "rew"))
    reader = Reader(pyatspi, "lemmascope")
    reader.find("label", "PROVED", visible=True)

    # Another pair, by the dialog.
    reader.choose("File", "^Open Pair")
    dialog = reader.find("dialog", "Open")
    texts = [node for node in reader.walk(dialog) if node.getRoleName() == "text"]
    if len(texts) != 2:
        fail("the dialog has the texts %s" % [text.name for text in texts])
    for text, side, name in zip(sorted(texts, key=lambda text: text.name), ("ref", "rew"), ("Reference", "Rewritten")):
        if name not in text.name:
            fail("the text for the %s file is named '%s'" % (side, text.name))
        reader.write(text, pair(PAIR, side))
    reader.act(reader.find("push button", "^(Open|OK)", dialog), "Press")

    # The verdict, in the banner's own words, told and then read.
    reader.hear("REFUTED")
    reader.find("label", "REFUTED", visible=True)
    reason = reader.find("label", r"y\[1,2\] is 0, rewritten 1", visible=True)
    print("verdict read:", reason.name)

    # The failing lemma, the nodes it is about, and what they are joined to.
    reader.choose("Go", "^Next Failing Lemma")
    lemmas = reader.table("^Lemmas$")
    if not any("fails" in row[0] and row[1] == "L1" for row in lemmas):
        fail("the lemma list reads %s" % lemmas)
    canvases = [reader.find("list", name + " graph", visible=True) for name in ("Reference", "Rewritten")]
    for canvas in canvases:
        node = reader.find("list item", r"^Relu y, failing pair L1, 1 input, 1 output$", canvas)
        related = reader.relations(node)
        if not related.get(pyatspi.RELATION_CONTROLLED_BY) or "output y, f32[2,4]" not in related.get(pyatspi.RELATION_CONTROLLER_FOR, []):
            fail("'%s' of '%s' is related to %s" % (node.name, canvas.name, related))
    wait_for("the failing node is selected", lambda: any(
        reader.has(node, "STATE_SELECTED") and "failing pair L1" in node.name for node in reader.walk(canvases[0])))

    # The values on which both sides part.
    way = reader.table("^Values on the way$")
    if not any("first difference" in cell for row in way for cell in row):
        fail("the values on the way read %s" % way)
    outputs = reader.table("^Both outputs$")
    if ["[1,2]", "0", "1"] not in [row[:3] for row in outputs]:
        fail("the outputs read %s" % outputs)

    # The report.
    folder = desktop.path("report by screen reader")
    reader.choose("File", "^Export Report")
    dialog = reader.find("dialog", "Export Report")
    reader.write(reader.find("text", "folder|File name", dialog), folder)
    reader.act(reader.find("push button", "^Export", dialog), "Press")
    wait_for("the report", lambda: os.path.exists(os.path.join(folder, "replay.sh")))

    check_report(folder)

    reader.choose("File", "^Quit")
    quit_cleanly(process)


def main():
    how, program, cases, artefacts = sys.argv[1:]
    os.makedirs(artefacts, exist_ok=True)
    programs = ["Xvfb", "openbox", "dbus-daemon"]
    if how == "atspi":
        skip_unless_installed(*programs, "/usr/libexec/at-spi-bus-launcher")
        try:
            import gi  # noqa: F401
        except ImportError:
            print("SKIP: install the package python3-pyatspi")
            return 77
        with Desktop(accessible=True) as desktop:
            by_screen_reader(desktop, program, cases)
    else:
        skip_unless_installed(*programs, "xdotool", "import")
        with Desktop(accessible=False) as desktop:
            by_keys(desktop, program, cases, artefacts)
    print("done")
    return 0


if __name__ == "__main__":
    sys.exit(main())
