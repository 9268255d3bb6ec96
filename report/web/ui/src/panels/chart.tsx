// The part of the timeline that is drawn, with pointer and tooltip.
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Instance, Timeline } from "../api";
import { fullResource, leafName } from "../report";
import { getReport, setState, useTheme } from "../state";
import { pan, type Range, within, zoom } from "./axis";
import { type Colours, coloursOf, describe, draw, type Hit, hit, Kind, lanesOf, rulerHeight, type Scene } from "./lanes";
import { useSize } from "./parts";

interface Props {
  rows: number[];
  view: Range;
  whole: Range;
  data: Timeline | null;
  metric: string; // name of the wait state
  title: string; // as people call it
  list: Instance[];
  chosen: Instance | null;
  label: string;
  move: (view: Range) => void;
  choose: (instance: number) => void;
  onWidth: (width: number) => void;
}

export function Chart(p: Props) {
  const r = getReport();
  const theme = useTheme();
  const [ref, width, height, box] = useSize<HTMLDivElement>();
  const canvas = useRef<HTMLCanvasElement>(null);
  const [scroll, setScroll] = useState(0);
  const [hover, setHover] = useState<{ hit: Hit; x: number; y: number } | null>(null);
  const [dragging, setDragging] = useState(false);
  const colours = useRef<Colours | null>(null);
  const gutter = width < 560 ? 84 : 148;

  const rows = useMemo(() => {
    const known = new Map(p.data?.rows.map((row) => [row.resource, row]));
    return p.rows.map((resource) => known.get(resource) ?? { resource, spans: [] });
  }, [p.data, p.rows.join()]);
  const { lanes, height: total } = useMemo(() => lanesOf(rows), [rows]);
  const waits = useMemo(() => p.data?.waits ?? p.list.map((i) => ({ resource: i.location, begin: i.begin, end: i.end, metric: p.metric, waited: Math.min(i.duration, i.end - i.begin) })), [p.data, p.list, p.metric]);

  const scene: Scene = {
    width, height, gutter, scroll, window: p.view, lanes, names: p.data?.names ?? [], waits, arrows: p.data?.arrows ?? [], metric: p.metric,
    deed: (kind) => kind !== "" && !r.metricByName.has(kind),
    hover: hover?.hit ?? null, loaded: p.data ? [p.data.begin, p.data.end] : null, sampled: !!p.data?.sampled,
    chosen: p.chosen && { resource: p.chosen.location, begin: p.chosen.begin, end: p.chosen.end, causer: p.chosen.causer },
    label: (resource) => ({
      name: leafName(r, resource),
      role: p.chosen?.location === resource ? "waits" : p.chosen?.causer === resource ? "is waited for" : "",
    }),
  };
  const now = useRef(scene);
  now.current = scene;

  useEffect(() => void (width > 0 && p.onWidth(width)), [width]);
  useLayoutEffect(() => void (colours.current = null), [theme]);
  useLayoutEffect(() => {
    const c = canvas.current;
    if (!c || width === 0 || height === 0) return;
    const frame = requestAnimationFrame(() => {
      const ratio = window.devicePixelRatio || 1;
      if (c.width !== Math.round(width * ratio) || c.height !== Math.round(height * ratio)) {
        c.width = Math.round(width * ratio);
        c.height = Math.round(height * ratio);
      }
      const context = c.getContext("2d")!;
      context.setTransform(ratio, 0, 0, ratio, 0, 0);
      draw(context, now.current, (colours.current ??= coloursOf(c)));
    });
    return () => cancelAnimationFrame(frame);
  });

  // Wheel listeners must be able to keep the page from scrolling.
  const wheel = useRef<(e: WheelEvent) => void>(() => {});
  wheel.current = (e) => {
    const at = box.current!.getBoundingClientRect();
    const x = e.clientX - at.left;
    const sideways = Math.abs(e.deltaX) > Math.abs(e.deltaY) || e.shiftKey;
    const length = p.view[1] - p.view[0];
    if (!sideways && x < gutter) return; // over the names the rows scroll
    e.preventDefault();
    setHover(null);
    const unit = e.deltaMode === 1 ? 16 : 1;
    if (sideways) p.move(pan(p.view, ((e.deltaX || e.deltaY) * unit * length) / (width - gutter), p.whole));
    else p.move(zoom(p.view, Math.exp(Math.max(-120, Math.min(120, e.deltaY * unit)) * 0.003), timeAt(x), p.whole));
  };
  useEffect(() => {
    const b = box.current!;
    const listen = (e: WheelEvent) => wheel.current(e);
    b.addEventListener("wheel", listen, { passive: false });
    return () => b.removeEventListener("wheel", listen);
  }, []);

  const timeAt = (x: number) => p.view[0] + ((x - gutter) / (width - gutter)) * (p.view[1] - p.view[0]);
  const place = (e: MouseEvent): [number, number] => {
    const at = canvas.current!.getBoundingClientRect();
    return [e.clientX - at.left, e.clientY - at.top];
  };
  const look = (e: MouseEvent) => {
    const [x, y] = place(e);
    const h = hit(now.current, x, y);
    setHover(h ? { hit: h, x, y } : null);
  };
  const drag = useRef<{ x: number; y: number; scroll: number; view: Range; moved: boolean; range: boolean } | null>(null);
  const [band, setBand] = useState<[number, number] | null>(null); // of the ruler, px
  const onPointerDown = (e: PointerEvent) => {
    if (e.button !== 0) return;
    const [x, y] = place(e);
    drag.current = { x, y, scroll: box.current!.scrollTop, view: p.view, moved: false, range: y < rulerHeight || e.shiftKey };
  };
  const onPointerMove = (e: PointerEvent) => {
    const d = drag.current;
    if (!d) return look(e);
    const [x, y] = place(e);
    if (!d.moved && Math.hypot(x - d.x, y - d.y) < 4) return;
    if (!d.moved) canvas.current!.setPointerCapture(e.pointerId);
    d.moved = true;
    setHover(null);
    setDragging(true);
    if (d.range) return setBand([Math.max(gutter, Math.min(d.x, x)), Math.min(width, Math.max(d.x, x))]);
    p.move(pan(d.view, ((d.x - x) / (width - gutter)) * (d.view[1] - d.view[0]), p.whole));
    if (e.pointerType === "mouse") box.current!.scrollTop = d.scroll + d.y - y;
  };
  const onPointerUp = (e: PointerEvent) => {
    const d = drag.current;
    drag.current = null;
    setDragging(false);
    setBand(null);
    if (d?.moved && d.range && band) return p.move(within([timeAt(band[0]), timeAt(band[1])], p.whole));
    if (!d || d.moved) return;
    const [x, y] = place(e);
    const h = hit(now.current, x, y);
    if (!h) return;
    if (x < gutter) return setState({ resource: h.lane.resource });
    if (h.wait) {
      const i = p.list.findIndex((q) => q.location === h.wait!.resource && Math.abs(q.begin - h.wait!.begin) < 2);
      if (i >= 0 && p.list[i] !== p.chosen) p.choose(i);
    }
  };
  const onDblClick = (e: MouseEvent) => {
    const h = hit(now.current, ...place(e));
    const s = h?.span ?? h?.wait;
    if (!s) return;
    const [begin, end] = Array.isArray(s) ? s : [s.begin, s.end];
    const margin = Math.max(10, (end - begin) * 0.06);
    p.move(within([begin - margin, end + margin], p.whole));
  };

  const told = hover && describe(hover.hit, scene.names, p.title, inside(scene.loaded, p.whole), scene.sampled);
  const legend: [string, string][] = p.data && p.data.rows.some((row) => row.spans.some((s) => s[4] !== Kind.Region))
    ? [["region", "region of the program"], ["operation", "operation"], ["blocked", "blocked in it"], ["waiting", p.title || "wait"]]
    : [["waiting", p.title || "wait"]];
  return (
    <div class="chart">
      <div
        class={"lanes" + (dragging ? " dragging" : "")} ref={ref} tabIndex={0} role="group" aria-label={p.label} aria-describedby="timeline-keys"
        style={{ height: total + rulerHeight + "px" }}
        onScroll={(e) => setScroll(e.currentTarget.scrollTop)}
      >
        <canvas
          ref={canvas} aria-hidden="true" onPointerDown={onPointerDown} onPointerMove={onPointerMove} onPointerUp={onPointerUp}
          onPointerCancel={onPointerUp} onPointerLeave={() => drag.current || setHover(null)} onDblClick={onDblClick}
        />
        <div style={{ height: Math.max(0, total + rulerHeight - height) + "px" }} />
      </div>
      <div class="focus-ring" />
      {band && <div class="band" style={{ left: band[0] + "px", width: band[1] - band[0] + "px" }} />}
      {hover && told && (
        <div class="tip" role="presentation" style={tipAt(hover.x, hover.y, width, height)}>
          <strong>{told.name}</strong>
          {told.lines.map((line) => <span>{line}</span>)}
          <span class="remark">{fullResource(r, hover.hit.lane.resource)}</span>
        </div>
      )}
      <p class="chart-legend">
        {legend.map(([kind, text]) => <span class="key"><span class={"sample " + kind} aria-hidden="true" />{text}</span>)}
        <span class="keys" id="timeline-keys">← → move, + − zoom, 0 instance, n p next, previous</span>
      </p>
    </div>
  );
}

// inside is what is loaded, with ends only where something may be beyond them.
function inside(loaded: Range | null, whole: Range): Range | null {
  return loaded && [loaded[0] <= whole[0] ? -Infinity : loaded[0], loaded[1] >= whole[1] ? Infinity : loaded[1]];
}

// tipAt places the tooltip beside the pointer, inside the chart.
function tipAt(x: number, y: number, width: number, height: number): Record<string, string> {
  const room = 280;
  return {
    ...(x + room + 16 < width ? { left: x + 14 + "px" } : { right: Math.max(4, width - x + 14) + "px" }),
    ...(y < height - 110 ? { top: y + 14 + "px" } : { bottom: Math.max(4, height - y + 14) + "px" }),
  };
}
