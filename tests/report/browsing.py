"""What a reader does on the page, for tests."""


def column(page, table, position):
    return page.execute_script(
        "return [...document.querySelectorAll(`[data-table=${arguments[0]}] tbody tr`)]"
        ".filter(row => !row.hidden).map(row => row.cells[arguments[1]].textContent)",
        table,
        position,
    )


def headings(page, table):
    from selenium.webdriver.common.by import By

    return page.find_elements(By.CSS_SELECTOR, f"[data-table={table}] thead button")


def find(page, selector):
    from selenium.webdriver.common.by import By

    return page.find_element(By.CSS_SELECTOR, selector)


def click(page, element):
    page.execute_script(
        "arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})", element
    )
    element.click()


def type_keys(page, *keys):
    from selenium.webdriver.common.action_chains import ActionChains

    ActionChains(page).send_keys(*keys).perform()


def open_everything(page):
    page.execute_script("for (const one of document.querySelectorAll('details')) one.open = true")
