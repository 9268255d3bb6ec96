// The contents of the three columns: what each asks for, and what its numbers are shares of.
import { useMemo } from "preact/hooks";
import type { Value } from "./api";
import { colour, ink } from "./colour";
import { ColumnView } from "./column";
import type { Content } from "./content";
import { Icon } from "./icons";
import { SystemPlot, TopologyGrid } from "./panels";
import { callSite, compared, fullPath, fullResource, pathName, type Report, Tree } from "./report";
import { type CallView, getReport, getState, type Mode, type Selection, setState, type State, type SystemView, useStore, useTheme } from "./state";
import { sumOf } from "./sums";
import { useCalls, useSelection, useSettled, useSystem } from "./values";

// Views choose one of a few ways to show a column.
function Views<T extends string>({ label, now, all, choose }: { label: string; now: T; all: [T, string][]; choose: (v: T) => void }) {
  return (
    <div class="segments" role="group" aria-label={label}>
      {all.map(([v, title]) => (
        <button key={v} type="button" aria-pressed={v === now} onClick={() => choose(v)}>{title}</button>
      ))}
    </div>
  );
}

// peer returns the greatest size among a node and its siblings.
function peer(tree: Tree, values: (Value | undefined)[], node: number): number {
  const up = tree.parent[node]!;
  let max = 0;
  for (const n of up < 0 ? tree.roots : tree.children(up)) max = Math.max(max, Math.abs(values[n] ?? 0));
  return max;
}

const withPeers = (tree: Tree, values: Value[] | null) => {
  const known = new Map<number, number>();
  return (node: number): number => {
    const up = tree.parent[node]!;
    let p = known.get(up);
    if (p === undefined) known.set(up, (p = peer(tree, values ?? [], node)));
    return p;
  };
};

const opener = (key: keyof State["expanded"], selectKey: "metric" | "path" | "resource" | "module") => (set: ReadonlySet<number>, selected: number) =>
  setState({ expanded: { ...getState().expanded, [key]: set }, ...(selected >= 0 ? { [selectKey]: selected } : {}) });
const openMetrics = opener("metric", "metric");
const openPaths = opener("call", "path");
const openSystem = opener("system", "resource");

// originOf says of the root of a tree of counters what made it, and what a ratio is a ratio of.
function originOf(r: Report, metric: number): string {
  const m = r.metrics[metric]!;
  if (m.parent >= 0) return "";
  return m.ratio ? m.unit : m.hierarchy ? `hierarchy ${m.hierarchy}` : m.counter ? "counter" : "";
}

export function MetricColumn() {
  const r = getReport();
  const selected = useStore((s) => s.metric);
  const expanded = useStore((s) => s.expanded.metric);
  const still = useMemo(() => {
    const tree = r.metricTree;
    const peers = withPeers(tree, r.totals.incl);
    return {
      name: "metric" as const, title: "Metric", tree, incl: r.totals.incl, excl: r.totals.self, in: { incl: r.totals.in.incl, excl: r.totals.in.self },
      label: (m: number) => r.metrics[m]!.title || r.metrics[m]!.name,
      remark: (m: number) => originOf(r, m),
      hint: (m: number) => r.metrics[m]!.name + (r.metrics[m]!.incomplete ? "\nIncomplete: some counters are missing, so this is a lower bound" : ""),
      ratio: (m: number) => r.metrics[m]!.ratio,
      unit: (m: number) => r.metrics[m]!.unit,
      additive: (m: number) => r.metrics[m]!.additive,
      problem: (m: number) => r.metrics[m]!.error,
      whole: (m: number, mode: Mode) => (mode === "peer" ? peers(m) : mode === "external" ? (r.external?.totals[tree.root(m)] ?? null) : (r.totals.incl[tree.root(m)] ?? null)),
      available: (mode: Mode) => mode !== "external" || r.external !== null,
      mixed: true, error: "", failure: "", loading: false,
      select: (m: number) => setState({ metric: m, instance: -1 }),
      expand: openMetrics,
    };
  }, [r]);
  return <ColumnView c={{ ...still, selected, expanded }} notes={r.difference && <Signs r={r} />} />;
}

// Signs says what the signs and colours of a difference mean: less in the second report is cool, more is hot.
function Signs({ r }: { r: Report }) {
  const theme = useTheme();
  const [a, b] = compared(r);
  const key = (sign: 1 | -1, text: string) => (
    <span class="sign" title={`${b} − ${a}: ${sign > 0 ? "+" : "−"} is ${text}`}>
      <span class={"value-box " + (sign > 0 ? "raised" : "sunken")} style={{ background: colour(sign * 0.5, theme, "heat", true), color: ink(sign * 0.5, theme, "heat", true) }}>{sign > 0 ? "+" : "−"}</span>
      <span>{text}</span>
    </span>
  );
  return <div class="bar notes">{key(-1, `less in ${b}`)}{key(1, `more in ${b}`)}</div>;
}

// What "100 %" of the selected metric is, for the columns to the right of it.
function metricWhole(r: Report, { metric, self }: Selection): { root: Value; selection: Value; external: Value } {
  const root = r.metricTree.root(metric);
  return {
    root: r.totals.incl[root] ?? null,
    selection: (self ? r.totals.self : r.totals.incl)[metric] ?? null,
    external: r.external?.totals[root] ?? null,
  };
}

// moduleTree has the source modules as roots and their regions below.
function moduleTree(r: Report): Tree {
  const parent = new Int32Array(r.modules.length + r.regions.length).fill(-1);
  r.modules.forEach((m, i) => m.regions.forEach((region) => (parent[r.modules.length + region] = i)));
  return new Tree(parent);
}

const nothingOpen: ReadonlySet<number> = new Set();

export function CallColumn() {
  const r = getReport();
  const call = useStore((s) => s.call);
  const path = useStore((s) => s.path);
  const region = useStore((s) => s.region);
  const module = useStore((s) => s.module);
  const expandedPaths = useStore((s) => s.expanded.call);
  const expandedModules = useStore((s) => s.expanded.module);
  const flatIncl = useStore((s) => s.flatIncl);
  const at = useStore((s) => s.at);
  const now = { sel: useSelection(), answer: useCalls() };
  const { sel, answer } = useSettled(now, now.answer.loading);
  const whole = metricWhole(r, sel);
  const m = r.metrics[sel.metric]!;
  const data = answer.data?.error ? null : answer.data;
  // An answer of another view has values of other nodes.
  const fits = data?.incl && data.incl.length === (call === "tree" ? r.pathTree.size : r.regions.length) ? data : null;

  const shape = useMemo(() => {
    if (call === "tree") {
      return {
        tree: r.pathTree,
        label: (p: number) => pathName(r, p),
        remark: (p: number) => r.paths.note[p] ?? "",
        hint: (p: number) => [callSite(r, p) && `called at ${callSite(r, p)}`, fullPath(r, p)].filter(Boolean).join("\n"),
      };
    }
    const first = call === "module" ? r.modules.length : 0; // the number of the first region
    return {
      tree: call === "module" ? moduleTree(r) : new Tree(r.regions.map(() => -1)),
      label: (n: number) => (n < first ? r.modules[n]!.label : r.regions[n - first]!.name),
      hint: (n: number) => (n < first ? r.modules[n]!.name : definedAt(r, n - first)),
    };
  }, [r, call]);

  const values = useMemo(() => {
    if (!fits) return { incl: null, excl: null };
    if (call === "tree") return { incl: fits.incl, excl: fits.excl, in: fits.in };
    const own = fits.in?.excl ?? [];
    if (call === "flat") return { incl: flatIncl ? fits.incl : fits.excl, excl: fits.excl, in: { incl: (flatIncl ? fits.in?.incl : own) ?? [], excl: own } };
    const known = (n: number) => fits.excl[n] != null || own[n] != null;
    const modules = r.modules.map((mod) => (m.additive ? sumOf(mod.regions.filter(known).map((n) => [fits.excl[n], own[n]])) : [undefined, null] as const));
    const none = modules.map(() => undefined);
    return { incl: [...modules.map(([v]) => v), ...fits.excl] as Value[], excl: [...none, ...fits.excl], in: { incl: [...modules.map(([, range]) => range), ...own], excl: [...none, ...own] } };
  }, [fits, call, flatIncl, m]);

  const wholeOf = useMemo(() => {
    const peers = withPeers(shape.tree, values.incl);
    return (n: number, mode: Mode): Value => {
      switch (mode) {
        case "metricRoot": return whole.root;
        case "metricSelection": return whole.selection;
        case "external": return whole.external;
        case "peer": return peers(n);
        default: return call === "tree" ? (values.incl?.[shape.tree.root(n)] ?? null) : whole.selection;
      }
    };
  }, [shape, values, whole.root, whole.selection, whole.external]);

  const first = r.modules.length;
  const content: Content = {
    ...shape, ...values, name: "call", title: "Calls", mixed: false,
    error: answer.data?.error ?? "", failure: answer.error, loading: now.answer.loading,
    noise: call === "tree" ? fits?.noise : undefined,
    unit: () => m.unit, additive: () => m.additive, ratio: () => m.ratio, whole: wholeOf,
    available: (mode) => mode !== "external" || r.external !== null,
    selected: call === "tree" ? path : call === "flat" ? region : region >= 0 ? first + region : module,
    expanded: call === "tree" ? expandedPaths : call === "flat" ? nothingOpen : expandedModules,
    select: (n) => select(r, call, n),
    expand: (set, n) => {
      if (call === "tree") openPaths(set, n);
      else {
        if (call === "module") setState({ expanded: { ...getState().expanded, module: set } });
        if (n >= 0) select(r, call, n);
      }
    },
  };
  const show = (view: CallView) => {
    // The region stays selected from one view to the next.
    const now = call === "tree" ? r.paths.region[path]! : region;
    const change: Partial<State> = { call: view };
    if (view !== "tree" && now >= 0) {
      change.region = now;
      change.module = r.modules.findIndex((mod) => mod.regions.includes(now));
      change.expanded = { ...getState().expanded, module: new Set([...getState().expanded.module, change.module]) };
    } else if (view === "flat") change.region = r.modules[module]!.regions[0]!;
    setState(change);
  };
  return (
    <ColumnView
      c={content}
      views={<Views label="View of the calls" now={call} all={[["tree", "Tree"], ["flat", "Flat"], ["module", "Modules"]]} choose={show} />}
      notes={
        <>
          {sel.self && whole.selection === 0 && (
            <p class="bar notes hint">{m.title || m.name} is open and has nothing of its own; select one of its parts.</p>
          )}
          {(at >= 0 || call === "flat") && (
            <div class="bar notes">
              {call === "flat" && (
                <Views label="What the flat list shows" now={flatIncl ? "incl" : "excl"} all={[["excl", "Exclusive"], ["incl", "Inclusive"]]} choose={(v) => setState({ flatIncl: v === "incl" })} />
              )}
              {at >= 0 && (
                <button type="button" class="chip" title={`Only ${fullResource(r, at)}. Show the whole system`} onClick={() => setState({ at: -1 })}>
                  <Icon name="filter" /><span>{r.system.name[at]}</span><Icon name="close" />
                </button>
              )}
            </div>
          )}
        </>
      }
    />
  );
}

function select(r: Report, call: CallView, n: number): void {
  const first = r.modules.length;
  if (call === "tree") setState({ path: n, instance: -1 });
  else if (call === "flat") setState({ region: n, instance: -1 });
  else if (n < first) setState({ module: n, region: -1, instance: -1 });
  else setState({ region: n - first, module: r.modules.findIndex((m) => m.regions.includes(n - first)), instance: -1 });
}

function definedAt(r: Report, region: number): string {
  const { file, begin } = r.regions[region]!;
  return file ? `defined in ${file}${begin > 0 ? ":" + begin : ""}` : "";
}

export function SystemColumn() {
  const r = getReport();
  const view = useStore((s) => s.system);
  const selected = useStore((s) => s.resource);
  const at = useStore((s) => s.at);
  const expanded = useStore((s) => s.expanded.system);
  const now = { sel: useSelection(), calls: useCalls(), answer: useSystem() };
  const loading = now.calls.loading || now.answer.loading;
  const { sel, calls, answer } = useSettled(now, loading);
  const whole = metricWhole(r, sel);
  const m = r.metrics[sel.metric]!;
  const tree = r.systemTree;
  const incl = answer.data && !answer.data.error ? answer.data.values : null;

  // What belongs to a node itself, and not to a part of it.
  const excl = useMemo(() => {
    if (!incl) return null;
    return incl.map((v, i) => (tree.isLeaf(i) ? v : undefined));
  }, [incl]);

  const wholeOf = useMemo(() => {
    const peers = withPeers(tree, incl);
    const c = calls.data && !calls.data.error ? calls.data : null;
    const callSelection = (): Value => {
      if (sel.path >= 0) return (sel.incl ? c?.incl : c?.excl)?.[sel.path] ?? null;
      return tree.roots.reduce<Value>((sum, root) => (sum === null || incl?.[root] == null ? null : sum + incl[root]!), 0);
    };
    return (n: number, mode: Mode): Value => {
      switch (mode) {
        case "metricRoot": return whole.root;
        case "metricSelection": return whole.selection;
        case "callRoot": return sel.path >= 0 ? (c?.incl?.[r.pathTree.root(sel.path)] ?? null) : whole.selection;
        case "callSelection": return callSelection();
        case "external": return whole.external;
        case "peer": return peers(n);
        default: return incl?.[tree.root(n)] ?? null;
      }
    };
  }, [tree, incl, calls.data, sel, whole.root, whole.selection, whole.external]);

  const content: Content = {
    name: "system", title: "System", tree, incl, excl, in: { incl: answer.data?.in ?? [], excl: answer.data?.in ?? [] }, mixed: false,
    error: answer.data?.error ?? "", failure: answer.error, loading,
    label: (i) => r.system.name[i]!, remark: () => "", hint: (i) => r.system.cls[i]!,
    unit: () => m.unit, additive: () => m.additive, ratio: () => m.ratio, whole: wholeOf,
    available: (mode) => mode !== "external" || r.external !== null,
    selected, expanded, select: (i) => setState({ resource: i }), expand: openSystem,
  };
  const all: [SystemView, string][] = [["tree", "Tree"], ["plot", "Plot"]];
  if (r.topologies.length > 0) all.push(["topology", "Topology"]);
  const body = view === "plot" ? <SystemPlot /> : view === "topology" ? <TopologyGrid /> : undefined;
  return (
    <ColumnView
      c={content}
      views={<Views label="View of the system" now={view} all={all} choose={(v) => setState({ system: v })} />}
      body={body}
      tools={
        <button
          type="button" class={at >= 0 && at === selected ? "active" : ""} disabled={selected < 0} aria-pressed={at >= 0 && at === selected}
          aria-label="Restrict the calls to the selected part of the system" title="Restrict the calls to the selected part of the system"
          onClick={() => setState({ at: at === selected ? -1 : selected })}
        >
          <Icon name="filter" />
        </button>
      }
    />
  );
}
