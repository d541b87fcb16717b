"""Games that people play, by name: a name may replace the text of a game."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import get_close_matches

_HEXAGONAL = "carrier,battleship,submarine,destroyer,weapons,contact=any"


@dataclass(frozen=True)
class NamedGame:
    """A game that a name stands for.

    text -- the text of the game. about -- a sentence about it. players -- a line on who plays it.
    """

    name: str
    text: str
    about: str
    title: str
    players: str


NAMED_GAMES = {
    game.name: game
    for game in (
        NamedGame(
            "paper",
            "10x10:5,4,3,3,2",
            "The paper's game: ships do not touch, and hits tell nothing.",
            "Paper's game",
            "Studied by Audinot, Bonnet and Viennot (2014)",
        ),
        NamedGame(
            "boxed",
            "10x10:5,4,3,3,2,contact=any,announce=ship",
            "The boxed game: ships may touch, and only the hit that sinks a ship names it.",
            "Boxed game",
            "Played with the game in the box",
        ),
        NamedGame(
            "official",
            "10x10:5,4,3a,3b,2,contact=any,announce=name",
            "The official game since 2002: ships may touch, and every hit names its ship.",
            "Official game",
            "Played by the printed rules since 2002",
        ),
        NamedGame(
            "russian",
            "10x10:4,3,3,2,2,2,1,1,1,1,announce=sunk",
            "The game on squared paper: ten ships that do not touch; a sinking is announced.",
            "Squared-paper game",
            "Played with pencil on squared paper",
        ),
        NamedGame(
            "sploosh",
            "8x8:4,3,2,contact=any,announce=sunk",
            "The mini-game of The Legend of Zelda: The Wind Waker, in which 24 shots win.",
            "Sploosh Kaboom",
            "Played in The Legend of Zelda: The Wind Waker",
        ),
        *(
            NamedGame(
                f"hex-{half}",
                f"hexagonal_2008.json#{half}:{_HEXAGONAL}",
                f"The hexagonal game of Milton Bradley (2008), {half} half: ships may touch.",
                f"Hexagonal game, {half} half",
                "Played with the box of 2008",
            )
            for half in ("upper", "lower")
        ),
    )
}


def menu_games() -> list[NamedGame]:
    """Return the named games in the order of a menu: the boxed one first."""
    return sorted(NAMED_GAMES.values(), key=lambda game: game.name != "boxed")


BOX = {"carrier": "5", "battleship": "4", "cruiser": "3a", "submarine": "3b", "patrol-boat": "2"}
"""The ships of the boxed game by name; replies may use a name or a length."""


def boxed_ships(names_hits: bool) -> dict[str, str]:
    """Map the names of the ships of the boxed game to their texts, such as `3a`.

    names_hits -- True for the rules since 2002, by which hits name ships. Since then `destroyer` is
    another name of the cruiser; before, it was the ship of two cells.
    """
    return {**BOX, "destroyer": "3a" if names_hits else "2"}


def split_name(text: str) -> tuple[NamedGame, str] | None:
    """Return the named game that a text begins with, and the rest, as in `boxed,contact=none`.

    The rest is empty, or begins with a comma or semicolon. Returns None for another text.
    """
    match = re.fullmatch(r"\s*([\w-]+)\s*((?:[,;].*)?)", text, re.ASCII | re.DOTALL)
    game = NAMED_GAMES.get(match[1].lower()) if match else None
    return (game, match[2]) if match and game else None


def suggestion(text: str) -> str:
    """Return a hint for a text that is no game but begins with the name of one, maybe misspelt.

    It is empty for all other texts.
    """
    name = re.split("[,;:]", text.strip().lower())[0]
    if name in NAMED_GAMES:
        text_without_rules = NAMED_GAMES[name].text.partition(",contact")[0]
        text_without_rules = text_without_rules.partition(",announce")[0]
        return (
            f"{name} has its ships; write {name} and rules behind it, or your ships as in "
            f"{text_without_rules}"
        )
    similar = get_close_matches(name, NAMED_GAMES, 1)
    return f"did you mean {similar[0]}?" if similar else ""
