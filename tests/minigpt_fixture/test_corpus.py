"""The corpus is the same everywhere, fits the vocabulary, and keeps its held-out part to itself."""

from __future__ import annotations

from itertools import islice

import pytest

from minigpt_fixture.corpus import Tokenizer, corpus, sentences

SINGULAR_VERBS = {"barks", "feeds", "hides", "jumps", "laughs", "speaks", "works", "waits", "falls", "stands", "shines"}


def split_sentences(stream: tuple[int, ...]) -> list[str]:
    return [s.strip() for s in corpus().tokenizer.decode(list(stream)).split(".") if s.strip()]


def test_is_deterministic() -> None:
    assert corpus.__wrapped__() == corpus.__wrapped__() or corpus.__wrapped__().digest == corpus().digest
    assert corpus().digest == "5d32e6925cb0d615"
    assert sentences(50)[:20] == sentences(20)
    assert sentences(20, seed=1) != sentences(20)


def test_held_out_sentences_are_not_trained_on() -> None:
    train, held_out = split_sentences(corpus().train), split_sentences(corpus().held_out)
    assert (len(train), len(held_out)) == (5400, 600)
    assert not set(train) & set(held_out)


def test_every_token_is_a_known_word_of_the_vocabulary() -> None:
    used = set(corpus().train) | set(corpus().held_out)
    assert Tokenizer.unknown not in used
    assert max(used) < len(corpus().tokenizer) <= corpus().tokenizer.vocab_size == 512


def test_tokenizer_goes_there_and_back() -> None:
    tokenizer = corpus().tokenizer
    text = "the dogs near a house bark ."
    assert tokenizer.decode(tokenizer.encode(text)) == text
    assert tokenizer.encode("the zebra") == [*tokenizer.encode("the"), Tokenizer.unknown]
    assert tokenizer.decode([511]) == "<unk>"


def test_tokenizer_refuses_more_words_than_numbers() -> None:
    with pytest.raises(ValueError, match="3 words do not fit into a vocabulary of 3"):
        Tokenizer(["a", "b", "c"], vocab_size=3)


def test_verbs_agree_with_their_noun() -> None:
    for sentence in sentences(500):
        words = sentence.split()
        if words[-2] in SINGULAR_VERBS:
            assert words[0] in {"the", "a", "every", "this"}, sentence


def test_windows_overlap_by_one_token_and_follow_the_seed() -> None:
    held_out = corpus().held_out_windows(8)
    assert {len(w) for w in held_out} == {9}
    assert held_out[0][-1] == held_out[1][0]

    def first(seed: int) -> list[tuple[int, ...]]:
        return list(islice(corpus().training_windows(8, seed), 5))

    assert first(0) == first(0) != first(1)
    assert {len(w) for w in first(0)} == {9}
