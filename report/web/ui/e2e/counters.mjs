// Counters: hierarchies of specifications, ratios on a scale of their own, and what is said of them. The numbers are those of testdata/counters.txt.
import assert from "node:assert/strict";
import { pathToFileURL } from "node:url";
import { browse, counters, run, serve, temporary } from "./harness.mjs";

const trees = { report: counters, hash: "#view=trees" };

browse("hierarchies of counters are below time, incomplete ones marked, and what is unaccounted is their own", trees, async (ui) => {
  const { metrics } = await ui.meta();
  const roots = metrics.filter((m) => m.parent < 0).map((m) => m.name);
  const order = ["time", "CYCLES", "ACCESSES", "IPC", "cycles"].map((name) => roots.indexOf(name));
  assert.deepEqual(order, order.toSorted((a, b) => a - b), roots.join());
  const cycles = await ui.selectMetric("CYCLES");
  const row = await ui.row("metric", cycles);
  assert.match(await row.innerText(), /~CYCLES/);
  assert.match(await row.innerText(), /hierarchy counters/);
  assert.match(await row.getAttribute("title"), /Incomplete: some counters are missing/);
  assert.match(await row.getAttribute("title"), /55\.0\u202fms at 2\.00\u202fGHz/); // 110 M: what is certain
  assert.equal(await ui.exact("metric", cycles), 110_000_000);
  await ui.toggle("metric", cycles);
  assert.equal(await ui.exact("metric", cycles), 0, "all of it is stalls, or uncertain");
  assert.equal(await ui.exact("metric", await ui.metric("CYCLES_uncertain")), 2_000_000);
  const stall = await ui.metric("STALL");
  await ui.toggle("metric", stall);
  assert.equal(await ui.exact("metric", stall), 968_000, "unaccounted");
  await ui.select("metric", stall);
  const p = await ui.selectPath("run", "solve");
  assert.equal(await ui.exact("call", p), 868_000);
});

browse("a ratio is evaluated for what is selected, on its own scale, and absent where there is too little", trees, async (ui, page) => {
  const ipc = await ui.selectMetric("IPC");
  assert.equal(await ui.number("metric", ipc), "1.14–1.25"); // 240 M and up to 10 M more by 200 M and up to 10 M more
  const solve = await ui.selectPath("run", "solve");
  assert.equal(await ui.number("call", solve), "0.750");
  const { regions, paths } = await ui.meta();
  const alone = paths.parent.findIndex((up, i) => up < 0 && regions[paths.region[i]].name === "sweep"); // the worker's
  assert.equal(await ui.number("call", alone), "1.50");
  assert.equal(await ui.number("call", await ui.path("run", "sweep")), "–", "all of it is uncertain");
  assert.match(await (await ui.row("call", await ui.path("run", "sweep"))).getAttribute("title"), /no value: too few events/);
  assert.deepEqual((await ui.column("call").locator(".legend > span").allInnerTexts()).filter(Boolean), ["0", "4"]);
  const rate = await ui.selectMetric("MISS_RATE");
  assert.match(await (await ui.row("metric", rate)).innerText(), /share of accesses/);
  assert.equal(await ui.number("call", solve), "28.0\u202f%");
  assert.deepEqual((await ui.column("call").locator(".legend > span").allInnerTexts()).filter(Boolean), ["0", "50.0\u202f%"]);
  const said = await page.getByRole("group", { name: "What is selected" }).innerText();
  assert.match(said, /28\.0\s%/);
  assert.doesNotMatch(await page.locator("main").innerText(), /NaN|undefined|n\/a/);
});

browse("what the counters say leads to the trees", { report: counters }, async (ui, page) => {
  const part = page.locator("section.part", { hasText: "What the counters say" });
  const cards = part.locator(".card");
  await cards.first().waitFor();
  assert.equal(await cards.count(), 2);
  assert.match(await cards.nth(0).innerText(), /Branch-bound call path[\s\S]*2\.00\sM[\s\S]*10\.0\s% of 20\.0\sM branches are mispredicted/);
  assert.match(await cards.nth(1).innerText(), /Poor cache utilisation[\s\S]*868\sk[\s\S]*28\.0\s% of 3\.10\sM loads miss the data cache/);
  assert.match(await page.locator("aside").innerText(), /Not derived[\s\S]*STALL_FP: fp_stall was not measured/);
  await cards.nth(1).getByRole("button", { name: "Show in the trees" }).click();
  await ui.settled();
  await page.getByRole("group", { name: "What is selected" }).filter({ hasText: /L1-dcache-load-misses[\s\S]*solve[\s\S]*868\sk/ }).waitFor(); // values follow names
});

browse("a report in one file has counters as well", {
  url: async () => {
    const file = temporary("counters.html");
    run("export", counters, "--to", "html", "-o", file);
    return pathToFileURL(file).href;
  },
  hash: "#view=trees&metric=MISS_RATE", offline: true, asked: () => serve(counters),
}, async (ui) => {
  assert.equal(await ui.number("call", await ui.selectPath("run", "solve")), "28.0\u202f%");
});

for (const theme of ["light", "dark"]) {
  browse(`counters look right, ${theme}`, { report: counters, theme }, async (ui, page) => {
    await ui.picture(`counters-findings-${theme}`);
    await page.locator("section.part", { hasText: "What the counters say" }).scrollIntoViewIfNeeded();
    await ui.view("Trees");
    await ui.toggle("metric", await ui.metric("CYCLES"));
    await ui.selectMetric("IPC");
    await ui.open("call", await ui.path("run", "solve"));
    assert.deepEqual(await ui.wide(), []);
    await ui.picture(`counters-trees-${theme}`);
  });
}
