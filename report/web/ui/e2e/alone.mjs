// The page with its data in one file: opened from the disk, without a network.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { about, browse, digits, oracle, reports, run, serve, temporary } from "./harness.mjs";

const written = new Map();

// html writes a report as one file and returns its address.
const html = (report) => async () => {
  if (!written.has(report)) {
    const file = temporary("report.html");
    run("export", report, "--to", "html", "-o", file);
    written.set(report, file);
  }
  return pathToFileURL(written.get(report)).href;
};
const alone = (report, hash = "") => ({ url: html(report), hash, offline: true, asked: () => serve(report) });
const sum = (rows) => rows.reduce((s, r) => s + r.value, 0);

browse("one file shows the trees without a server", alone(reports.scalasca, "#view=trees"), async (ui) => {
  const waits = oracle().filter((r) => r.metric === "mpi_barrier_wait");
  const m = await ui.selectMetric("mpi_barrier_wait");
  about(await ui.exact("metric", m), sum(waits), "whole program");
  const p = await ui.selectPath("main", "barrier", "MPI_Barrier");
  about(await ui.exact("call", p), sum(waits), "call path");
  const { system } = await ui.meta();
  const rank = system.name.findIndex((n, i) => system.leaf[i] < 0 && /(^|\D)1$/.test(n) && system.cls[i].includes("process"));
  await ui.open("system", rank);
  about(await ui.exact("system", rank), sum(waits.filter((r) => r.rank === "1")), "rank 1");
});

browse("one file has the findings and the statistics", alone(reports.planted), async (ui, page) => {
  const { findings } = JSON.parse(run("analyze", reports.planted, "--format", "json"));
  await page.locator("ol.cards > .card").first().waitFor();
  assert.ok((await page.locator("ol.cards > .card").first().innerText()).includes(`${findings[0].file.split("/").at(-1)}:${findings[0].line}`));
  await page.locator("ol.cards > .card").first().getByRole("button", { name: "Show in the trees" }).click();
  const shown = digits((await page.locator("#call [aria-selected=true]").getAttribute("title")).split("\n")[1]);
  assert.equal(shown, findings[0].lines[0].severity_ns); // the trees know call paths, and a finding is all that wait for the same
  await page.getByRole("tab", { name: "Statistics" }).click();
  await page.locator("#detail dd").first().waitFor();
});

browse("one file is as small as it can be, and asks nobody", alone(reports.hydro), async (ui, page) => {
  const text = readFileSync(written.get(reports.hydro), "utf8");
  assert.ok(text.length < 2_000_000, `${text.length} bytes`);
  assert.doesNotMatch(text, /<(script|link|img)[^>]+(src|href)=["']?https?:/i);
  assert.match(text, /Content-Security-Policy/);
  await page.locator(".legend-list li").first().waitFor();
  for (const view of ["Trees", "Efficiency", "Findings"]) {
    await ui.view(view);
    assert.deepEqual(await ui.wide(), []);
  }
});
