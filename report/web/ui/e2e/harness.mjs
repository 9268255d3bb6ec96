// What the tests of the page share: reports, servers that show them, and a browser that notices everything that is wrong.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const here = dirname(fileURLToPath(import.meta.url));
export const root = join(here, "../../../..");
const expert = process.env.EXPERT ?? join(root, "bin/expert");
const chrome = process.env.CHROMIUM ?? ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);

// The reports of the tests: made by make e2e, or by others.
const made = (name) => join(root, "bin/e2e", name);
export const reports = {
  planted: made("planted.cubex"), // one wait of each kind, with its trace
  hydro: made("skew.cubex"), // with its trace, of an idle machine
  mean: made("mean.cubex"), // of repeated runs
  difference: made("difference.cubex"),
  scalasca: join(here, "testdata/ls_barr/scout.cubex.gz"),
};
// counters is made from the trace and the specification beside it, see cmd/expert.
export const counters = join(here, "testdata/counters.cubex.gz");
// waits is made likewise; its findings have all that findings can have.
export const waits = join(here, "testdata/waits.cubex.gz");
// serving likewise; it is of a service, recorded from a second after its start on.
export const serving = join(here, "testdata/requests.cubex.gz");
const shared = join(root, "../shared/data");
// What is measured elsewhere and not part of the sources; tests that need it are skipped where it is missing.
export const teaLeaf = ["baseline", "optimized"].map((v) => join(shared, `cube/epcc/scorep_tea_leaf_${v}_8x12_trace/scout.cubex`));
export const missing = (...files) => {
  const gone = files.flat().filter((f) => !existsSync(f));
  return gone.length > 0 && `no ${gone[0]}`;
};

// scratch is a directory for files of the tests, which goes with them.
const scratch = mkdtempSync(join(tmpdir(), "expert-e2e-"));
process.on("exit", () => rmSync(scratch, { recursive: true, force: true }));

// temporary returns where a file of this name can be written that no other test writes.
export const temporary = (name) => join(mkdtempSync(join(scratch, "x-")), name);

// screenshots go here, for people to look at.
export const pictures = process.env.E2E_PICTURES ?? join(scratch, "pictures");
mkdirSync(pictures, { recursive: true });

// run returns what expert prints.
export const run = (...args) => execFileSync(expert, args, { encoding: "utf8", maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "pipe"] });

// table reads values separated by commas or tabs, with the names of columns in the first line.
export function table(text, separator = ",") {
  const [head, ...lines] = text.trimEnd().split("\n").map((line) => fields(line, separator));
  return lines.map((line) => Object.fromEntries(head.map((name, i) => [name.replace(/^#/, ""), line[i]])));
}

function fields(line, separator) {
  const list = [];
  for (const m of line.matchAll(new RegExp(`(?:^|${separator})(?:"((?:[^"]|"")*)"|([^${separator}]*))`, "g"))) {
    list.push(m[1] !== undefined ? m[1].replaceAll('""', '"') : m[2]);
  }
  return list;
}

// oracle returns what the other tool computed for a report of its own.
export const oracle = () => table(readFileSync(join(here, "testdata/ls_barr/oracle.tsv"), "utf8"), "\t").map((r) => ({ ...r, value: Number(r.value) }));

const servers = new Map();

// serve starts expert view for a report, once, and returns the address of the page. The trace of a report lies beside it.
export function serve(report, ...flags) {
  const trace = report.replace(/\.cubex$/, ".dir");
  if (trace !== report && existsSync(trace)) flags.push("--trace", trace);
  const key = [report, ...flags].join("\0");
  if (!servers.has(key)) servers.set(key, start([report, ...flags]));
  return servers.get(key).then((s) => s.url);
}

function start(args) {
  const child = spawn(expert, ["view", ...args], { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, DISPLAY: "", BROWSER: "true" } });
  let said = "";
  return new Promise((resolve, reject) => {
    const listen = (chunk) => {
      said += chunk;
      const url = /http:\/\/\S+\//.exec(said)?.[0];
      if (url) resolve({ url, child });
    };
    child.stdout.on("data", listen);
    child.stderr.on("data", listen);
    child.on("error", reject);
    child.on("exit", (status) => reject(new Error(`expert view ${args.join(" ")} ended with ${status}: ${said}`)));
  });
}

let launched;

// browser starts the browser, once.
export const browser = () =>
  (launched ??= chromium.launch({
    executablePath: chrome,
    args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
  }));

after(async () => {
  await (await launched)?.close();
  for (const server of servers.values()) await server.then((s) => s.child.kill(), () => {});
});

// browse makes a test in the browser. Options: report or url (a function), hash, width, height, theme, skip, flags of expert view,
// offline, asked: where to ask for what the page knows, and quiet: errors that belong to the test. Whatever goes wrong in the page or leaves the machine fails the test.
export function browse(name, options, body) {
  const { report, url, hash = "", width = 1280, height = 800, theme = "light", skip = false, flags = [], quiet = [], offline = false, asked } = options;
  test(name, { skip: skip || (report && missing(report)), timeout: 240_000 }, async () => {
    const address = url ? await url() : await serve(report, ...flags);
    const context = await (await browser()).newContext({ viewport: { width, height }, colorScheme: theme, reducedMotion: "reduce", offline });
    context.setDefaultTimeout(20_000);
    const wrong = [];
    const note = (what) => quiet.some((q) => q.test(what)) || wrong.push(what);
    const origin = new URL(address).origin;
    context.on("request", (r) => {
      const own = origin === "null" ? r.url().startsWith("file:") : new URL(r.url()).origin === origin;
      if (!own && !/^(data|blob):/.test(r.url())) note(`request to ${r.url()}`);
    });
    context.on("response", (r) => r.status() >= 400 && note(`${r.status()} for ${r.url()}`));
    context.on("requestfailed", (r) => r.failure()?.errorText !== "net::ERR_ABORTED" && note(`${r.failure()?.errorText} for ${r.url()}`));
    const page = await context.newPage();
    page.on("pageerror", (e) => note(`error: ${e.stack ?? e.message}`));
    page.on("console", (m) => ["error", "warning"].includes(m.type()) && note(`console: ${m.text()} ${m.location().url}`));
    try {
      await page.goto(address + hash);
      await page.locator("header.top h1").waitFor();
      const ui = new UI(page, asked ? await asked() : address);
      await body(ui, page);
      assert.deepEqual(wrong, [], "what the page complained about");
    } catch (e) {
      await page.screenshot({ path: join(pictures, "failed-" + name.replace(/\W+/g, "-") + ".png") }).catch(() => {});
      if (wrong.length > 0) e.message += "\nThe page said: " + wrong.join("\n");
      throw e;
    } finally {
      await context.close();
    }
  });
}

// UI knows how the page is built.
export class UI {
  constructor(page, address) {
    this.page = page;
    this.address = address;
  }

  // meta is what the page knows of the report.
  meta() {
    return (this.known ??= fetch(this.address + "api/meta").then((r) => r.json()));
  }
  async metric(name) {
    const i = (await this.meta()).metrics.findIndex((m) => m.name === name);
    assert.ok(i >= 0, `no metric ${name}`);
    return i;
  }
  // path finds a call path by the names of its regions, from the root, or of the last ones.
  async path(...names) {
    const { regions, paths } = await this.meta();
    const fits = (p) => {
      for (const name of [...names].reverse()) {
        if (p < 0 || regions[paths.region[p]].name !== name) return false;
        p = paths.parent[p];
      }
      return true;
    };
    const p = paths.parent.findIndex((_, i) => fits(i));
    assert.ok(p >= 0, `no call path ${names.join("/")}`);
    return p;
  }
  // parents of a node of a column, outermost first.
  async ancestors(column, node) {
    const meta = await this.meta();
    const parent = { metric: meta.metrics.map((m) => m.parent), call: meta.paths.parent, system: meta.system.parent }[column];
    const up = [];
    for (let n = parent[node]; n >= 0; n = parent[n]) up.unshift(n);
    return up;
  }

  async view(name) {
    await this.page.getByRole("tab", { name, exact: true }).click();
  }
  column(name) {
    return this.page.locator(`[data-column=${name}]`);
  }
  // row scrolls to a row of a tree whose parents are open.
  async row(column, node) {
    const row = this.page.locator(`#${column}-${node}`);
    const box = this.page.locator(`#${column}`);
    await box.waitFor();
    for (let y = 0; !(await row.count()); y += 200) {
      const end = await box.evaluate((b, top) => ((b.scrollTop = top), top > b.scrollHeight), y);
      await this.settled();
      assert.ok(!end, `row ${node} of ${column} is not to be seen`);
    }
    return row;
  }
  // open opens the parents of a node by clicking, and returns its row.
  async open(column, node) {
    for (const n of await this.ancestors(column, node)) {
      const row = await this.row(column, n);
      if ((await row.getAttribute("aria-expanded")) === "false") await row.locator(".twist").click();
    }
    return this.row(column, node);
  }
  async toggle(column, node) {
    await (await this.row(column, node)).locator(".twist").click();
    await this.settled();
  }
  async select(column, node) {
    await (await this.open(column, node)).locator(".text").click();
    await this.settled();
  }
  // selectMetric and selectPath select by name.
  async selectMetric(name) {
    const i = await this.metric(name);
    await this.select("metric", i);
    return i;
  }
  async selectPath(...names) {
    const p = await this.path(...names);
    await this.select("call", p);
    return p;
  }
  // exact is the value of a row with all its digits; null if it cannot be evaluated, or nothing of it is certain.
  async exact(column, node) {
    let line = "";
    for (let tries = 0; tries < 100 && !/^(cannot|nothing|[+−\-\d.])/.test(line); tries++) { // a row may be there before its value
      await this.settled();
      line = (await (await this.row(column, node)).getAttribute("title")).split("\n")[1] ?? "";
    }
    return /^(cannot|nothing)/.test(line) ? null : digits(line);
  }
  // number is what stands beside a row.
  async number(column, node) {
    await this.settled();
    return (await (await this.row(column, node)).locator(".number").textContent()).trim();
  }
  async mode(column, label) {
    await this.column(column).getByLabel("Values in").selectOption({ label });
    await this.settled();
  }
  // settled waits until all columns show what is selected.
  async settled() {
    await this.page.waitForFunction(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(!document.querySelector(".loading"))))));
  }
  async picture(name) {
    await this.page.screenshot({ path: join(pictures, name + ".png") });
  }
  // wide lists what is wider than the window, or makes it scroll as a whole, beside what scrolls in it.
  wide() {
    return this.page.evaluate(() => {
      const inner = document.documentElement.clientWidth;
      const clipped = (e) => {
        for (let p = e.parentElement; p; p = p.parentElement) if (getComputedStyle(p).overflowX !== "visible" && p.getBoundingClientRect().right <= inner + 1) return true;
        return false;
      };
      const beyond = [...document.querySelectorAll("body *")].filter((e) => e.getBoundingClientRect().right > inner + 1 && !clipped(e));
      const said = beyond.slice(0, 5).map((e) => `${e.tagName.toLowerCase()}.${e.className?.baseVal ?? e.className} ends at ${Math.round(e.getBoundingClientRect().right)} of ${inner} px`);
      const { scrollWidth, scrollHeight, clientHeight } = document.documentElement;
      if (scrollHeight > clientHeight) said.unshift(`${scrollHeight} px high in a window of ${clientHeight}`);
      return scrollWidth > inner ? [`${scrollWidth} px in a window of ${inner}`, ...said] : said;
    });
  }
}

// eventually requires that a function comes to return what is wanted.
export async function eventually(now, want) {
  for (let i = 0; i < 100; i++) {
    if ((await now()) === want) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  assert.equal(await now(), want);
}

// digits reads a number written for people, with all its digits.
export function digits(text) {
  const plain = text.replaceAll("\u202f", "").replaceAll(",", "").replaceAll("\u2212", "-");
  const m = /^[+-]?[\d.]+(e[+-]?\d+)?/.exec(plain.trim());
  assert.ok(m, `no number: ${text}`);
  return Number(m[0]);
}

// about compares sums of floating-point numbers, in which only the order of additions may differ.
export function about(got, want, what = "") {
  assert.ok(Math.abs(got - want) <= 1e-12 * Math.max(1e-30, Math.abs(want), 1e-6), `${what} ${got}, not ${want}`);
}

// seconds reads a time written for people, such as 12.3 ms.
export function seconds(text) {
  const m = /([\d.]+)[\s\u202f\u00a0]*(ns|µs|ms|s)\b/.exec(text.replace(/(\d),(?=\d{3})/g, "$1"));
  assert.ok(m, `no time: ${text}`);
  return Number(m[1]) * { ns: 1e-9, "µs": 1e-6, ms: 1e-3, s: 1 }[m[2]];
}

// reads requires that a time written with three digits is this one.
export function reads(text, want, what = "") {
  assert.ok(Math.abs(seconds(text) - want) <= 0.00501 * want + 1e-12, `${what}: ${text}, not ${want} s`);
}

// member returns a file within a report, parsed.
export const member = (report, name) => JSON.parse(execFileSync("tar", ["-xOf", report, name], { encoding: "utf8", maxBuffer: 1 << 28 }));
