"""Actions of a reader on the page, for tests."""

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import Select, WebDriverWait


def find(page, selector):
    return page.find_element(By.CSS_SELECTOR, selector)


def heading(page, table, text):
    buttons = page.find_elements(By.CSS_SELECTOR, f"[data-table={table}] thead button")
    return next(button for button in buttons if button.text == text)


def column(page, table, position):
    """Return the texts of a column in the rows that are not filtered out."""
    return page.execute_script(
        "return [...document.querySelectorAll(`[data-table=${arguments[0]}] tbody tr`)]"
        ".filter(row => !row.hidden).map(row => row.cells[arguments[1]].textContent)",
        table,
        position,
    )


def click(page, target):
    element = find(page, target) if isinstance(target, str) else target
    page.execute_script(
        "arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})", element
    )
    element.click()


def type_keys(page, *keys):
    ActionChains(page).send_keys(*keys).perform()


def choose(page, end, name):
    Select(find(page, f"#pair select[name={end}]")).select_by_visible_text(name)


def wait(page, condition):
    """Wait until the condition holds; a busy machine may take long."""
    return WebDriverWait(page, 120).until(lambda _: condition())


def open_everything(page):
    page.execute_script("for (const one of document.querySelectorAll('details')) one.open = true")


def show_what_if(page):
    """Scroll to the what-if analysis and return its text."""
    sentence = find(page, "#what-if-sentence")
    page.execute_script("arguments[0].scrollIntoView({behavior: 'instant'})", sentence)
    wait(page, lambda: "mean rank" in sentence.text)
    return sentence.text


def emulate(page, *, medium="", scheme=""):
    """Emulate a medium or colour scheme; without arguments, the usual ones."""
    features = [{"name": "prefers-color-scheme", "value": scheme}] if scheme else []
    page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": medium, "features": features})


def show(page, markup, folder):
    """Load a page from its markup."""
    path = folder / "report.html"
    path.write_text(markup, encoding="utf-8")
    page.get_log("browser")
    page.get(path.as_uri())
