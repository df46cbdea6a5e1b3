"""A small Sphinx extension: everything on the site that can be generated is generated.

Tables, diagrams and pages come from the files that the code itself uses
(schemas, requirements, cases, reports), so that the site cannot say something else.
"""

from __future__ import annotations

from typing import Any

from sphinx.application import Sphinx

from journalspec_docs import (
    case_pages,
    click_pages,
    crash_tables,
    domain,
    evidence,
    finding_tables,
    generate,
    matrix,
    observation_pages,
    overview,
    protocol_pages,
    registries,
    requirement_pages,
    rule_pages,
    tables,
    worst_pages,
)

DIRECTIVES = {
    "byte-diagram": tables.ByteDiagram,
    "captured-list": evidence.CapturedList,
    "case-entries": case_pages.CaseEntries,
    "case-group": case_pages.CaseGroup,
    "case-list": case_pages.CaseIndex,
    "case-schema": protocol_pages.CaseSchema,
    "category-table": crash_tables.CategoryTable,
    "cli-reference": click_pages.CliReference,
    "crash-causes": finding_tables.Causes,
    "crash-findings": finding_tables.Findings,
    "crash-judgements": finding_tables.Judgements,
    "conformance-matrix": matrix.ConformanceMatrix,
    "coverage-table": requirement_pages.CoverageTable,
    "design-rule-sections": rule_pages.RuleSections,
    "design-rule-table": rule_pages.RuleTable,
    "deviation-list": evidence.DeviationList,
    "enum-table": tables.EnumTable,
    "fault-table": registries.FaultTable,
    "field-table": tables.FieldTable,
    "flag-list": case_pages.FlagList,
    "format-list": overview.FormatList,
    "format-overview": overview.FormatOverview,
    "harness-list": registries.HarnessList,
    "hexdump": case_pages.Hexdump,
    "invariant-table": crash_tables.InvariantTable,
    "measured-rates": rule_pages.MeasuredRates,
    "observation-model": observation_pages.ObservationModel,
    "preset-table": crash_tables.PresetTable,
    "product-list": registries.ProductList,
    "protocol-messages": protocol_pages.ProtocolMessages,
    "rates-self-check": rule_pages.SelfCheck,
    "requirement-list": requirement_pages.RequirementList,
    "requirement-summary": requirement_pages.RequirementSummary,
    "result-classes": registries.ResultClasses,
    "safe-presets": rule_pages.SafePresets,
    "schema-files": overview.SchemaFiles,
    "schema-types": tables.TypeTables,
    "spark-columns": registries.SparkColumns,
    "verdict-table": crash_tables.VerdictTable,
    "worked-answer": observation_pages.WorkedAnswer,
    "worst-seen": finding_tables.WorstTable,
    "worst-cases": worst_pages.WorstCases,
}


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the domain, the roles, the directives and the page generator."""
    app.add_domain(domain.JournalspecDomain)
    for kind in domain.KINDS:
        app.add_role(kind, domain.ReferenceRole(kind))
    for name, directive in DIRECTIVES.items():
        app.add_directive(name, directive)
    app.connect("builder-inited", generate.write)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
