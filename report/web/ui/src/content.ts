// What a column shows, and how: which rows, which numbers, which place on the scale of colours.
import { useMemo } from "preact/hooks";
import type { Range, Value } from "./api";
import type { Palette, Scale, Theme } from "./colour";
import type { Tree } from "./report";
import { type Order, type Rows, rowsOf, weights } from "./rows";
import { type ColumnName, getReport, type Mode, useStore, useTheme } from "./state";

// What a column shows.
export interface Content {
  name: ColumnName;
  title: string;
  tree: Tree;
  incl: Value[] | null; // of collapsed nodes; null: there are none
  excl: (Value | undefined)[] | null; // of expanded nodes; undefined: nothing of its own to show
  in?: { incl: Range[]; excl: (Range | undefined)[] }; // what they lie in
  noise?: { incl: Value[]; excl: Value[] };
  label: (node: number) => string;
  remark?: (node: number) => string; // after the name, "" for nothing
  hint?: (node: number) => string; // second line of the title
  unit: (node: number) => string;
  additive: (node: number) => boolean; // a share of it makes sense
  problem?: (node: number) => string; // why its value cannot be evaluated
  whole: (node: number, mode: Mode) => Value; // what is 100 %
  available: (mode: Mode) => boolean;
  ratio?: (node: number) => { low: number; high: number } | undefined; // what is a ratio, with its own scale
  mixed: boolean; // the trees have different units; colours show shares of the own root
  selected: number;
  expanded: ReadonlySet<number>;
  select: (node: number) => void;
  expand: (expanded: ReadonlySet<number>, selected: number) => void;
  error: string; // why nothing can be evaluated
  failure: string; // why there is no answer
  loading: boolean;
}

export interface Shown {
  mode: Mode;
  rows: Rows;
  order: Order;
  weight: Float64Array;
  scale: Scale;
  signed: boolean;
  theme: Theme;
  palette: Palette;
}

const none: Value[] = [];

// useShown works out rows and colours from values and settings.
export function useShown(c: Content): Shown {
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
export const colourMode = (c: Content, mode: Mode): Mode => (c.mixed ? "ownRoot" : mode);

// colourWhole is what 100 % of the colours is. The whole of differences may be next to nothing; the greatest one is used in its place.
export const colourWhole = (c: Content, node: number, mode: Mode, signed: boolean, weight: Float64Array): Value =>
  c.mixed && signed ? weight[c.tree.root(node)]! : c.whole(node, mode);

function scaleOf(c: Content, mode: Mode, own: [number, number] | null, signed: boolean, weight: Float64Array): Scale {
  if (own) return signed ? { min: -own[1], max: own[1], signed } : { min: own[0], max: own[1], signed };
  const ratio = c.mixed || signed || c.tree.size === 0 ? undefined : c.ratio?.(0);
  if (ratio && ratio.low < ratio.high) return { min: ratio.low, max: ratio.high, signed };
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
export function numberOf(c: Content, node: number): Value | undefined {
  const open = c.expanded.has(node) && !c.tree.isLeaf(node);
  return (open ? c.excl : c.incl)?.[node];
}

// rangeOf returns what that lies in, null if it is exact.
export function rangeOf(c: Content, node: number): Range {
  const open = c.expanded.has(node) && !c.tree.isLeaf(node);
  return (open ? c.in?.excl : c.in?.incl)?.[node] ?? null;
}

export function shareOf(c: Content, node: number, v: number, mode: Mode, whole = c.whole(node, mode)): number | null {
  if (mode === "absolute" || !c.additive(node)) return null;
  if (whole === null || Number.isNaN(whole)) return NaN;
  return whole === 0 ? (v === 0 ? 0 : NaN) : v / Math.abs(whole);
}

