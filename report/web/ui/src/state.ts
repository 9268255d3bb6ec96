// What the page shows: one object, mirrored in location.hash, so that every state has an address and back and forward work.
import { useEffect, useRef, useState } from "preact/hooks";
import { ask, type Calls, type Meta, requests } from "./api";
import { type Palette, palettes, type Theme } from "./colour";
import { type Report, toReport } from "./report";
import { decodeSet, encodeSet } from "./sets";

export type View = "findings" | "trees" | "timeline" | "efficiency";
export type ColumnName = "metric" | "call" | "system";
// How values of a column are shown: as they are, or as a share of: the root of the own tree, the root or the selection in a column
// further to the left, the greatest among those of the same parent, the metric's root in a second report.
export type Mode = "absolute" | "ownRoot" | "metricRoot" | "metricSelection" | "callRoot" | "callSelection" | "peer" | "external";
export const modes: Record<ColumnName, Mode[]> = {
  metric: ["absolute", "ownRoot", "peer", "external"],
  call: ["absolute", "ownRoot", "metricRoot", "metricSelection", "peer", "external"],
  system: ["absolute", "ownRoot", "metricRoot", "metricSelection", "callRoot", "callSelection", "peer", "external"],
};
export type Sort = "tree" | "value" | "name";
export type CallView = "tree" | "flat" | "module";
export type SystemView = "tree" | "plot" | "topology";
export type Tab = "about" | "computation" | "statistics" | "source" | "causers";

export interface Column {
  mode: Mode;
  sort: Sort;
  hide: number; // percent of the root; less is not shown
  search: string; // regular expression
  scale: [min: number, max: number] | null; // null: fits the mode
}

export interface State {
  view: View;
  metric: number;
  call: CallView;
  path: number; // selected call path
  region: number; // selected region of the flat list, or of a module; -1: the module
  module: number;
  flatIncl: boolean; // the flat list shows inclusive values
  at: number; // resource to which the call column is restricted, -1: the whole system
  resource: number;
  system: SystemView;
  topology: number;
  expanded: { metric: ReadonlySet<number>; call: ReadonlySet<number>; module: ReadonlySet<number>; system: ReadonlySet<number> };
  columns: Record<ColumnName, Column>;
  widths: [metric: number, call: number, system: number]; // shares
  front: ColumnName | "details"; // the column shown when there is room for one only
  details: boolean; // the panel of details is open
  height: number; // its share of the page
  tab: Tab;
  instance: number; // selected instance of a wait state, -1: none
  window: [begin: number, end: number] | null; // of the timeline, ns
  rows: number[]; // resources of the timeline, empty: those concerned
  theme: "auto" | Theme;
  palette: Palette;
}

let report: Report;
let initial: State;
let state: State;
const listeners = new Set<() => void>();

export const getReport = (): Report => report;
export const getState = (): State => state;
export const getInitial = (): State => initial; // the first look

// start loads the report and takes the state from the address.
export async function start(): Promise<void> {
  report = toReport(await ask<Meta>(requests.meta()));
  initial = defaults(report);
  if (report.pathTree.roots.length > 1) initial.path = await heaviestRoot();
  state = decode(location.hash);
  window.addEventListener("popstate", () => {
    window.clearTimeout(pending);
    pending = undefined;
    state = decode(location.hash);
    lastChange = 0;
    listeners.forEach((f) => f());
  });
}

// heaviestRoot returns the root of the call tree with most of the first metric. The page asks for these values anyway.
async function heaviestRoot(): Promise<number> {
  const { incl } = await ask<Calls>(requests.calls(initial.metric, false)).catch(() => ({ incl: null }));
  const size = (root: number) => Math.abs(incl?.[root] ?? 0);
  return report.pathTree.roots.reduce((best, root) => (size(root) > size(best) ? root : best));
}

// Changes that follow each other quickly, a walk with the arrow keys for instance, are one step for the back button. Browsers refuse to
// write the address too often; what does not fit is written a little later.
const together = 1000; // ms between changes that are one step
const burst = 40; // writes of the address at once
const every = 500; // ms until another one is allowed
let lastChange = 0;
let lastWrite = 0;
let allowed = burst;
let pending: number | undefined;

export function setState(change: Partial<State>): void {
  const now = performance.now();
  const step = now - lastChange > together || (change.view !== undefined && change.view !== state.view);
  lastChange = now;
  if (step && pending !== undefined) write(false); // what was before belongs to the step before
  state = { ...state, ...change };
  if (step || allowed + (now - lastWrite) / every >= 1) write(step);
  else pending ??= window.setTimeout(() => write(false), every);
  listeners.forEach((f) => f());
}

function write(step: boolean): void {
  window.clearTimeout(pending);
  pending = undefined;
  const hash = encode(state);
  if (hash === (location.hash || "#")) return;
  if (step) history.pushState(null, "", hash);
  else history.replaceState(null, "", hash);
  const now = performance.now();
  allowed = Math.max(0, Math.min(burst, allowed + (now - lastWrite) / every) - 1);
  lastWrite = now;
}

export function setColumn(name: ColumnName, change: Partial<Column>): void {
  setState({ columns: { ...state.columns, [name]: { ...state.columns[name], ...change } } });
}

// useStore returns a part of the state and renders again when it changes. What `part` returns is compared by identity.
export function useStore<T>(part: (s: State) => T): T {
  const [, render] = useState(0);
  const now = part(state);
  const shown = useRef({ part, now });
  shown.current = { part, now };
  useEffect(() => {
    const look = () => {
      if (!Object.is(shown.current.part(state), shown.current.now)) render((n) => n + 1);
    };
    look(); // it may have changed between rendering and now
    listeners.add(look);
    return () => void listeners.delete(look);
  }, []);
  return now;
}

// What is selected, as the server is asked for it.
export interface Selection {
  metric: number;
  self: boolean; // an expanded metric stands for itself without its children
  incl: boolean; // a collapsed call path stands for all below it
  path: number; // -1 in the flat list and by module
  regions: number[]; // of the flat list, several for a module
}

export function selection(s: State): Selection {
  const self = s.expanded.metric.has(s.metric) && !report.metricTree.isLeaf(s.metric);
  if (s.call === "tree") {
    return { metric: s.metric, self, path: s.path, regions: [], incl: !s.expanded.call.has(s.path) || report.pathTree.isLeaf(s.path) };
  }
  if (s.call === "flat") return { metric: s.metric, self, path: -1, regions: [s.region], incl: s.flatIncl };
  const regions = s.region >= 0 ? [s.region] : report.modules[s.module]?.regions ?? [];
  return { metric: s.metric, self, path: -1, regions, incl: false };
}

// Answer is where a request stands. While the answer to a new one is awaited, the last data stay.
export interface Answer<T> {
  data: T | null;
  error: string;
  loading: boolean;
}

// useAnswer asks and renders again when the answer is there. An empty request asks nothing.
export function useAnswer<T>(request: string): Answer<T> {
  const [answer, set] = useState<Answer<T> & { to: string }>({ data: null, error: "", loading: request !== "", to: request });
  useEffect(() => {
    let current = true;
    if (request === "") {
      set({ data: null, error: "", loading: false, to: request });
      return;
    }
    ask<T>(request).then(
      (data) => current && set({ data, error: "", loading: false, to: request }),
      (e: Error) => current && set({ data: null, error: e.message, loading: false, to: request }),
    );
    return () => void (current = false);
  }, [request]);
  return answer.to === request ? answer : { ...answer, loading: true };
}

// The theme in force.
const dark = window.matchMedia("(prefers-color-scheme: dark)");

export function theme(s: State = state): Theme {
  return s.theme === "auto" ? (dark.matches ? "dark" : "light") : s.theme;
}

export function useTheme(): Theme {
  const [, render] = useState(0);
  useEffect(() => {
    const again = () => render((n) => n + 1);
    dark.addEventListener("change", again);
    return () => dark.removeEventListener("change", again);
  }, []);
  return theme({ ...state, theme: useStore((s) => s.theme) });
}

function column(mode: Mode): Column {
  return { mode, sort: "tree", hide: 0, search: "", scale: null };
}

// The first look at a report: the first metric with its parts, the way down to where the tree branches first.
function defaults(r: Report): State {
  const down = (tree: Report["pathTree"]) => {
    const way = new Set<number>();
    let node = tree.roots.length === 1 ? tree.roots[0]! : -1;
    while (node >= 0 && !tree.isLeaf(node)) {
      way.add(node);
      const below = tree.children(node);
      node = below.length === 1 ? below[0]! : -1;
    }
    return way;
  };
  return {
    view: r.features.findings ? "findings" : "trees",
    metric: 0,
    call: "tree",
    path: r.pathTree.roots[0] ?? -1,
    region: 0,
    module: 0,
    flatIncl: false,
    at: -1,
    resource: -1,
    system: "tree",
    topology: 0,
    expanded: { metric: new Set(), call: new Set(), module: new Set(), system: down(r.systemTree) },
    columns: r.difference
      ? { metric: column("absolute"), call: column("absolute"), system: column("absolute") }
      : { metric: column("ownRoot"), call: column("metricSelection"), system: column("callSelection") },
    widths: [1, 1.25, 1],
    front: "metric",
    details: true,
    height: 0.3,
    tab: "about",
    instance: -1,
    window: null,
    rows: [],
    theme: "auto",
    palette: "heat",
  };
}

// The address holds what differs from the first look: names in place of numbers where a file of the next run has the same ones.
const short: Record<ColumnName, string> = { metric: "m", call: "c", system: "s" };

const trees = ["metric", "call", "module", "system"] as const;

// openable returns the nodes of a tree that can be opened.
function openable(k: (typeof trees)[number]): number[] {
  if (k === "module") return report.modules.map((_, i) => i);
  return { metric: report.metricTree, call: report.pathTree, system: report.systemTree }[k].inner;
}

function encode(s: State): string {
  const q = new URLSearchParams();
  const put = (key: string, value: string, usual: string) => value !== usual && q.set(key, value);
  const number = (key: string, n: number, usual: number) => put(key, String(n), String(usual));
  put("view", s.view, initial.view);
  put("metric", report.metrics[s.metric]?.name ?? "", report.metrics[initial.metric]?.name ?? "");
  put("call", s.call, initial.call);
  number("path", s.path, initial.path);
  number("region", s.region, initial.region);
  number("module", s.module, initial.module);
  put("flat", s.flatIncl ? "incl" : "excl", "excl");
  number("at", s.at, -1);
  number("resource", s.resource, -1);
  put("system", s.system, initial.system);
  number("topology", s.topology, 0);
  for (const k of trees) put("x" + k, encodeSet(s.expanded[k], openable(k)), encodeSet(initial.expanded[k], openable(k)));
  for (const k of ["metric", "call", "system"] as const) {
    const c = s.columns[k];
    const d = initial.columns[k];
    put(short[k] + "mode", c.mode, d.mode);
    put(short[k] + "sort", c.sort, d.sort);
    number(short[k] + "hide", c.hide, d.hide);
    put(short[k] + "find", c.search, "");
    put(short[k] + "scale", c.scale?.join("_") ?? "", "");
  }
  put("widths", s.widths.map((w) => +w.toFixed(3)).join("_"), initial.widths.join("_"));
  put("front", s.front, initial.front);
  number("height", +s.height.toFixed(3), initial.height);
  put("details", s.details ? "1" : "0", "1");
  put("tab", s.tab, initial.tab);
  number("instance", s.instance, -1);
  put("window", s.window?.map(Math.round).join("_") ?? "", "");
  put("rows", s.rows.join("_"), "");
  put("theme", s.theme, "auto");
  put("palette", s.palette, "heat");
  return "#" + q.toString();
}

// decode returns the state of an address; whatever is missing or makes no sense is as at the first look.
function decode(hash: string): State {
  const q = new URLSearchParams(hash.replace(/^#/, ""));
  const index = (key: string, usual: number, size: number, least = -1) => {
    const text = q.get(key);
    const n = Number(text);
    return text !== null && Number.isInteger(n) && n >= least && n < size ? n : usual;
  };
  const oneOf = <T extends string>(key: string, all: readonly T[], usual: T): T => {
    const text = q.get(key) as T;
    return all.includes(text) ? text : usual;
  };
  const numbers = (key: string): number[] => (q.get(key) ? q.get(key)!.split("_").map(Number) : []);
  const pair = (key: string): [number, number] | null => {
    const [a, b] = numbers(key);
    return a !== undefined && b !== undefined && b > a ? [a, b] : null;
  };
  const col = (k: ColumnName): Column => {
    const d = initial.columns[k];
    const hide = Number(q.get(short[k] + "hide"));
    return {
      mode: oneOf(short[k] + "mode", modes[k], d.mode),
      sort: oneOf(short[k] + "sort", ["tree", "value", "name"], d.sort),
      hide: hide > 0 && hide <= 100 ? hide : 0,
      search: q.get(short[k] + "find") ?? "",
      scale: pair(short[k] + "scale"),
    };
  };
  const d = initial;
  const r = report;
  const resources = r.systemTree.size;
  const expanded = { ...d.expanded };
  for (const k of trees) if (q.has("x" + k)) expanded[k] = decodeSet(q.get("x" + k)!, openable(k));
  const metric = r.metricByName.get(q.get("metric") ?? "") ?? d.metric;
  const path = index("path", d.path, r.pathTree.size, 0);
  const resource = index("resource", -1, resources);
  // A short address, written by hand, shows what it selects.
  const open = (k: "metric" | "call" | "system", tree: Report["pathTree"], node: number) => {
    const way = node < 0 || q.has("x" + k) ? [] : tree.ancestors(node).filter((n) => !expanded[k].has(n));
    if (way.length > 0) expanded[k] = new Set([...expanded[k], ...way]);
  };
  open("metric", r.metricTree, metric);
  open("call", r.pathTree, path);
  open("system", r.systemTree, resource);
  const widths = numbers("widths").filter((w) => w > 0);
  return {
    view: oneOf("view", ["findings", "trees", "timeline", "efficiency"], d.view),
    metric,
    call: oneOf("call", ["tree", "flat", "module"], d.call),
    path,
    region: index("region", d.region, r.regions.length),
    module: index("module", d.module, r.modules.length, 0),
    flatIncl: q.get("flat") === "incl",
    at: index("at", -1, resources),
    resource,
    system: oneOf("system", ["tree", "plot", "topology"], d.system),
    topology: index("topology", 0, r.topologies.length, 0),
    expanded,
    columns: { metric: col("metric"), call: col("call"), system: col("system") },
    widths: widths.length === 3 ? (widths as State["widths"]) : d.widths,
    front: oneOf("front", ["metric", "call", "system", "details"], d.front),
    height: Math.min(0.8, Math.max(0.1, Number(q.get("height")) || d.height)),
    details: q.get("details") !== "0",
    tab: oneOf("tab", ["about", "computation", "statistics", "source", "causers"], d.tab),
    instance: index("instance", -1, Infinity),
    window: pair("window"),
    rows: numbers("rows").filter((i) => Number.isInteger(i) && i >= 0 && i < resources),
    theme: oneOf("theme", ["auto", "light", "dark"], "auto"),
    palette: oneOf("palette", palettes, "heat"),
  };
}

// Steps that panels take together.

// reveal selects a metric and a call path in the trees, opening the way to both.
export function reveal(metric: number, path: number, change: Partial<State> = {}): void {
  const s = state;
  const open = (set: ReadonlySet<number>, way: number[]) => (way.every((n) => set.has(n)) ? set : new Set([...set, ...way]));
  const expanded = {
    ...s.expanded,
    metric: metric >= 0 ? open(s.expanded.metric, report.metricTree.ancestors(metric)) : s.expanded.metric,
    call: path >= 0 ? open(s.expanded.call, report.pathTree.ancestors(path)) : s.expanded.call,
  };
  setState({
    view: "trees",
    metric: metric >= 0 ? metric : s.metric,
    path: path >= 0 ? path : s.path,
    call: path >= 0 ? "tree" : s.call,
    expanded,
    ...change,
  });
}
