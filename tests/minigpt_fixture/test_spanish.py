"""The pages in Spanish keep step with the English ones: headings, numbers, code, and every generated sentence."""

from __future__ import annotations

import ast
import re
from collections import Counter
from pathlib import Path

import pytest

import minigpt_fixture
from minigpt_fixture.say import language, say
from minigpt_fixture.spanish import SPANISH

DOCS = Path(__file__).parents[2] / "docs"
PAIRS = {"reference-case.md": "es/caso-de-referencia.md", "lesson.md": "es/leccion.md"}
TITLES = {
    "reference-case.md": {
        "The reference case": "El caso de referencia",
        "The model": "El modelo",
        "A first walk": "Un primer paseo",
        "The commands of the course": "Las órdenes del curso",
        "The tape, forward": "La cinta, hacia delante",
        "The tape, backward": "La cinta, hacia atrás",
        "What the course claims, and what PyTorch does": "Lo que afirma el curso y lo que hace PyTorch",
        "The backward graph, by kind of node": "El grafo de backward, por tipos de nodo",
        "Memory: what backward keeps": "Memoria: lo que conserva backward",
        "Four mechanisms that change the graph": "Cuatro mecanismos que cambian el grafo",
        "The breaks": "Las roturas",
        "With anomaly mode and without": "Con el modo de anomalías y sin él",
        "The gradients, parameter by parameter": "Los gradientes, parámetro por parámetro",
        "How much worse the silent ones train": "Cuánto peor se entrenan las silenciosas",
        "The same break by hand": "La misma rotura, a mano",
        "Again, from nothing": "Otra vez, desde cero",
        "In a test suite": "En una batería de tests",
    },
    "lesson.md": {
        "The lesson": "La lección",
        "Begin": "Empezar",
        "Step 2: the message": "Paso 2: el mensaje",
        "Step 3: anomaly mode": "Paso 3: el modo de anomalías",
        "Step 4: search": "Paso 4: buscar",
        "Step 5: compare the gradients": "Paso 5: comparar los gradientes",
        "Step 6: ask the guard": "Paso 6: preguntar al guard",
        "Step 7: mend it": "Paso 7: arreglarlo",
        "Step 8: the same by hand": "Paso 8: lo mismo, a mano",
        "When nothing is raised": "Cuando no se lanza ningún error",
        "All commands": "Todas las órdenes",
    },
}
FENCE = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)
HEADING = re.compile(r"^(#+) (.*)$", re.MULTILINE)


def page(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


def sections(text: str) -> list[tuple[str, str, str]]:
    """(level, title, text without code) of each section."""
    parts = HEADING.split(FENCE.sub("", text))
    return list(zip(parts[1::3], parts[2::3], parts[3::3], strict=True))


@pytest.mark.parametrize("english", PAIRS)
def test_headings_are_the_same_in_the_same_order(english: str) -> None:
    ours, theirs = sections(page(english)), sections(page(PAIRS[english]))
    assert [level for level, _, _ in ours] == [level for level, _, _ in theirs]
    with language("es"):
        expected = [TITLES[english].get(title) or say(title) for _, title, _ in ours]
    assert [title for _, title, _ in theirs] == expected


def numbers(text: str) -> Counter[str]:
    text = re.sub(r"\]\([^)]*\)", "]", text)
    return Counter(re.findall(r"\d+(?:[.,]\d+)*", text))


@pytest.mark.parametrize("english", PAIRS)
def test_numbers_are_the_same_section_by_section(english: str) -> None:
    for (_, title, ours), (_, _, theirs) in zip(sections(page(english)), sections(page(PAIRS[english])), strict=True):
        assert numbers(ours) == numbers(theirs), title


@pytest.mark.parametrize("english", PAIRS)
def test_code_and_output_are_the_same(english: str) -> None:
    assert FENCE.findall(page(english)) == FENCE.findall(page(PAIRS[english]))


def literal_sentences() -> set[str]:
    """What the package passes to `say` as a literal."""
    found = set()
    for path in Path(minigpt_fixture.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            called = node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""
            if called == "say" and isinstance(node.args[0], ast.Constant):
                found.add(node.args[0].value)
    return found


def test_every_sentence_has_a_translation() -> None:
    assert len(literal_sentences()) > 60
    assert literal_sentences() - SPANISH.keys() == set()


@pytest.mark.parametrize("english", SPANISH)
def test_translations_keep_places_and_code(english: str) -> None:
    spanish = SPANISH[english]
    for pattern in (r"\{\w+\}", r"`[^`]*`"):
        assert Counter(re.findall(pattern, english)) == Counter(re.findall(pattern, spanish))
