"""One comparison, its page and one browser for all tests of the report."""

import shutil

import pytest

import occstats
from occstats.report.page import render

BROWSER, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")

FLAGS = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--window-size=1280,900",
]


@pytest.fixture(scope="session")
def comparison():
    return occstats.compare("lenz2021", n_resamples=1000)


@pytest.fixture(scope="session")
def markup(comparison):
    return render(comparison)


@pytest.fixture
def undrawn(monkeypatch):
    """Leave out the figures of pages, which take most of the time."""
    monkeypatch.setattr("occstats.report.page._draw", lambda comparison: [])


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    if BROWSER is None or DRIVER is None:
        pytest.skip("chromium or chromedriver is not installed")
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = BROWSER
    for flag in [*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"]:
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(DRIVER))
    # A busy machine may take minutes for what takes seconds.
    if (settings := getattr(driver.command_executor, "client_config", None)) is not None:
        settings.timeout = 600
    yield driver
    driver.quit()


@pytest.fixture(scope="session")
def address(markup, tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_text(markup, encoding="utf-8")
    return path.as_uri()


@pytest.fixture
def page(browser, address):
    for log in ("browser", "performance"):
        browser.get_log(log)
    browser.get(address)
    return browser
