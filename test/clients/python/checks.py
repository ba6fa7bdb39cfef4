"""What every client program of this folder shares: it does its checks one after another and prints one line of JSON."""

import json
import os
import sys
from importlib.metadata import version

URL = os.environ["GATEWAY_URL"]
KEY = os.environ["GATEWAY_KEY"]
# A key with a limit of ten requests per minute.
LIMITED_KEY = os.environ["GATEWAY_LIMITED_KEY"]
WRONG_KEY = "gwk_wrong_key_0000000000000000000000000000000"

QUESTION = "What is the weather in Paris?"
# An answer that never ends: the provider falls silent in the middle.
ENDLESS = "mock-stall-900"
# An answer that does not begin.
SILENT = "mock-delay-600000"
CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}


def equal(actual, expected):
    if actual != expected:
        raise AssertionError(f"expected {expected!r}, found {actual!r}")


def ok(condition, what):
    if not condition:
        raise AssertionError(what)


def includes(text, part):
    ok(isinstance(text, str) and part in text, f"expected a text with {part!r}, found {text!r}")


def failure(call, kind):
    """The error of a call that has to fail with an error of this class."""
    try:
        answer = call()
    except Exception as error:
        if not isinstance(error, kind):
            raise AssertionError(f"expected {kind}, found {type(error)}: {error}") from error
        return error
    raise AssertionError(f"expected an error, found {answer!r}")


def failure_of_limit(call, kind):
    """Calls until the limit of the key is reached."""
    for _ in range(21):
        try:
            call()
        except Exception as error:
            if not isinstance(error, kind):
                raise AssertionError(f"expected {kind}, found {type(error)}: {error}") from error
            return error
    raise AssertionError("expected 429 after ten calls")


def positive_seconds(header):
    ok(header is not None and float(header) > 0, f"expected seconds in Retry-After, found {header!r}")


def run_checks(packages, checks):
    """Runs the checks and prints {versions, results}; `packages` are those whose versions are reported."""
    results = {}
    for name, check in checks.items():
        try:
            check()
            results[name] = "passed"
        except Exception as error:
            results[name] = f"{type(error).__name__}: {error}"
    print(json.dumps({"versions": {name: version(name) for name in packages}, "results": results}))
    sys.stdout.flush()
    os._exit(0)  # threads that clients leave behind do not hold it up
