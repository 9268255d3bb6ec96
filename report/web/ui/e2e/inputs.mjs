// Whatever can be opened is shown: trace directories, profiles, older and damaged files.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { browse, digits, reports, root, run, serve, table } from "./harness.mjs";

const files = join(root, "report/cube/testdata");

browse("a trace directory is shown as its report is", { report: reports.planted.replace(".cubex", ".dir") }, async (ui, page) => {
  const { findings } = JSON.parse(run("analyze", reports.planted, "--format", "json"));
  const first = page.locator("ol.cards > .card").first();
  await first.waitFor();
  assert.ok((await first.innerText()).includes(`${findings[0].file.split("/").at(-1)}:${findings[0].line}`));
  const [here, there] = await Promise.all([ui.address, await serve(reports.planted)].map((a) => fetch(a + "api/meta").then((r) => r.json())));
  assert.deepEqual(here.totals, there.totals);
});

browse("a profile of Score-P has the values that another reader finds in it", { report: join(files, "pycubexr/time.cubex.gz"), hash: "#view=trees" }, async (ui, page) => {
  const rows = table(readFileSync(join(files, "pycubexr/incl.csv"), "utf8"));
  await ui.selectMetric("visits");
  const { paths } = await ui.meta();
  const shown = paths.parent.slice(0, 8);
  for (const path of shown.keys()) {
    const row = await ui.open("call", path);
    if ((await row.getAttribute("aria-expanded")) === "true") await ui.toggle("call", path);
    const want = rows.filter((r) => Number(r["Cnode ID"]) === path).reduce((s, r) => s + Number(r.visits), 0);
    assert.equal(await ui.exact("call", path), want, `call path ${path}`);
  }
  assert.equal(await page.locator(".empty strong").count(), 0);
});

for (const name of ["cubelib/version30.cube.gz", "cubelib/version40.cubex.gz", "cubelib/dense.cubex.gz", "extrap/compressed.cubex.gz", "pycubexr/bigendian.cubex.gz", "pycubexr/types.cubex.gz"]) {
  browse(`${name} is shown in every view`, { report: join(files, name), hash: "#view=trees" }, async (ui, page) => {
    const { metrics, totals } = await ui.meta();
    assert.ok(metrics.length > 0);
    for (const [i, m] of metrics.entries()) {
      if (m.parent >= 0 || i > 12) continue;
      await ui.select("metric", i);
      if (totals.incl[i] === null) assert.equal(await ui.number("metric", i), "n/a", m.name);
      else assert.ok(Math.abs((await ui.exact("metric", i)) - totals.incl[i]) <= 1e-12 * Math.abs(totals.incl[i]), m.name);
    }
    for (const tab of await page.getByRole("tablist", { name: "Views" }).getByRole("tab").all()) {
      await tab.click();
      await ui.settled();
      assert.doesNotMatch(await page.locator("main").innerText(), /NaN|undefined|\[object/);
    }
  });
}

browse("what is wrong with a file is said", { report: join(files, "cubelib/ampersand.cube.gz"), hash: "#view=trees" }, async (ui, page) => {
  const { problems } = await ui.meta();
  assert.ok(problems.length > 0);
  await page.getByRole("button", { name: `About this report, ${problems.length} problem` }).click();
  const said = await page.getByRole("dialog", { name: "About this report" }).innerText();
  for (const p of problems) assert.ok(said.includes(p), said);
});

browse("the details name the selection with its values", { report: reports.scalasca, hash: "#view=trees" }, async (ui, page) => {
  await ui.selectMetric("mpi_barrier_wait");
  const p = await ui.selectPath("main", "barrier");
  const said = await page.getByRole("group", { name: "What is selected" }).innerText();
  const closed = await ui.exact("call", p);
  assert.match(said, /MPI_Barrier|barrier/);
  const inclusive = await page.locator(".value-row", { hasText: "Inclusive" }).first().getAttribute("title");
  assert.equal(digits(inclusive), closed);
});
