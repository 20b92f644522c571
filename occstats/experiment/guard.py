"""Run a command, and end its whole process group with the process that started this script.

Run as ``python -IS guard.py COMMAND …`` in a new session, with standard input from the process to
watch. A killed process closes the pipe, whatever the command does, even if it never returns to
Python. The exit code is that of the command.
"""

import os
import signal
import subprocess
import sys
import threading


def main() -> None:
    """Run the command of the arguments."""
    command = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL)

    def end_with_input() -> None:
        sys.stdin.buffer.read()
        if hasattr(os, "killpg"):
            os.killpg(0, signal.SIGKILL)
        command.kill()
        os._exit(1)

    threading.Thread(target=end_with_input, daemon=True).start()
    os._exit(command.wait() & 0xFF)


if __name__ == "__main__":
    main()
