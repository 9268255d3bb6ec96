// Findings that have all that findings can have: the page says the same as the text and the JSON. The program is testdata/waits.txt.
import assert from "node:assert/strict";
import { copyFileSync } from "node:fs";
import { browse, member, reads, reports, run, serve, temporary, waits } from "./harness.mjs";

const plain = (s) => s.replace(/[\u202f\u00a0]/g, " ").replace(/\s+/g, " ");
const text = async (locator) => plain(await locator.innerText());
const written = () => plain(run("analyze", waits)); // what the text report says
const found = () => JSON.parse(run("analyze", waits, "--format", "json"));
const at = (x) => `${x.file.split("/").at(-1)}:${x.line}`;

// several is the finding about waiting at several places, and its card.
async function several(page) {
  const { findings } = found();
  const i = findings.findIndex((f) => f.lines.length > 1);
  const card = page.locator("ol.cards > .card").nth(i);
  await card.waitFor();
  return [findings[i], card];
}

// entry is what a card says beside a title.
const entry = (card, title) => card.locator("dt", { hasText: new RegExp(`^${title}$`) }).locator("xpath=following-sibling::dd[1]");

browse("a finding names all places where its waiting is, with how long", { report: waits }, async (ui, page) => {
  const [f, card] = await several(page);
  const places = entry(card, "Where").locator("li");
  assert.equal(await places.count(), f.lines.length);
  for (const [i, l] of f.lines.entries()) {
    const said = await text(places.nth(i));
    assert.ok(said.includes(at(l)) && said.includes(l.callpath.at(-2)), said);
    reads(said, l.severity_ns / 1e9, "severity");
    assert.ok(written().includes(at(l)));
  }
  await places.nth(1).getByRole("button").click();
  const shown = await page.locator("#call [aria-selected=true]").getAttribute("data-node");
  assert.equal(Number(shown), await ui.path(...f.lines[1].callpath), "each leads to the trees");
});

browse("a finding tells what those who were waited for waited for themselves, in shares that add up", { report: waits }, async (ui, page) => {
  const [f, card] = await several(page);
  const meanwhile = entry(card, "Meanwhile");
  reads(await text(meanwhile.locator(".remark")), f.awaited_ns / 1e9, "awaited");
  const rows = await Promise.all((await meanwhile.locator("li").all()).map(text));
  const share = (row) => parseFloat(row);
  assert.ok(Math.abs(rows.reduce((s, r) => s + share(r), 0) - 100) < 0.05, rows.join("\n"));
  for (const o of f.onward) {
    const row = rows.find((r) => r.includes(`${at(o)} waiting for ${o.for}`));
    assert.ok(row && Math.abs(share(row) - (100 * o.time_ns) / f.awaited_ns) < 0.06, rows.join("\n"));
    assert.match(written(), new RegExp(`${at(o)}, waiting for ${o.for}`));
  }
  const worked = f.meanwhile[0];
  const row = rows.find((r) => r.includes(worked.callpath.at(-1)) && !r.includes("waiting for"));
  assert.ok(Math.abs(share(row) - (100 * worked.time_ns) / f.awaited_ns) < 0.06, rows.join("\n"));
  assert.ok(rows.some((r) => r.includes("off the critical path, not waiting for others")), rows.join("\n"));
});

browse("what was counted is told of findings and of the critical path, as in the text", { report: waits }, async (ui, page) => {
  const [f, card] = await several(page);
  const said = await text(entry(card, "Counted"));
  assert.ok(said.includes(f.counted[0].at_most.toLocaleString("en-US")) && said.includes(f.counted[0].metric), said);
  assert.ok(written().includes(`counted meanwhile: ${said}`), said);
  const path = await text(page.locator("section.part", { hasText: "Counted on it" }).locator(".counted"));
  assert.ok(path.includes(found().critical_path_counts[0].at_most.toLocaleString("en-US")), path);
  assert.ok(written().includes(path), path);
});

browse("what the critical path consists of adds up to its length", { report: waits }, async (ui, page) => {
  const { critical_path: split, experiment } = found();
  const part = page.locator("section.part").filter({ has: page.getByRole("heading", { name: "The critical path" }) });
  reads(await text(part.locator("header .remark")), experiment.focus_ns / 1e9, "length");
  const items = part.locator("li");
  const times = [split.execution_ns, split.runnable_ns, split.waiting_ns, split.sleep_ns, split.external_ns, split.not_recorded_ns].filter((t) => t > 0);
  assert.equal(await items.count(), times.length);
  for (const [i, time] of times.entries()) reads(await text(items.nth(i).locator(".amount")), time / 1e9, "part");
});

browse("that processors were lacking is told before the findings, with what to do", { report: waits }, async (ui, page) => {
  const { ready } = found();
  const notice = page.locator(".lacking");
  const said = await text(notice);
  assert.ok(said.includes(ready.text) && said.includes(ready.advice), said);
  assert.ok(written().includes(ready.text));
  const first = page.locator("ol.cards > .card").first();
  assert.ok((await notice.boundingBox()).y < (await first.boundingBox()).y);
  assert.ok(!(await text(page.locator(".lead"))).includes(ready.text), "once is enough");
});

browse("who was idle by design is told apart from who may wait in vain", { report: waits }, async (ui, page) => {
  const stuck = found().experiment.never_ended.find((w) => w.held_by);
  const alarm = page.locator(".alarm");
  const said = await text(alarm);
  assert.equal(await alarm.locator("li").count(), 1, "the pool is not among them");
  assert.ok(said.includes(stuck.location) && said.includes(`held by ${stuck.held_by}`), said);
  assert.ok(said.includes(`waiting in ${stuck.callpath.slice(-2).join(" › ")}`) && said.includes(at(stuck)), said);
  assert.ok(said.includes(`held in ${stuck.held_in.callpath.slice(-2).join(" › ")}`) && said.includes(at(stuck.held_in)), said);
  const idle = await text(page.locator(".idle"));
  assert.match(idle, /^Idle when the trace ended, as before: pool in recv at pool\.go:3\.$/);
  assert.ok(written().includes(idle));
  await alarm.getByRole("button").last().click();
  assert.equal(Number(await page.locator("#call [aria-selected=true]").getAttribute("data-node")), await ui.path(...stuck.held_in.callpath));
});

// alone copies a report to where no trace lies beside it, and shows it.
const alone = (report) => {
  const copy = temporary("report.cubex");
  copyFileSync(report, copy);
  return serve(copy);
};

browse("without its trace a report shows how the timeline gets it", { url: () => alone(reports.planted), hash: "#view=timeline&metric=late_sender" }, async (ui, page) => {
  const { trace } = member(reports.planted, "expert.json").origin;
  const said = await text(page.locator(".bar-note"));
  assert.ok(said.includes("expert view --trace") && said.includes(trace), said);
});
