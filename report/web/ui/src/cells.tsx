// A row of a column: value box, number, name.
import type { ComponentChildren } from "preact";
import type { Value } from "./api";
import { colour, ink, position } from "./colour";
import { type Content, colourMode, colourWhole, numberOf, rangeOf, shareOf, type Shown } from "./content";
import { exactly, percent, time, uncertain, value } from "./format";
import { Icon } from "./icons";
import { getReport } from "./state";
import type { Cells } from "./treeview";

export function cellsOf(c: Content, s: Shown, expression: RegExp | null, node: number): Cells {
  const v = numberOf(c, node);
  const unit = c.unit(node);
  const problem = c.problem?.(node) ?? "";
  const open = c.expanded.has(node) && !c.tree.isLeaf(node);
  let text = "";
  let absolute = "";
  let place = 0;
  let noisy = "";
  const ratio = c.ratio?.(node);
  const range = rangeOf(c, node);
  if ((v === null || Number.isNaN(v)) && range) text = uncertain(range, unit, s.signed);
  else if (v === null || Number.isNaN(v)) text = ratio && !problem ? "–" : "n/a";
  else if (v !== undefined) {
    const share = shareOf(c, node, v, s.mode);
    absolute = range ? uncertain(range, unit, s.signed) : value(v, unit, s.signed);
    text = share === null ? absolute : Number.isNaN(share) ? "–" : percent(share, s.signed) + "\u202f%";
    if (share === null || v === 0) absolute = "";
    const m = colourMode(c, s.mode);
    const scaled = shareOf(c, node, v, m, colourWhole(c, node, m, s.signed, s.weight));
    // A ratio has no place among shares, but perhaps a scale of its own.
    if (scaled === null && c.mixed) place = ratio && ratio.low < ratio.high && !s.signed ? position(v, { min: ratio.low, max: ratio.high, signed: false }) : 0;
    else place = position(scaled ?? v, s.scale);
    const band = (open ? c.noise?.excl : c.noise?.incl)?.[node];
    if (s.signed && band != null && v !== 0 && Math.abs(v) <= band) noisy = `within the noise of the runs, ± ${value(band, unit)}`;
  }
  const title = [
    c.label(node) + (c.remark?.(node) ? "  " + c.remark(node) : ""),
    v === undefined ? "" : `${v === null && ratio && !problem && !range ? "no value: too few events to say" : exactly(v, unit, range) + clocked(v, unit)}${ratio || c.tree.isLeaf(node) ? "" : open ? " itself, without what is below" : " with what is below"}`,
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
        {marked(c.label(node), expression)}
        {c.remark?.(node) ? <span class="remark">{c.remark(node)}</span> : null}
      </>
    ),
    after: absolute ? <span class="absolute" aria-hidden="true">{absolute}</span> : null,
  };
}

// clocked tells cycles as time, if the clock rate is known.
export function clocked(v: Value, unit: string): string {
  const { hertz } = getReport();
  return v !== null && unit === "cycles" && hertz ? ` (${time(v / hertz)} at ${value(hertz, "Hz")}Hz)` : "";
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
