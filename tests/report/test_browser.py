"""The page in a browser: it sorts, filters, shows pairs, fits the screen, and loads nothing."""

import io
import itertools
import json
import re
import shutil
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import pandas as pd
import pytest

pytest.importorskip("selenium")

from occstats._format import p_equation, p_value
from occstats.report.page import render
from tests.report.browsing import (
    choose,
    click,
    column,
    emulate,
    find,
    heading,
    open_everything,
    show,
    show_what_if,
    type_keys,
    wait,
)
from tests.report.making import compared, scores

HOSTILE = ["</script><script>document.title='ran'</script>", '<img src=x onerror="throw 1">', "ok"]


def requests(page):
    """Return the addresses that were asked for, without those that the policy stopped."""
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
    click(page, heading(page, "summary", "algorithm"))
    open_everything(page)
    asked = requests(page)
    assert address in asked
    assert [url for url in asked if url != address and not url.startswith("data:")] == []
    assert page.get_log("browser") == []
    assert page.execute_script("return performance.getEntriesByType('resource').length") == 0


def test_policy_holds_in_the_browser(page):
    blocked = page.execute_async_script(
        """
        const done = arguments[0];
        const seen = new Set();
        document.addEventListener("securitypolicyviolation", (event) => {
          seen.add(event.effectiveDirective);
          if (seen.size === 3) done([...seen]);
        });
        const image = document.createElement("img");
        image.setAttribute("style", "color: red");
        image.src = "https://example.invalid/x.png";
        document.body.append(image);
        fetch("https://example.invalid/").catch(() => {});
        """
    )
    assert set(blocked) == {"style-src-attr", "img-src", "connect-src"}
    assert not [url for url in requests(page) if "example.invalid" in url]


def test_a_heading_sorts_up_then_down_by_value(page, comparison):
    names, means = comparison.summary["algorithm"], comparison.summary["mean_score"]
    button = heading(page, "summary", "mean AUROC")
    for sign, direction in ((1, "ascending"), (-1, "descending")):
        click(page, button)
        assert column(page, "summary", 0) == names[(sign * means).argsort(kind="stable")].tolist()
        sorts = page.execute_script(
            "return [...document.querySelectorAll('[data-table=summary] th[aria-sort]')]"
            ".map(h => h.getAttribute('aria-sort')).filter(sort => sort !== 'none')"
        )
        assert sorts == [direction]


def test_p_values_sort_by_number_and_empty_cells_stay_last(page):
    button = heading(page, "p_values", "LOF")
    position = page.execute_script("return arguments[0].closest('th').cellIndex", button)
    for _ in range(2):
        click(page, button)
        cells = column(page, "p_values", position)
        filled = [cell for cell in cells if cell]
        assert cells == filled + [""] * (len(cells) - len(filled))
    values = [float(p.strip("<>")) for p in filled]
    assert values == sorted(values, reverse=True)


def test_words_filter_rows_and_the_count_is_announced(page):
    open_everything(page)

    def rows(table, words):
        field = find(page, f"[data-table={table}] input[type=search]")
        page.execute_script("arguments[0].scrollIntoView({behavior: 'instant'})", field)
        field.clear()
        field.send_keys(words)
        return list(zip(column(page, table, 0), column(page, table, 1), strict=True))

    assert rows("scores", "iris versi") == [("iris", "Iris-versicolor")]
    assert find(page, "[data-table=scores] [role=status]").text == "1 of 246 rows"
    assert rows("scores", "no such words") == []
    # A whole name is found before parts of names: IF is not a part of EIF.
    found = rows("pairwise", "if")
    assert len(found) == len([pair for pair in found if "IF" in pair]) == 8
    assert len(rows("pairwise", "LN")) == 8


def pair_shown(page):
    return find(page, "#pair-view caption").get_attribute("textContent").split(".")[0]


def test_the_pair_is_in_the_address_and_back_leads_to_the_one_before(page, address):
    page.get(f"{address}#pair=LOF,SAE")
    page.refresh()
    assert pair_shown(page) == "LOF (a) and SAE (b)"
    choose(page, "b", "IF")
    assert page.current_url.endswith("#pair=LOF,IF")
    click(page, "a[data-pair='0-3']")
    assert page.current_url.endswith("#pair=ALP,MD")
    page.back()
    assert pair_shown(page) == "LOF (a) and IF (b)"
    page.back()
    assert pair_shown(page) == "LOF (a) and SAE (b)"
    for invalid in ("#pair=%E0%A4%A,x", "#pair=nobody,ALP", "#pair=,", "#pair=a,b,c"):
        page.get(address + invalid)
        page.refresh()
        assert pair_shown(page) == "ALP (a) and SVM (b)"
    assert page.get_log("browser") == []


def test_choosing_and_swapping_a_pair(page, comparison):
    click(page, "#pair summary")
    assert "ALP is not distinguishable from SVM" in find(page, "#pair-sentence").text
    choose(page, "b", "LOF")
    row = comparison.pairwise_full.query("a == 'ALP' and b == 'LOF'").iloc[0]
    sentence = find(page, "#pair-sentence").text
    assert sentence.startswith("ALP is typically better than LOF. The typical difference ALP − LOF")
    assert f"{p_equation(row['p'])}, {comparison.basis}). On a new dataset" in sentence
    title = find(page, "#pair-view svg .target title").get_attribute("textContent")
    assert re.fullmatch(r"[a-z]+: ALP 0\.\d{3}, LOF 0\.\d{3}, difference \+0\.\d{4}", title)
    measured = find(page, "#pair-view .measures").text.replace("−", "-")
    assert f"{row['mean_difference']:+.3f}" in measured
    click(page, "#pair button[name=swap]")
    assert pair_shown(page) == "LOF (a) and ALP (b)"
    choose(page, "b", "LOF")
    assert find(page, "#pair-sentence").text == "Choose two different algorithms."


def test_influence_of_datasets_is_that_of_the_comparison(page, comparison):
    click(page, "a[data-pair='0-3']")
    influence = comparison.stability.influence.set_index(["a", "b"])
    largest = influence.loc[(comparison.algorithms[0], comparison.algorithms[3])]
    cells = page.execute_script(
        "return [...document.querySelectorAll('[data-table=pair_datasets] tbody tr')]"
        ".map(({cells}) => [cells[0].textContent, Number(cells[5].dataset.v),"
        " cells[6].textContent])"
    )
    assert len(cells) == comparison.results.n_clusters
    assert cells[0][0] == largest["dataset"]
    assert cells[0][1] == pytest.approx(largest["influence"], abs=1e-6)
    assert len([cell for cell in cells if cell[2] == "yes"]) == largest["datasets_that_change"]


def cells_of(page, table):
    """Return the cells of a table: text, value, bold."""
    return page.execute_script(
        "return [...document.querySelectorAll(`[data-table=${arguments[0]}] tbody tr`)]"
        ".map((row) => [...row.cells].map((cell) => [cell.textContent, Number(cell.dataset.v),"
        " cell.querySelector('strong') !== null]))",
        table,
    )


def test_every_part_of_the_page_has_the_same_p_values_and_conclusions(page, comparison):
    open_everything(page)
    show_what_if(page)
    names, rows = comparison.algorithms, comparison.pairwise_full.set_index(["a", "b"])
    leading, matrix, what_if = (
        cells_of(page, name) for name in ("comparison", "p_values", "what_if_p_values")
    )
    for a, b in itertools.combinations(range(len(names)), 2):
        row = rows.loc[(names[a], names[b])]
        decided, expected = row["conclusion"] == "better", p_value(row["p"], 0.05)
        for text, value, bold in (matrix[a][b], what_if[a][b]):
            assert (text, bold) == (expected, decided)
            assert value == pytest.approx(row["p"], abs=1e-10)
        if a == 0:
            assert leading[b][-2][:2] == [expected, row["p"]]
            assert (leading[b][-1][0] == "*") == decided
        sentence, measures = page.execute_script(
            "const form = document.querySelector('#pair form');"
            "[form.elements.a.value, form.elements.b.value] = arguments;"
            "form.dispatchEvent(new Event('change'));"
            "return ['#pair-sentence', '#pair-view .measures']"
            ".map((at) => document.querySelector(at).innerText);",
            a,
            b,
        )
        assert f"{names[a]} (a) and {names[b]} (b)" in measures
        assert re.search(rf"\t{re.escape(expected)}\n", measures)
        assert (f"{names[a]} is typically better than {names[b]}" in sentence) == decided
        assert ("not distinguishable" in sentence) != decided


def test_figures_and_tables_can_be_saved(page, comparison, tmp_path):
    behaviour = {"behavior": "allow", "downloadPath": str(tmp_path)}
    page.execute_cdp_cmd("Browser.setDownloadBehavior", behaviour)

    def saved(selector, name):
        click(page, selector)
        wait(page, (tmp_path / name).exists)
        return (tmp_path / name).read_text(encoding="utf-8")

    frame = pd.read_csv(io.StringIO(saved("[data-table=summary] [data-save=csv]", "summary.csv")))
    assert frame["algorithm"].tolist() == comparison.algorithms
    # Full precision, not what is shown.
    assert frame["mean rank"].tolist() == comparison.summary["mean_rank"].tolist()
    assert frame["95 % CI"][0].startswith("[")
    text = saved("[data-table=comparison] [data-save=csv]", "comparison.csv")
    frame = pd.read_csv(io.StringIO(text))
    assert frame["p"].tolist()[1:] == comparison.p_values.loc["ALP"].tolist()[1:]
    assert frame["conclusion"].tolist()[-1] == "*"
    text = saved("#figure-mean_ranks [data-save=svg]", "mean_ranks.svg")
    drawing = ElementTree.fromstring(text)
    assert drawing.tag == "{http://www.w3.org/2000/svg}svg"
    assert "ALP" in "".join(drawing.itertext())
    assert page.get_log("browser") == []


def test_sections_fold_and_an_address_opens_its_section(page):
    assert page.execute_script("return document.documentElement.scrollHeight") < 7000
    opened = page.execute_script(
        "return [...document.querySelectorAll('.chapter[open]')].map((one) => one.parentElement.id)"
    )
    assert opened == ["summary", "pairs", "what-if"]
    is_open = "return document.querySelector('#trust > details').open"
    assert not page.execute_script(is_open)
    click(page, "nav a[href='#trust']")
    assert page.execute_script(is_open)
    click(page, "#unfold")
    assert page.execute_script(
        "return [...document.querySelectorAll('.chapter')].every((one) => one.open)"
    )


def test_everything_works_from_the_keyboard(page):
    from selenium.webdriver.common.keys import Keys

    type_keys(page, Keys.TAB)
    assert page.switch_to.active_element.text == "Skip to the verdict"
    type_keys(page, Keys.ENTER)
    assert page.switch_to.active_element.get_attribute("id") == "main"
    page.execute_script("arguments[0].focus()", heading(page, "summary", "algorithm"))
    type_keys(page, Keys.TAB)
    outline = "return getComputedStyle(document.activeElement).outlineStyle"
    assert page.execute_script(outline) == "solid"
    type_keys(page, Keys.SPACE)
    type_keys(page, Keys.ENTER)
    assert find(page, "[data-table=summary] th[aria-sort=descending]").text.startswith("mean rank")
    page.execute_script("arguments[0].focus()", find(page, "#pair summary"))
    type_keys(page, Keys.ENTER)
    page.execute_script("arguments[0].focus()", find(page, "#pair select[name=b]"))
    type_keys(page, Keys.ARROW_DOWN)
    assert "ALP is not distinguishable from NND" in find(page, "#pair-sentence").text


def test_print_shows_whole_tables_without_controls(page):
    open_everything(page)
    emulate(page, medium="print")
    shown = page.execute_script(
        """
        const visible = (selector) => [...document.querySelectorAll(selector)]
          .some((element) => getComputedStyle(element).display !== "none");
        const scroll = document.querySelector("[data-table=scores] .scroll");
        return [visible("nav"), visible("form"), visible(".tools"),
                scroll.scrollHeight <= scroll.clientHeight + 1];
        """
    )
    emulate(page)
    assert shown == [False, False, False, True]


def test_names_run_nothing(browser, tmp_path):
    found = compared(scores(HOSTILE, HOSTILE, classes="123"), score_name="<b>score</b>")
    show(browser, render(found), tmp_path)
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


# -- sizes and colours -----------------------------------------------------------------------------


@pytest.fixture(params=[390, 800, 1400])
def sized(request, page):
    size = {"width": request.param, "height": 900, "deviceScaleFactor": 1}
    page.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride", {**size, "mobile": request.param < 500}
    )
    yield page, request.param
    page.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_tables_fit_or_show_that_they_continue(sized):
    page, width = sized
    open_everything(page)
    page.execute_async_script("requestAnimationFrame(() => requestAnimationFrame(arguments[0]))")
    tables, page_width, triangle = page.execute_script(
        """
        const all = [...document.querySelectorAll("[data-table]")].map((holder) => {
          const scroll = holder.querySelector(".scroll");
          const bottom = scroll.getBoundingClientRect().top + scroll.clientHeight;
          const cut = [...holder.querySelectorAll("tbody tr")]
            .map((row) => row.getBoundingClientRect())
            .filter((row) => row.top < bottom - 2 && row.bottom > bottom + 2).length;
          return [holder.dataset.table, scroll.scrollWidth > scroll.clientWidth + 1,
                  scroll.scrollHeight > scroll.clientHeight + 1,
                  holder.querySelector(".cue").innerText, cut];
        });
        const scroll = document.querySelector("[data-table=p_values] .scroll");
        const right = scroll.getBoundingClientRect().left + scroll.clientWidth;
        const inSight = (cell) => cell.getBoundingClientRect().right <= right;
        return [all, document.documentElement.scrollWidth,
          [...scroll.querySelectorAll("tbody tr")].map((row) => [...row.cells].slice(1)
            .filter((cell) => cell.textContent && inSight(cell)).length)];
        """
    )
    assert page_width <= width
    assert len(tables) > 15
    for name, wide, tall, cue, cut in tables:
        assert ("columns" in cue) == wide, name
        assert ("rows" in cue) == tall, name
        assert cut == 0, name
        assert not (wide and (width == 1400 or name == "comparison")), name
    # Rows and columns are best first: on a phone, one scrolls to the columns of the last rows.
    assert (triangle[0] if width < 500 else min(triangle)) > 0


@pytest.fixture(scope="module")
def axe():
    folders = [Path(__file__).parents[2] / "node_modules"]
    if npm := shutil.which("npm"):
        command = [npm, "root", "--global"]
        found = subprocess.run(command, capture_output=True, text=True, check=False)
        folders.append(Path(found.stdout.strip()))
    scripts = [folder / "axe-core" / "axe.min.js" for folder in folders]
    if not (there := [script for script in scripts if script.exists()]):
        pytest.skip("axe-core is not installed: npm install --no-save axe-core")
    return there[0].read_text(encoding="utf-8")


@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.slow)])
def test_axe_finds_no_violation(page, scheme, axe):
    emulate(page, scheme=scheme)
    page.set_script_timeout(300)
    open_everything(page)
    show_what_if(page)
    page.execute_script(axe)
    # The rows of a table are alike, and the figures are images with a title and a description.
    page.execute_script(
        "for (const one of document.querySelectorAll('tbody tr:nth-child(n+4), figure svg > g'))"
        " one.remove()"
    )
    violations = page.execute_async_script(
        "const done = arguments[0];"
        "axe.run(document, {resultTypes: ['violations']}).then((found) => done("
        "found.violations.map((one) => [one.id, one.nodes.slice(0, 3).map((node) => node.html)])))"
    )
    emulate(page)
    assert violations == []


def test_wide_tables_of_notebooks_scroll_in_their_own_box(browser, tmp_path):
    style = f"<style>{Path('docs/_static/site.css').read_text(encoding='utf-8')}</style>"
    table = f"<table class='dataframe'><tr>{'<td>0.123456</td>' * 99}</tr></table>"
    show(browser, f"<!doctype html>{style}<div class='cell_output'>{table}</div>", tmp_path)
    assert browser.execute_script("return document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.usefixtures("undrawn")
def test_the_what_if_analysis_numbers_long_names_and_the_pair_states_the_direction(
    browser, tmp_path
):
    names = [f"{letter}, a descriptor with a long name" for letter in "ABC"]
    found = compared(scores("uvwx", names), score_name="rmse", higher_is_better=False)
    show(browser, render(found), tmp_path)
    open_everything(browser)
    show_what_if(browser)
    heads = [
        [
            cell.text
            for cell in browser.find_elements("css selector", f"[data-table={name}] th[scope=col]")
        ]
        for name in ("p_values", "what_if_p_values")
    ]
    assert heads[0][1:] == heads[1][1:] == ["2", "3"]
    assert column(browser, "p_values", 0) == column(browser, "what_if_p_values", 0)
    assert "Differences are b − a; positive if a is better." in find(browser, "#pair-view").text
