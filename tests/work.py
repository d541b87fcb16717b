"""Work for processes, which load nothing else with it."""

import os
import signal
import time


def wait_for(path):
    """Work that goes on until there is a file."""
    while not os.path.exists(path):
        time.sleep(0.01)
    return path


def say(text):
    return text


def end_process():
    os.kill(os.getpid(), signal.SIGKILL)
