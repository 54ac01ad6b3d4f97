"""The corpus: short sentences of a small grammar, the same on every machine. Needs no torch.

A noun's kind decides which verbs and adjectives go with it, and its number decides the verb's form, also across a
phrase that stands in between ("the dogs near the house bark ."). To guess the verb one must look back at the noun.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

__all__ = ["Corpus", "Tokenizer", "corpus", "sentences"]

NOUNS = {
    "animal": "dog cat horse bird cow duck goat mouse frog bear wolf owl",
    "person": "girl boy teacher farmer doctor baker king queen pilot singer uncle nurse",
    "thing": "house tree river road table stone bridge garden wall boat lamp hill",
}
PLURALS = {"mouse": "mice", "wolf": "wolves", "baby": "babies"}
ADJECTIVES = {
    "animal": "wild hungry tame furry quick",
    "person": "kind clever brave polite tired",
    "thing": "broken heavy wooden empty painted",
}
INTRANSITIVE = {
    "animal": "bark:barks feed:feeds hide:hides jump:jumps",
    "person": "laugh:laughs speak:speaks work:works wait:waits",
    "thing": "fall:falls stand:stands shine:shines crack:cracks",
}
TRANSITIVE = {
    "animal": "chase:chases smell:smells follow:follows bite:bites",
    "person": "paint:paints visit:visits draw:draws greet:greets",
    "thing": "touch:touches cover:covers meet:meets cross:crosses",
}
ADVERBS = "now often here slowly again today"
PREPOSITIONS = "near behind under beside"
SINGULAR, PLURAL = 0, 1
DETERMINERS = (("the", "a", "every", "this"), ("the", "some", "many", "these"))


def plural(noun: str) -> str:
    return PLURALS.get(noun, noun + "s")


def _weighted(rng: random.Random, words: str) -> str:
    """One of the words; those that come first are said more often."""
    choice = words.split()
    return rng.choices(choice, weights=[1 / (i + 1) for i in range(len(choice))])[0]


def _noun_phrase(rng: random.Random, kind: str, number: int, adjective: bool) -> list[str]:
    noun = _weighted(rng, NOUNS[kind])
    phrase = [rng.choice(DETERMINERS[number])]
    if adjective:
        phrase.append(_weighted(rng, ADJECTIVES[kind]))
    return [*phrase, plural(noun) if number == PLURAL else noun]


def _sentence(rng: random.Random) -> str:
    kind, number = rng.choice(list(NOUNS)), rng.choice((SINGULAR, PLURAL))
    form = 0 if number == PLURAL else 1
    words = _noun_phrase(rng, kind, number, adjective=rng.random() < 0.3)
    if rng.random() < 0.3:
        words += [_weighted(rng, PREPOSITIONS), *_noun_phrase(rng, "thing", rng.choice((SINGULAR, PLURAL)), False)]
    if rng.random() < 0.5:
        words.append(_weighted(rng, INTRANSITIVE[kind]).split(":")[form])
        if rng.random() < 0.5:
            words.append(_weighted(rng, ADVERBS))
    else:
        words.append(_weighted(rng, TRANSITIVE[kind]).split(":")[form])
        words += _noun_phrase(rng, rng.choice(list(NOUNS)), rng.choice((SINGULAR, PLURAL)), adjective=False)
    return " ".join([*words, "."])


def sentences(count: int, seed: int = 0) -> list[str]:
    """`count` different sentences, in the order in which they were made."""
    rng = random.Random(f"minigpt corpus {seed}")
    made: dict[str, None] = {}
    while len(made) < count:
        made[_sentence(rng)] = None
    return list(made)


def lexicon() -> list[str]:
    """Every word that the grammar can say, sorted."""
    words = {"."} | set(ADVERBS.split()) | set(PREPOSITIONS.split()) | {w for row in DETERMINERS for w in row}
    for nouns in NOUNS.values():
        words |= {form for noun in nouns.split() for form in (noun, plural(noun))}
    for adjectives in ADJECTIVES.values():
        words |= set(adjectives.split())
    for verbs in (*INTRANSITIVE.values(), *TRANSITIVE.values()):
        words |= {form for pair in verbs.split() for form in pair.split(":")}
    return sorted(words)


class Tokenizer:
    """Words to numbers and back. Number 0 is an unknown word; numbers past the lexicon stand for nothing."""

    unknown = 0

    def __init__(self, words: list[str], vocab_size: int = 512) -> None:
        if len(words) + 1 > vocab_size:
            raise ValueError(f"{len(words)} words do not fit into a vocabulary of {vocab_size}")
        self.vocab_size = vocab_size
        self._words = ["<unk>", *words]
        self._ids = {word: i for i, word in enumerate(self._words)}

    def __len__(self) -> int:
        """The numbers in use."""
        return len(self._words)

    def encode(self, text: str) -> list[int]:
        return [self._ids.get(word, self.unknown) for word in text.split()]

    def decode(self, ids: list[int]) -> str:
        return " ".join(self._words[i] if 0 <= i < len(self._words) else "<unk>" for i in ids)


@dataclass(frozen=True)
class Corpus:
    """Two streams of token numbers. No held-out sentence occurs in the training stream."""

    tokenizer: Tokenizer
    train: tuple[int, ...]
    held_out: tuple[int, ...]

    @property
    def digest(self) -> str:
        """Tells two versions of the corpus apart."""
        return hashlib.sha256(repr((self.train, self.held_out)).encode()).hexdigest()[:16]

    def held_out_windows(self, length: int) -> list[tuple[int, ...]]:
        """The held-out stream cut into windows of `length` inputs and one more for the last target."""
        return [self.held_out[i : i + length + 1] for i in range(0, len(self.held_out) - length, length)]

    def training_windows(self, length: int, seed: int) -> Iterator[tuple[int, ...]]:
        """Windows of the training stream without end, at places that only the seed decides."""
        rng = random.Random(f"minigpt windows {seed}")
        while True:
            start = rng.randrange(len(self.train) - length)
            yield self.train[start : start + length + 1]


@cache
def corpus(count: int = 6000, vocab_size: int = 512) -> Corpus:
    """The corpus: `count` sentences, every tenth held out."""
    tokenizer = Tokenizer(lexicon(), vocab_size)
    lines = sentences(count)
    train = [line for i, line in enumerate(lines) if i % 10 != 9]
    return Corpus(
        tokenizer=tokenizer,
        train=tuple(tokenizer.encode(" ".join(train))),
        held_out=tuple(tokenizer.encode(" ".join(lines[9::10]))),
    )
