// The instances of a wait state as a list, and what the timeline shows as a table.
import { useState } from "preact/hooks";
import type { Timeline } from "../api";
import { grouped, time } from "../format";
import { fullPath, fullResource, leafName, pathName } from "../report";
import { getReport } from "../state";
import { moment, type Range } from "./axis";
import { Kind, lasts } from "./lanes";
import { MiniBox } from "./minibox";
import { basename, summed, titleOf } from "./parts";
import type { WaitState } from "./waits";

// InstanceList lists the worst instances, longest first.
export function InstanceList({ state, index, choose }: { state: WaitState; index: number; choose: (i: number) => void }) {
  const r = getReport();
  const { stats } = state;
  const longest = stats.instances.reduce((m, i) => Math.max(m, i.duration), 0);
  const causers = stats.instances.some((i) => i.causer >= 0);
  return (
    <section class="instances" aria-label={`Longest waits, ${titleOf(state.metric)}`}>
      <header>
        <h2>Longest waits</h2>
        <span class="remark">{stats.instances.length < stats.count ? `${stats.instances.length} of ${grouped(stats.count)}` : grouped(stats.count)}, median {time(stats.median / 1e9)}, {time(stats.sum / 1e9)} in all{stats.summed && `; ${summed}`}</span>
        <span class="space" />
        <MiniBox box={stats} />
      </header>
      <div class="scroll">
        <table>
          <thead><tr><th scope="col" class="num">Waited</th><td class="bar-cell" /><th scope="col">Who waited</th><th scope="col">Where</th>{causers && <th scope="col">For whom</th>}<th scope="col" class="num" title="After the start of the trace">Began at</th></tr></thead>
          <tbody>
            {stats.instances.map((i, n) => (
              <tr key={n} class={n === index ? "selected" : undefined} onClick={() => choose(n)}>
                <td class="num"><button type="button" class="link plain" aria-pressed={n === index} onClick={(e) => (e.stopPropagation(), choose(n))}>{time(i.duration / 1e9)}</button></td>
                <td class="bar-cell"><span class="meter wait" aria-hidden="true"><span style={{ width: (longest > 0 ? i.duration / longest : 0) * 100 + "%" }} /></span></td>
                <td>{leafName(r, i.location)}</td>
                <td class="wide" title={i.path >= 0 ? fullPath(r, i.path) : ""}>{whereOf(i.path)}</td>
                {causers && <td title={i.causerPath >= 0 ? fullPath(r, i.causerPath) : ""}>{i.causer >= 0 ? leafName(r, i.causer) : "unknown"}{i.causerPath >= 0 && <span class="remark"> in {pathName(r, i.causerPath)}</span>}</td>}
                <td class="num">{moment(i.begin, i.duration)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function whereOf(path: number) {
  const r = getReport();
  if (path < 0) return "unknown";
  const up = r.paths.parent[path]!;
  const site = r.paths.file[path]! >= 0 ? `${basename(r.paths.files[r.paths.file[path]!]!)}${r.paths.line[path]! > 0 ? ":" + r.paths.line[path] : ""}` : "";
  return <>{up >= 0 && <span class="up">{pathName(r, up)} › </span>}{pathName(r, path)} <span class="remark">{site}</span></>;
}

const mostSpans = 300; // rows of the table

// WindowTable is the timeline for those who cannot see it, or want to read numbers.
export function WindowTable({ data, view }: { data: Timeline; view: Range }) {
  const [open, setOpen] = useState(false);
  const r = getReport();
  const rows = open ? spansOf(data, view) : [];
  const kinds = { [Kind.Region]: "region", [Kind.Operation]: "operation", [Kind.Blocked]: "blocked" } as Record<number, string>;
  return (
    <details class="window-table" onToggle={(e) => setOpen(e.currentTarget.open)}>
      <summary>Show as a table</summary>
      {open && (
        <div class="scroll" tabIndex={0} role="group" aria-label="Show as a table">
          <table>
            <thead><tr><th scope="col">Row</th><th scope="col">What</th><th scope="col">Kind</th><th scope="col" class="num">Level</th><th scope="col" class="num">From</th><th scope="col" class="num">Duration</th></tr></thead>
            <tbody>
              {rows.map((s) => (
                <tr>
                  <td title={fullResource(r, s.resource)}>{leafName(r, s.resource)}</td>
                  <td class="wide">{s.name}{s.merged > 1 && <span class="remark"> and {s.merged - 1} others</span>}</td>
                  <td>{kinds[s.kind]}</td>
                  <td class="num">{s.depth + 1}</td>
                  <td class="num">{moment(s.begin, view[1] - view[0])}</td>
                  <td class="num">{lasts(s.begin, s.end, [data.begin || -Infinity, data.end])}</td>
                </tr>
              ))}
            </tbody>
          </table>
          {rows.length === mostSpans && <p class="remark">The {mostSpans} longest are listed; zoom in to see others.</p>}
          {rows.length === 0 && <p class="remark">Nothing is known about this part of the run.</p>}
        </div>
      )}
    </details>
  );
}

// spansOf returns the longest stays in the window, in the order of rows and time.
function spansOf(data: Timeline, [from, to]: Range) {
  const all = data.rows.flatMap(({ resource, spans }) =>
    spans.filter((s) => s[1] >= from && s[0] <= to).map(([begin, end, depth, name, kind, merged]) => ({ resource, begin, end, depth, name: data.names[name] ?? "", kind, merged })),
  );
  const kept = all.sort((a, b) => b.end - b.begin - (a.end - a.begin)).slice(0, mostSpans);
  const order = new Map(data.rows.map((row, i) => [row.resource, i]));
  return kept.sort((a, b) => order.get(a.resource)! - order.get(b.resource)! || a.begin - b.begin || a.depth - b.depth);
}
