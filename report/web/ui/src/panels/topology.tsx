// A topology as a grid of cells in the colours of their values; one grid for each slice if it has more than two dimensions.
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Topology } from "../api";
import { colour, gradient, position, type Scale } from "../colour";
import { value } from "../format";
import { fullResource } from "../report";
import { getReport, setState, useStore, useTheme } from "../state";
import { useSelection, useSystem } from "../values";
import { layOut, type Placed } from "./grid";
import { fit } from "./lanes";
import { Nothing, useSize } from "./parts";

export function TopologyGrid() {
  const r = getReport();
  const index = useStore((s) => s.topology);
  const t = r.topologies[index] ?? r.topologies[0];
  if (!t) return <Nothing title="The report has no topology" />;
  return (
    <div class="topology">
      {r.topologies.length > 1 && (
        <div class="bar plot-bar">
          <label class="field-inline"><span>Topology</span>
            <select value={index} onChange={(e) => setState({ topology: Number(e.currentTarget.value) })}>
              {r.topologies.map((x, i) => <option key={i} value={i}>{x.name || `Topology ${i + 1}`} ({x.dims.map((d) => d.size).join(" × ")})</option>)}
            </select>
          </label>
        </div>
      )}
      <Grid t={t} key={index} />
    </div>
  );
}

function Grid({ t }: { t: Topology }) {
  const r = getReport();
  const theme = useTheme();
  const palette = useStore((s) => s.palette);
  const selected = useStore((s) => s.resource);
  const { metric } = useSelection();
  const values = useSystem().data?.values;
  const [axes, setAxes] = useState<[number, number]>([0, Math.min(1, t.dims.length - 1)]);
  const [zero, setFromZero] = useState<boolean | null>(null); // null: whatever shows more
  const [host, width, height] = useSize<HTMLDivElement>();
  const canvas = useRef<HTMLCanvasElement>(null);
  const [hover, setHover] = useState<Placed | null>(null);
  const plan = useMemo(() => layOut(t, axes, width, Math.max(120, height)), [t, axes, width, height]);
  const unit = r.metrics[metric]!.unit;

  const { scale, fromZero } = useMemo((): { scale: Scale; fromZero: boolean } => {
    const known = t.coords.map(([resource]) => values?.[resource]).filter((v): v is number => v != null && !Number.isNaN(v));
    const max = known.reduce((m, v) => Math.max(m, r.difference ? Math.abs(v) : v), r.difference ? 0 : -Infinity);
    const min = known.reduce((m, v) => Math.min(m, v), Infinity);
    if (r.difference) return { scale: { min: -max, max, signed: true }, fromZero: true };
    const fromZero = (zero ?? min < 0.5 * max) || min === max;
    return { scale: { min: fromZero ? Math.min(0, min) : min, max, signed: false }, fromZero };
  }, [values, t, zero]);

  useLayoutEffect(() => {
    const c = canvas.current;
    if (!c || width === 0) return;
    const ratio = window.devicePixelRatio || 1;
    c.width = Math.round(width * ratio);
    c.height = Math.round(plan.height * ratio);
    const g = c.getContext("2d")!;
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    const style = getComputedStyle(c);
    const [line, text, accent] = ["--box-line", "--text-2", "--accent"].map((n) => style.getPropertyValue(n).trim()) as [string, string, string];
    const s = plan.cell;
    const gap = s >= 8 ? 1 : 0;
    g.font = `11px ${style.fontFamily}`;
    g.fillStyle = text;
    for (const p of plan.slices) {
      if (p.title) g.fillText(fit(g, p.title, Math.max(p.width + 8, 60)), p.x, p.y - 5);
      if (t.dims.length < 2) continue; // the last line is not full
      g.strokeStyle = line;
      g.strokeRect(p.x - 1.5, p.y - 1.5, p.width + 2, p.height + 2);
    }
    for (const p of plan.cells) {
      const v = values?.[p.resource];
      const at = position(v, scale);
      g.fillStyle = v == null || Number.isNaN(at) ? "transparent" : colour(at, theme, palette, r.difference);
      g.fillRect(p.x, p.y, s - gap, s - gap);
      if (s < 5) continue;
      g.strokeStyle = line;
      g.lineWidth = 1;
      g.strokeRect(p.x + 0.5, p.y + 0.5, s - gap - 1, s - gap - 1);
      if (v == null || Number.isNaN(at)) cross(g, p.x, p.y, s - gap, line);
    }
    for (const p of plan.cells) {
      if (p.resource !== selected && p !== hover) continue;
      g.strokeStyle = accent;
      g.lineWidth = p.resource === selected ? 2.5 : 1.5;
      g.strokeRect(p.x - 0.5, p.y - 0.5, s - gap + 1, s - gap + 1);
    }
  });

  if (!values) return null;
  const find = (e: MouseEvent): Placed | null => {
    const b = canvas.current!.getBoundingClientRect();
    const [x, y] = [e.clientX - b.left, e.clientY - b.top];
    return plan.cells.find((p) => x >= p.x && x < p.x + plan.cell && y >= p.y && y < p.y + plan.cell) ?? null;
  };
  const now = hover ?? plan.cells.find((p) => p.resource === selected) ?? null;
  const onKeyDown = (e: KeyboardEvent) => {
    const by = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[e.key];
    if (!by || plan.cells.length === 0) return;
    e.preventDefault();
    e.stopPropagation();
    const from = plan.cells.find((p) => p.resource === selected);
    const to = from ? next(plan.cells, from, by[0]!, by[1]!) : plan.cells[0]!;
    if (to) setState({ resource: to.resource });
  };
  return (
    <>
      {t.dims.length > 1 && (
        <div class="bar plot-bar axes">
          {(["Across", "Down"] as const).map((title, k) => (
            <label class="field-inline" key={title}><span>{title}</span>
              <select value={axes[k]} onChange={(e) => setAxes(swap(axes, k, Number(e.currentTarget.value)))}>
                {t.dims.map((d, i) => <option key={i} value={i}>{dimName(t, i)} ({d.size}{d.periodic ? ", periodic" : ""})</option>)}
              </select>
            </label>
          ))}
        </div>
      )}
      <div class="grid-host" ref={host} tabIndex={0} role="group" aria-label={`Topology ${t.name}; arrow keys move from cell to cell`} onKeyDown={onKeyDown}>
        {width > 0 && (
          <canvas
            ref={canvas} aria-hidden="true" style={{ width: width + "px", height: plan.height + "px" }} onPointerMove={(e) => setHover(find(e))} onPointerLeave={() => setHover(null)}
            onClick={(e) => { const p = find(e); if (p) setState({ resource: p.resource }); }}
          />
        )}
      </div>
      <p class="plot-said" aria-live="polite">
        {now ? <><b>{value(values[now.resource], unit, r.difference)}</b> {fullResource(r, now.resource)} at ({now.at.join(", ")})</> : <span class="remark">{t.coords.length} cells{plan.slices.length > 1 ? `, ${plan.slices.length} slices` : ""}; click one to select it.</span>}
      </p>
      <div class="bar grid-legend">
        <span>{value(scale.min, unit, r.difference)}</span>
        <span class="ramp" style={{ backgroundImage: gradient(theme, palette, r.difference) }} />
        <span>{value(scale.max, unit, r.difference)}</span>
        {!r.difference && <label class="check"><input type="checkbox" checked={fromZero} onChange={(e) => setFromZero(e.currentTarget.checked)} />from 0</label>}
      </div>
    </>
  );
}

const dimName = (t: Topology, i: number): string => t.dims[i]!.name || `Dimension ${i + 1}`;

// swap puts a dimension on an axis; the one that was there goes to the other axis if that had it.
function swap(axes: [number, number], k: number, dim: number): [number, number] {
  const next: [number, number] = [...axes];
  if (next[1 - k] === dim) next[1 - k] = axes[k]!;
  next[k] = dim;
  return next;
}

function cross(g: CanvasRenderingContext2D, x: number, y: number, s: number, line: string): void {
  g.strokeStyle = line;
  g.beginPath();
  g.moveTo(x + 2, y + s - 2);
  g.lineTo(x + s - 2, y + 2);
  g.stroke();
}

// next returns the nearest cell in a direction.
function next(cells: Placed[], from: Placed, dx: number, dy: number): Placed | null {
  let best: Placed | null = null;
  let least = Infinity;
  for (const p of cells) {
    const along = (p.x - from.x) * dx + (p.y - from.y) * dy;
    const aside = Math.abs((p.x - from.x) * dy) + Math.abs((p.y - from.y) * dx);
    if (along <= 0) continue;
    const distance = along + 3 * aside;
    if (distance < least) [best, least] = [p, distance];
  }
  return best;
}
