"""Reads a site in Chromium: check.py ROOT [--pages N] [FOLDER]. See build/check-site."""
import argparse
import functools
import html.parser
import http.server
import pathlib
import random
import re
import shutil
import sys
import threading

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

LARGEST_PAGE = 300_000
TELEPHONE = 390
SEARCHED = ("durable", "checkpoint", "kill")


class Text(html.parser.HTMLParser):
    """The text of a page's article, as a reader without scripts has it."""

    def __init__(self):
        super().__init__()
        self.depth = 0
        self.words = []

    def handle_starttag(self, tag, attributes):
        self.depth += tag == "article"

    def handle_endtag(self, tag):
        self.depth -= tag == "article"

    def handle_data(self, data):
        if self.depth:
            self.words += data.split()


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def browser(dark):
    options = webdriver.ChromeOptions()
    for option in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--hide-scrollbars"):
        options.add_argument(option)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    options.set_capability("pageLoadStrategy", "normal")
    # The programs that are installed: a search for others would use the network.
    options.binary_location = shutil.which("chromium")
    driver = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
    driver.set_page_load_timeout(60)
    if dark:
        driver.execute_cdp_cmd(
            "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": "dark"}]})
    driver.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": TELEPHONE, "height": 844, "deviceScaleFactor": 1, "mobile": True})
    return driver


def brightness(driver):
    color = driver.execute_script("return getComputedStyle(document.body).backgroundColor")
    return sum(int(part) for part in re.findall(r"\d+", color)[:3]) / 3 / 255


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("--pages", type=int)
    parser.add_argument("folder", type=pathlib.Path, nargs="?")
    options = parser.parse_args()
    folder = options.folder or options.root / "target/site"
    # Javadoc's own pages are what the JDK makes of them.
    pages = sorted(p.relative_to(folder) for p in folder.rglob("*.html") if p.relative_to(folder).parts[0] != "api")
    if not pages:
        sys.exit(f"{folder} has no pages; build/site makes them")
    if options.pages and options.pages < len(pages):
        pages = sorted(random.Random(1).sample(pages, options.pages))
    problems = []

    for page in pages:
        size = (folder / page).stat().st_size
        if size > LARGEST_PAGE:
            problems.append(f"{page}: {size} bytes, more than {LARGEST_PAGE}")
        text = Text()
        text.feed((folder / page).read_text(encoding="utf-8"))
        if page.name != "404.html" and len(text.words) < 20:
            problems.append(f"{page}: {len(text.words)} words without scripts")

    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    at = f"http://127.0.0.1:{server.server_port}/"
    light, dark = browser(False), browser(True)
    try:
        for page in pages:
            for driver, name in ((light, "light"), (dark, "dark")):
                driver.get(at + str(page))
                problems += [
                    f"{page}: {entry['message']}" for entry in driver.get_log("browser") if entry["level"] == "SEVERE"]
                width = driver.execute_script("return document.documentElement.scrollWidth")
                if width > TELEPHONE:
                    problems.append(f"{page}: {width} pixels wide at {TELEPHONE}")
                if (brightness(driver) > 0.5) != (name == "light"):
                    problems.append(f"{page}: brightness {brightness(driver):.2f} where {name} is preferred")
        for word in SEARCHED:
            light.get(at + "index.html")
            light.execute_script(
                "document.querySelector('[data-md-toggle=search]').click();"
                "document.querySelector('.md-search__input').focus()")
            light.switch_to.active_element.send_keys(word)
            WebDriverWait(light, 120).until(
                lambda d: d.find_elements(By.CSS_SELECTOR, ".md-search-result__item"),
                f"the search found nothing for {word}")
    finally:
        light.quit()
        dark.quit()
        server.shutdown()
    for problem in problems:
        print(problem, file=sys.stderr)
    print(f"{len(pages)} pages read at {TELEPHONE} pixels, light and dark; {len(problems)} problems")
    return bool(problems)


sys.exit(main())
