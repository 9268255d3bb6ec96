// A service, recorded from a second after its start on: the page says of its requests what the text and the JSON say. The program is testdata/requests.txt.
import assert from "node:assert/strict";
import { pathToFileURL } from "node:url";
import { browse, reads, run, serving, temporary } from "./harness.mjs";

const text = async (locator) => (await locator.innerText()).replace(/[\u202f\u00a0]/g, " ");
const found = () => JSON.parse(run("analyze", serving, "--format", "json"));

// alone writes the report as one file and returns its address.
async function alone() {
  const file = temporary("requests.html");
  run("export", serving, "--to", "html", "-o", file);
  return pathToFileURL(file).href;
}

for (const [name, options] of [["the page", { report: serving }], ["one file", { url: alone, offline: true }]]) {
  browse(`${name} has the latency of requests, and the problem that a finding is known as`, options, async (ui, page) => {
    const { requests, findings } = found();
    const rows = page.locator(".requests tbody tr");
    await rows.first().waitFor();
    assert.equal(await rows.count(), requests.length);
    for (const [i, r] of requests.entries()) {
      const [title, count, rate, p50, p95, p99, max, cut] = await Promise.all((await rows.nth(i).locator("td").all()).map(text));
      assert.deepEqual([title, count, p95, p99, cut], [r.name, String(r.count), "–", "–", String(r.cut)]);
      assert.ok(Math.abs(Number(rate) - r.rate) < 0.005 * r.rate, rate);
      reads(p50, r.p50_ns / 1e9, "p50");
      reads(max, r.max_ns / 1e9, "max");
    }
    const [first, second] = await Promise.all([0, 1].map((i) => text(page.locator("ol.cards > .card").nth(i))));
    assert.equal(findings[0].problem, "held_across_wait");
    assert.match(first, /Known as\s+Lock held across a wait held_across_wait/);
    assert.doesNotMatch(second, /Known as/);
  });
}

browse("the timeline of what began late begins where it did", { report: serving, hash: "#view=timeline" }, async (ui, page) => {
  const { experiment } = found();
  await page.locator(".instances tbody tr").first().waitFor();
  await page.getByRole("button", { name: "Whole run" }).click();
  await page.waitForURL(/window=/);
  assert.deepEqual(/window=(\d+)_(\d+)/.exec(page.url()).slice(1).map(Number), [experiment.begin_ns, experiment.begin_ns + experiment.span_ns]);
  const inside = await page.locator(".overview .tick").evaluateAll((ticks) => ticks.map((t) => parseFloat(t.style.left)));
  assert.ok(inside.length > 0 && inside.every((left) => left >= 0 && left < 100) && new Set(inside).size === inside.length, inside.join());
});
