// The three linked trees.
import assert from "node:assert/strict";
import { about, browse, digits, eventually, oracle, reports, serve } from "./harness.mjs";

const scalasca = { report: reports.scalasca, hash: "#view=trees" };
const sum = (rows) => rows.reduce((s, r) => s + r.value, 0);
const wait = "mpi_barrier_wait"; // at one call path
const path = "critical_path"; // at several
// location returns the only thread of a rank.
const location = async (ui, rank) => {
  const { system } = await ui.meta();
  const leaf = system.leaf.findIndex((column, i) => column >= 0 && new RegExp(`(^|\\D)${rank}$`).test(system.name[system.parent[i]]));
  assert.ok(leaf >= 0, `rank ${rank}`);
  return leaf;
};
const of = (metric, rows = oracle()) => rows.filter((r) => r.metric === metric);

browse("a metric spreads over calls and locations, as the other tool computed it", scalasca, async (ui) => {
  const m = await ui.selectMetric(wait);
  about(await ui.exact("metric", m), sum(of(wait)), "whole program");
  for (const callpath of new Set(of(wait).map((r) => r.callpath))) {
    const rows = of(wait).filter((r) => r.callpath === callpath);
    const p = await ui.selectPath(...callpath.split("/"));
    about(await ui.exact("call", p), sum(rows), callpath);
    for (const r of rows) {
      const leaf = await location(ui, r.rank);
      await ui.open("system", leaf);
      about(await ui.exact("system", leaf), r.value, `${callpath} on rank ${r.rank}`);
    }
  }
});

browse("a closed row stands for what is below it too, an open one for itself", scalasca, async (ui) => {
  await ui.selectMetric(path);
  const { paths } = await ui.meta();
  const root = paths.parent.indexOf(-1);
  const whole = await ui.exact("call", root);
  about(whole, sum(of(path)), path);
  await ui.toggle("call", root);
  const own = await ui.exact("call", root);
  about(own, sum(of(path).filter((r) => r.callpath === "main")), "main itself");
  let parts = own;
  for (let p = 0; p < paths.parent.length; p++) if (paths.parent[p] === root) parts += await ui.exact("call", p);
  about(parts, whole, "the rows in sight add up");
  await ui.toggle("call", root);
  about(await ui.exact("call", root), whole, "closed again");
  // The same along the tree of metrics: what is open shows what no part of it has.
  const metric = await ui.metric("time");
  const closed = await ui.exact("metric", metric);
  await ui.toggle("metric", metric);
  assert.ok((await ui.exact("metric", metric)) < closed);
});

browse("each mode shows a share of something else", scalasca, async (ui) => {
  const leaf = await ui.selectMetric(wait);
  const { metrics, totals } = await ui.meta();
  const p = await ui.selectPath("main", "barrier", "MPI_Barrier");
  const first = await location(ui, "1");
  await ui.open("system", first);
  const total = sum(of(wait));
  const here = sum(of(wait).filter((r) => r.callpath === "main/barrier/MPI_Barrier"));
  const rank = sum(of(wait).filter((r) => r.callpath === "main/barrier/MPI_Barrier" && r.rank === "1"));
  const root = ((m) => { while (metrics[m].parent >= 0) m = metrics[m].parent; return m; })(leaf);
  const time = totals.incl[root];
  const share = async (column, node, label, part, whole) => {
    await ui.mode(column, label);
    const text = await ui.number(column, node);
    if (whole === 0) return assert.equal(text, "0\u202f%", label);
    const want = (100 * part) / whole;
    assert.ok(text.endsWith("%") && Math.abs(digits(text.replace("<", "")) - want) <= 0.0051 + want * 0.005, `${column}, ${label}: ${text}, not ${want} %`);
  };
  await share("metric", leaf, "Own root %", total, time);
  await share("metric", leaf, "Peer %", total, Math.max(...metrics.map((m, i) => (m.parent === metrics[leaf].parent ? totals.incl[i] : 0))));
  await share("call", p, "Own root %", here, total);
  await share("call", p, "Metric root %", here, time);
  await share("call", p, "Metric selection %", here, total);
  await share("call", p, "Peer %", here, here);
  await share("system", first, "Own root %", rank, here);
  await share("system", first, "Metric root %", rank, time);
  await share("system", first, "Metric selection %", rank, total);
  await share("system", first, "Call root %", rank, total);
  await share("system", first, "Call selection %", rank, here);
  await ui.mode("system", "Absolute");
  assert.match(await ui.number("system", first), /s$|^0$/);
  about(await ui.exact("system", first), rank);
});

browse("a second report is what values are shares of", { ...scalasca, flags: ["--external", reports.scalasca] }, async (ui) => {
  const m = await ui.selectMetric(wait);
  await ui.mode("metric", "External %");
  const { totals } = await ui.meta();
  const text = await ui.number("metric", m);
  assert.ok(Math.abs(digits(text) - (100 * sum(of(wait))) / totals.incl[await ui.metric("time")]) < 0.01, text);
});

browse("the flat list, and the modules, add the calls of a region up", scalasca, async (ui, page) => {
  await ui.selectMetric(path);
  const { regions } = await ui.meta();
  await page.getByRole("group", { name: "View of the calls" }).getByRole("button", { name: "Flat" }).click();
  const values = of(path);
  for (const name of new Set(values.map((r) => r.callpath.split("/").at(-1)))) {
    const region = regions.findIndex((r) => r.name === name);
    about(await ui.exact("call", region), sum(values.filter((r) => r.callpath.split("/").at(-1) === name)), name);
  }
  await page.getByRole("group", { name: "What the flat list shows" }).getByRole("button", { name: "Inclusive" }).click();
  about(await ui.exact("call", regions.findIndex((r) => r.name === "main")), sum(values), "main with all below");
  await page.getByRole("group", { name: "View of the calls" }).getByRole("button", { name: "Modules" }).click();
  const modules = page.locator("#call [aria-level='1']");
  let all = 0;
  for (let i = 0; i < (await modules.count()); i++) {
    const row = modules.nth(i);
    if ((await row.getAttribute("aria-expanded")) === "true") await row.locator(".twist").click();
    await ui.settled();
    all += digits((await row.getAttribute("title")).split("\n")[1]);
  }
  about(all, sum(values), "all modules");
});

browse("rows are sorted, small ones hidden, and the hottest path opened", scalasca, async (ui, page) => {
  await ui.selectMetric(path);
  const { paths } = await ui.meta();
  const root = paths.parent.indexOf(-1);
  await ui.toggle("call", root);
  const column = ui.column("call");
  await ui.mode("call", "Absolute");
  const shown = async () => {
    await ui.settled();
    const list = [];
    for (const row of await page.locator("#call [aria-level='2']").all()) list.push([await row.locator(".text").textContent(), digits((await row.getAttribute("title")).split("\n")[1])]);
    return list;
  };
  await column.getByLabel("Order of").selectOption({ label: "By value" });
  const values = (await shown()).map(([, v]) => v);
  assert.deepEqual(values, [...values].sort((a, b) => b - a));
  assert.ok(values.length > 2);
  await column.getByLabel("Order of").selectOption({ label: "By name" });
  const names = (await shown()).map(([n]) => n);
  assert.deepEqual(names, [...names].sort((a, b) => a.localeCompare(b, "en", { numeric: true })));

  await column.getByRole("button", { name: "Options of Call" }).click();
  const limit = (100 * values[1]) / sum(of(path));
  await page.getByLabel("Hide below").fill(String(limit * 0.99));
  await page.keyboard.press("Escape");
  assert.deepEqual((await shown()).map(([, v]) => v).sort((a, b) => b - a), values.slice(0, 2));
  await column.getByRole("button", { name: /% hidden/ }).click();
  assert.equal((await shown()).length, values.length);

  await ui.toggle("call", root);
  await (await ui.row("call", root)).locator(".text").click();
  await column.getByRole("button", { name: "Open the hottest path" }).click();
  await ui.settled();
  const costliest = await page.locator("#call [aria-selected=true]").getAttribute("title");
  const own = of(path).reduce((by, r) => by.set(r.callpath, (by.get(r.callpath) ?? 0) + r.value), new Map());
  about(digits(costliest.split("\n")[1]), Math.max(...own.values()), "the call path that costs most");
});

browse("a regular expression finds rows", scalasca, async (ui, page) => {
  await ui.selectMetric("time");
  await page.locator("#call").focus();
  await page.keyboard.press("/");
  const field = page.getByLabel("Search expression for");
  await field.fill("^MPI_(Bar|Fin)");
  const { regions, paths } = await ui.meta();
  const fits = paths.region.filter((r) => /^MPI_(Bar|Fin)/i.test(regions[r].name)).length;
  assert.ok(fits > 1);
  const count = ui.column("call").locator(".search output");
  await eventually(() => count.textContent(), String(fits));
  await field.press("Enter");
  await eventually(() => count.textContent(), `1 of ${fits}`);
  await field.press("Enter");
  await eventually(() => count.textContent(), `2 of ${fits}`);
  assert.match(await page.locator("#call [aria-selected=true] .text").textContent(), /^MPI_(Bar|Fin)/);
  await field.fill("MPI_(");
  await eventually(() => count.textContent(), "invalid");
  await field.press("Escape");
  await eventually(() => field.count(), 0);
});

browse("colours follow a scale that can be changed", scalasca, async (ui, page) => {
  const m = await ui.selectMetric(wait);
  const p = await ui.selectPath("main", "barrier", "MPI_Barrier");
  const colour = async () => (await ui.row("call", p)).locator(".value-box").evaluate((e) => getComputedStyle(e).backgroundColor);
  const before = await colour();
  const legend = ui.column("call").locator(".legend");
  assert.match(await legend.textContent(), /^0\u202f%.*100\u202f%/);
  await legend.getByRole("button", { name: "Colour scale of" }).click();
  await page.getByRole("spinbutton", { name: /^To/ }).fill("200");
  await page.getByRole("spinbutton", { name: /^To/ }).press("Tab");
  await ui.settled();
  assert.match(await legend.textContent(), /200\u202f%/);
  assert.notEqual(await colour(), before);
  await page.getByRole("button", { name: "Reset" }).click();
  await ui.settled();
  assert.equal(await colour(), before);
  await page.getByLabel("Colours").selectOption({ index: 1 });
  await ui.settled();
  assert.notEqual(await colour(), before);
  assert.ok(m >= 0);
});

browse("a part of the system restricts the calls", scalasca, async (ui, page) => {
  await ui.selectMetric(wait);
  const { system } = await ui.meta();
  const process = system.name.findIndex((n, i) => system.leaf[i] < 0 && /(^|\D)1$/.test(n) && system.cls[i].includes("process"));
  assert.ok(process >= 0, system.name.join());
  await ui.select("system", process);
  await page.getByRole("button", { name: "Restrict the calls" }).click();
  const p = await ui.path("main", "barrier", "MPI_Barrier");
  await ui.open("call", p);
  about(await ui.exact("call", p), sum(of(wait).filter((r) => r.callpath === "main/barrier/MPI_Barrier" && r.rank === "1")));
  await page.getByRole("button", { name: new RegExp("^" + system.name[process] + "$") }).click();
  about(await ui.exact("call", p), sum(of(wait).filter((r) => r.callpath === "main/barrier/MPI_Barrier")));
});

browse("the address leads back to what is shown", scalasca, async (ui, page) => {
  await ui.selectMetric(wait);
  const p = await ui.selectPath("main", "barrier", "MPI_Barrier");
  await ui.mode("call", "Absolute");
  await ui.column("call").getByLabel("Order of").selectOption({ label: "By value" });
  const address = page.url();
  const look = async (at) => ({
    call: await at.locator("#call [role=treeitem]").allTextContents(),
    metric: await at.locator("#metric [aria-selected=true]").textContent(),
    system: await at.locator("#system [role=treeitem]").allTextContents(),
  });
  const here = await look(page);
  assert.ok(here.call.some((t) => t.includes("MPI_Barrier")));
  const other = await page.context().newPage();
  await other.goto(address);
  await other.locator(`#call-${p}[aria-selected=true]`).waitFor();
  await other.waitForFunction(() => !document.querySelector(".loading"));
  assert.deepEqual(await look(other), here);
  // Back takes the last step back.
  await ui.selectMetric("time");
  await page.waitForTimeout(1100); // steps that follow each other quickly are one
  await ui.view("Efficiency");
  await page.goBack();
  await page.locator("#metric").waitFor();
  assert.match(await page.locator("#metric [aria-selected=true]").getAttribute("title"), /time/i);
});

browse("a short address shows what it selects", { report: reports.scalasca, hash: "#view=trees&metric=" + wait }, async (ui, page) => {
  await page.locator("#metric [aria-selected=true]").waitFor();
  assert.equal(await page.locator("#metric [aria-selected=true]").getAttribute("data-node"), String(await ui.metric(wait)));
  const p = await ui.path("main", "barrier", "MPI_Barrier");
  await page.goto("about:blank");
  await page.goto(`${ui.address}#view=trees&metric=${wait}&path=${p}`);
  await page.locator("#call [aria-selected=true]").waitFor();
  about(await ui.exact("call", p), sum(of(wait)));
});

browse("the trees work with the keyboard", scalasca, async (ui, page) => {
  const press = async (...keys) => {
    for (const key of keys) await page.keyboard.press(key);
    await ui.settled();
  };
  const selected = (column) => page.locator(`#${column} [aria-selected=true]`);
  await page.locator("#metric").focus();
  await press("Home");
  assert.equal(await selected("metric").getAttribute("aria-posinset"), "1");
  assert.equal(await selected("metric").getAttribute("aria-expanded"), "false");
  await press("ArrowRight");
  assert.equal(await selected("metric").getAttribute("aria-expanded"), "true");
  await press("ArrowRight");
  assert.equal(await selected("metric").getAttribute("aria-level"), "2");
  await press("ArrowLeft", "ArrowLeft");
  assert.equal(await selected("metric").getAttribute("aria-expanded"), "false");
  await press("End");
  assert.equal(await selected("metric").getAttribute("aria-posinset"), await selected("metric").getAttribute("aria-setsize"));
  await press("Home", "]");
  await eventually(() => page.evaluate(() => document.activeElement.id), "call");
  await press("Home", "Enter");
  assert.equal(await selected("call").getAttribute("aria-expanded"), "true");
  await page.keyboard.type("mpi_f");
  await ui.settled();
  assert.match(await selected("call").locator(".text").textContent(), /^MPI_F/);
  await press("?");
  await page.getByRole("dialog", { name: "Help" }).waitFor();
  await press("Escape");
  await page.getByRole("dialog", { name: "Help" }).waitFor({ state: "hidden" });
});

browse("what cannot be evaluated is not shown as zero", { url: () => serve(reports.scalasca), hash: "#view=trees" }, async (ui) => {
  const { metrics, totals } = await ui.meta();
  for (const [i, m] of metrics.entries()) {
    if (totals.incl[i] !== null) continue;
    await ui.open("metric", i);
    assert.equal(await ui.number("metric", i), "n/a", m.name);
    assert.equal(await ui.exact("metric", i), null);
  }
});
