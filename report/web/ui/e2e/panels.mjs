// Findings, efficiencies, timeline, plots and topology.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { browse, digits, member, missing, oracle, reads, reports, run, seconds, serve, table, teaLeaf, temporary } from "./harness.mjs";

const analysis = (report) => JSON.parse(run("analyze", report, "--format", "json"));
// severities are what expert dump says, each without call paths and metrics below.
const severities = (report) => table(run("dump", report)).map((r) => ({ ...r, value: Number(r.value) }));
const sum = (rows) => rows.reduce((s, r) => s + r.value, 0);
const text = (locator) => locator.evaluate((e) => e.innerText.replace(/[\u202f\u00a0]/g, " "));

browse("findings say what was found, who waited for whom, and what to do", { report: reports.hydro }, async (ui, page) => {
  const { findings, experiment } = analysis(reports.hydro);
  const cards = page.locator("ol.cards > .card");
  await cards.first().waitFor();
  assert.ok((await cards.count()) >= Math.min(3, findings.length));
  for (const [i, f] of findings.slice(0, 3).entries()) {
    const card = cards.nth(i);
    reads(await text(card.locator(".how-much b")), f.severity_ns / 1e9, "severity");
    const said = await text(card);
    const share = (100 * f.critical_ns) / experiment.focus_ns;
    assert.ok(Math.abs(parseFloat(/([\d.]+) % of the critical path/.exec(said)?.[1] ?? "0") - share) < 0.06, said);
    assert.ok(said.includes(`${f.file.split("/").at(-1)}:${f.line}`), said);
    if (f.causers[0]) assert.ok(said.includes(f.causers[0].callpath.at(-1)), said);
  }
  assert.match(await text(cards.first()), /What to do/);
  assert.match(await page.locator(".lead").innerText(), /\w/);
});

browse("a finding leads to the trees", { report: reports.hydro }, async (ui, page) => {
  const [f] = analysis(reports.hydro).findings;
  await page.locator("ol.cards > .card").first().getByRole("button", { name: "Show in the trees" }).click();
  await page.locator("#call").waitFor();
  const m = await ui.metric(f.metric);
  assert.equal(await page.locator("#metric [aria-selected=true]").getAttribute("data-node"), String(m));
  const p = Number(await page.locator("#call [aria-selected=true]").getAttribute("data-node"));
  const all = severities(reports.hydro).filter((r) => r.metric === f.metric);
  assert.equal(await ui.exact("metric", m), sum(all));
  assert.equal(await ui.exact("call", p), sum(all.filter((r) => r.callpath === f.callpath.join(" > ") && Number(r.line) === f.line)));
});

browse("where the time went adds up", { report: reports.hydro }, async (ui, page) => {
  const rows = severities(reports.hydro);
  const late = sum(rows.filter((r) => r.metric === "late_sender"));
  const { metrics, totals } = await ui.meta();
  const time = totals.incl[await ui.metric("time")];
  const list = page.locator("section.part", { hasText: "Where the time went" }).locator(".legend-list li");
  await list.first().waitFor();
  let all = 0;
  for (const item of await list.all()) all += parseFloat(await item.locator("b").innerText());
  assert.ok(Math.abs(all - 100) < 0.5, `${all} %`);
  const title = metrics[await ui.metric("late_sender")].title;
  assert.ok(Math.abs(parseFloat(await list.filter({ hasText: title }).locator("b").innerText()) - (100 * late) / time) < 0.06);
  await list.filter({ hasText: title }).getByRole("button").click();
  assert.equal(await page.locator("#metric [aria-selected=true]").getAttribute("data-node"), String(await ui.metric("late_sender")));
});

browse("a report of another tool has findings, too", { report: reports.scalasca }, async (ui, page) => {
  const waits = oracle().filter((r) => ["mpi_latesender", "mpi_barrier_wait"].includes(r.metric));
  const cards = page.locator("ol.cards > .card");
  await cards.first().waitFor();
  const said = (await cards.allInnerTexts()).join("\n");
  for (const [metric, region] of [["mpi_latesender", "MPI_Recv"], ["mpi_barrier_wait", "MPI_Barrier"]]) {
    const card = cards.filter({ hasText: region }).first();
    reads(await text(card.locator(".how-much b")), sum(waits.filter((r) => r.metric === metric)), metric);
  }
  assert.doesNotMatch(said, /NaN|undefined|null/);
});

browse("efficiencies have a formula and a meaning, or say that they do not apply", { report: reports.hydro, hash: "#view=efficiency" }, async (ui, page) => {
  const { efficiency } = await fetch(ui.address + "api/findings").then((r) => r.json());
  const items = page.locator(".efficiencies > li");
  await items.first().waitFor();
  assert.equal(await items.count(), efficiency.length);
  const busy = new Map(); // main only waits for the others and has no share of the work
  for (const r of severities(reports.hydro)) if (r.metric === "execution" && r.location.startsWith("domain")) busy.set(r.location, (busy.get(r.location) ?? 0) + r.value);
  const spent = [...busy.values()];
  const balance = efficiency.find((e) => e.name === "load balance").value;
  assert.ok(Math.abs(balance - spent.reduce((a, b) => a + b) / spent.length / Math.max(...spent)) < 1e-12, `${balance}`);
  for (const [i, e] of efficiency.entries()) {
    const said = await text(items.nth(i));
    assert.ok(said.toLowerCase().includes(e.name) && said.includes(e.formula), said);
    if (e.value === null) assert.match(said, /does not apply/);
    else assert.ok(Math.abs(parseFloat(/([\d.]+) ?%/.exec(said)[1]) - 100 * e.value) < 0.06, said);
    if (e.value !== null) assert.ok(e.value >= 0 && e.value <= 1, e.name);
  }
});

const planted = { report: reports.planted, hash: "#view=timeline&metric=late_sender" };
// what the report itself says of the instances of a wait state
const instancesOf = (report, name) => {
  const rest = member(report, "expert.json");
  const { metrics } = analysis(report);
  return rest.statistics[metrics.findIndex((m) => m.name === name)];
};
const rows = (page) => page.locator(".instances tbody tr");

browse("the longest waits are listed and shown on the timeline", planted, async (ui, page) => {
  const { count, worst, median } = instancesOf(reports.planted, "late_sender");
  await rows(page).first().waitFor();
  assert.equal(await rows(page).count(), worst.length);
  const { system } = await ui.meta();
  const name = (column) => system.name[system.leaf.indexOf(column)];
  for (const [i, w] of worst.entries()) {
    const said = await text(rows(page).nth(i));
    reads(said, w.waited / 1e9, "duration");
    assert.ok(said.includes(name(w.location)) && said.includes(name(w.causer)), said);
  }
  const head = await text(page.locator(".instances header"));
  assert.ok(head.includes(String(count)), head);
  reads(/median ([\d.]+ \S+)/.exec(head)[1], median / 1e9, "median");

  // The window shows the instance chosen: who waited, and who was waited for.
  await page.getByText("Show as a table").click();
  const table = page.locator(".window-table tbody tr");
  await table.first().waitFor();
  const inRows = await table.allInnerTexts();
  assert.ok(inRows.some((r) => r.startsWith(name(worst[0].location)) && /recv|select/.test(r)), inRows.join("\n"));
  assert.ok(inRows.some((r) => r.startsWith(name(worst[0].causer))), inRows.join("\n"));

  await rows(page).nth(1).getByRole("button").click();
  await page.waitForURL(/instance=1/);
  await page.getByRole("button", { name: "Previous, longer instance" }).click();
  assert.match(await text(page.getByRole("group", { name: "Instance" })), /Longest/);
});

browse("the timeline answers with spans, waits, and an arrow from the causer", planted, async (ui) => {
  const [w] = instancesOf(reports.planted, "late_sender").worst;
  const { system } = await ui.meta();
  const [waiter, causer] = [w.location, w.causer].map((column) => system.leaf.indexOf(column));
  const data = await fetch(`${ui.address}api/timeline?begin=${w.begin - 1000}&end=${w.end + 1e6}&locations=${[waiter, causer].sort((a, b) => a - b)}`).then((r) => r.json());
  assert.ok(data.waits.some((x) => x.resource === waiter && x.begin === w.begin && x.end === w.end && x.metric === "late_sender"), JSON.stringify(data.waits));
  assert.ok(data.arrows.some((a) => a.from === causer && a.to === waiter && a.fromTime >= w.begin && a.fromTime <= a.toTime), JSON.stringify(data.arrows));
  assert.deepEqual(data.rows.map((r) => r.resource).sort((a, b) => a - b), [waiter, causer].sort((a, b) => a - b));
});

browse("the timeline is zoomed and moved with buttons, keys and the pointer", planted, async (ui, page) => {
  await rows(page).first().waitFor();
  const inAddress = () => /window=(\d+)_(\d+)/.exec(page.url())?.slice(1).map(Number) ?? null;
  // after does something and returns the window that the address has then; it follows a little later.
  const after = async (...actions) => {
    for (const action of actions) {
      const before = String(inAddress());
      await action();
      for (let i = 0; String(inAddress()) === before; i++) {
        assert.ok(i < 100, `the window stays ${before}`);
        await page.waitForTimeout(50);
      }
    }
    await page.waitForTimeout(300);
    return inAddress();
  };
  const press = (name) => () => page.getByRole("button", { name, exact: true }).click();
  assert.equal(inAddress(), null);
  const near = await after(press("Zoom in"));
  const far = await after(press("Zoom out"), press("Zoom out"));
  assert.ok(far[1] - far[0] > 1.5 * (near[1] - near[0]), `${near} ${far}`);
  await page.locator(".lanes").focus();
  const right = await after(() => page.keyboard.press("ArrowRight"));
  assert.ok(right[0] > far[0] && Math.abs(right[1] - right[0] - (far[1] - far[0])) < 4, `${far} ${right}`);
  const box = await page.locator(".lanes canvas").boundingBox();
  const at = [box.x + 0.6 * box.width, box.y + 0.6 * box.height];
  const dragged = await after(async () => {
    await page.mouse.move(...at);
    await page.mouse.down();
    await page.mouse.move(at[0] + 100, at[1], { steps: 5 });
    await page.mouse.up();
  });
  assert.ok(dragged[0] < right[0], `${right} ${dragged}`);
  const wheeled = await after(() => page.mouse.wheel(0, -200));
  assert.ok(wheeled[1] - wheeled[0] < dragged[1] - dragged[0], `${dragged} ${wheeled}`);
  const whole = await after(press("Whole run"));
  const { begin_ns: begin, span_ns: span } = analysis(reports.planted).experiment;
  assert.deepEqual(whole, [begin, begin + span]);
});

browse("what lies under the pointer is told", planted, async (ui, page) => {
  await rows(page).first().waitFor();
  await page.waitForTimeout(500);
  const box = await page.locator(".lanes canvas").boundingBox();
  const found = new Set();
  for (let y = 30; y < box.height - 4 && found.size < 20; y += 7) {
    await page.mouse.move(box.x + 148 + (box.width - 148) / 2, box.y + y);
    for (const tip of await page.locator(".tip").allInnerTexts()) found.add(tip);
  }
  const tips = [...found].join("\n---\n");
  assert.match(tips, /Late sender/);
  const [w] = instancesOf(reports.planted, "late_sender").worst;
  assert.ok([...found].some((t) => /Late sender/.test(t) && /[\d.]+\s(ms|µs)/.test(t) && Math.abs(seconds(t.replace(/[\u202f]/g, " ")) * 1e9 - w.waited) < 0.01 * w.waited), tips);
});

browse("rows of the timeline can be chosen", planted, async (ui, page) => {
  await rows(page).first().waitFor();
  await page.getByRole("button", { name: /rows? shown/ }).click();
  const before = await page.locator(".choices input:checked").count();
  assert.ok(before >= 2);
  await page.locator(".choices input:not(:checked)").first().check();
  await page.waitForURL(/rows=/);
  assert.equal(/rows=([\d_]+)/.exec(page.url())[1].split("_").length, before + 1);
});

browse("without a trace, the instances of trace.stat are listed", { report: reports.scalasca, hash: "#view=timeline&metric=mpi_latesender" }, async (ui, page) => {
  const stat = readFileSync(reports.scalasca.replace("scout.cubex.gz", "trace.stat"), "utf8");
  const [, enter, , duration, rank] = /^mpi_latesender.*\n- cnode \d+ enter: (\S+) exit: (\S+) duration: (\S+) rank: (\d+)/m.exec(stat);
  await rows(page).first().waitFor();
  const said = await text(rows(page).first());
  reads(said, Number(duration), "duration");
  assert.match(said, /MPI_Recv/);
  assert.ok(said.includes(`MPI Rank ${rank}`), said);
  assert.match(said, new RegExp(`${Number(enter).toFixed(1)}\\d* s`));
});

browse("a box plot and a violin show how a metric spreads", { report: reports.scalasca, hash: "#view=trees&system=plot" }, async (ui, page) => {
  await ui.selectMetric("mpi_barrier_wait");
  const values = ["0", "1", "2", "3"].map((rank) => sum(oracle().filter((r) => r.metric === "mpi_barrier_wait" && r.rank === rank))).sort((a, b) => a - b);
  const at = (q) => { const x = q * 3, i = Math.floor(x); return values[i] + (x - i) * ((values[i + 1] ?? values[i]) - values[i]); };
  await page.getByLabel("By").selectOption({ index: 0 });
  const cells = page.locator(".quartiles tbody td");
  await cells.first().waitFor();
  const shown = await cells.allInnerTexts();
  assert.equal(shown[0], "4");
  const want = [values[0], at(0.25), at(0.5), values.reduce((a, b) => a + b) / 4, at(0.75), values[3]];
  want.forEach((v, i) => (v === 0 ? assert.equal(shown[i + 1], "0") : reads(shown[i + 1], v, `column ${i + 1}`)));
  assert.equal(await page.locator(".distribution .box").count(), 1);
  assert.equal(await page.locator(".distribution .dot").count(), 4);
  await page.locator(".distribution .dot").last().click({ force: true });
  await page.getByRole("group", { name: "View of the system" }).getByRole("button", { name: "Tree" }).click();
  assert.equal(await page.locator("#system [aria-selected=true]").count() + (/resource=\d+/.test(page.url()) ? 1 : 0) > 0, true);
});

browse("a violin is drawn of many", { report: reports.planted, hash: "#view=trees&system=plot" }, async (ui, page) => {
  await ui.selectMetric("time");
  await page.getByLabel("By").selectOption({ index: 0 });
  const { system } = await ui.meta();
  await page.locator(".violin").waitFor();
  assert.equal(await page.locator(".quartiles tbody td").first().innerText(), String(system.leaf.filter((l) => l >= 0).length));
});

browse("a topology is a grid of coloured cells", { report: teaLeaf[0], skip: missing(teaLeaf), hash: "#view=trees&system=topology" }, async (ui, page) => {
  const { topologies, system } = await ui.meta();
  assert.ok(topologies.length > 0);
  await ui.selectMetric("time");
  await page.locator(".grid-host").focus();
  await page.keyboard.press("ArrowRight");
  await page.waitForURL(/resource=\d+/);
  const said = await text(page.locator(".plot-said"));
  const resource = Number(/resource=(\d+)/.exec(page.url())[1]);
  assert.ok(said.includes(system.name[resource]), said);
  const { metric } = { metric: await ui.metric("time") };
  const values = (await fetch(`${ui.address}api/system?metric=${metric}&self=0&path=0&incl=1`).then((r) => r.json())).values;
  reads(said, values[resource], "value of the cell");
  const coloured = await page.locator(".grid-host canvas").evaluate((c) => {
    const data = c.getContext("2d").getImageData(0, 0, c.width, c.height).data;
    let n = 0;
    for (let i = 0; i < data.length; i += 4) if (data[i + 3] > 200 && Math.max(data[i], data[i + 1], data[i + 2]) - Math.min(data[i], data[i + 1], data[i + 2]) > 30) n++;
    return n / (data.length / 4);
  });
  assert.ok(coloured > 0.01, `${coloured}`);
});

browse("a difference has signs that are seen without colours", { report: reports.difference, hash: "#view=trees" }, async (ui, page) => {
  const m = await ui.selectMetric("late_sender");
  const change = sum(severities(reports.hydro).filter((r) => r.metric === "late_sender")) - (await meanOf("late_sender")); // after less before
  const shown = await ui.exact("metric", m);
  assert.ok(Math.abs(shown - change) <= 1, `${shown}, not ${change}`);
  const row = await ui.row("metric", m);
  assert.match(await row.locator(".value-box").innerText(), shown > 0 ? /\+/ : /−/);
  assert.match((await row.locator(".value-box").getAttribute("class")) ?? "", shown > 0 ? /raised/ : /sunken/);
  assert.match(await ui.number("metric", m), shown > 0 ? /^\+/ : /^(≈ )?−|%/);
  const [r, , b] = (await row.locator(".value-box").evaluate((e) => getComputedStyle(e).backgroundColor)).match(/\d+/g).map(Number);
  assert.ok(shown > 0 ? r > b : b > r, `more is hot, less is cool: ${r}, ${b}`);
  const signs = await text(page.locator(".sign").first().locator(".."));
  assert.match(signs, /less in skew.*more in skew/s);
  assert.match(await text(page.locator("h1")), /^skew − mean$/);
  await ui.view("Findings");
  await page.getByRole("heading", { name: "What got worse" }).waitFor();
  assert.match(await text(page.locator("main")), /Late sender/);
});

const pair = async () => {
  const file = temporary("difference.cubex");
  run("diff", ...teaLeaf, "-o", file);
  return serve(file);
};

browse("what an optimisation did is seen in the difference", { url: pair, skip: missing(teaLeaf) }, async (ui, page) => {
  const totals = await Promise.all(teaLeaf.map(async (f) => {
    const meta = await fetch((await serve(f)) + "api/meta").then((r) => r.json());
    return Object.fromEntries(meta.metrics.map((m, i) => [m.name, meta.totals.incl[i]]));
  }));
  const lead = await text(page.locator(".lead"));
  const share = (100 * (totals[0].critical_path - totals[1].critical_path)) / totals[0].critical_path;
  assert.ok(lead.includes(`${share.toFixed(1)} % less time`), `${share}: ${lead}`);
  assert.ok(lead.includes("noise cannot be known"), lead);
  await ui.view("Trees");
  for (const name of ["time", "mpi_latesender", "omp_ibarrier_wait"]) {
    const m = await ui.selectMetric(name);
    const want = totals[1][name] - totals[0][name];
    const shown = await ui.exact("metric", m);
    assert.ok(Math.abs(shown - want) <= 1e-9 * totals[0][name], `${name}: ${shown}, not ${want}`);
    assert.equal(await (await ui.row("metric", m)).locator(".value-box").innerText(), want > 0 ? "+" : "−");
  }
  assert.deepEqual(await ui.wide(), []);
});

// meanOf is the mean of the runs, computed here.
async function meanOf(metric) {
  const totals = [1, 2, 3].map((i) => sum(severities(reports.mean.replace("mean", "even" + i)).filter((r) => r.metric === metric)));
  return totals.reduce((a, b) => a + b) / totals.length;
}

// tab opens a tab of the details.
const tab = async (page, name) => {
  await page.getByRole("tablist", { name: "Details" }).getByRole("tab", { name }).click();
  return page.locator("#detail");
};

browse("the details say what a metric means and what to do", { report: reports.planted, hash: "#view=trees" }, async (ui, page) => {
  await ui.selectMetric("lock_competition");
  const words = (s) => s.replace(/\s+/g, " ");
  const said = words(await (await tab(page, "Description")).innerText());
  const known = words(run("patterns", "lock_competition"));
  const sentences = said.replace("What it means", "").replace("What to do", ".").split(". ").map((s) => s.trim().replace(/\.$/, "")).filter((s) => s.length > 30);
  assert.ok(sentences.length > 2, said);
  for (const s of sentences) assert.ok(known.includes(s), `not in expert patterns: ${s}`);
  assert.match(said, /What to do/);
});

browse("the details show how a derived metric is computed", { report: reports.scalasca, hash: "#view=trees&tab=computation" }, async (ui, page) => {
  const { metrics } = await ui.meta();
  const derived = metrics.filter((m) => m.expression).slice(0, 3);
  assert.ok(derived.length > 0, "Scalasca's hierarchy is made of expressions");
  for (const m of derived) {
    await ui.selectMetric(m.name);
    const said = await (await tab(page, "Computation")).innerText();
    assert.ok(said.includes(m.name) && said.includes(m.kind), said);
    const squeeze = (s) => s.replace(/\s+/g, "");
    assert.ok(squeeze(said).includes(squeeze(m.expression).slice(0, 60)), `${m.expression}\n${said}`);
  }
});

browse("statistics of the instances are those of trace.stat", { report: reports.scalasca, hash: "#view=trees&tab=statistics" }, async (ui, page) => {
  const stat = readFileSync(reports.scalasca.replace("scout.cubex.gz", "trace.stat"), "utf8");
  await ui.selectMetric("mpi_latesender");
  const [, count, mean, median, minimum, maximum, total] = /^mpi_latesender\s+(\S+)\s+(\S+)\s+(\S+)\s+(\S+)\s+(\S+)\s+(\S+)/m.exec(stat);
  const panel = await tab(page, "Statistics");
  await panel.locator("dd").first().waitFor();
  const shown = Object.fromEntries((await panel.locator("dl").first().locator("dt, dd").allInnerTexts()).reduce((list, x, i, all) => (i % 2 ? [...list, [all[i - 1], x.replace(/\u202f/g, " ")]] : list), []));
  assert.equal(shown.Count, count);
  for (const [name, v] of Object.entries({ Mean: mean, Median: median, Minimum: minimum, Maximum: maximum, Sum: total })) reads(shown[name], Number(v), name);
  assert.equal(shown["Lower quartile"], "n/a", "of three instances trace.stat has no quartiles");
  assert.equal(await panel.locator(".boxplot .box").count(), 0);
  assert.equal(await panel.locator(".boxplot .median").count(), 1);
});

browse("statistics of our own waits have quartiles and the longest instances", { report: reports.planted, hash: "#view=trees&tab=statistics" }, async (ui, page) => {
  const s = instancesOf(reports.planted, "late_sender");
  await ui.selectMetric("late_sender");
  const panel = await tab(page, "Statistics");
  await panel.locator("dd").first().waitFor();
  const said = await text(panel);
  for (const [name, v] of Object.entries({ Mean: s.mean, Minimum: s.min, "Lower quartile": s.q25, Median: s.median, "Upper quartile": s.q75, Maximum: s.max, Sum: s.sum })) {
    reads(new RegExp(name + "\\s+([\\d.]+ \\S+)").exec(said)[1], v / 1e9, name);
  }
  await panel.locator(".instance-table tbody button").first().click();
  await page.waitForURL(/view=timeline/);
  await rows(page).first().waitFor();
});

browse("the source is shown with the line", { report: reports.planted.replace(".cubex", ".dir"), hash: "#view=trees&tab=source" }, async (ui, page) => {
  const { paths } = await ui.meta();
  await ui.selectMetric("lock_competition");
  const p = await ui.selectPath("lock_competition", "lock");
  const [file, line] = [paths.files[paths.file[p]], paths.line[p]];
  assert.ok(file.endsWith("waits.go") && line > 0, `${file}:${line}`);
  const here = page.locator(".source .line.here");
  await here.waitFor();
  assert.equal((await here.locator("code").textContent()).trim(), readFileSync(file, "utf8").split("\n")[line - 1].trim());
  assert.equal(await here.locator(".no").textContent(), String(line));
  assert.ok(await here.isVisible());
});

browse("the causers of a wait are told, with where they were", { report: reports.planted, hash: "#view=trees&tab=causers" }, async (ui, page) => {
  const f = analysis(reports.planted).findings.find((x) => x.metric === "lock_competition" && x.callpath[0] === "lock_competition");
  await ui.selectMetric("lock_competition");
  await ui.selectPath(...f.callpath);
  const causers = page.locator(".causers tbody tr");
  await causers.first().waitFor();
  const said = await text(causers.first());
  assert.ok(said.includes(f.causers[0].locations[0].split(".").at(-1)), `${said}, not ${f.causers[0].locations[0]}`);
  assert.ok(said.includes(f.causers[0].callpath.at(-1)), said);
  reads(said.replace(/^[\d.<]+ %/, ""), f.causers[0].severity_ns / 1e9, "time");
});
