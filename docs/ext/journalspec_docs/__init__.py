"""A small Sphinx extension: everything on the site that can be generated is generated.

Tables, diagrams and pages come from the files that the code itself uses
(schemas, requirements, cases, reports), so that the site cannot say something else.
"""

from __future__ import annotations

from typing import Any

from docutils.parsers.rst import directives
from sphinx.application import Sphinx

from journalspec_docs import (
    addresses,
    base,
    case_pages,
    crash_pages,
    domain,
    download_page,
    front_page,
    generate,
    hints,
    lean,
    markup,
    matrix,
    observation_pages,
    reference_pages,
    requirement_pages,
    rule_pages,
    schema_pages,
    try_page,
)

DIRECTIVES: dict[str, base.Build] = {
    "byte-diagram": schema_pages.byte_diagram,
    "captured-list": case_pages.captured,
    "captured-pages": case_pages.captured_pages,
    "case-group": case_pages.group,
    "case-list": case_pages.index,
    "case-schema": reference_pages.case_members,
    "category-table": crash_pages.categories,
    "cli-reference": reference_pages.command_line,
    "conformance-matrix": matrix.matrix,
    "coverage-table": requirement_pages.coverage,
    "crash-causes": crash_pages.why,
    "crash-findings": crash_pages.findings,
    "crash-judgements": crash_pages.products,
    "design-rule-sections": rule_pages.sections,
    "design-rule-table": rule_pages.table,
    "deviation-list": requirement_pages.departures,
    "download-cases": download_page.cases,
    "download-reports": download_page.reports,
    "download-schemas": download_page.schemas,
    "edition-diagrams": schema_pages.edition_diagrams,
    "enum-table": schema_pages.enum_table,
    "fault-table": reference_pages.faults,
    "field-table": schema_pages.field_table,
    "flag-list": case_pages.flags,
    "format-list": schema_pages.format_list,
    "format-overview": schema_pages.format_overview,
    "format-rules": rule_pages.in_format,
    "format-states": front_page.states,
    "group-table": schema_pages.group_table,
    "harness-list": reference_pages.harnesses,
    "hexdump": case_pages.dump,
    "invariant-table": crash_pages.invariants,
    "message-table": schema_pages.message_table,
    "operation-table": schema_pages.operation_table,
    "measured-rates": rule_pages.measured,
    "measured-rates-list": rule_pages.rate_pages,
    "observation-model": observation_pages.model,
    "preset-table": crash_pages.presets,
    "product-badges": front_page.results,
    "product-list": reference_pages.products,
    "protocol-messages": reference_pages.messages,
    "rates-self-check": rule_pages.self_check,
    "requirement-list": requirement_pages.area_list,
    "requirement-summary": requirement_pages.summary,
    "result-classes": reference_pages.result_classes,
    "safe-presets": rule_pages.safe_presets,
    "schema-files": schema_pages.schema_files,
    "schema-types": schema_pages.schema_types,
    "spark-columns": reference_pages.spark_columns,
    "torn-journal": front_page.torn,
    "try-a-file": try_page.form,
    "verdict-table": crash_pages.verdicts,
    "what-is-lost": front_page.losses,
    "worked-answer": observation_pages.worked_answer,
    "worst-cases": crash_pages.worst,
    "worst-seen": crash_pages.worst_table,
}
OPTIONS: dict[str, dict[str, base.Option]] = {
    "hexdump": {
        "style": lambda text: directives.choice(text, ("fields", "grid")),
        "from": directives.nonnegative_int,
        "to": directives.nonnegative_int,
    },
    "requirement-list": {"full": directives.flag},
}


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the domain, the roles, the directives and the page generator."""
    app.add_domain(domain.JournalspecDomain)
    for kind in domain.KINDS:
        app.add_role(kind, domain.ReferenceRole(kind))
    for name, content_of in DIRECTIVES.items():
        app.add_directive(name, base.directive(content_of, OPTIONS.get(name, {})))
    app.connect("builder-inited", generate.write)
    app.connect("build-finished", lean.write)
    app.connect("build-finished", hints.write)
    app.connect("build-finished", addresses.write)
    navigation = generate.Navigation()
    app.connect("env-updated", navigation.collect)
    app.connect("html-page-context", navigation.place, priority=100)
    app.set_translator("html", markup.Translator)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
