"""[tool.inplace_guard] in pyproject.toml."""

from __future__ import annotations

from pathlib import Path

import pytest

from inplace_guard import config, rules
from inplace_guard.cli import main
from inplace_guard.config import ConfigError, Settings


def load(folder: Path, table: str) -> Settings:
    path = folder / "pyproject.toml"
    path.write_text(f"[tool.inplace_guard]\n{table}\n")
    return config.load(path)


def test_defaults() -> None:
    codes = Settings().codes
    assert codes == {code for code, rule in rules.CATALOGUE.items() if rule.default and rule.static}


def test_all_keys(tmp_path: Path) -> None:
    settings = load(
        tmp_path,
        """
        select = ["IPG1"]
        extend-select = ["argument-written"]
        ignore = ["ipg103"]
        exclude = ["old"]
        extend-exclude = ["/generated"]
        respect-gitignore = false
        force-exclude = true
        format = "concise"
        jobs = 3
        cache = false
        cache-dir = ".cache/guard"
        [tool.inplace_guard.per-file-ignores]
        "tests/*" = ["IPG2"]
        """,
    )
    assert settings.codes == {c for c in rules.CATALOGUE if c.startswith("IPG1")} - {"IPG103"} | {"IPG902"}
    assert settings.exclude == ("old", "/generated")
    assert settings.per_file_ignores == {"tests/*": ("IPG2",)}
    assert (settings.respect_gitignore, settings.force_exclude, settings.cache) == (False, True, False)
    assert (settings.format, settings.jobs) == ("concise", 3)
    assert settings.root == tmp_path.resolve()
    assert settings.cache_dir == tmp_path.resolve() / ".cache/guard"


def test_underscores_are_accepted(tmp_path: Path) -> None:
    assert load(tmp_path, 'extend_select = ["IPG9"]').codes >= {"IPG901", "IPG902"}


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ('selct = ["IPG1"]', "unknown key 'selct'; did you mean 'select'?"),
        ('per_file_ignore = ["IPG1"]', "unknown key 'per_file_ignore'; did you mean 'per-file-ignores'?"),
        ("zzz = 1", "unknown key 'zzz'"),
        ('select = "IPG1"', "select: must be a list of strings"),
        ("select = [1]", "select: must be a list of strings"),
        ('select = ["IPG1011"]', "select: 'IPG1011' is no rule or family of rules; did you mean 'IPG101'?"),
        ('ignore = ["leaf-writen"]', "did you mean 'leaf-written'?"),
        ('ignore = [""]', "'' is no rule"),
        ("cache = 1", "cache: must be true or false"),
        ("jobs = 0", 'jobs: must be a number from 1, or "auto"'),
        ("jobs = true", "jobs: must be a number"),
        ('format = "jsn"', "format: must be one of text, concise, json, sarif, github, gitlab; did you mean 'json'?"),
        ("cache-dir = 1", "cache-dir: must be the name of a folder"),
        ('per-file-ignores = ["x"]', "per-file-ignores: must be a table"),
        ('[tool.inplace_guard.per-file-ignores]\n"x" = ["E501"]', "per-file-ignores: 'x': 'E501' is no rule"),
        ('[tool.inplace_guard.per-file-ignores]\n"x" = "IPG1"', "per-file-ignores: 'x': must be a list of strings"),
        (
            "[tool.inplace_guard.per-file-ignores]\n'old\\net\\*' = ['IPG1']",
            r"per-file-ignores: 'old\\net\\*': folders are divided by / in patterns, on Windows too",
        ),
        ("exclude = ['\\']", r"exclude: '\\' is no pattern of .gitignore files"),
        ("extend-exclude = ['old\\net']", "folders are divided by /"),
        ("extend_exclude = ['a']\nextend-exclude = ['b']", "extend-exclude: is given twice"),
        ("=", "not valid TOML"),
    ],
)
def test_errors_are_one_line_with_file_and_key(tmp_path: Path, table: str, message: str) -> None:
    with pytest.raises(ConfigError) as error:
        load(tmp_path, table)
    text = str(error.value)
    assert text.startswith(str(tmp_path / "pyproject.toml"))
    assert message in text
    assert "\n" not in text


def test_a_table_that_is_none(tmp_path: Path) -> None:
    path = tmp_path / "pyproject.toml"
    path.write_text("[tool]\ninplace_guard = 1\n")
    with pytest.raises(ConfigError, match="must be a table"):
        config.load(path)
    path.write_text("[project]\n")
    with pytest.raises(ConfigError, match="has no"):
        config.load(path)
    with pytest.raises(ConfigError, match="cannot be read"):
        config.load(tmp_path / "none.toml")


def test_find_config_takes_the_nearest_with_a_table(tmp_path: Path) -> None:
    outer, inner, deep = tmp_path, tmp_path / "inner", tmp_path / "inner" / "deep"
    deep.mkdir(parents=True)
    assert config.find_config(deep) is None
    (outer / "pyproject.toml").write_text("[tool.inplace_guard]\n")
    (inner / "pyproject.toml").write_text("[project]\n")
    assert config.find_config(deep) == outer / "pyproject.toml"
    (inner / "pyproject.toml").write_text("[tool.inplace_guard]\n")
    assert config.find_config(deep) == inner / "pyproject.toml"


def test_options_override_and_extend() -> None:
    base = Settings(select=("IPG1",), ignore=("IPG103",), exclude=("a",))
    same = base.with_options(select=None, extend_select=None, ignore=None, exclude=None, jobs=None)
    assert same == base
    changed = base.with_options(extend_select=["IPG2"], ignore=["IPG104"], extend_exclude=["b"], jobs=2)
    assert (changed.select, changed.ignore, changed.exclude, changed.jobs) == (
        ("IPG1", "IPG2"),
        ("IPG104",),
        ("a", "b"),
        2,
    )
    assert base.with_options(select=["IPG3"], extend_select=["IPG2"]).select == ("IPG3", "IPG2")


def test_a_table_with_a_dash_in_its_name_is_told(tmp_path: Path) -> None:
    """It would be ignored in silence."""
    path = tmp_path / "pyproject.toml"
    path.write_text('[tool.inplace-guard]\nselect = ["IPG1"]\n')
    with pytest.raises(ConfigError, match=r"\[tool\.inplace-guard\]: the table is called \[tool\.inplace_guard\]"):
        config.find_config(tmp_path)
    with pytest.raises(ConfigError, match="with an underscore"):
        config.load(path)


@pytest.mark.parametrize(
    "name", ["inplaceguard", "Inplace_Guard", "inplace-guard", "in-place-guard", '"inplace guard"']
)
def test_the_same_letters_are_an_error(tmp_path: Path, name: str) -> None:
    path = tmp_path / "pyproject.toml"
    path.write_text(f"[tool.{name}]\ncache = false\n[tool.inplace_guard]\n")
    with pytest.raises(ConfigError, match=r"the table is called \[tool\.inplace_guard\], with an underscore"):
        config.find_config(tmp_path)


@pytest.mark.parametrize(
    "table",
    [
        "tool.inplace_gaurd", "tool.inplace_gard", "tool.implace_guard", "tool.inplace-guards", "tool.inpalce-guard",
        "tool.nplace_guard", "tool.inplace_gaurd.per-file-ignores", "inplace_guard", "inplace-guard",
    ],
)  # fmt: skip
def test_a_slip_of_the_pen_is_told(project: Path, table: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Once, with the file, the table and the right one; the run goes on."""
    (project / "net.py").write_text("")
    name = table.removesuffix(".per-file-ignores")
    line = f"warning: {project / 'pyproject.toml'}: [{name}] is not read; is [tool.inplace_guard] meant?\n"
    for right in ("", "[tool.inplace_guard]\n"):
        (project / "pyproject.toml").write_text(f"[{table}]\n{right}")
        assert main(["check", "net.py"]) == 0
        assert capsys.readouterr().err == line
    assert main(["check", "--config", str(project / "pyproject.toml"), "net.py"]) == 0
    assert capsys.readouterr().err == line
    assert main(["check", "--isolated", "net.py"]) == 0
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    "name",
    ["inplace", "guard", "inplace-abn", "inplace_card", "replace-guard", "place-guardian", "import-guard", "np-guard",
     "implicit-guard", "typeguard", "marketplace-guard", "inplace_guard_ui", "ruff", "black", "x"],
)  # fmt: skip
def test_other_tools_are_left_alone(project: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "net.py").write_text("")
    (project / "pyproject.toml").write_text(f"[tool.{name}]\n[{name}]\n")
    assert main(["check", "net.py"]) == 0
    assert capsys.readouterr().err == ""
