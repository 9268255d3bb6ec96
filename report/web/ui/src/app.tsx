// The frame around the views: title, tabs, theme, help, and what is selected.
import { Component, type ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { value } from "./format";
import { Icon } from "./icons";
import { Efficiency, Findings, Timeline } from "./panels";
import { Popover } from "./popover";
import { attribute, compared, fullResource, heading, pathName } from "./report";
import { getReport, setState, type State, useStore, useTheme, type View } from "./state";
import { columnNames, Trees } from "./trees";
import { useCalls, useSelection, useSettled, useSystem } from "./values";

const narrowBelow = 720; // px

function useNarrow(): boolean {
  const [query] = useState(() => window.matchMedia(`(max-width: ${narrowBelow - 1}px)`));
  const [narrow, set] = useState(query.matches);
  useEffect(() => {
    const look = () => set(query.matches);
    query.addEventListener("change", look);
    return () => query.removeEventListener("change", look);
  }, []);
  return narrow;
}

export function App() {
  const view = useStore((s) => s.view);
  const theme = useTheme();
  const narrow = useNarrow();
  const empty = getReport().metrics.length === 0;
  const [help, setHelp] = useState(false);
  useLayoutEffect(() => void (document.documentElement.dataset.theme = theme), [theme]);
  useEffect(() => {
    const onKeyDown = (e: KeyboardEvent) => {
      if (e.ctrlKey || e.metaKey || e.altKey || (e.target as Element).matches?.("input, select, textarea")) return;
      if (e.key === "?") setHelp((h) => !h);
      else if (e.key === "[" || e.key === "]") walk(e.key === "]" ? 1 : -1);
      else if (e.key === "/") {
        if (document.activeElement?.closest("[data-column]")) return;
        const column = document.querySelector<HTMLElement>(".column.call") ?? document.querySelector<HTMLElement>(".column");
        column?.dispatchEvent(new KeyboardEvent("keydown", { key: "/", bubbles: true }));
      } else return;
      e.preventDefault();
    };
    window.addEventListener("keydown", onKeyDown);
    return () => window.removeEventListener("keydown", onKeyDown);
  }, []);
  return (
    <>
      <Header narrow={narrow} openHelp={() => setHelp(true)} />
      <main>
        <div class="view" data-view={view} id="view" role="tabpanel" tabIndex={view === "efficiency" ? 0 : undefined} aria-labelledby={"tab-" + view}>
        <Guard key={view}>
          {empty && <div class="empty"><strong>This report is empty</strong><p>It has no metrics.</p></div>}
          {!empty && view === "findings" && <Findings />}
          {!empty && view === "trees" && <Trees narrow={narrow} />}
          {!empty && view === "timeline" && <Timeline />}
          {!empty && view === "efficiency" && <Efficiency />}
        </Guard>
        </div>
      </main>
      {view === "trees" && !empty && <StatusBar narrow={narrow} />}
      {help && <Help close={() => setHelp(false)} />}
    </>
  );
}

// walk moves the focus to the next column, or shows it where there is room for one only.
function walk(step: 1 | -1): void {
  const now = document.activeElement?.closest<HTMLElement>("[data-column]")?.dataset.column ?? document.querySelector<HTMLElement>(".trees.narrow [data-column]")?.dataset.column;
  const i = columnNames.findIndex((n) => n === now);
  const next = columnNames[i < 0 ? (step > 0 ? 0 : 2) : (i + step + 3) % 3]!;
  if (document.querySelector(".trees.narrow")) setState({ front: next });
  requestAnimationFrame(() => (document.getElementById(next) ?? document.querySelector<HTMLElement>(`.column.${next} button`))?.focus());
}

function Header({ narrow, openHelp }: { narrow: boolean; openHelp: () => void }) {
  const r = getReport();
  const view = useStore((s) => s.view);
  const front = useStore((s) => s.front);
  const details = useStore((s) => s.details);
  const { features } = r;
  const views: [View, string][] = [];
  if (features.findings) views.push(["findings", "Findings"]);
  views.push(["trees", "Trees"]);
  if (features.timeline || features.stats) views.push(["timeline", "Timeline"]);
  views.push(["efficiency", "Efficiency"]);
  const kinds = { expert: "Go program", scalasca: "Scalasca", cube: "CUBE" };
  const fronts: [State["front"], string][] = [["metric", "Metric"], ["call", "Calls"], ["system", "System"], ["details", "Details"]];
  return (
    <header class="top">
      <div class="title">
        <h1 title={[r.difference && attribute(r, "expert:difference"), r.file].filter(Boolean).join("\n")}>{heading(r)}</h1>
        <span class="kind">{r.difference ? "Difference" : kinds[r.kind]}</span>
      </div>
      <Tabs label="Views" now={view} all={views} choose={(v) => setState({ view: v })} controls="view" prefix="tab-" />
      <span class="space" />
      <div class="tools">
        <About />
        {view === "trees" && !narrow && (
          <button type="button" class={details ? "active" : ""} aria-pressed={details} aria-label="Details" title="Details of the selection" onClick={() => setState({ details: !details })}><Icon name="panel" /></button>
        )}
        <ThemeButton />
        <button type="button" aria-label="Help" title="Keys and what is shown (?)" onClick={openHelp}><Icon name="help" /></button>
      </div>
      {view === "trees" && narrow && (
        <div class="segments fronts" role="group" aria-label="Column">
          {fronts.map(([f, title]) => <button key={f} type="button" aria-pressed={f === front} onClick={() => setState({ front: f })}>{title}</button>)}
        </div>
      )}
    </header>
  );
}

// Tabs is a list of tabs, one of them chosen; arrow keys move between them.
function Tabs<T extends string>({ label, now, all, choose, controls, prefix }: { label: string; now: T; all: [T, string][]; choose: (v: T) => void; controls: string; prefix: string }) {
  const onKeyDown = (e: KeyboardEvent) => {
    const i = all.findIndex(([v]) => v === now);
    const to = { ArrowRight: i + 1, ArrowLeft: i - 1, Home: 0, End: all.length - 1 }[e.key];
    if (to === undefined) return;
    const [v] = all[(to + all.length) % all.length]!;
    choose(v);
    document.getElementById(prefix + v)?.focus();
    e.preventDefault();
  };
  return (
    <div class="tabs" role="tablist" aria-label={label} onKeyDown={onKeyDown}>
      {all.map(([v, title]) => (
        <button key={v} id={prefix + v} type="button" role="tab" aria-selected={v === now} aria-controls={v === now ? controls : undefined} tabIndex={v === now ? 0 : -1} onClick={() => choose(v)}>{title}</button>
      ))}
    </div>
  );
}

// About tells what file this is, and what is wrong with it.
function About() {
  const r = getReport();
  const n = r.problems.length;
  return (
    <Popover label={n > 0 ? `About this report, ${n} ${n === 1 ? "problem" : "problems"}` : "About this report"} class={"about" + (n > 0 ? " warns" : "")} button={n > 0 ? <><Icon name="warning" />{n}</> : <Icon name="info" />}>
      {n > 0 && <><h2>Problems</h2><ul class="problems">{r.problems.map((p) => <li>{p}</li>)}</ul></>}
      <h2>Report</h2>
      <dl>
        <dt>File</dt><dd>{r.file}</dd>
        {r.external && <><dt>Compared with</dt><dd>{r.external.file}</dd></>}
        <dt>Metrics</dt><dd>{r.metrics.length}</dd>
        <dt>Call paths</dt><dd>{r.pathTree.size}</dd>
        <dt>Locations</dt><dd>{r.system.leaf.filter((l) => l >= 0).length}</dd>
        {r.attrs.map(([k, v]) => <><dt>{k}</dt><dd>{v}</dd></>)}
      </dl>
    </Popover>
  );
}

const themes = { auto: ["light", "auto", "as the system"], light: ["dark", "sun", "light"], dark: ["auto", "moon", "dark"] } as const;

function ThemeButton() {
  const now = useStore((s) => s.theme);
  const [next, icon, name] = themes[now];
  return <button type="button" aria-label={`Theme: ${name}`} title={`Theme: ${name}; change to ${themes[next][2]}`} onClick={() => setState({ theme: next })}><Icon name={icon} /></button>;
}

// StatusBar says in one line what the numbers to the right belong to.
function StatusBar({ narrow }: { narrow: boolean }) {
  const r = getReport();
  const resource = useStore((st) => st.resource);
  const module = useStore((st) => st.module);
  const now = { s: useSelection(), calls: useCalls(), system: useSystem() };
  const settled = useSettled(now, now.calls.loading || now.system.loading);
  const s = settled.s;
  const calls = settled.calls.data;
  const system = settled.system.data;
  const m = r.metrics[s.metric]!;
  const total = (s.self ? r.totals.self : r.totals.incl)[s.metric];
  const call = s.path >= 0 ? pathName(r, s.path) : s.regions.length === 1 ? r.regions[s.regions[0]!]!.name : r.modules[module]!.label;
  const at = s.path >= 0 ? (s.incl ? calls?.incl : calls?.excl)?.[s.path] : s.regions.length === 1 ? (s.incl ? calls?.incl : calls?.excl)?.[s.regions[0]!] : undefined;
  const text = (v: number | null | undefined) => (v === undefined ? "" : v === null && m.ratio && !m.error ? "–" : value(v, m.unit, r.difference));
  const metric = (m.title || m.name) + (s.self ? ", without its parts" : "");
  const below = s.path >= 0 && !s.incl && !r.pathTree.isLeaf(s.path) ? " itself" : "";
  return (
    <div class="status" role="status">
      <span class="item"><span class="what">{metric}</span> <b>{text(total)}</b></span>
      <span class="item"><span class="what">{call}{below}</span> <b>{text(at)}</b></span>
      {resource >= 0 && <span class="item"><span class="what">{narrow ? r.system.name[resource] : fullResource(r, resource)}</span> <b>{text(system?.values?.[resource])}</b></span>}
    </div>
  );
}

const keys: [string, string][] = [
  ["↑ ↓", "previous, next row"],
  ["→ ←", "open, close; go to the first child, to the parent"],
  ["Shift → ←", "open, close everything below"],
  ["Home End", "first, last row"],
  ["Enter Space", "open or close"],
  ["a … z", "go to the next name with this first letter"],
  ["*", "open all rows with the same parent"],
  [".", "open the hottest path"],
  ["[ ]", "previous, next column"],
  ["/", "search; Enter and Shift Enter: next, previous match"],
  ["?", "this help"],
];

function Help({ close }: { close: () => void }) {
  const r = getReport();
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} class="help" aria-label="Help" onClose={close} onClick={(e) => e.target === dialog.current && dialog.current?.close()}>
      <div>
        <header><h2>Reading the trees</h2><button type="button" aria-label="Close" onClick={() => dialog.current?.close()}><Icon name="close" /></button></header>
        <p>The selection in a column determines what the columns to the right of it show: how the metric is distributed over the calls, and how the metric at that call is distributed over the system.</p>
        <p>A <b>closed</b> row shows the value of itself and everything below it. An <b>open</b> row shows only its own value. So the visible rows add up to the total.</p>
        {r.difference && <p>Values are differences, {heading(r)}: <b>−</b> and blue is less in {compared(r)[1]}, <b>+</b> and orange is more. {r.features.noise && "≈ marks differences within the noise of repeated runs."}</p>}
        <p>“n/a” marks values that cannot be evaluated; they are not zero. The address of the page contains everything that you selected: bookmark it, or send it to somebody who views the same report.</p>
        <h2>Keys</h2>
        <dl class="keys">{keys.map(([k, what]) => <><dt>{k.split(" ").map((x) => (x === "…" ? " … " : <kbd>{x}</kbd>))}</dt><dd>{what}</dd></>)}</dl>
      </div>
    </dialog>
  );
}

// Guard shows an error of a view in place of the view.
class Guard extends Component<{ children: ComponentChildren }, { error: string }> {
  state = { error: "" };
  static getDerivedStateFromError(e: Error) {
    return { error: e.message || String(e) };
  }
  render() {
    if (!this.state.error) return <>{this.props.children}</>;
    return <div class="empty" role="alert"><Icon name="warning" /><strong>This view cannot be shown</strong><p>{this.state.error}</p></div>;
  }
}
