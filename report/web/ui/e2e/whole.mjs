// What holds for the whole page: nothing is out of place, out of reach or sent away, at any width, in both themes.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { request } from "node:http";
import { browse, eventually, reports, serve, teaLeaf, missing, serving, waits } from "./harness.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

// barriers is what the checker finds.
async function barriers(page, where) {
  await page.evaluate(axe);
  const found = await page.evaluate(() => axe.run(document, { resultTypes: ["violations"] }));
  return found.violations.map((v) => `${where}: ${v.id}: ${v.help}: ${v.nodes.slice(0, 3).map((n) => n.html.slice(0, 160) + " " + (n.any[0]?.message ?? n.all[0]?.message ?? "")).join(" | ")}`);
}

const accessible = async (page, where) => assert.deepEqual(await barriers(page, where), []);

// every view of the page, by what its address says; WAIT is the wait of a receiver for its sender
const views = {
  findings: "#view=findings",
  trees: "#view=trees",
  plot: "#view=trees&system=plot",
  topology: "#view=trees&system=topology",
  flat: "#view=trees&call=flat",
  modules: "#view=trees&call=module",
  ...Object.fromEntries(["about", "computation", "statistics", "source", "causers"].map((tab) => [tab, `#view=trees&tab=${tab}&WAIT`])),
  timeline: "#view=timeline&WAIT",
  efficiency: "#view=efficiency",
};

const wide = [1280, 800];
const narrow = [390, 844];
const every = [["light", wide], ["dark", wide], ["light", narrow], ["dark", narrow]];
const some = [["light", wide], ["dark", narrow]]; // the same page with other data
for (const [name, report, wait, looks] of [
  ["planted", reports.planted, ["late_sender", "late_sender", "recv"], every],
  ["scalasca", reports.scalasca, ["mpi_latesender", "late_sender", "MPI_Recv"], some],
  ["waits", waits, ["late_sender", "body", "recv"], some],
  ["requests", serving, ["lock_competition", "GET /cached", "lock"], some],
  ["difference", reports.difference, ["late_sender", "timestep", "recv"], some],
]) {
  for (const [theme, [width, height]] of looks) {
    browse(`${name}, ${theme}, ${width} pixels: every view fits, and everybody can use it`, { report, theme, width, height }, async (ui, page) => {
      const said = [];
      const [metric, ...regions] = wait;
      const receives = `metric=${metric}&path=${await ui.path(...regions)}`;
      for (const [view, hash] of Object.entries(views)) {
        const fronts = width < 700 && hash.includes("view=trees") ? (view === "trees" ? ["metric", "call", "system"] : [{ plot: "system", topology: "system", flat: "call", modules: "call" }[view] ?? "details"]) : [""];
        for (const front of fronts) {
          await page.goto("about:blank"); // a new hash alone keeps what was open
          await page.goto(ui.address + hash.replace("WAIT", receives) + (front && `&front=${front}`));
          await page.locator("main *").first().waitFor();
          await ui.settled();
          const what = [name, view, front, theme, width].filter(Boolean).join("-");
          await ui.picture(what);
          said.push(...(await ui.wide()).map((w) => `${what}: ${w}`), ...(await barriers(page, what)));
        }
      }
      assert.deepEqual(said, []);
    });
  }
}

browse("the popovers and the help can be used by everybody, too", { report: reports.planted, hash: "#view=trees" }, async (ui, page) => {
  for (const label of ["About this report", "Options of Metric", "Colour scale of Call"]) {
    await page.getByRole("button", { name: label }).click();
    await page.getByRole("dialog", { name: label }).waitFor();
    await accessible(page, label);
    assert.deepEqual(await ui.wide(), []);
    await page.keyboard.press("Escape");
  }
  await page.getByRole("button", { name: "Help" }).click();
  await page.getByRole("dialog", { name: "Help" }).waitFor();
  await accessible(page, "help");
});

browse("the theme follows the system until it is chosen", { report: reports.planted, theme: "dark" }, async (ui, page) => {
  const now = () => page.evaluate(() => document.documentElement.dataset.theme);
  const brightness = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor.match(/\d+/g).slice(0, 3).reduce((s, c) => s + Number(c), 0));
  await eventually(now, "dark");
  const dark = await brightness();
  await page.getByRole("button", { name: /^Theme/ }).click();
  await eventually(now, "light");
  assert.ok((await brightness()) > dark + 300);
  await page.getByRole("button", { name: /^Theme/ }).click();
  await eventually(now, "dark");
});

// The browser itself asks for the icon again whenever the address changes.
browse("all that was asked once is there without the network", { report: reports.planted, hash: "#view=trees", quiet: [/icon\.svg/] }, async (ui, page) => {
  await ui.selectMetric("late_sender");
  const root = (await ui.meta()).paths.parent.indexOf(-1);
  const value = await ui.exact("call", root);
  await ui.selectMetric("time");
  await page.context().setOffline(true);
  await ui.selectMetric("late_sender");
  assert.equal(await ui.exact("call", root), value);
});

browse("a request that cannot be answered is said, not shown as zero", { report: reports.planted, hash: "#view=trees", quiet: [/ERR_INTERNET_DISCONNECTED/] }, async (ui, page) => {
  await page.context().setOffline(true);
  await ui.selectMetric("late_receiver");
  await page.getByText("The server does not answer").first().waitFor();
});

// get asks the server as another program would.
const get = (address, headers = {}) =>
  new Promise((resolve, reject) => request(address, { headers }, (r) => resolve((r.resume(), r))).on("error", reject).end());

browse("nobody else is answered", { report: reports.planted }, async (ui) => {
  const url = new URL(ui.address);
  const status = async (path, headers) => (await get(url.origin + path, headers)).statusCode;
  const own = url.pathname;
  assert.equal(await status(own), 200);
  assert.ok((await status("/")) >= 400, "without the token");
  assert.ok((await status("/" + "a".repeat(own.length - 2) + "/")) >= 400, "with another token");
  assert.ok((await status(own + "api/meta", { Host: "attacker.example" })) >= 400, "by another name");
  assert.ok((await status(own + "api/meta", { Origin: "https://attacker.example" })) >= 400, "from another page");
  assert.ok((await status(own + "api/meta", { "Sec-Fetch-Site": "cross-site" })) >= 400, "from another site");
  const policy = (await get(ui.address)).headers["content-security-policy"];
  assert.match(policy, /default-src '(self|none)'/);
  assert.doesNotMatch(policy, /unsafe-inline'?[^;]*script|script-src[^;]*unsafe/);
});

// How long things take depends on the machine: this tells, and only requires that they come to an end.
browse("how long it takes", { url: () => serve(missing(teaLeaf) ? reports.scalasca : teaLeaf[1]), hash: "#view=trees" }, async (ui, page) => {
  const paint = await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? performance.now());
  const times = [];
  const names = (await ui.meta()).metrics.filter((m) => m.parent < 0).slice(0, 8).map((m) => m.name);
  for (const name of names) {
    const i = await ui.metric(name);
    const row = await ui.row("metric", i);
    times.push(await row.evaluate(async (r) => {
      const start = performance.now();
      r.querySelector(".text").click();
      do await new Promise(requestAnimationFrame); while (document.querySelector(".loading"));
      return performance.now() - start;
    }));
  }
  assert.ok(times.length > 0);
  console.log(`# first paint after ${paint.toFixed(0)} ms; a metric selected in ${times.map((t) => t.toFixed(0)).join(", ")} ms`);
});
