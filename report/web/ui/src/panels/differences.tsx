// What a difference of two reports says: what became shorter, what longer, and what is no more than the spread of the runs.
import { useState } from "preact/hooks";
import type { Difference } from "../api";
import { isTime, percent, value } from "../format";
import { getReport } from "../state";
import { CallPath, titleOf } from "./parts";

const atOnce = 8; // rows of each table before one asks for more

export function Differences({ list }: { list: Difference[] }) {
  const r = getReport();
  const timed = list.filter((d) => isTime(unitOf(d)));
  const other = list.filter((d) => !isTime(unitOf(d)));
  const groups: [string, string, Difference[]][] = [
    ["What got worse", "Nothing takes longer.", timed.filter((d) => (d.delta ?? 0) > 0)],
    ["What got better", "Nothing takes less time.", timed.filter((d) => (d.delta ?? 0) < 0)],
  ];
  if (other.length > 0) groups.push(["What else changed", "", other]);
  const noise = r.features.noise;
  return (
    <>
      <p class="remark">
        {noise
          ? "Both reports hold repeated runs, so their own spread is known. What differs by less than that is pale and marked ≈: it may be chance."
          : "Each report holds a single run, so it is not known what of this is chance. Differences of means of repeated runs (expert mean) say that as well."}
      </p>
      {groups.map(([title, none, rows]) => <Changes title={title} none={none} rows={rows} noise={noise} />)}
    </>
  );

  function unitOf(d: Difference): string {
    return r.metrics[r.metricByName.get(d.metric) ?? -1]?.unit ?? "";
  }
}

function Changes({ title, none, rows, noise }: { title: string; none: string; rows: Difference[]; noise: boolean }) {
  const r = getReport();
  const [all, setAll] = useState(false);
  const sorted = [...rows].sort((a, b) => Number(b.beyond) - Number(a.beyond) || Math.abs(b.delta ?? 0) - Math.abs(a.delta ?? 0));
  const most = Math.max(...rows.map((d) => Math.abs(d.delta ?? 0)), 0);
  const shown = all ? sorted : sorted.slice(0, atOnce);
  return (
    <section class="part">
      <header><h2>{title}</h2></header>
      {rows.length === 0 ? <p class="remark">{none}</p> : (
        <div class="scroll-x" tabIndex={0} role="group" aria-label={title}>
          <table class="changes">
            <thead><tr><th scope="col">Change</th><th scope="col"><span class="visually-hidden">Size</span></th><th scope="col">What, where</th><th scope="col" class="num">Before</th><th scope="col" class="num">After</th></tr></thead>
            <tbody>
              {shown.map((d) => {
                const metric = r.metricByName.get(d.metric) ?? -1;
                const unit = r.metrics[metric]?.unit ?? "";
                const delta = d.delta ?? 0;
                const chance = noise && !d.beyond;
                return (
                  <tr class={chance ? "chance" : undefined}>
                    <td class="num"><span title={chance ? "within the spread of the runs" : undefined}>{chance && <span aria-label="within the spread of the runs">≈ </span>}<b>{value(d.delta, unit, true)}</b></span><br /><span class="remark">{relative(d)}</span></td>
                    <td class="bar-cell"><span class={"diverging " + (delta < 0 ? "less" : "more")} aria-hidden="true"><span style={{ width: (most > 0 ? Math.abs(delta) / most : 0) * 100 + "%" }} /></span></td>
                    <td class="wide"><span class="metric-name">{titleOf(metric) || d.metric}</span><br />{d.path >= 0 ? <CallPath path={d.path} metric={metric} /> : <span class="remark">whole program</span>}</td>
                    <td class="num">{value(d.a, unit)}</td>
                    <td class="num">{value(d.b, unit)}</td>
                  </tr>
                );
              })}
            </tbody>
          </table>
        </div>
      )}
      {shown.length < rows.length && <button type="button" class="text more" onClick={() => setAll(true)}>Show all {rows.length}</button>}
    </section>
  );
}

function relative(d: Difference): string {
  if (d.a === null || d.delta === null) return "";
  if (d.a === 0) return "new";
  if (d.b === 0) return "gone";
  return percent(d.delta / Math.abs(d.a), true) + "\u202f%";
}
