"""A desktop of its own for one test: session bus, accessibility bus, X server, window manager, and a home folder.

Nothing of the desktop it is started from is touched. Everything that was started is ended by the end of the `with` block.
"""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

SKIPPED = 77
NEEDED = {
    "Xvfb": "xvfb",
    "openbox": "openbox",
    "dbus-daemon": "dbus-daemon",
    "/usr/libexec/at-spi-bus-launcher": "at-spi2-core",
    "xdotool": "xdotool",
    "import": "imagemagick",
}


def skip_unless_installed(*programs):
    missing = [NEEDED[program] for program in programs if shutil.which(program) is None]
    if missing:
        print("SKIP: install the packages: " + " ".join(missing))
        sys.exit(SKIPPED)


def fail(text):
    raise AssertionError(text)


def wait_for(what, condition, seconds=60.0, pause=0.1):
    """The first true value of `condition`, asked until the time is over."""
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            fail("not within %g s: %s" % (seconds, what() if callable(what) else what))
        time.sleep(pause)


class Desktop:
    def __init__(self, accessible):
        self.accessible = accessible
        self.folder = tempfile.mkdtemp(prefix="lemmascope-desktop-")
        self.processes = []
        self.environment = {
            "PATH": os.environ.get("PATH", "/usr/bin:/bin"),
            "LANG": "C.UTF-8",
            "HOME": self.path("home"),
            "QT_QPA_PLATFORM": "xcb",
        }
        for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "LD_LIBRARY_PATH"):
            if name in os.environ:
                self.environment[name] = os.environ[name]
        for name in ("CONFIG_HOME", "CACHE_HOME", "STATE_HOME", "DATA_HOME", "RUNTIME_DIR"):
            self.environment["XDG_" + name] = self.path(name.lower())
        for value in list(self.environment.values()):
            if value.startswith(self.folder):
                os.makedirs(value, mode=0o700)

    def path(self, name):
        return os.path.join(self.folder, name)

    def start(self, *command, **options):
        process = subprocess.Popen(command, env=self.environment, start_new_session=True, **options)
        self.processes.append(process)
        return process

    def __enter__(self):
        try:
            self.start_all()
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def start_all(self):
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        bus = self.start("dbus-daemon", "--session", "--nofork", "--print-address", stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.environment["DBUS_SESSION_BUS_ADDRESS"] = bus.stdout.readline().decode().strip()
        reader, writer = os.pipe()
        self.start("Xvfb", "-displayfd", str(writer), "-screen", "0", "1366x768x24", "-nolisten", "tcp", pass_fds=[writer], **quiet)
        os.close(writer)
        with os.fdopen(reader) as number:
            self.environment["DISPLAY"] = ":" + number.readline().strip()
        manager = self.start("openbox", **quiet)

        def managed():
            nonlocal manager
            if manager.poll() is not None:  # it came before the display would have it
                manager = self.start("openbox", **quiet)
            return self.answer("xdotool", "get_num_desktops")

        if shutil.which("xdotool"):
            # A window that comes before its manager is never given the focus.
            wait_for("the window manager", managed)
        if self.accessible:
            self.start("/usr/libexec/at-spi-bus-launcher", "--launch-immediately", "--a11y=1", "--screen-reader=1", **quiet)
            self.environment["QT_LINUX_ACCESSIBILITY_ALWAYS_ON"] = "1"
            wait_for("the accessibility bus", lambda: self.answer("dbus-send", "--session", "--print-reply", "--dest=org.a11y.Bus",
                                                                  "/org/a11y/bus", "org.a11y.Bus.GetAddress"))

    def answer(self, *command):
        """What a short command writes; empty when it fails."""
        done = subprocess.run(command, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=30, check=False)
        return done.stdout.decode(errors="replace") if done.returncode == 0 else ""

    def __exit__(self, *_):
        for process in reversed(self.processes):
            if process.poll() is None:
                process.terminate()
                try:
                    process.wait(10)
                except subprocess.TimeoutExpired:
                    os.killpg(process.pid, signal.SIGKILL)
                    process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)
        return False
