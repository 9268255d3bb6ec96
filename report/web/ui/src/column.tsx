// One of the three columns: a tree with values, how they are shown, search, and the legend of the colours.
import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Value } from "./api";
import { at, colour, gradient, ink, palettes, position, type Scale } from "./colour";
import { exact, percent, value } from "./format";
import { Icon } from "./icons";
import { Popover } from "./popover";
import { compared, type Tree } from "./report";
import { hottest, rowsOf, weights } from "./rows";
import { type ColumnName, getReport, type Mode, modes, setColumn, setState, type Sort, useStore, useTheme } from "./state";
import { type Cells, TreeView } from "./treeview";

// What a column shows.
export interface Content {
  name: ColumnName;
  title: string;
  tree: Tree;
  incl: Value[] | null; // of collapsed nodes; null: there are none
  excl: (Value | undefined)[] | null; // of expanded nodes; undefined: nothing of its own to show
  noise?: { incl: Value[]; excl: Value[] };
  label: (node: number) => string;
  remark?: (node: number) => string; // after the name, "" for nothing
  hint?: (node: number) => string; // second line of the title
  unit: (node: number) => string;
  additive: (node: number) => boolean; // a share of it makes sense
  problem?: (node: number) => string; // why its value cannot be evaluated
  whole: (node: number, mode: Mode) => Value; // what is 100 %
  available: (mode: Mode) => boolean;
  mixed: boolean; // the trees have different units; colours show shares of the own root
  selected: number;
  expanded: ReadonlySet<number>;
  select: (node: number) => void;
  expand: (expanded: ReadonlySet<number>, selected: number) => void;
  error: string; // why nothing can be evaluated
  failure: string; // why there is no answer
  loading: boolean;
}

const modeTitle: Record<Mode, string> = {
  absolute: "Absolute",
  ownRoot: "Own root %",
  metricRoot: "Metric root %",
  metricSelection: "Metric selection %",
  callRoot: "Call root %",
  callSelection: "Call selection %",
  peer: "Peer %",
  external: "External %",
};
const sortTitle: Record<Sort, string> = { tree: "Tree order", value: "By value", name: "By name" };

interface Props {
  c: Content;
  views?: ComponentChildren; // choice of the view, after the title
  tools?: ComponentChildren; // buttons of this column only
  notes?: ComponentChildren; // a line above the tree
  body?: ComponentChildren; // in place of the tree
}

export function ColumnView({ c, views, tools, notes, body }: Props) {
  const settings = useStore((s) => s.columns[c.name]);
  const shown = useShown(c);
  const found = useSearch(c, settings.search, shown.order);
  const [searching, setSearching] = useState(settings.search !== "");
  const open = searching || settings.search !== "";
  const field = useRef<HTMLInputElement>(null);

  // "/" wherever the focus is in the column
  const onKeyDown = (e: KeyboardEvent) => {
    if (e.key !== "/" || (e.target as Element).matches("input, select")) return;
    e.preventDefault();
    e.stopPropagation();
    setSearching(true);
    requestAnimationFrame(() => field.current?.select());
  };
  const closeSearch = () => {
    setSearching(false);
    setColumn(c.name, { search: "" });
    document.getElementById(c.name)?.focus();
  };
  const goHottest = () => {
    const { tree } = c;
    if (!c.excl || tree.size === 0) return;
    const w = shown.weight;
    const from = c.selected >= 0 ? c.selected : tree.roots.reduce((best, r) => (w[r]! > w[best]! ? r : best));
    const way = hottest(tree, from, w, c.excl);
    const end = way[way.length - 1]!;
    c.expand(new Set([...c.expanded, ...tree.ancestors(from), ...way.filter((n) => !tree.isLeaf(n) && (n !== end || w[n]! > 0))]), end);
  };

  const problem = c.failure || c.error;
  const ready = !problem && c.incl !== null;
  return (
    <section class={"column " + c.name + (c.loading ? " loading" : "")} aria-label={c.title} data-column={c.name} onKeyDown={onKeyDown}>
      <header class="bar">
        <h2>{c.title}</h2>
        {views}
        <span class="space" />
        {tools}
        <button type="button" class={open ? "active" : ""} title="Search (/)" aria-label={`Search in ${c.title}`} onClick={() => (open ? closeSearch() : (setSearching(true), requestAnimationFrame(() => field.current?.focus())))}>
          <Icon name="search" />
        </button>
        <button type="button" title="Open the hottest path from the selection (.)" aria-label={`Open the hottest path in ${c.title}`} onClick={goHottest} disabled={!ready}>
          <Icon name="flame" />
        </button>
        <Options c={c} />
      </header>
      <div class="bar how">
        <select aria-label={`Values in ${c.title}`} value={shown.mode} onChange={(e) => setColumn(c.name, { mode: e.currentTarget.value as Mode, scale: null })}>
          {modes[c.name].map((m) => (
            <option key={m} value={m} disabled={!c.available(m)}>{modeTitle[m]}</option>
          ))}
        </select>
        <span class="space" />
        {shown.rows.left > 0 && <button type="button" class="chip" title="Small values are hidden; show all" onClick={() => setColumn(c.name, { hide: 0 })}>{`< ${settings.hide} % hidden`}<Icon name="close" /></button>}
        <select aria-label={`Order of ${c.title}`} value={settings.sort} onChange={(e) => setColumn(c.name, { sort: e.currentTarget.value as Sort })}>
          {(Object.keys(sortTitle) as Sort[]).map((s) => <option key={s} value={s}>{sortTitle[s]}</option>)}
        </select>
      </div>
      {notes}
      {open && <SearchBar c={c} field={field} text={settings.search} found={found} close={closeSearch} />}
      <div class="content">
        {problem ? (
          <div class="empty" role="status"><Icon name="warning" /><strong>{c.failure ? "Not available" : "Cannot be evaluated"}</strong><p>{problem}</p></div>
        ) : (
          body ?? (
            <TreeView
              id={c.name} label={c.title} tree={c.tree} rows={shown.rows} selected={c.selected} expanded={c.expanded}
              name={c.label} cells={(node) => cellsOf(c, shown, found, node)} select={c.select} expand={c.expand} hottest={goHottest}
            />
          )
        )}
        {ready && !body && shown.rows.nodes.length === 0 && <div class="empty" role="status"><p>{shown.rows.left > 0 ? "All values are smaller than the limit." : "There is nothing here."}</p></div>}
      </div>
      <Legend c={c} shown={shown} />
    </section>
  );
}

interface Shown {
  mode: Mode;
  rows: ReturnType<typeof rowsOf>;
  order: ((a: number, b: number) => number) | null;
  weight: Float64Array;
  scale: Scale;
  signed: boolean;
  theme: ReturnType<typeof useTheme>;
  palette: (typeof palettes)[number];
}

const none: Value[] = [];

// useShown works out rows and colours from values and settings.
function useShown(c: Content): Shown {
  const settings = useStore((s) => s.columns[c.name]);
  const palette = useStore((s) => s.palette);
  const theme = useTheme();
  const signed = getReport().difference;
  const { tree, expanded } = c;
  const incl = c.incl ?? none;
  const excl = c.excl ?? none;
  const mode = c.available(settings.mode) ? settings.mode : "absolute";
  const weight = useMemo(() => weights(tree, incl, excl), [tree, incl, excl]);
  const order = useMemo(() => {
    if (settings.sort === "name") return (a: number, b: number) => compareNames(c.label(a), c.label(b)) || a - b;
    if (settings.sort === "value") return (a: number, b: number) => sortKey(incl[b], signed) - sortKey(incl[a], signed) || a - b;
    return null;
  }, [settings.sort, tree, settings.sort === "value" ? incl : null]);
  const keep = useMemo(() => {
    if (settings.hide <= 0 || !c.incl) return null;
    const roots = tree.parent.length ? tree.roots.reduce((m, r) => Math.max(m, weight[r]!), 0) : 0;
    return (node: number) => (c.mixed && incl[node] === null) || weight[node]! >= (settings.hide / 100) * (c.mixed ? weight[tree.root(node)]! : roots);
  }, [settings.hide, weight]);
  const rows = useMemo(() => rowsOf(tree, expanded, order, keep), [tree, expanded, order, keep]);
  const scale = useMemo(() => scaleOf(c, mode, settings.scale, signed, weight), [incl, mode, settings.scale, weight, c.whole]);
  return { mode, rows, order, weight, scale, signed, theme, palette };
}

const collator = new Intl.Collator("en", { numeric: true });
const compareNames = (a: string, b: string) => collator.compare(a, b);
const sortKey = (v: Value | undefined, signed: boolean) => (v == null || Number.isNaN(v) ? -Infinity : signed ? Math.abs(v) : v);

// colourMode is the mode whose numbers the colours show: where units differ, shares of what is 100 % in the own tree.
const colourMode = (c: Content, mode: Mode): Mode => (c.mixed ? "ownRoot" : mode);

// colourWhole is what 100 % of the colours is. The whole of differences may be next to nothing; the greatest one is used in its place.
const colourWhole = (c: Content, node: number, mode: Mode, signed: boolean, weight: Float64Array): Value =>
  c.mixed && signed ? weight[c.tree.root(node)]! : c.whole(node, mode);

function scaleOf(c: Content, mode: Mode, own: [number, number] | null, signed: boolean, weight: Float64Array): Scale {
  if (own) return signed ? { min: -own[1], max: own[1], signed } : { min: own[0], max: own[1], signed };
  const m = colourMode(c, mode);
  const share = m !== "absolute" && c.tree.roots.some((r) => c.additive(r));
  if (share && !signed) return { min: 0, max: 1, signed };
  let max = 0;
  for (let i = 0; i < c.tree.size; i++) {
    const whole = share ? Math.abs(colourWhole(c, i, m, signed, weight) ?? 0) : 1;
    if (whole > 0) max = Math.max(max, weight[i]! / whole);
  }
  return { min: signed ? -max : 0, max, signed };
}

// numberOf returns what a node shows: its inclusive value when collapsed, its own when expanded.
function numberOf(c: Content, node: number): Value | undefined {
  const open = c.expanded.has(node) && !c.tree.isLeaf(node);
  return (open ? c.excl : c.incl)?.[node];
}

function shareOf(c: Content, node: number, v: number, mode: Mode, whole = c.whole(node, mode)): number | null {
  if (mode === "absolute" || !c.additive(node)) return null;
  if (whole === null || Number.isNaN(whole)) return NaN;
  return whole === 0 ? (v === 0 ? 0 : NaN) : v / Math.abs(whole);
}

function cellsOf(c: Content, s: Shown, found: Found, node: number): Cells {
  const v = numberOf(c, node);
  const unit = c.unit(node);
  const problem = c.problem?.(node) ?? "";
  const open = c.expanded.has(node) && !c.tree.isLeaf(node);
  let text = "";
  let absolute = "";
  let place = 0;
  let noisy = "";
  if (v === null || Number.isNaN(v)) text = "n/a";
  else if (v !== undefined) {
    const share = shareOf(c, node, v, s.mode);
    absolute = value(v, unit, s.signed);
    text = share === null ? absolute : Number.isNaN(share) ? "–" : percent(share, s.signed) + "%";
    if (share === null || v === 0) absolute = "";
    const m = colourMode(c, s.mode);
    const scaled = shareOf(c, node, v, m, colourWhole(c, node, m, s.signed, s.weight));
    place = scaled === null && c.mixed ? 0 : position(scaled ?? v, s.scale); // a ratio has no place among shares
    const band = (open ? c.noise?.excl : c.noise?.incl)?.[node];
    if (s.signed && band != null && v !== 0 && Math.abs(v) <= band) noisy = `within the noise of the runs, ± ${value(band, unit)}`;
  }
  const title = [
    c.label(node) + (c.remark?.(node) ? "  " + c.remark(node) : ""),
    v === undefined ? "" : `${exact(v, unit)}${c.tree.isLeaf(node) ? "" : open ? " itself, without what is below" : " with what is below"}`,
    problem ? "Cannot be evaluated: " + problem : noisy,
    c.hint?.(node) ?? "",
  ];
  return {
    title: title.filter(Boolean).join("\n"),
    quiet: v === 0 || v === undefined,
    values: (
      <>
        {v === undefined ? <span class="value-box blank" /> : <ValueBox v={v} place={place} s={s} />}
        <span class={"number" + (s.signed ? " wider" : s.mode === "absolute" ? " wide" : "") + (text === "n/a" ? " missing" : "")}>{noisy ? <span class="noise" aria-label={noisy}>≈ </span> : null}{text}</span>
      </>
    ),
    name: (
      <>
        {problem && <span class="problem"><Icon name="warning" /></span>}
        {marked(c.label(node), found.expression)}
        {c.remark?.(node) ? <span class="remark">{c.remark(node)}</span> : null}
      </>
    ),
    after: absolute ? <span class="absolute" aria-hidden="true">{absolute}</span> : null,
  };
}

// ValueBox shows by colour where on the scale a value lies; in differences its sign by relief and glyph as well.
function ValueBox({ v, place, s }: { v: Value; place: number; s: Shown }) {
  if (v === null || Number.isNaN(v)) return <span class="value-box missing" aria-hidden="true" />;
  if (Number.isNaN(place)) return <span class="value-box outside" aria-hidden="true" />;
  const style = { background: colour(place, s.theme, s.palette, s.signed), color: ink(place, s.theme, s.palette, s.signed) };
  if (s.signed && v !== 0 && place === 0) return <span class="value-box" aria-hidden="true">{v > 0 ? "+" : "−"}</span>;
  if (!s.signed || v === 0) return <span class="value-box" style={style} aria-hidden="true" />;
  return <span class={"value-box " + (v > 0 ? "raised" : "sunken")} style={style} aria-hidden="true">{v > 0 ? "+" : "−"}</span>;
}

function marked(text: string, expression: RegExp | null): ComponentChildren {
  const m = expression?.exec(text);
  if (!m || m[0] === "") return text;
  return [text.slice(0, m.index), <mark>{m[0]}</mark>, text.slice(m.index + m[0].length)];
}

interface Found {
  expression: RegExp | null;
  error: string;
  nodes: number[]; // from top to bottom
}

function useSearch(c: Content, text: string, order: Shown["order"]): Found {
  return useMemo(() => {
    if (text === "") return { expression: null, error: "", nodes: [] };
    let expression: RegExp;
    try {
      expression = new RegExp(text, "i");
    } catch (e) {
      return { expression: null, error: (e as Error).message.replace(/^Invalid regular expression: /, ""), nodes: [] };
    }
    const known = new Map<string, boolean>();
    const hit = new Uint8Array(c.tree.size);
    let any = false;
    for (let i = 0; i < c.tree.size; i++) {
      const name = c.label(i);
      let h = known.get(name);
      if (h === undefined) known.set(name, (h = expression.test(name)));
      if (h) any = !!(hit[i] = 1);
    }
    const all = { has: () => true } as unknown as ReadonlySet<number>;
    return { expression, error: "", nodes: any ? rowsOf(c.tree, all, order, null).nodes.filter((n) => hit[n]) : [] };
  }, [c.tree, text, order]);
}

function SearchBar({ c, field, text, found, close }: { c: Content; field: { current: HTMLInputElement | null }; text: string; found: Found; close: () => void }) {
  const at = found.nodes.indexOf(c.selected);
  const go = (step: 1 | -1) => {
    const n = found.nodes.length;
    if (n === 0) return;
    const node = found.nodes[at < 0 ? (step > 0 ? 0 : n - 1) : (at + step + n) % n]!;
    c.expand(new Set([...c.expanded, ...c.tree.ancestors(node)]), node);
  };
  const onKeyDown = (e: KeyboardEvent) => {
    if (e.key === "Enter") go(e.shiftKey ? -1 : 1);
    else if (e.key === "Escape") close();
    else return;
    e.preventDefault();
    e.stopPropagation();
  };
  useEffect(() => {
    if (text === "") field.current?.focus();
  }, []);
  const count = found.error ? "invalid" : text === "" ? "" : found.nodes.length === 0 ? "none" : at < 0 ? String(found.nodes.length) : `${at + 1} of ${found.nodes.length}`;
  return (
    <div class="bar search" role="search">
      <Icon name="search" />
      <input
        ref={field} type="text" placeholder="Regular expression" spellcheck={false} autocomplete="off" aria-label={`Search expression for ${c.title}`}
        aria-invalid={found.error !== ""} title={found.error} value={text} onInput={(e) => setColumn(c.name, { search: e.currentTarget.value })} onKeyDown={onKeyDown}
      />
      <output class={found.error ? "bad" : ""} title={found.error}>{count}</output>
      <button type="button" aria-label="Previous match" title="Previous match (Shift+Enter)" disabled={found.nodes.length === 0} onClick={() => go(-1)}><Icon name="up" /></button>
      <button type="button" aria-label="Next match" title="Next match (Enter)" disabled={found.nodes.length === 0} onClick={() => go(1)}><Icon name="down" /></button>
      <button type="button" aria-label="Close search" title="Close (Esc)" onClick={close}><Icon name="close" /></button>
    </div>
  );
}

// Options are what is needed less often.
function Options({ c }: { c: Content }) {
  const settings = useStore((s) => s.columns[c.name]);
  const all = () => c.expand(new Set(c.tree.inner), c.selected);
  return (
    <Popover label={`Options of ${c.title}`} button={<Icon name="options" />} active={settings.hide > 0}>
      <label class="field">
        <span>Hide below</span>
        <span class="with-unit">
          <input type="number" min="0" max="100" step="any" value={settings.hide || ""} placeholder="0" onInput={(e) => setColumn(c.name, { hide: Math.min(100, Math.max(0, Number(e.currentTarget.value) || 0)) })} />
          <span>% of the root</span>
        </span>
      </label>
      <div class="buttons">
        <button type="button" class="text" onClick={all}>Expand all</button>
        <button type="button" class="text" onClick={() => c.expand(new Set(), c.selected >= 0 ? c.tree.root(c.selected) : -1)}>Collapse all</button>
      </div>
    </Popover>
  );
}

// Legend shows what the colours mean and lets the scale be changed.
function Legend({ c, shown }: { c: Content; shown: Shown }) {
  const { scale, signed, theme, palette } = shown;
  const own = useStore((s) => s.columns[c.name].scale);
  const m = colourMode(c, shown.mode);
  const share = m !== "absolute" && c.tree.roots.some((r) => c.additive(r));
  const unit = c.tree.roots.length ? c.unit(c.tree.roots[0]!) : "";
  const text = (v: number) => (share ? percent(v, signed).replace(/\.0+$/, "") + "%" : value(v, unit, signed));
  const factor = share ? 100 : 1;
  const set = (which: 0 | 1, x: number) => {
    const next: [number, number] = signed ? [0, scale.max] : [scale.min, scale.max];
    next[which] = x / factor;
    if (Number.isFinite(x) && next[1] > next[0]) setColumn(c.name, { scale: next });
  };
  const number = (v: number) => Number((v * factor).toPrecision(6));
  return (
    <footer class="bar legend">
      <span>{text(scale.min)}</span>
      <span class="ramp" style={{ backgroundImage: gradient(theme, palette, signed) }} title={signed ? `Left: more in ${compared(getReport())[1]}\nRight: more in ${compared(getReport())[0]}` : `Middle of the scale: ${text(at(0.5, scale))}`} />
      <span>{text(scale.max)}</span>
      <Popover label={`Colour scale of ${c.title}`} button="Scale" class="scale" active={own !== null} up>
        {!signed && (
          <label class="field"><span>From</span><span class="with-unit"><input type="number" step="any" value={number(scale.min)} onChange={(e) => set(0, e.currentTarget.valueAsNumber)} /><span>{share ? "%" : unit}</span></span></label>
        )}
        <label class="field"><span>{signed ? "To ±" : "To"}</span><span class="with-unit"><input type="number" step="any" value={number(scale.max)} onChange={(e) => set(1, e.currentTarget.valueAsNumber)} /><span>{share ? "%" : unit}</span></span></label>
        {!signed && (
          <label class="field"><span>Colours</span>
            <select value={palette} onChange={(e) => setState({ palette: e.currentTarget.value as typeof palette })}>
              {palettes.map((p) => <option key={p} value={p}>{p[0]!.toUpperCase() + p.slice(1)}</option>)}
            </select>
          </label>
        )}
        <div class="buttons"><button type="button" class="text" disabled={own === null} onClick={() => setColumn(c.name, { scale: null })}>Reset</button></div>
      </Popover>
    </footer>
  );
}
