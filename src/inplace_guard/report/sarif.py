"""SARIF 2.1.0, which code scanning services and editors read."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

from inplace_guard import __version__, rules
from inplace_guard.findings import Finding, Site
from inplace_guard.problems import Problem
from inplace_guard.report.levels import level_of, level_of_code
from inplace_guard.report.machine import dumps, fingerprints, uri

__all__ = ["sarif"]

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def sarif(findings: Sequence[Finding], problems: Sequence[Problem] = ()) -> str:
    codes = sorted({finding.code for finding in findings})
    driver = {
        "name": "inplace-guard",
        "version": __version__,
        "semanticVersion": __version__,
        "rules": [_rule(code, findings) for code in codes],
    }
    invocation: dict[str, Any] = {"executionSuccessful": not problems}
    if problems:
        invocation["toolExecutionNotifications"] = [_notification(problem) for problem in problems]
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "invocations": [invocation],
        "results": [
            _result(finding, codes.index(finding.code), fingerprint)
            for finding, fingerprint in zip(findings, fingerprints(findings), strict=True)
        ],
    }
    return dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]})


def _rule(code: str, findings: Sequence[Finding]) -> dict[str, Any]:
    rule = rules.CATALOGUE.get(code)
    if rule is None:  # a finding from a newer version, read from a file
        name = next(finding.rule for finding in findings if finding.code == code)
        return {"id": code, "name": name, "shortDescription": {"text": name}}
    description: dict[str, Any] = {
        "id": code,
        "name": "".join(part.capitalize() for part in rule.name.split("-")),
        "shortDescription": {"text": rule.message},
        "fullDescription": {"text": rule.why or rule.message},
        "help": {"text": rule.why or rule.message, "markdown": _help(rule)},
        "defaultConfiguration": {"level": level_of_code(code), "enabled": rule.default},
        "properties": {"tags": ["correctness", "pytorch", "autograd"]},
    }
    return description


def _help(rule: rules.Rule) -> str:
    parts = [f"**{rule.code} {rule.name}**", rule.message, rule.why]
    for title, code in (("Wrong", rule.bad), ("Right", rule.good)):
        if code:
            parts += [f"{title}:", f"```python\n{code.strip()}\n```"]
    if rule.safe_when:
        parts += ["Safe when:", rule.safe_when]
    return "\n\n".join(part for part in parts if part)


def _result(finding: Finding, index: int, fingerprint: str) -> dict[str, Any]:
    sites = [(what, site) for what, site in (("saved", finding.saved), ("needed", finding.needed)) if site is not None]
    result: dict[str, Any] = {
        "ruleId": finding.code,
        "ruleIndex": index,
        "level": level_of(finding),
        "message": {"text": "\n".join([finding.message, *finding.details])},
        "locations": [_location(finding.write)],
        "partialFingerprints": {"inplaceGuard/v1": fingerprint},
        "properties": {"certainty": finding.certainty, "source": finding.source},
    }
    if sites:
        result["relatedLocations"] = [
            {**_location(site, f"{what} here{f' by {site.op}' if site.op else ''}"), "id": number}
            for number, (what, site) in enumerate(sites, 1)
        ]
        # the order in which things happen at run time
        steps = [*(item for item in sites if item[0] == "saved"), ("written", finding.write)]
        steps += [item for item in sites if item[0] == "needed"]
        flow = [
            {"location": _location(site, f"{what} here{f' by {site.op}' if site.op else ''}")} for what, site in steps
        ]
        result["codeFlows"] = [{"threadFlows": [{"locations": flow}]}]
    if finding.fix is not None and finding.fix.get("edits") and finding.write.cell is None:
        result["fixes"] = [_fix(finding, finding.fix)]
    return result


def _fix(finding: Finding, fix: Mapping[str, Any]) -> dict[str, Any]:
    doubt = f" (look at it first: {fix['reason']})" if fix["reason"] else ""
    replacements = [
        {
            "deletedRegion": {
                "startLine": edit["line"],
                "startColumn": edit["column"],
                "endLine": edit["end_line"],
                "endColumn": edit["end_column"],
            },
            "insertedContent": {"text": edit["content"]},
        }
        for edit in fix["edits"]
    ]
    return {
        "description": {"text": f"{fix['description']}{doubt}"},
        "artifactChanges": [{"artifactLocation": _artifact(finding.write.path), "replacements": replacements}],
    }


def _location(site: Site, message: str | None = None) -> dict[str, Any]:
    physical: dict[str, Any] = {"artifactLocation": _artifact(site.path)}
    region: dict[str, Any] = {"startLine": 1}  # code scanning wants one
    if site.cell is None:  # lines of a notebook's cell are not lines of its file
        region["startLine"] = max(site.line, 1)
        if site.column:
            region["startColumn"] = site.column
        if site.source:
            region["snippet"] = {"text": site.source}
    physical["region"] = region
    location: dict[str, Any] = {"physicalLocation": physical}
    if site.cell is not None:
        location["logicalLocations"] = [{"name": f"cell {site.cell}, line {site.line}"}]
    if message:
        location["message"] = {"text": message}
    return location


def _artifact(path: str) -> dict[str, Any]:
    path = uri(path)
    text = quote(os.fsencode(path), safe="/~+@!$&'(),;=")  # a colon would end a scheme
    if os.name == "nt" and path[1:3] == ":/":
        return {"uri": f"file:///{path[0]}:{text[4:]}"}
    return {"uri": f"file://{text}"} if path.startswith("/") else {"uri": text, "uriBaseId": "%SRCROOT%"}


def _notification(problem: Problem) -> dict[str, Any]:
    site = Site(problem.path, problem.line, problem.column, cell=problem.cell)
    return {"level": "error", "message": {"text": problem.message}, "locations": [_location(site)]}
