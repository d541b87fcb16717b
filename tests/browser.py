"""What tests ask of a page in the browser, whichever page it is."""

import json

from axe_selenium_python import Axe


def resize(driver, width, height=800):
    """The window; a narrow one is that of a telephone."""
    metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)


def requested(driver):
    """The addresses that pages have asked for since the last call."""
    events = [json.loads(entry["message"])["message"] for entry in driver.get_log("performance")]
    return {
        event["params"]["request"]["url"]
        for event in events
        if event["method"] == "Network.requestWillBeSent"
    }


def accessible(driver, part=None):
    """No rule of axe is broken, in light and in dark; part -- a selector of what is looked at."""
    for scheme in ("light", "dark"):
        feature = {"name": "prefers-color-scheme", "value": scheme}
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})
        axe = Axe(driver)
        axe.inject()
        broken = axe.run(part)["violations"]
        assert not broken, axe.report(broken)
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
