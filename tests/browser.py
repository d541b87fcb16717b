"""What tests ask of a page in the browser, whichever page it is."""

from axe_selenium_python import Axe


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
