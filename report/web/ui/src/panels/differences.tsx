// What a difference of two reports, B − A, says: what became shorter in B, what longer, and what is no more than the spread of the runs.
import { useState } from "preact/hooks";
import type { Difference, Range, Value } from "../api";
import { figures, percent, uncertain, value } from "../format";
import { compared } from "../report";
import { getReport } from "../state";
import { CallPath, titleOf } from "./parts";
import { rootOfTime } from "./shares";

const atOnce = 8; // rows of each table before one asks for more

interface Change {
  d: Difference;
  metric: number;
  unit: string;
  by: number; // B − A: what a change of the program from A to B did; 0 if nothing of it is certain
}

// certain says whether a change is more than chance, as far as that is known.
const certain = (c: Change): boolean => !getReport().features.noise || c.d.beyond;

export function Differences({ list }: { list: Difference[] }) {
  const r = getReport();
  const [a, b] = compared(r);
  const time = rootOfTime(r);
  const all = list.map((d): Change => {
    const metric = r.metricByName.get(d.metric) ?? -1;
    return { d, metric, unit: r.metrics[metric]?.unit ?? "", by: d.a !== null && d.b !== null ? d.b - d.a : (d.delta ?? 0) };
  });
  const timed = (c: Change) => c.metric >= 0 && r.metricTree.root(c.metric) === time;
  const better = all.filter((c) => timed(c) && c.by < 0);
  const worse = all.filter((c) => timed(c) && c.by > 0);
  const sum = (list: Change[]) => list.reduce((s, c) => s + (certain(c) ? Math.abs(c.by) : 0), 0);
  const gotBetter = <Changes key="better" title="What got better" none="Nothing takes less time in B." list={better} />;
  const gotWorse = <Changes key="worse" title="What got worse" none="Nothing takes longer in B." list={worse} />;
  return (
    <>
      <p class="ab-names">
        <span><b>A</b> {a}</span><span><b>B</b> {b}</span>
        {r.features.noise && <span class="remark">≈ and pale: less than the noise between repeated runs.</span>}
      </p>
      {sum(worse) > sum(better) ? [gotWorse, gotBetter] : [gotBetter, gotWorse]}
      <Changes title="What else changed" none="" list={all.filter((c) => !timed(c) && (c.by !== 0 || c.d.in))} />
    </>
  );
}

function Changes({ title, none, list }: { title: string; none: string; list: Change[] }) {
  const [more, setMore] = useState(false);
  if (list.length === 0 && !none) return null;
  const size = (c: Change) => Math.abs(c.by);
  const sorted = [...list].sort((a, b) => Number(certain(b)) - Number(certain(a)) || size(b) - size(a));
  const shown = more ? sorted : sorted.slice(0, atOnce);
  const most = new Map<string, number>(); // bars of one unit have one scale
  for (const c of list) most.set(c.unit, Math.max(most.get(c.unit) ?? 0, size(c)));
  return (
    <section class="part">
      <header><h2>{title}</h2></header>
      {list.length === 0 && <p class="remark">{none}</p>}
      {list.length > 0 && (
        <table class="changes">
          <thead><tr><th scope="col" class="num">Change</th><th scope="col"><span class="visually-hidden">Size</span></th><th scope="col">What, where</th><th scope="col" class="num">A</th><th scope="col" class="num">B</th></tr></thead>
          <tbody>{shown.map((c) => <Row c={c} share={size(c) / most.get(c.unit)!} />)}</tbody>
        </table>
      )}
      {shown.length < list.length && <button type="button" class="text more" onClick={() => setMore(true)}>Show all {list.length}</button>}
    </section>
  );
}

function Row({ c, share }: { c: Change; share: number }) {
  const { d, unit } = c;
  const chance = !certain(c);
  const text = (v: Value, range?: Range, sign = false) => (range && range[0] !== range[1] ? uncertain(range, unit, sign) : value(v, unit, sign));
  const why = "less than the noise between repeated runs";
  return (
    <tr class={chance ? "chance" : undefined}>
      <td class="num">{chance && <span title={why} role="img" aria-label={why}>≈ </span>}<b>{text(c.by, d.in?.[2], true)}</b><br /><span class="remark">{relative(c)}</span></td>
      <td class="bar-cell"><span class={"diverging " + (c.by < 0 ? "less" : "more")} aria-hidden="true"><span style={{ width: share * 100 + "%" }} /></span></td>
      <td class="wide">
        <span class="metric-name">{titleOf(c.metric) || d.metric}</span>
        <span class="ab remark">{text(d.a, d.in?.[0])} → {text(d.b, d.in?.[1])}</span>
        <br />{d.path >= 0 ? <CallPath path={d.path} metric={c.metric} /> : <span class="remark">whole program</span>}
      </td>
      <td class="num">{text(d.a, d.in?.[0])}</td>
      <td class="num">{text(d.b, d.in?.[1])}</td>
    </tr>
  );
}

function relative({ d, by }: Change): string {
  if (d.a === null || d.b === null) return "";
  if (d.a === 0) return "new";
  if (d.b === 0) return "gone";
  if (d.b / d.a >= 10) return `× ${figures(d.b / d.a)}`;
  return percent(by / Math.abs(d.a), true) + "\u202f%";
}
