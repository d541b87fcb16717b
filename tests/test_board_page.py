"""The board in a browser: whole games, advice, review, contradictions, undo, back, a telephone."""

import base64
import re
from urllib.parse import quote, unquote

import pytest
from selenium.webdriver import ActionChains, Keys
from selenium.webdriver.support.ui import WebDriverWait

from optsearch.counting.configurations import to_masks
from optsearch.counting.mixture import MixedPosterior
from optsearch.counting.posterior import Posterior
from optsearch.game import Game, cell_name, parse_cell
from optsearch.game.fleets import MixedGame, MixedPosition
from optsearch.game.named_games import NAMED_GAMES
from optsearch.game.position import Position, replies_at, reply
from optsearch.play.replies import Replies
from optsearch.search.solver import solve
from tests.browser import accessible, requested, resize
from tests.processes import MANY_SECONDS, serving

GAME = Game.parse("3x4:2,1,contact=any,announce=ship")
HIDDEN = [GAME.mask([(0, 0), (1, 0)]), GAME.mask([(2, 2)])]


@pytest.fixture(scope="module")
def address(driver):
    """Of a board that the command serves."""
    with serving(GAME) as (_, found):
        yield found


class BoardInBrowser:
    """The page in the browser."""

    def __init__(self, driver, address):
        self.driver, self.address = driver, address
        self.base = address.partition("/#")[0]

    game = GAME

    def open(self, query=""):
        self.driver.get(f"{self.base}/{query}")
        self.wait()

    def wait(self):
        """Until the server has answered all that the page asked."""
        script = """const texts = [...document.querySelectorAll("#ask, #left, #optimum, #progress,"
              + " #replies small")].filter((one) => one.checkVisibility());
            const [ask, replies] = ["ask", "replies"].map((id) => document.getElementById(id));
            const counts = ask?.checkVisibility() && ask.textContent.startsWith("Shoot");
            return document.querySelectorAll("#board .cell").length
                && !(counts && !replies.checkVisibility())
                && !document.body.classList.contains("busy")
                && !texts.some((one) => one.textContent.endsWith("…"))"""
        WebDriverWait(self.driver, MANY_SECONDS).until(lambda d: d.execute_script(script))

    def text(self, name):
        return " ".join(self.driver.find_element("id", name).text.split())

    def click(self, selector):
        self.driver.find_element("css selector", selector).click()
        self.wait()

    def cell(self, cell, board="board"):
        index = cell[0] * self.game.columns + cell[1]
        return self.driver.find_elements("css selector", f"#{board} .cell")[index]

    def press(self, keys):
        self.driver.switch_to.active_element.send_keys(keys)
        self.wait()

    def shots(self):
        """The position of the address."""
        query = self.driver.current_url.partition("shots=")[2].partition("&")[0]
        return Position.parse(self.game, unquote(query))

    def check(self, here):
        """The position that is shown, beside counts and optima of other rooms."""
        assert self.shots() == here
        posterior = Posterior(here)
        assert self.text("left").startswith(f"{posterior.configurations:,}")
        labels = self.driver.execute_script(
            "return [...document.querySelectorAll('#board .cell')].map((c) => c.ariaLabel)"
        )
        for index, label in enumerate(labels):
            cell = self.game.cell(index)
            shot = next((one for one in here.shots if one.cell == cell), None)
            said = f"{posterior.occurrence[cell]}/{posterior.configurations}"
            if shot is not None:
                said = str(shot.reply).replace(":", " ")
            assert label.startswith(f"{cell_name(cell)}: {said}")
        if here.hits_left and posterior.configurations <= 50:
            best = solve(here)
            names = " ".join(map(cell_name, best.best_shots))
            total = f"({best.total_height}/{posterior.configurations})"
            assert self.text("optimum").startswith(f"{names} ")
            assert self.text("optimum").endswith(total)


@pytest.fixture
def page(driver, address):
    shown = BoardInBrowser(driver, address)
    requested(driver)
    driver.get_log("browser")
    driver.get("about:blank")
    driver.get(address)
    resize(driver, 1280)
    shown.wait()
    yield shown
    near = (shown.base, "data:", "about:")
    assert [url for url in requested(driver) if not url.startswith(near)] == []
    messages = [one["message"] for one in driver.get_log("browser")]
    assert [one for one in messages if "401" not in one and "422" not in one] == []


def next_cell(page):
    """The cell that the page says to shoot."""
    name = page.text("ask").removeprefix("Shoot ")
    return parse_cell(name)


def advised(page, act):
    """A whole game by advice; `act` is told each reply."""
    here = Position(GAME)
    page.check(here)
    while here.hits_left:
        cell = next_cell(page)
        told = reply(GAME, HIDDEN, here.hits, GAME.bit(cell))
        act(told)
        page.wait()
        here = here.after(cell, told)
        page.check(here)
    assert page.text("ask") == "Every ship is sunk"
    return here


def button(told):
    return f"//div[@id='replies']//button[@value='{told}']"


@pytest.mark.parametrize("width", [360, pytest.param(1280, marks=pytest.mark.long(5))])
def test_advice_by_mouse(page, width):
    """To the end, back by the browser, and undo; nothing is wider than a telephone."""
    resize(page.driver, width)
    here = advised(page, lambda told: page.driver.find_element("xpath", button(told)).click())
    before = Position(GAME, here.shots[:-1])
    page.driver.back()
    page.wait()
    page.check(before)
    page.click("#undo")
    page.check(Position(GAME, here.shots[:-2]))
    page.driver.back()  # which does not bring back what was undone
    page.wait()
    page.check(Position(GAME, here.shots[:-3]))
    assert page.driver.execute_script("return document.documentElement.scrollWidth") <= width
    accessible(page.driver)


@pytest.mark.long(5)
def test_advice_by_keys(page):
    """With any cell, taken by the arrow keys; and any shot is taken back."""
    first = next_cell(page)
    page.driver.execute_script("arguments[0].focus()", page.cell(first))
    down = first[0] < 2
    page.press(Keys.ARROW_DOWN if down else Keys.ARROW_UP)
    page.press(Keys.ENTER)
    cell = (first[0] + (1 if down else -1), first[1])
    assert page.text("ask") == f"Shoot {cell_name(cell)}"
    page.press("m")
    page.press(Keys.ESCAPE)
    assert [one.cell for one in page.shots().shots] == [cell]
    page.press("m")
    page.click("#rows tbody tr:first-child button")
    page.click("#take-back")
    assert cell not in [one.cell for one in page.shots().shots]
    page.check(page.shots())
    page.press("r")
    advised(page, lambda told: page.press(str(told.label) if told.sunk else str(told)[0]))


def test_a_game_is_chosen_whose_hits_name_their_ship(page):
    """Impossible replies are refused with a reason; a sunk ship is drawn; modes keep the shots."""
    to_go = page.driver.find_element("id", "to-go")
    WebDriverWait(page.driver, MANY_SECONDS).until(lambda _: "±" in to_go.text)
    page.click("#change")
    for part, text in (("size", "3x3"), ("fleet", "2a,2b"), ("announce", "every")):
        field = page.driver.find_element("id", f"of-{part}")
        if part != "announce":
            field.clear()
        field.send_keys(text)
    accessible(page.driver)
    page.click("#other button")
    page.game = Game.parse("3x3:2a,2b,contact=any,announce=name")
    WebDriverWait(page.driver, MANY_SECONDS).until(lambda d: "game=3x3" in d.current_url)
    page.wait()
    page.check(Position(page.game))
    for keys in ("a", "a", "b"):
        page.press(keys)
    here = page.shots()
    page.check(here)
    wreck = page.driver.find_elements("css selector", "#board .wreck")
    assert len(wreck) == 2
    reply_2a = page.driver.find_element("xpath", button("hit:2a"))
    assert reply_2a.get_attribute("aria-disabled") == "true"
    page.click("#replies summary")
    assert "the 2a is sunk" in reply_2a.text
    reply_2a.click()
    assert "an earlier reply is wrong" in page.text("refused-why")
    accessible(page.driver)
    assert page.shots() == here
    page.click("#mode-play")
    page.click("#begin")
    match = page.driver.current_url.partition("match=")[2][:32]
    page.click("#mode-advise")
    page.check(here)
    page.click("#mode-play")
    assert match in page.driver.current_url
    assert page.text("turn") == "Shot 1, against the Cadet"
    page.click("#mode-review")
    page.click("#rows tbody tr:last-child a")
    page.click("#branch")
    page.check(Position(page.game, here.shots[:-1]))
    page.press("a")
    page.click("#refused-add")
    assert page.text("ask") == "No placement fits these replies"


def test_one_click_a_ship_that_a_hit_shows(page):
    """A button for each ship that can lie there, outlined on the board; undo, keys, the others."""
    page.game = game = Game.parse("4x4:##/##/##,2,contact=any,announce=place")
    page.open(f"?game={quote(str(game))}")
    replies, clicks = Replies(Position(game)), 0
    hidden = to_masks(Posterior(game).sample(1, 1, masks=True)[0])
    while replies.position.hits_left:
        here, cell = replies.position, next_cell(page)
        told = reply(game, hidden, here.hits, game.bit(cell))
        shown = page.driver.find_elements("css selector", "#replies > button")
        possible = [r for r in replies_at(game, cell) if Posterior(here.after(cell, r)).is_possible]
        assert {one.get_attribute("value") for one in shown} == {"miss", *map(str, possible)}
        click = page.driver.find_element("xpath", button(told))
        ActionChains(page.driver).move_to_element(click).perform()
        outlined = page.driver.find_elements("css selector", "#board .outlined")
        assert len(outlined) == int(told.label or 0).bit_count()
        click.click()
        page.wait()
        replies.add(cell, told)
        clicks += told.hit
        page.check(replies.position)
    assert clicks == 2
    assert page.text("ask") == "Every ship is sunk"
    page.click("#undo")
    replies.undo()
    page.check(replies.position)
    page.press("r")
    page.press("1")
    assert len(page.shots().shots) == 6
    page.click("#replies summary")
    accessible(page.driver)
    page.click("#replies details button")
    page.click("#refused-add")
    assert page.text("ask") == "No placement fits these replies"
    page.click("#wrong-shots button:first-child")
    page.wait()
    assert len(page.driver.find_elements("css selector", "#rows tbody tr")) == 1


def test_a_fleet_whose_lengths_are_not_known(page):
    """Advice with the chances of lengths, by replies that name a ship; no play and no optimum."""
    page.game = game = MixedGame("5x5:2-4r,2-4g,contact=any,announce=name")
    hidden = [game.mask([(3, 1), (3, 2), (3, 3)]), game.mask([(0, 0), (1, 0)])]  # g, then r
    page.open(f"?game={quote(str(game))}&mode=play")
    assert "does not play" in page.text("trouble")
    assert not page.driver.find_element("id", "mode-play").is_displayed()
    page.open(f"?game={quote(str(game))}")
    here = MixedPosition(game)
    while here.hits.bit_count() < 5 and page.text("ask") != "Every ship is sunk":
        posterior = MixedPosterior(here)
        cell = next_cell(page)
        assert cell in posterior.greedy_shots()
        assert page.text("left").startswith(f"{posterior.configurations:,}")
        label = page.cell(cell).get_attribute("aria-label")
        percent = format(100 * float(posterior.probability[cell]), ".2f")
        assert label.startswith(f"{cell_name(cell)}: {percent.replace('100.00', '100')}")
        shown = page.text("fleet")
        for by_length in posterior.lengths.values():
            for length, chance in by_length.items():
                assert (chance in (0, 1)) or f"{length}: {100 * float(chance):.1f} %" in shown
        told = reply(game, hidden, here.hits, game.bit(cell))
        page.driver.find_element("xpath", button(told)).click()
        page.wait()
        here = here.after(cell, told)
    accessible(page.driver)
    assert not page.driver.find_element("id", "optimum").is_displayed()
    assert page.text("all-sunk").startswith(f"{100 * float(MixedPosterior(here).all_sunk):.2f}")
    page.click("#mode-review")
    assert f"{len(here.shots)} shots reviewed" in page.text("progress")
    page.open(f"?game={quote(str(game))}&shots=A1=hit:r,E5=hit:r")
    assert page.text("ask") == "No placement fits these replies"


def test_an_optimal_shot_is_not_the_most_probable(page):
    """In Figure 6 of the paper; its replies have their counts all the same."""
    page.game = Game.parse("3x4:2")
    here = Position(page.game, "A1=miss B3=miss")
    page.open("?game=3x4:2&shots=A1=miss,B3=miss")
    page.check(here)
    assert page.text("ask") == "Shoot C1"
    for told in ("hit", "miss"):
        left = Posterior(Position(page.game, f"{here} C1={told}")).configurations
        found = page.driver.find_element("xpath", button(told)).text
        assert f"leaves {left}" in found


def test_a_contradiction_is_framed(page):
    page.open("?shots=B2=sunk:1,D3=miss,A1=sunk:1")
    assert page.text("ask") == "No placement fits these replies"
    framed = page.driver.find_elements("css selector", "#board .cell.wrong")
    assert sorted(cell.get_attribute("aria-label")[:2] for cell in framed) == ["A1", "B2"]
    accessible(page.driver)
    assert page.text("wrong-why") == "If only one reply is wrong, it is one of these:"
    page.click("#wrong-shots button:last-child")
    page.check(Position.parse(GAME, "B2=sunk:1 D3=miss"))
    page.driver.back()
    page.wait()
    page.click("#wrong-shots button:first-child")
    page.check(Position.parse(GAME, "D3=miss A1=sunk:1"))


REFUSING = """
    const real = askOnce;
    window.kind = arguments[0];
    askOnce = async (name, asked) => {
      if (name !== "advice" || !window.kind) return real(name, asked);
      await new Promise((done) => setTimeout(done, 20));
      throw new Said("this took more than 10 seconds and was ended", window.kind, 422);
    };"""


def test_a_large_board_says_that_it_is_prepared_and_what_takes_too_long(page):
    """What the server says of a 16x16 board, without the minute that it takes there."""
    page.click("#mode-review")
    page.driver.execute_script(REFUSING, "Preparing")
    page.driver.find_element("id", "mode-advise").click()
    waiting = page.driver.find_element("id", "waiting")
    WebDriverWait(page.driver, MANY_SECONDS).until(lambda _: waiting.is_displayed())
    assert "being prepared" in waiting.text
    elapsed = page.driver.find_element("id", "elapsed")
    WebDriverWait(page.driver, MANY_SECONDS).until(lambda _: "so far" in elapsed.text)
    page.driver.execute_script("window.kind = 'TooLong'")
    page.wait()
    assert not waiting.is_displayed()
    assert "tap a cell, then tap the reply" in page.text("trouble")
    page.cell((0, 0)).click()
    page.driver.find_element("xpath", button("miss")).click()
    page.wait()
    assert page.shots() == Position.parse(GAME, "A1=miss")
    page.cell((0, 2)).click()
    page.driver.execute_script("window.kind = ''")
    page.driver.find_element("xpath", button("miss")).click()
    page.wait()
    page.check(Position.parse(GAME, "A1=miss C1=miss"))


def test_pictures_a_print_and_boards_of_other_forms(page):
    page.open("?game=4x4:2,board=torus&shots=A1=miss")
    seam = page.driver.find_element("css selector", "#board .seam").get_attribute("d")
    assert seam == "M-.5-.5V3.5M3.5-.5V3.5M-.5-.5H3.5M-.5 3.5H3.5"
    saved = """const done = arguments[0];
        HTMLAnchorElement.prototype.click = function () { done([this.download, this.href]); };
        savePicture(KIND);"""
    for kind, start in (("svg", "data:image/svg+xml"), ("png", "data:image/png;base64,iVBOR")):
        script = saved.replace("KIND", f"'{kind}'")
        name, address = page.driver.execute_async_script(script)
        assert name == f"board.{kind}"
        assert address.startswith(start)
    page.open("?mode=review&shots=A1=miss,B1=miss,C2=miss")
    printed = page.driver.execute_cdp_cmd("Page.printToPDF", {"preferCSSPageSize": True})["data"]
    assert len(re.findall(rb"/Type */Page\b", base64.b64decode(printed))) == 1
    resize(page.driver, 360)
    page.open("?game=12x12:1")
    wide, room = page.driver.execute_script(
        "return [board.place.scrollWidth, board.place.clientWidth]"
    )
    assert wide == room


def test_a_page_without_its_token_asks_for_it(page):
    assert "token" not in page.driver.current_url
    token = page.address.partition("token=")[2]
    page.driver.execute_script("sessionStorage.clear()")
    page.driver.get(f"{page.base}/?shots=A1=miss")
    field = WebDriverWait(page.driver, MANY_SECONDS).until(
        lambda d: d.find_element("id", "given") if d.find_elements("id", "given") else None
    )
    accessible(page.driver)
    field.send_keys("no token" + Keys.ENTER)
    assert "This is no token" in page.text("no-token")
    field.clear()
    field.send_keys(f"{page.base}/#token={token}{Keys.ENTER}")
    page.wait()
    page.check(Position.parse(GAME, "A1=miss"))


def play_on(page, shoot):
    """Shoot row by row until the game is over."""
    for index in range(GAME.cells):
        shoot(GAME.cell(index))
        page.wait()
        if page.text("turn") == "The end":
            return
    raise AssertionError("the game does not end")


def own_ships(page):
    """The cells with a ship that a person has placed."""
    cells = page.driver.find_elements("css selector", "#board .cell.own")
    return {cell.get_attribute("aria-label")[:2] for cell in cells}


@pytest.mark.long(12)
def test_a_game_by_mouse_with_ships_placed_and_its_review(page):
    page.click("#mode-play")
    page.click("#placed")
    page.cell((2, 3)).click()  # where it is shifted in
    assert own_ships(page) == {"D2", "D3"}
    page.cell((2, 3)).click()  # turned and shifted
    assert own_ships(page) == {"C3", "D3"}
    hand = ActionChains(page.driver)
    hand.drag_and_drop(page.cell((2, 3)), page.cell((1, 1))).perform()
    assert own_ships(page) == {"A2", "B2"}
    page.cell((2, 2)).click()
    at = [page.cell(cell).rect for cell in ((2, 2), (2, 3))]
    for kind, where in (("touchStart", at[:1]), ("touchMove", at[1:]), ("touchEnd", [])):
        points = [{"x": r["x"] + r["width"] / 2, "y": r["y"] + r["height"] / 2} for r in where]
        page.driver.execute_cdp_cmd(
            "Input.dispatchTouchEvent", {"type": kind, "touchPoints": points}
        )
    assert own_ships(page) == {"A2", "B2", "D3"}
    page.click("#begin")
    assert page.driver.switch_to.active_element == page.cell((0, 0))
    own = [page.cell(cell, "own").get_attribute("aria-label") for cell in ((1, 0), (1, 1), (2, 3))]
    assert own == ["A2: your ship", "B2: your ship", "D3: your ship"]
    page.click("#hints")
    accessible(page.driver)
    assert "most probable" in page.driver.find_element("id", "board").get_attribute("innerHTML")
    first, there = page.driver.current_window_handle, page.driver.current_url
    page.driver.switch_to.new_window("tab")
    page.driver.get(f"{there}#{page.address.partition('#')[2]}")
    page.wait()
    page.cell((2, 3)).click()
    page.wait()
    page.driver.close()
    page.driver.switch_to.window(first)
    WebDriverWait(page.driver, MANY_SECONDS).until(lambda _: "You shot D3" in page.text("said"))
    play_on(page, lambda cell: page.cell(cell).click())
    assert len(page.driver.find_elements("css selector", "#board circle.hull")) == 3
    page.click("#to-review")
    rows = page.driver.find_elements("css selector", "#rows tbody tr")
    shots = len(rows)
    assert f"of {shots} shot" in page.text("verdict")
    page.click("#rows tbody tr:first-child a")
    assert page.driver.current_url.endswith("at=1")
    bars = page.driver.find_elements("css selector", "#bars g")
    assert len(bars) == shots
    bars[-1].click()
    page.wait()
    assert page.driver.current_url.endswith(f"at={shots}")
    row = page.driver.find_element("css selector", "#rows tr[aria-current]").rect
    box = page.driver.find_element("id", "rows-place").rect
    assert box["y"] <= row["y"] <= box["y"] + box["height"] - row["height"] + 1
    foot = page.driver.find_element("tag name", "footer").rect
    below = page.driver.execute_script("return document.documentElement.scrollHeight")
    assert below - foot["y"] - foot["height"] < 100
    accessible(page.driver)
    page.driver.back()
    page.wait()
    assert page.text("turn") == "The end"  # the game is there still
    page.open("?mode=play&match=0")
    assert "this game is lost" in page.text("trouble")


SLOW = """
    const real = askOnce, kinds = ["Preparing", "GivenUp", "WorkerLost", "TooLong"];
    const refusals = {begin: [...kinds], shoot: [...kinds]};
    askOnce = async (name, asked) => {
      await new Promise((done) => setTimeout(done, 150));
      const kind = refusals[name]?.shift();
      if (kind) throw new Said("the machine has something else to do", kind, 422);
      return real(name, asked);
    };"""


def test_no_tap_is_lost(page):
    """Ten cells tapped at once after Begin, while the server is slow."""
    page.game = Game.parse("6x6:4,3")
    page.open("?game=6x6:4,3&mode=play")
    page.driver.execute_script(SLOW + "element('against').value = '';")
    cells = [(row, 2 * i + row % 2) for row in range(6) for i in range(3)][:10]  # none side by side
    page.driver.find_element("id", "begin").click()
    for cell in cells:
        page.cell(cell).click()
    page.wait()
    assert page.text("turn") == "Shot 11"
    labels = [page.cell(cell).get_attribute("aria-label") for cell in cells]
    assert all(label.split(": ")[1].split(",")[0] in ("hit", "miss") for label in labels)


@pytest.mark.long(5)
def test_a_game_by_keys(page):
    """On a telephone, against the exact player, with ships drawn."""
    resize(page.driver, 360)
    page.click("#mode-play")
    exact = page.driver.find_element("css selector", "[name=strength][value=exact]")
    exact.send_keys(Keys.SPACE)
    page.driver.find_element("id", "begin").send_keys(Keys.ENTER)
    page.wait()

    def shoot(cell):
        page.driver.execute_script("arguments[0].focus()", page.cell((0, 0)))
        page.press(Keys.ARROW_DOWN * cell[0] + Keys.ARROW_RIGHT * cell[1])
        page.press(Keys.ENTER)

    play_on(page, shoot)
    assert page.driver.execute_script("return document.documentElement.scrollWidth") == 360


WALK = (  # cells to shoot and the replies of the game that is advised
    *("E5=miss", "G7=hit:4", "G6=hit:4", "G5=hit:4", "G4=hit:4"),
    *("C3=miss", "I8=miss", "C8=hit:2", "C9=hit:2", "B2=miss"),
)


@pytest.mark.long(40)
@pytest.mark.parametrize("size", [(1280, 800), (390, 844)])
def test_three_visits(driver, size):
    """The official game opened and advised for ten shots; a game played; its review. By texts."""
    with serving() as (_, address):
        page = BoardInBrowser(driver, address)
        page.game = Game.parse("official")
        driver.get("about:blank")
        driver.get(address)
        resize(driver, *size)
        cards = WebDriverWait(driver, MANY_SECONDS).until(
            lambda d: d.find_elements("css selector", "#named > li")
        )
        assert len(cards) == len(NAMED_GAMES)
        titles = [card.find_element("tag name", "h2").text for card in cards]
        assert {*titles} == {one.title for one in NAMED_GAMES.values()}
        across, down = driver.execute_script(
            "const {scrollWidth, scrollHeight} = document.documentElement;"
            "return [scrollWidth, scrollHeight]"
        )
        assert across <= size[0]
        assert down <= size[1] or size[0] < 500
        accessible(driver)
        page.click(f"#named > li:nth-child({titles.index('Official game') + 1}) a")
        WebDriverWait(driver, MANY_SECONDS).until(lambda d: "game=official" in d.current_url)
        page.wait()
        assert page.text("game") == "Official game"
        assert page.text("ask") == "Shoot E5"
        for shot in WALK:
            cell, told = shot.split("=")
            page.cell(parse_cell(cell)).click()
            page.wait()
            page.driver.find_element("xpath", button(told)).click()
            page.wait()
        assert page.shots() == Position(page.game, " ".join(WALK))
        sunk = driver.find_elements("css selector", "#fleet .sunk")
        assert [one.text.split()[0] for one in sunk] == ["battleship", "patrol"]
        rows = driver.find_elements("css selector", "#rows tbody tr")
        assert [row.text.split()[1] for row in rows] == [shot.split("=")[0] for shot in WALK]
        folded = driver.find_element("css selector", "#replies summary").text
        assert folded == "2 replies are impossible: why?"
        accessible(driver)

        page.game = GAME  # where a game is short
        page.open(f"?game={GAME}&mode=play")
        page.click("#begin")
        assert page.text("turn") == "Shot 1, against the Cadet"
        headings = [one.text for one in driver.find_elements("tag name", "h2") if one.text]
        assert {"Enemy waters", "Your ships"} <= {*headings}
        for index in range(page.game.cells):
            if page.text("turn") == "The end":
                break
            page.cell(page.game.cell(index)).click()
            page.wait()
        said = driver.find_element("id", "said")
        WebDriverWait(driver, MANY_SECONDS).until(lambda _: "against the same ships" in said.text)
        accessible(driver)

        page.click("#to-review")
        shots = len(page.shots().shots)
        assert page.text("progress") == f"{shots} shots reviewed"
        assert f"of {shots} shots" in page.text("verdict")
        for given in driver.find_elements("css selector", "#rows td span.bad"):
            away = float(given.text.replace("nothing", "0").replace(",", " ").split()[0])
            mark = " ?" if away > 10 else " ?!" if away > 3 else ""
            assert away in (3, 10) or given.text.endswith(mark or given.text.rstrip("?!"))
        page.click("#back")
        assert driver.current_url.endswith(f"at={shots}")
        page.press(Keys.HOME)
        assert page.text("moment").startswith("Before shot 1, A1: ")
        link = driver.find_element("css selector", "#rows tbody tr:nth-child(2) a")
        assert link.get_attribute("href").endswith("at=2")
        accessible(driver)
