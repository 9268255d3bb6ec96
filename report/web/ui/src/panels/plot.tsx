// How the selected metric at the selected call path spreads over processes and threads or goroutines: box plot and violin.
import { useMemo, useState } from "preact/hooks";
import { type Box, requests, type System, type Value } from "../api";
import { figures, isTime, value } from "../format";
import { fullResource, type Report } from "../report";
import { getReport, setState, useAnswer, useStore } from "../state";
import { boxOf, useSelection, useSystem } from "../values";
import { marks, step } from "./axis";
import { Nothing, titleOf, useSize } from "./parts";
import { groupings, type Point, violin } from "./spread";

interface Group {
  name: string;
  points: Point[]; // ascending by value
  box: Box;
}

export function SystemPlot() {
  const r = getReport();
  const sel = useSelection();
  const answer = useSystem();
  const selected = useStore((s) => s.resource);
  const [visited, setVisited] = useState(false);
  const levels = useMemo(() => groupings(r), [r]);
  const [level, setLevel] = useState(() => levels.find((l) => l.usual)?.name ?? "");
  const visits = useVisits(visited);
  const values = answer.data?.values;
  const known = visited ? visits : null;

  const groups = useMemo(() => (values ? group(r, values, levels.find((l) => l.name === level)?.of ?? null, known) : []), [values, level, known]);
  const m = r.metrics[sel.metric]!;
  if (!values) return null;
  const hasVisits = r.metricByName.has("visits") && sel.regions.length < 2;
  return (
    <div class="plot">
      <div class="bar plot-bar">
        <label class="field-inline"><span>By</span>
          <select value={level} onChange={(e) => setLevel(e.currentTarget.value)}>
            <option value="">all together</option>
            {levels.map((l) => <option key={l.name} value={l.name}>{l.name} ({l.count})</option>)}
          </select>
        </label>
        <span class="space" />
        <div class="segments" role="group" aria-label="Which locations">
          <button type="button" aria-pressed={!visited} onClick={() => setVisited(false)}>All</button>
          <button type="button" aria-pressed={visited} disabled={!hasVisits} title={hasVisits ? "Only locations that visited the call path" : "The report does not count visits"} onClick={() => setVisited(true)}>Visited</button>
        </div>
      </div>
      {groups.length === 0 ? <Nothing title="No values">{visited ? "No location visited this call path." : "The metric cannot be evaluated here."}</Nothing> : <Rows groups={groups} unit={m.unit} signed={r.difference} selected={selected} title={titleOf(sel.metric)} />}
    </div>
  );
}

// useVisits returns how often each part of the system visited what is selected, null without.
function useVisits(wanted: boolean): Value[] | null {
  const metric = getReport().metricByName.get("visits") ?? -1;
  const s = useSelection();
  const request = !wanted || metric < 0 ? "" : s.path >= 0 ? requests.systemOfPath(metric, false, s.path, s.incl) : s.regions.length === 1 ? requests.systemOfRegion(metric, false, s.regions[0]!, s.incl) : "";
  return useAnswer<System>(request).data?.values ?? null;
}

const mostGroups = 64;

function group(r: Report, values: Value[], of: ((leaf: number) => number) | null, visits: Value[] | null): Group[] {
  const lists = new Map<number, Point[]>();
  r.system.leaf.forEach((column, resource) => {
    const v = values[resource];
    if (column < 0 || v == null || (visits && !visits[resource])) return;
    const key = of ? of(resource) : -1;
    const list = lists.get(key);
    if (list) list.push({ resource, v });
    else lists.set(key, [{ resource, v }]);
  });
  return [...lists].slice(0, mostGroups).map(([key, points]) => {
    points.sort((a, b) => a.v - b.v);
    return { name: key < 0 ? "all" : r.system.name[key]!, points, box: boxOf(points.map((p) => p.v))! };
  });
}

const fewPoints = 48; // up to so many each is a dot; beyond, only what lies far out
const mostOutliers = 40;
const fewest = 6; // points that a violin is drawn of

function Rows({ groups, unit, signed, selected, title }: { groups: Group[]; unit: string; signed: boolean; selected: number; title: string }) {
  const r = getReport();
  const [host, width, height] = useSize<HTMLDivElement>();
  const [hover, setHover] = useState<{ resource: number; v: number } | null>(null);
  const named = groups.length > 1;
  const margin = { left: 14, right: 18, top: 8 };
  const row = Math.max(named ? 60 : 96, Math.min(named ? 88 : 180, (height - margin.top) / groups.length));
  const total = margin.top + row * groups.length;
  let min = Math.min(...groups.map((g) => g.box.min));
  let max = Math.max(...groups.map((g) => g.box.max));
  if (!signed && min > 0 && min < 0.5 * max) min = 0;
  if (min === max) [min, max] = min === 0 ? [0, 1] : [min - Math.abs(min) * 0.1, max + Math.abs(max) * 0.1];
  const pad = (max - min) * 0.03;
  [min, max] = [min === 0 ? 0 : min - pad, max === 0 ? 0 : max + pad];
  const distance = step(max - min, Math.max(2, (width - 40) / 80));
  const x = (v: number) => margin.left + ((v - min) / (max - min)) * Math.max(1, width - margin.left - margin.right);
  const text = (v: number) => value(v, unit, signed);
  const places = marks([min, max], distance);
  return (
    <>
      <div class="plot-host" ref={host} tabIndex={0} role="group" aria-label="Plot">
        {width > 0 && (
          <svg width={width} height={total} role="group" aria-label={`Distribution of ${title}`}>
            {places.map((v) => <path class="grid-line" key={v} d={`M${x(v)} ${margin.top}V${total}`} />)}
            {groups.map((g, i) => {
              const top = margin.top + i * row + (named ? 18 : 0);
              const h = row - (named ? 22 : 8);
              const mid = top + h / 2;
              const b = g.box;
              const low = b.q1 - 1.5 * (b.q3 - b.q1);
              const high = b.q3 + 1.5 * (b.q3 - b.q1);
              const inside = g.points.filter((p) => p.v >= low && p.v <= high);
              const least = inside[0]?.v ?? b.min;
              const most = inside[inside.length - 1]?.v ?? b.max;
              const far = g.points.filter((p) => p.v < low || p.v > high);
              const dots = g.points.length <= fewPoints ? g.points : [...far.slice(0, mostOutliers / 2), ...far.slice(-mostOutliers / 2)].filter((p, k, list) => list.indexOf(p) === k);
              const mine = g.points.find((p) => p.resource === selected);
              if (mine && !dots.includes(mine)) dots.push(mine);
              const bh = Math.min(26, h * 0.34);
              return (
                <g class="distribution" key={g.name + i}>
                  {named && <text class="group-name" x={margin.left} y={top - 5}>{g.name} <tspan class="n">n = {g.box.n}</tspan></text>}
                  {b.max > b.min && g.points.length >= fewest && <path class="violin" d={violin(g.points, min, max, x, mid, h / 2)} />}
                  <path class="whisker" d={`M${x(least)} ${mid}H${x(b.q1)}M${x(b.q3)} ${mid}H${x(most)}M${x(least)} ${mid - bh / 3}v${(2 * bh) / 3}M${x(most)} ${mid - bh / 3}v${(2 * bh) / 3}`} />
                  <rect class="box" x={x(b.q1)} y={mid - bh / 2} width={Math.max(1.5, x(b.q3) - x(b.q1))} height={bh} rx="2" />
                  <path class="median" d={`M${x(b.median)} ${mid - bh / 2}v${bh}`} />
                  <path class="mean" d={`M${x(b.mean)} ${mid - 5}l5 5l-5 5l-5 -5z`} />
                  {dots.map((p) => {
                    const pick = () => setState({ resource: p.resource });
                    const out = p.v < low || p.v > high;
                    return (
                      <circle
                        key={p.resource} class={"dot" + (out ? " far" : "") + (p.resource === selected ? " selected" : "")} cx={x(p.v)} cy={mid + (out || p.resource === selected ? 0 : jitter(p.resource) * bh * 0.9)} r={out || p.resource === selected ? 4.5 : 2.6}
                        role="button" tabIndex={out || p.resource === selected ? 0 : -1} aria-label={`${fullResource(r, p.resource)}: ${text(p.v)}${out ? ", far from the others" : ""}`}
                        onClick={pick} onKeyDown={(e) => (e.key === "Enter" || e.key === " ") && (e.preventDefault(), pick())}
                        onPointerEnter={() => setHover(p)} onPointerLeave={() => setHover(null)} onFocus={() => setHover(p)} onBlur={() => setHover(null)}
                      />
                    );
                  })}
                </g>
              );
            })}
          </svg>
        )}
      </div>
      {width > 0 && (
        <svg class="plot-axis" width={width} height="24" aria-hidden="true">
          {places.map((v) => (
            <g class="tick" key={v}>
              <path d={`M${x(v)} 0v4`} />
              <text x={x(v)} y="17" text-anchor={x(v) > width - 40 ? "end" : x(v) < 30 ? "start" : "middle"}>{tickText(v, unit, Math.max(Math.abs(min), Math.abs(max)), distance)}</text>
            </g>
          ))}
        </svg>
      )}
      <p class="plot-said" aria-live="polite">
        {hover ? <><b>{text(hover.v)}</b> {fullResource(r, hover.resource)}</> : <span class="remark">Box: middle half; line: median; diamond: mean. Click a dot to select it.</span>}
      </p>
      <details class="numbers" open={!named}>
        <summary>Quartiles</summary>
        <div class="scroll-x" tabIndex={0} role="group" aria-label="Quartiles">
          <table class="quartiles">
          <thead><tr>{named && <th scope="col">Group</th>}{["n", "min", "Q1", "median", "mean", "Q3", "max"].map((h) => <th scope="col" class="num">{h}</th>)}</tr></thead>
          <tbody>
            {groups.map((g) => (
              <tr>{named && <th scope="row">{g.name}</th>}<td class="num">{g.box.n}</td>{[g.box.min, g.box.q1, g.box.median, g.box.mean, g.box.q3, g.box.max].map((v) => <td class="num">{text(v)}</td>)}</tr>
            ))}
          </tbody>
        </table>
        </div>
      </details>
    </>
  );
}

// jitter moves dots apart, −0.5…0.5, the same way each time.
const jitter = (n: number): number => ((n * 0.618034) % 1) - 0.5;

// tickText writes a mark with as many digits as tell it from the next one, in the unit of the largest.
function tickText(v: number, unit: string, greatest: number, distance: number): string {
  if (v === 0) return "0";
  if (isTime(unit)) {
    const whole = value(greatest, unit).split("\u202f")[1] ?? "";
    const factor = Number(greatest) / Number.parseFloat(value(greatest, unit).replace("\u2212", "-"));
    const digits = Math.max(0, Math.ceil(-Math.log10(distance / factor) - 1e-9));
    return (v / factor).toFixed(Math.min(6, digits)).replace("-", "\u2212") + "\u202f" + whole;
  }
  return Math.abs(v) >= 1e4 ? value(v, unit) : figures(v, Math.max(3, Math.ceil(Math.log10(Math.abs(v) / distance)) + 1)).replace(/(\.\d*?)0+$/, "$1").replace(/\.$/, "");
}
