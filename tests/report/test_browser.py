"""The HTML report in a real browser: it sorts, filters, shows pairs, and talks to nobody."""

import io
import itertools
import json
import re
import time
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

import occstats
from occstats._format import p_value
from occstats.report.page import render
from tests.report.browsing import click, column, find, headings, open_everything, type_keys

HOSTILE = ["</script><script>document.title='ran'</script>", '<img src=x onerror="throw 1">', "ok"]


def requests(page):
    """The addresses that were asked for, without those that the policy stopped."""
    messages = [json.loads(entry["message"])["message"] for entry in page.get_log("performance")]
    stopped = {
        message["params"]["requestId"]
        for message in messages
        if message["params"].get("blockedReason") == "csp"
    }
    return [
        message["params"]["request"]["url"]
        for message in messages
        if message["method"] == "Network.requestWillBeSent"
        and message["params"]["requestId"] not in stopped
    ]


def test_console_is_silent_and_no_request_leaves(page, address):
    click(page, headings(page, "summary")[0])
    page.execute_script("for (const d of document.querySelectorAll('details')) d.open = true")
    asked = requests(page)
    assert address in asked
    assert [url for url in asked if url != address and not url.startswith("data:")] == []
    assert page.get_log("browser") == []
    assert page.execute_script("return performance.getEntriesByType('resource').length") == 0


def test_policy_holds_in_the_browser(page):
    blocked = page.execute_async_script(
        """
        const done = arguments[0];
        const seen = [];
        document.addEventListener(
          "securitypolicyviolation", (event) => seen.push(event.effectiveDirective));
        const image = document.createElement("img");
        image.setAttribute("style", "color: red");
        image.src = "https://example.invalid/x.png";
        document.body.append(image);
        fetch("https://example.invalid/").catch(() => {});
        setTimeout(() => done(seen), 300);
        """
    )
    assert {"style-src-attr", "img-src", "connect-src"} <= set(blocked)
    assert not [url for url in requests(page) if "example.invalid" in url]


def test_a_heading_sorts_up_then_down_by_value(page, comparison):
    ranks = comparison.summary["mean_score"]
    button = next(b for b in headings(page, "summary") if b.text == "mean AUROC")
    names = comparison.summary["algorithm"]
    click(page, button)
    assert column(page, "summary", 0) == names[ranks.argsort(kind="stable")].tolist()
    cell = page.execute_script(
        "return arguments[0].closest('th').getAttribute('aria-sort')", button
    )
    assert cell == "ascending"
    click(page, button)
    assert column(page, "summary", 0) == names[(-ranks).argsort(kind="stable")].tolist()
    sorts = page.execute_script(
        "return [...document.querySelectorAll('[data-table=summary] th[aria-sort]')]"
        ".map(h => h.getAttribute('aria-sort'))"
    )
    assert sorts.count("descending") == 1
    assert "ascending" not in sorts


def test_p_values_sort_by_number_and_empty_cells_stay_last(page):
    button = next(b for b in headings(page, "p_values") if b.text == "LOF")
    for _ in range(2):
        click(page, button)
        position = page.execute_script("return arguments[0].closest('th').cellIndex", button)
        cells = column(page, "p_values", position)
        filled = [cell for cell in cells if cell]
        assert cells == filled + [""] * (len(cells) - len(filled))
    values = [float(p.strip("<>")) for p in filled]
    assert values == sorted(values, reverse=True)


def test_words_filter_rows_and_the_count_is_announced(page):
    open_everything(page)
    field = find(page, "[data-table=scores] input[type=search]")
    page.execute_script("arguments[0].scrollIntoView({behavior: 'instant'})", field)
    field.send_keys("iris versi")
    assert column(page, "scores", 1) == ["Iris-versicolor"]
    status = find(page, "[data-table=scores] [role=status]")
    assert status.text == "1 of 246 rows"
    field.clear()
    field.send_keys("no such words")
    assert column(page, "scores", 0) == []


def test_a_whole_name_is_found_before_parts_of_names(page):
    open_everything(page)
    field = find(page, "[data-table=pairwise] input[type=search]")
    page.execute_script("arguments[0].scrollIntoView({behavior: 'instant'})", field)
    field.send_keys("if")
    pairs = zip(column(page, "pairwise", 0), column(page, "pairwise", 1), strict=True)
    assert len([pair for pair in pairs if "IF" in pair]) == 8
    assert len(column(page, "pairwise", 0)) == 8
    field.clear()
    field.send_keys("LN")
    assert len(column(page, "pairwise", 0)) == 8


def test_the_pair_is_in_the_address_and_back_leads_to_the_one_before(page, address):
    from selenium.webdriver.support.ui import Select

    def chosen():
        return [
            Select(find(page, f"#pair select[name={end}]")).first_selected_option.text
            for end in "ab"
        ]

    page.get(f"{address}#pair=LOF,SAE")
    page.refresh()
    assert chosen() == ["LOF", "SAE"]
    Select(find(page, "#pair select[name=b]")).select_by_visible_text("IF")
    assert page.current_url.endswith("#pair=LOF,IF")
    click(page, find(page, "a[data-pair='0-3']"))
    assert page.current_url.endswith("#pair=ALP,MD")
    page.back()
    assert chosen() == ["LOF", "IF"]
    assert "LOF (a) and IF (b)" in find(page, "#pair-view caption").text
    page.back()
    assert chosen() == ["LOF", "SAE"]


@pytest.mark.parametrize(
    "hash_", ["#pair=%E0%A4%A,x", "#pair=nobody,ALP", "#pair=,", "#pair=a,b,c"]
)
def test_an_address_that_names_no_pair_shows_the_first(page, address, hash_):
    page.get(address + hash_)
    page.refresh()
    assert "ALP (a) and SVM (b)" in find(page, "#pair-view caption").text
    assert page.get_log("browser") == []


def saved(folder, name):
    """The file that the browser was told to save, once it is there."""
    for _ in range(300):
        if (folder / name).exists():
            return (folder / name).read_text(encoding="utf-8")
        time.sleep(0.1)
    raise AssertionError(f"{name} was not saved")


def test_figures_and_tables_can_be_saved(page, comparison, tmp_path):
    behaviour = {"behavior": "allow", "downloadPath": str(tmp_path)}
    page.execute_cdp_cmd("Browser.setDownloadBehavior", behaviour)
    click(page, find(page, "[data-table=summary] [data-save=csv]"))
    frame = pd.read_csv(io.StringIO(saved(tmp_path, "summary.csv")))
    assert frame["algorithm"].tolist() == comparison.algorithms
    # Full precision, not what is shown.
    assert frame["mean rank"].tolist() == comparison.summary["mean_rank"].tolist()
    assert frame["95 % CI"][0].startswith("[")
    click(page, find(page, "[data-table=comparison] [data-save=csv]"))
    frame = pd.read_csv(io.StringIO(saved(tmp_path, "comparison.csv")))
    assert frame["p"].tolist()[1:] == comparison.p_values.loc["ALP"].tolist()[1:]
    assert frame["conclusion"].tolist()[-1] == "*"
    click(page, find(page, "#figure-mean_ranks [data-save=svg]"))
    drawing = ElementTree.fromstring(saved(tmp_path, "mean_ranks.svg"))
    assert drawing.tag == "{http://www.w3.org/2000/svg}svg"
    assert "ALP" in "".join(drawing.itertext())
    assert page.get_log("browser") == []


def test_sections_fold_and_an_address_opens_its_section(page, address):
    assert page.execute_script("return document.documentElement.scrollHeight") < 7000
    is_open = "return document.querySelector('#trust > details').open"
    assert not page.execute_script(is_open)
    click(page, find(page, "nav a[href='#trust']"))
    assert page.execute_script(is_open)
    click(page, find(page, "#unfold"))
    assert page.execute_script(
        "return [...document.querySelectorAll('.chapter')].every((one) => one.open)"
    )


def shown_table(page, name):
    """Return the cells of a table as the browser shows them: (text, value, bold)."""
    return page.execute_script(
        "return [...document.querySelectorAll(`[data-table=${arguments[0]}] tbody tr`)]"
        ".map((row) => [...row.cells].map((cell) => [cell.textContent, Number(cell.dataset.v),"
        " cell.querySelector('strong') !== null]))",
        name,
    )


def test_every_part_of_the_page_has_the_same_p_values_and_conclusions(browser, tmp_path):
    from selenium.webdriver.support.ui import WebDriverWait

    comparison = occstats.compare("lenz2021")
    path = tmp_path / "report.html"
    path.write_text(render(comparison), encoding="utf-8")
    browser.get(path.as_uri())
    click(browser, find(browser, "#what-if summary"))
    wait = WebDriverWait(browser, 60)
    wait.until(lambda _: "14 of 36 pairs differ" in find(browser, "#what-if-sentence").text)
    names = comparison.algorithms
    rows = comparison.pairwise.set_index(["a", "b"])
    leading, matrix, what_if = (
        shown_table(browser, name) for name in ("comparison", "p_values", "what_if_p_values")
    )
    for a, b in itertools.combinations(range(len(names)), 2):
        row = rows.loc[(names[a], names[b])]
        decided = row["conclusion"] == "better"
        cells = [matrix[a][b], what_if[a][b]]
        assert [cell[1] for cell in cells] == pytest.approx([row["p"]] * 2, abs=1e-10)
        assert [cell[2] for cell in cells] == [decided] * 2
        expected = p_value(row["p"], 0.05)
        assert [cell[0] for cell in cells] == [expected] * 2
        if a == 0:
            assert leading[b][-2][:2] == [expected, row["p"]]
            assert (leading[b][-1][0] == "*") == decided
        browser.execute_script(f"location.hash = '#pair={names[a]},{names[b]}'")
        measured = wait.until(
            lambda _, pair=f"{names[a]} (a) and {names[b]} (b)": (
                pair in find(browser, "#pair-view").text
                and find(browser, "#pair-view .measures").text
            )
        )
        assert f"\n{expected}\n" in f"{measured}\n"
        sentence = find(browser, "#pair-sentence").text
        assert (f"{names[a]} is typically better than {names[b]}" in sentence) == decided
        assert ("not distinguishable" in sentence) != decided


def test_a_pair_can_be_chosen(page, comparison):
    from selenium.webdriver.support.ui import Select

    assert "ALP and SVM are not distinguishable" in find(page, "#pair-sentence").text
    Select(find(page, "#pair select[name=b]")).select_by_visible_text("LOF")
    row = comparison.pairwise.query("a == 'ALP' and b == 'LOF'").iloc[0]
    sentence = find(page, "#pair-sentence").text.replace("\xa0", " ")
    assert sentence.startswith("ALP is typically better than LOF (typical difference ")
    assert sentence.endswith(f"p = {row['p']:.3f}).")
    measured = find(page, "#pair-view .measures").text.replace("−", "-")
    assert f"{row['mean_difference']:+.3f}" in measured


def test_influence_of_datasets_is_that_of_the_comparison(page, comparison):
    click(page, find(page, "a[data-pair='0-3']"))
    a, b = comparison.algorithms[0], comparison.algorithms[3]
    influence = comparison.stability.influence
    driver = influence[(influence["a"] == a) & (influence["b"] == b)].iloc[0]
    cells = page.execute_script(
        "return [...document.querySelectorAll('#pair-datasets ~ tbody tr')]"
        ".map(({cells}) => [cells[0].textContent, Number(cells[5].dataset.v),"
        " cells[6].textContent])"
    )
    assert len(cells) == comparison.results.n_clusters
    assert cells[0][0] == driver["dataset"]
    assert cells[0][1] == pytest.approx(driver["influence"], abs=1e-6)
    deciding = [cell[0] for cell in cells if cell[2] == "yes"]
    assert len(deciding) == driver["datasets_that_change"]


def test_swapping_and_choosing_the_same_twice(page):
    from selenium.webdriver.support.ui import Select

    click(page, find(page, "#pair button[name=swap]"))
    assert Select(find(page, "#pair select[name=a]")).first_selected_option.text == "SVM"
    assert "SVM (a) and ALP (b)" in find(page, "#pair-view caption").text
    Select(find(page, "#pair select[name=b]")).select_by_visible_text("SVM")
    assert find(page, "#pair-sentence").text == "Choose two different algorithms."


def test_details_appear_under_the_pointer(page):
    from selenium.webdriver.common.action_chains import ActionChains

    bar = find(page, "#pair-view svg .target")
    page.execute_script("arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})", bar)
    ActionChains(page).move_to_element(bar).perform()
    tip = find(page, ".tip")
    assert tip.is_displayed()
    assert re.fullmatch(r"skin: ALP 0\.\d{3}, SVM 0\.\d{3}, difference \+0\.\d{4}", tip.text)


def test_everything_works_from_the_keyboard(page):
    from selenium.webdriver.common.keys import Keys

    type_keys(page, Keys.TAB)
    skip = page.switch_to.active_element
    assert skip.text == "Skip to the verdict"
    type_keys(page, Keys.ENTER)
    assert page.switch_to.active_element.get_attribute("id") == "main"
    button = headings(page, "summary")[0]
    page.execute_script("arguments[0].focus()", button)
    outline = "return getComputedStyle(document.activeElement).outlineStyle"
    type_keys(page, Keys.TAB)
    assert page.execute_script(outline) == "solid"
    type_keys(page, Keys.SPACE)
    type_keys(page, Keys.ENTER)
    sorted_by = find(page, "[data-table=summary] th[aria-sort=descending]")
    assert sorted_by.text.startswith("mean rank")
    choice = find(page, "#pair select[name=b]")
    page.execute_script("arguments[0].focus()", choice)
    type_keys(page, Keys.ARROW_DOWN)
    assert "ALP and NND are not distinguishable" in find(page, "#pair-sentence").text


def contrast(one, other):
    def luminance(colour):
        channels = np.array([int(part) for part in re.findall(r"\d+", colour)[:3]]) / 255
        linear = np.where(
            channels <= 0.03928, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4
        )
        return float(linear @ [0.2126, 0.7152, 0.0722])

    low, high = sorted([luminance(one), luminance(other)])
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_is_readable_in_light_and_dark(page, scheme):
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    colours = page.execute_script(
        """
        const look = (selector) => getComputedStyle(document.querySelector(selector));
        return [".lead", ".question", "caption", "nav a", "td", "figcaption", ".note", "summary"]
          .map((selector) => [selector, look(selector).color, look("section").backgroundColor]);
        """
    )
    page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    dark = colours[0][2] == "rgb(23, 23, 23)"
    assert dark == (scheme == "dark")
    for selector, ink, paper in colours:
        assert contrast(ink, paper) >= 4.5, selector


def test_narrow_screens_scroll_tables_and_not_the_page(page):
    size = {"width": 390, "height": 800, "deviceScaleFactor": 1, "mobile": True}
    page.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    widths = page.execute_script(
        "return [document.documentElement.scrollWidth, document.documentElement.clientWidth]"
    )
    page.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    assert widths == [390, 390]


def test_print_shows_whole_tables_without_controls(page):
    open_everything(page)
    page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    shown = page.execute_script(
        """
        const visible = (selector) => [...document.querySelectorAll(selector)]
          .some((element) => getComputedStyle(element).display !== "none");
        const scroll = document.querySelector("[data-table=scores] .scroll");
        return [visible("nav"), visible("form"), visible(".tools"),
                scroll.scrollHeight <= scroll.clientHeight + 1];
        """
    )
    printed = page.execute_cdp_cmd("Page.printToPDF", {"printBackground": False})
    page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
    assert shown == [False, False, False, True]
    assert len(printed["data"]) > 50_000


def test_names_run_nothing(browser, tmp_path):
    index = pd.MultiIndex.from_product([HOSTILE, list("123")], names=["dataset", "class"])
    values = np.random.default_rng(0).random((len(index), len(HOSTILE)))
    results = occstats.Results(
        scores=pd.DataFrame(values, index=index, columns=HOSTILE),
        traits=pd.DataFrame(index=index),
        score_name="<b>score</b>",
    )
    path = tmp_path / "report.html"
    path.write_text(render(occstats.compare(results, n_resamples=100)), encoding="utf-8")
    browser.get_log("browser")
    browser.get(path.as_uri())
    assert browser.title != "ran"
    assert browser.get_log("browser") == []
    assert browser.execute_script("return document.querySelectorAll('img, main b b').length") == 0
    assert HOSTILE[0] in find(browser, "#pair-view").text + find(browser, "#summary").text


def test_without_scripts_the_tables_are_there_and_the_controls_are_not(browser, address):
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    browser.get(address)
    text = find(browser, "main").text
    shown = [find(browser, selector).is_displayed() for selector in ("#pair form", ".tools")]
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
    assert "This view needs JavaScript" in text
    assert "mean rank" in text
    assert shown == [False, False]
