// The source around the selected call or region.
import { useLayoutEffect, useRef } from "preact/hooks";
import { requests, type Source } from "../api";
import { Icon } from "../icons";
import { getReport, useAnswer } from "../state";
import { useSelection } from "../values";
import { highlight, languageOf } from "./highlight";
import { Nothing } from "./parts";

export function SourcePane() {
  const r = getReport();
  const s = useSelection();
  const request = s.path >= 0 ? requests.sourceOfPath(s.path) : s.regions.length === 1 ? requests.sourceOfRegion(s.regions[0]!) : "";
  const answer = useAnswer<Source>(r.features.source ? request : "");
  if (request === "") return <Nothing title="Select a region">A module has no source line.</Nothing>;
  if (!r.features.source) return <Nothing title="The source is not available">{reason()}</Nothing>;
  if (answer.error) return <Nothing title="The source is not available">{sentence(answer.error)}</Nothing>;
  if (!answer.data) return <p class="empty" role="status">Loading…</p>;
  return <Lines source={answer.data} />;
}

// reason says why no file can be shown.
function reason(): string {
  const r = getReport();
  if (!r.regions.some((x) => x.file)) return "The report does not name the files of its regions.";
  return "None of the files that the report names exists here. If the source is in another directory, start expert view with --source DIRECTORY.";
}

const sentence = (s: string): string => s[0]!.toUpperCase() + s.slice(1) + (s.endsWith(".") ? "" : ".");

function Lines({ source }: { source: Source }) {
  const host = useRef<HTMLDivElement>(null);
  const { file, line, begin, end, first } = source;
  useLayoutEffect(() => {
    const row = host.current?.querySelector<HTMLElement>(".line.here");
    if (row) host.current!.scrollTop = row.offsetTop - host.current!.clientHeight / 3;
  }, [file, line, first]);
  const kind = languageOf(file);
  let inside = false; // of a comment over several lines
  return (
    <div class="source">
      <p class="file"><b>{file}</b>{line > 0 ? `, line ${line}` : ""}</p>
      {source.changed && <p class="bar-note" role="status"><Icon name="info" />This file has changed since the recording, so its lines may differ from those that ran.</p>}
      <div class="code" ref={host} tabIndex={0} role="group" aria-label={`Source of ${file}`}>
        <pre>
          {source.lines.map((text, i) => {
            const n = first + i;
            const [pieces, still] = highlight(text, kind, inside);
            inside = still;
            return (
              <div key={n} class={"line" + (n === line ? " here" : n >= begin && n <= end ? " within" : "")} aria-current={n === line ? "true" : undefined}>
                <span class="no" aria-hidden="true">{n}</span>
                <code>{pieces.map((p) => (p.cls ? <span class={p.cls}>{p.text}</span> : p.text))}{"\n"}</code>
              </div>
            );
          })}
        </pre>
      </div>
    </div>
  );
}
