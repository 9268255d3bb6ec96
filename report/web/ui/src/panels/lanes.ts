// The drawing of the timeline: a lane for each goroutine with its nested regions, what it waited for, and arrows between them.
import type { Span, Timeline } from "../api";
import { time } from "../format";
import { clock, marks, type Range, step } from "./axis";

export const enum Kind { Region, Operation, Blocked }

export const rulerHeight = 26;
const levelHeight = 17;
const padding = 9; // above and below the levels of a lane; waits are marked above
const mostLevels = 16;

export interface Lane {
  resource: number;
  top: number; // from the top of the first lane
  height: number;
  levels: number;
  spans: Span[];
  ended: number; // when it ended, Infinity if not in what is loaded
}

// lanesOf stacks the rows.
export function lanesOf(rows: Timeline["rows"]): { lanes: Lane[]; height: number } {
  let top = 0;
  const lanes = rows.map(({ resource, spans, ended = Infinity }) => {
    let levels = 1;
    for (const s of spans) if (s[4] !== Kind.Blocked) levels = Math.max(levels, s[2] + 1);
    levels = Math.min(levels, mostLevels);
    const lane = { resource, top, height: Math.max(40, levels * levelHeight + 2 * padding), levels, spans, ended };
    top += lane.height;
    return lane;
  });
  return { lanes, height: top };
}

// What is drawn.
export interface Scene {
  width: number;
  height: number; // of what is in sight, ruler included
  gutter: number; // width of the names
  scroll: number; // how far the lanes are scrolled up
  window: Range; // ns
  lanes: Lane[];
  names: string[];
  label: (resource: number) => { name: string; role: string };
  waits: Timeline["waits"];
  arrows: Timeline["arrows"];
  deed: (kind: string) => boolean; // what a goroutine did that made another one begin or go on; other arrows are of wait states
  metric: string; // the wait state that is looked at
  chosen: { resource: number; begin: number; end: number; causer: number } | null;
  hover: Hit | null;
  loaded: Range | null; // outside it nothing is known yet
  sampled: boolean; // spans say where a goroutine was at one moment of them
}

export interface Colours {
  page: string;
  raised: string;
  line: string;
  text: string;
  text2: string;
  text3: string;
  wait: string;
  accent: string;
  operation: string;
  dark: boolean;
  font: string;
}

export function coloursOf(element: Element): Colours {
  const style = getComputedStyle(element);
  const get = (name: string) => style.getPropertyValue(name).trim();
  return {
    page: get("--page"), raised: get("--raised"), line: get("--line"), text: get("--text"), text2: get("--text-2"), text3: get("--text-3"),
    wait: get("--wait"), accent: get("--accent"), operation: get("--operation"), dark: style.colorScheme.includes("dark"), font: style.fontFamily,
  };
}

// Regions have the colour of their name, the same everywhere. Hues next to that of waits are left out.
const hues = [212, 172, 262, 142, 232, 92, 192, 292, 122, 202];
const known = new Map<string, string>();

export function regionColour(name: string, dark: boolean): string {
  const key = (dark ? "d" : "l") + name;
  let c = known.get(key);
  if (!c) {
    let h = 2166136261;
    for (let i = 0; i < name.length; i++) h = Math.imul(h ^ name.charCodeAt(i), 16777619);
    const hue = hues[(h >>> 0) % hues.length]!;
    const tint = ((h >>> 8) & 3) * 2.5;
    c = dark ? `hsl(${hue} 32% ${27 + tint}%)` : `hsl(${hue} 52% ${79 + tint}%)`;
    known.set(key, c);
  }
  return c;
}

// Hit is what lies under the pointer.
export interface Hit {
  lane: Lane;
  span: Span | null;
  blocked: Span | null; // the part of it in which it was blocked
  wait: Timeline["waits"][number] | null;
}

export function hit(s: Scene, x: number, y: number): Hit | null {
  if (y < rulerHeight) return null;
  const at = y - rulerHeight + s.scroll;
  const lane = s.lanes.find((l) => at >= l.top && at < l.top + l.height);
  if (!lane) return null;
  if (x < s.gutter) return { lane, span: null, blocked: null, wait: null };
  const perPixel = (s.window[1] - s.window[0]) / (s.width - s.gutter);
  const t = s.window[0] + (x - s.gutter) * perPixel;
  const near = (begin: number, end: number) => t >= begin - perPixel && t <= end + perPixel;
  const level = Math.floor((at - lane.top - padding) / levelHeight);
  let span: Span | null = null;
  let blocked: Span | null = null;
  for (const p of lane.spans) {
    if (!near(p[0], p[1])) continue;
    if (p[4] === Kind.Blocked ? p[2] - 1 === level : p[2] === level) {
      if (p[4] === Kind.Blocked) blocked = p;
      else if (!span || p[1] - p[0] <= span[1] - span[0] || !(t >= span[0] && t <= span[1])) span = p;
    }
  }
  const wait = s.waits.find((w) => w.resource === lane.resource && w.metric === s.metric && near(w.begin, w.end)) ?? null;
  return { lane, span, blocked, wait };
}

// draw paints the scene. The context is scaled to CSS pixels.
export function draw(c: CanvasRenderingContext2D, s: Scene, k: Colours): void {
  c.clearRect(0, 0, s.width, s.height);
  c.textBaseline = "middle";
  c.font = `12px ${k.font}`;
  const x = (t: number) => s.gutter + ((t - s.window[0]) / (s.window[1] - s.window[0])) * (s.width - s.gutter);
  const distance = step(s.window[1] - s.window[0], (s.width - s.gutter) / 110);
  const places = marks(s.window, distance);

  c.save();
  c.beginPath();
  c.rect(0, rulerHeight, s.width, s.height - rulerHeight);
  c.clip();
  c.translate(0, rulerHeight - s.scroll);
  const seen = s.lanes.filter((l) => l.top + l.height > s.scroll && l.top < s.scroll + s.height);
  c.fillStyle = k.line;
  for (const t of places) c.fillRect(Math.round(x(t)), s.scroll, 1, s.height);
  const texture = hatch(c, k);
  c.save();
  c.beginPath();
  c.rect(s.gutter, s.scroll, s.width - s.gutter, s.height);
  c.clip();
  if (s.loaded) veil(c, s, k, x);
  for (const lane of seen) drawLane(c, s, k, lane, x, texture);
  for (const lane of seen) drawWaits(c, s, k, lane, x);
  drawArrows(c, s, k, x);
  c.restore();
  for (const lane of seen) drawLabel(c, s, k, lane);
  c.restore();
  drawRuler(c, s, k, places, distance, x);
}

// veil covers what is still being asked for.
function veil(c: CanvasRenderingContext2D, s: Scene, k: Colours, x: (t: number) => number): void {
  const [begin, end] = s.loaded!;
  c.fillStyle = k.raised;
  if (begin > s.window[0]) c.fillRect(s.gutter, s.scroll, x(begin) - s.gutter, s.height);
  if (end < s.window[1]) c.fillRect(x(end), s.scroll, s.width - x(end), s.height);
}

function drawLane(c: CanvasRenderingContext2D, s: Scene, k: Colours, lane: Lane, x: (t: number) => number, texture: CanvasPattern | null): void {
  const left = s.gutter;
  const h = levelHeight - 1;
  for (const p of lane.spans) {
    const [begin, end, depth, name, kind] = p;
    if (end < s.window[0] || begin > s.window[1]) continue;
    const level = kind === Kind.Blocked ? depth - 1 : depth;
    if (level < 0 || level >= mostLevels) continue;
    const x0 = Math.max(left - 2, x(begin));
    const x1 = Math.min(s.width + 2, x(end));
    const y = lane.top + padding + level * levelHeight;
    const w = Math.max(0.8, x1 - x0 - (x1 - x0 > 3 ? 0.6 : 0));
    if (kind === Kind.Blocked) {
      c.fillStyle = texture ?? k.text3;
      c.fillRect(x0, y, w, h);
      continue;
    }
    c.fillStyle = kind === Kind.Operation ? k.operation : regionColour(s.names[name] ?? "", k.dark);
    c.globalAlpha = p[5] > 1 || s.sampled ? 0.6 : 1; // several short ones
    c.fillRect(x0, y, w, h);
    c.globalAlpha = 1;
    if (s.hover?.span === p) {
      c.strokeStyle = k.text;
      c.lineWidth = 1;
      c.strokeRect(x0 + 0.5, y + 0.5, Math.max(0, w - 1), h - 1);
    }
  }
  // Names come last, so that no hatching lies over them.
  for (const [begin, end, depth, name, kind] of lane.spans) {
    if (kind === Kind.Blocked || depth >= mostLevels || end < s.window[0] || begin > s.window[1]) continue;
    const x0 = Math.max(left, x(begin));
    const room = Math.min(s.width, x(end)) - x0 - 8;
    if (room < 14) continue;
    const text = fit(c, s.names[name] ?? "", room);
    if (!text) continue;
    const y = lane.top + padding + depth * levelHeight;
    if (kind === Kind.Operation) { // it may be hatched
      c.fillStyle = k.operation;
      c.fillRect(x0 + 2, y + 2, c.measureText(text).width + 4, h - 4);
    }
    c.fillStyle = k.text;
    c.fillText(text, x0 + 4, y + h / 2 + 1);
  }
  c.fillStyle = k.line;
  c.fillRect(0, lane.top + lane.height - 1, s.width, 1);
}

function drawWaits(c: CanvasRenderingContext2D, s: Scene, k: Colours, lane: Lane, x: (t: number) => number): void {
  for (const w of s.waits) {
    if (w.resource !== lane.resource || w.metric !== s.metric || w.end < s.window[0] || w.begin > s.window[1]) continue;
    if (s.chosen && w.resource === s.chosen.resource && w.begin === s.chosen.begin) continue;
    const x0 = x(w.begin);
    c.fillStyle = k.wait;
    c.globalAlpha = 0.75;
    c.fillRect(x0, lane.top + 3, Math.max(2, x(w.end) - x0), 3);
    c.globalAlpha = 1;
  }
  const chosen = s.chosen;
  if (!chosen || chosen.resource !== lane.resource) return;
  const x0 = Math.max(s.gutter - 4, x(chosen.begin));
  const x1 = Math.min(s.width + 4, Math.max(x(chosen.end), x0 + 2));
  c.fillStyle = k.wait;
  c.globalAlpha = 0.13;
  c.fillRect(x0, lane.top + 2, x1 - x0, lane.height - 5);
  c.globalAlpha = 1;
  c.fillRect(x0, lane.top + 2, x1 - x0, 4);
  c.strokeStyle = k.wait;
  c.lineWidth = 1.5;
  c.strokeRect(x0, lane.top + 2, x1 - x0, lane.height - 5);
}

// drawArrows draws who ended which wait, and who started whom.
function drawArrows(c: CanvasRenderingContext2D, s: Scene, k: Colours, x: (t: number) => number): void {
  const lane = new Map(s.lanes.map((l) => [l.resource, l]));
  const arrow = (from: Lane, to: Lane, t0: number, t1: number, colour: string, strong: boolean) => {
    const down = to.top > from.top;
    const x0 = x(t0);
    const x1 = x(t1);
    if (Math.max(x0, x1) < s.gutter - 20 || Math.min(x0, x1) > s.width + 20) return;
    const y0 = from.top + padding + (down ? levelAt(from, t0) * levelHeight : 2);
    const y1 = to.top + (down ? 5 : to.height - 6);
    const pen = (style: string, width: number) => {
      c.strokeStyle = style;
      c.lineWidth = width;
      c.beginPath();
      c.moveTo(x0, y0);
      c.bezierCurveTo(x0, (y0 + y1) / 2, x1, (y0 + y1) / 2, x1, y1);
      c.stroke();
    };
    if (strong) pen(k.page, 5);
    pen(colour, strong ? 2 : 1);
    const size = strong ? 6 : 4;
    c.fillStyle = colour;
    c.beginPath();
    c.moveTo(x1, y1 + (down ? 3 : -3));
    c.lineTo(x1 - size * 0.8, y1 + (down ? 3 - size * 1.5 : size * 1.5 - 3));
    c.lineTo(x1 + size * 0.8, y1 + (down ? 3 - size * 1.5 : size * 1.5 - 3));
    c.fill();
    if (strong) {
      c.beginPath();
      c.arc(x0, y0, 3, 0, 2 * Math.PI);
      c.fill();
    }
  };
  for (const a of s.arrows) {
    const from = lane.get(a.from);
    const to = lane.get(a.to);
    if (!from || !to || from === to || (a.kind !== s.metric && !s.deed(a.kind))) continue;
    if (s.chosen && a.kind === s.metric && a.to === s.chosen.resource && a.toTime === s.chosen.end) continue;
    c.globalAlpha = 0.7;
    arrow(from, to, a.fromTime, a.toTime, s.deed(a.kind) ? k.text3 : k.wait, false);
    c.globalAlpha = 1;
  }
  if (!s.chosen) return;
  const from = lane.get(s.chosen.causer);
  const to = lane.get(s.chosen.resource);
  if (from && to && endsWait(from, to, s.chosen.end)) arrow(from, to, s.chosen.end, s.chosen.end, k.wait, true);
}

// endsWait says whether an arrow can lead from one lane to another at a time. Who was waited for most of the time may be gone when
// somebody else ends the wait.
export const endsWait = (from: Lane, to: Lane, t: number): boolean => from !== to && from.ended >= t;

// levelAt is how many levels a lane has at a time.
function levelAt(lane: Lane, t: number): number {
  let n = 1;
  for (const [begin, end, depth, , kind] of lane.spans) if (begin <= t && end >= t && kind !== Kind.Blocked) n = Math.max(n, depth + 1);
  return Math.min(n, lane.levels);
}

function drawLabel(c: CanvasRenderingContext2D, s: Scene, k: Colours, lane: Lane): void {
  c.fillStyle = k.page;
  c.fillRect(0, lane.top, s.gutter - 1, lane.height - 1);
  c.fillStyle = k.line;
  c.fillRect(s.gutter - 1, lane.top, 1, lane.height);
  const { name, role } = s.label(lane.resource);
  const middle = lane.top + lane.height / 2;
  const two = role && lane.height >= 40;
  const colour = role === "waits" ? k.wait : k.text2;
  c.fillStyle = s.hover?.lane.resource === lane.resource ? k.accent : k.text;
  const shown = fitEnd(c, name, s.gutter - 20);
  c.fillText(shown, 12, middle - (two ? 7 : 0));
  const after = 20 + c.measureText(shown).width;
  c.font = `11px ${k.font}`;
  c.fillStyle = colour;
  if (two) c.fillText(role, 12, middle + 9);
  else if (role) c.fillText(fit(c, role, s.gutter - after - 4), after, middle);
  c.font = `12px ${k.font}`;
}

function drawRuler(c: CanvasRenderingContext2D, s: Scene, k: Colours, places: number[], distance: number, x: (t: number) => number): void {
  c.fillStyle = k.raised;
  c.fillRect(0, 0, s.width, rulerHeight);
  c.fillStyle = k.line;
  c.fillRect(0, rulerHeight - 1, s.width, 1);
  const { base, text } = clock(s.window, distance);
  c.font = `11px ${k.font}`;
  c.fillStyle = k.text2;
  c.save();
  c.beginPath();
  c.rect(s.gutter, 0, s.width - s.gutter, rulerHeight);
  c.clip();
  for (const t of places) {
    c.fillRect(Math.round(x(t)), rulerHeight - 7, 1, 6);
    c.fillText(text(t), Math.round(x(t)) + 4, rulerHeight / 2);
  }
  c.restore();
  c.fillText(base ? fit(c, `${(base / 1e9).toPrecision(10).replace(/\.?0+$/, "")}\u202fs`, s.gutter - 16) : "time", 12, rulerHeight / 2);
  c.font = `12px ${k.font}`;
}

// hatch is the texture of blocked time.
const textures = new Map<string, CanvasPattern | null>();

function hatch(c: CanvasRenderingContext2D, k: Colours): CanvasPattern | null {
  const key = k.dark + k.operation;
  if (!textures.has(key)) {
    const tile = document.createElement("canvas");
    tile.width = tile.height = 6;
    const t = tile.getContext("2d")!;
    t.strokeStyle = k.dark ? "rgb(255 255 255 / 42%)" : "rgb(0 0 0 / 36%)";
    t.lineWidth = 1.2;
    t.beginPath();
    for (const d of [-6, 0, 6]) {
      t.moveTo(d, 6);
      t.lineTo(d + 6, 0);
    }
    t.stroke();
    textures.set(key, c.createPattern(tile, "repeat"));
  }
  return textures.get(key)!;
}

// fit cuts a text to the room there is, "" if there is none for at least three characters.
export function fit(c: CanvasRenderingContext2D, text: string, room: number): string {
  const width = c.measureText(text).width;
  if (width <= room) return text;
  let n = Math.floor((text.length * room) / width);
  while (n >= 3 && c.measureText(text.slice(0, n) + "…").width > room) n--;
  return n < 3 ? "" : text.slice(0, n) + "…";
}

// fitEnd keeps the end of a name, which tells it from others.
function fitEnd(c: CanvasRenderingContext2D, text: string, room: number): string {
  const width = c.measureText(text).width;
  return width <= room ? text : "…" + text.slice(text.length - Math.max(3, Math.floor((text.length * room) / width) - 1));
}

// lasts writes how long a stay was. One that reaches to an end of what is loaded may have begun before it, or go on behind it.
export function lasts(begin: number, end: number, loaded: Range | null): string {
  return time((end - begin) / 1e9) + (loaded && (begin <= loaded[0] || end >= loaded[1]) ? " or more" : "");
}

// describe says what lies under the pointer.
export function describe(h: Hit, names: string[], title: string, loaded: Range | null, sampled: boolean): { name: string; lines: string[] } | null {
  const lines: string[] = [];
  if (sampled && h.span) lines.push(`${h.blocked ? "blocked " : ""}at one moment of these ${time((h.span[1] - h.span[0]) / 1e9)}`);
  else if (h.span) {
    const [begin, end, , , kind, merged] = h.span;
    if (merged > 1) lines.push(`${merged} short visits, mostly to this one`);
    lines.push(`${lasts(begin, end, loaded)} ${kind === Kind.Operation ? "in the operation" : "in the region"}`);
  }
  if (h.blocked && !sampled) lines.push(`${lasts(h.blocked[0], h.blocked[1], loaded)} blocked`);
  if (h.wait) lines.push(`${title}: ${time(h.wait.waited / 1e9)}`);
  if (lines.length === 0) return null;
  return { name: h.span ? (names[h.span[3]] ?? "") : title, lines };
}
