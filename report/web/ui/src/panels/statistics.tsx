// How long the instances of the selected wait state were.
import { requests, type Stats } from "../api";
import { grouped, isTime, time, value } from "../format";
import { fullPath, leafName } from "../report";
import { getReport, setState, useAnswer } from "../state";
import { useSelection } from "../values";
import { moment } from "./axis";
import { Nothing, Pending, CallPath, summed, titleOf } from "./parts";

export function Statistics() {
  const r = getReport();
  const { metric, path } = useSelection();
  const answer = useAnswer<Stats | null>(requests.stats(metric));
  if (!answer.data && (answer.loading || answer.error)) return <Pending answer={answer} />;
  const s = answer.data;
  if (!s) return <Nothing title="There are no instances of this metric">{r.metricTree.isLeaf(metric) ? "Only wait states have instances: how often they occurred, and how long each was." : "Select one of the wait states below it."}</Nothing>;
  const text = (v: number | null) => value(v, s.unit);
  const numbers: [string, string][] = [["Count", grouped(s.count)], ["Sum", text(s.sum)], ["Mean", text(s.mean)], ["Minimum", text(s.min)], ["Lower quartile", text(s.q1)], ["Median", text(s.median)], ["Upper quartile", text(s.q3)], ["Maximum", text(s.max)]];
  const causers = s.instances.some((i) => i.causer >= 0);
  const ns = s.unit === "s" ? 1e9 : 1;
  return (
    <div class="statistics">
      <div class="numbers">
        <dl>{numbers.map(([k, v]) => <><dt>{k}</dt><dd>{v}</dd></>)}</dl>
        <BoxPlot s={s} text={text} title={titleOf(metric)} />
      </div>
      {s.instances.length > 0 && isTime(s.unit) && (
        <div class="scroll-x" tabIndex={0} role="group" aria-label="Longest waits">
        <table class="instance-table">
          <caption>Longest {s.instances.length < s.count ? `${s.instances.length} of ${grouped(s.count)}` : ""}{s.summed && <span class="remark"> {summed}</span>}</caption>
          <thead><tr><th scope="col" class="num">Waited</th><th scope="col">Who</th><th scope="col">Where</th>{causers && <th scope="col">For whom</th>}<th scope="col" class="num" title="After the start of the trace">Began at</th></tr></thead>
          <tbody>
            {s.instances.map((i, n) => (
              <tr class={i.path === path ? "same" : undefined}>
                <td class="num"><button type="button" class="link" title="Show on the timeline" onClick={() => setState({ view: "timeline", instance: n, window: null, rows: [] })}>{time((i.duration * ns) / 1e9)}</button></td>
                <td>{leafName(r, i.location)}</td>
                <td class="wide" title={i.path >= 0 ? fullPath(r, i.path) : ""}><CallPath path={i.path} metric={metric} whole={false} /></td>
                {causers && <td>{i.causer >= 0 ? leafName(r, i.causer) : <span class="remark">unknown</span>}</td>}
                <td class="num">{moment(i.begin * ns, i.duration * ns)}</td>
              </tr>
            ))}
          </tbody>
        </table>
        </div>
      )}
    </div>
  );
}

// BoxPlot is drawn on a scale of roots, as most waits are short and few long.
function BoxPlot({ s, text, title }: { s: Stats; text: (v: number | null) => string; title: string }) {
  if (!(s.max > s.min) || s.min < 0) return null;
  const width = 300;
  const x = (v: number) => 6 + Math.sqrt(v / s.max) * (width - 12);
  const half = s.q1 !== null && s.q3 !== null && [x(s.q1), x(s.q3)] as const; // of few instances it is not known
  return (
    <svg class="boxplot" viewBox={`0 0 ${width} 62`} role="img" aria-label={`Box plot of ${title}: median ${text(s.median)}, ${half ? `half from ${text(s.q1)} to ${text(s.q3)}, ` : ""}all from ${text(s.min)} to ${text(s.max)}`}>
      <path class="axis" d={`M0 44H${width}`} />
      {[0, 1 / 16, 1 / 4, 1].map((f) => (
        <g class="tick" key={f}><path d={`M${x(f * s.max)} 44v4`} /><text x={x(f * s.max)} y="59" text-anchor={f === 0 ? "start" : f === 1 ? "end" : "middle"}>{f === 0 ? "0" : text(f * s.max)}</text></g>
      ))}
      <path class="whisker" d={`M${x(s.min)} 14v16M${x(s.min)} 22H${half ? `${half[0]}M${half[1]} 22H` : ""}${x(s.max)}M${x(s.max)} 14v16`} />
      {half && <rect class="box" x={half[0]} y="8" width={Math.max(1.5, half[1] - half[0])} height="28" rx="2" />}
      <path class="median" d={`M${x(s.median)} 8v28`} />
      <path class="mean" d={`M${x(s.mean)} 17l5 5l-5 5l-5 -5z`} />
    </svg>
  );
}
