// The source around the selected call or region.
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { requests, type Source } from "../api";
import { getReport, useAnswer } from "../state";
import { useSelection } from "../values";
import { Nothing } from "./parts";

export function SourcePane() {
  const r = getReport();
  const s = useSelection();
  const request = s.path >= 0 ? requests.sourceOfPath(s.path) : s.regions.length === 1 ? requests.sourceOfRegion(s.regions[0]!) : "";
  const answer = useAnswer<Source>(r.features.source ? request : "");
  if (request === "") return <Nothing title="Select a region">A module has no line of its own.</Nothing>;
  if (!r.features.source) return <Nothing title="The source is not available">{reason()}</Nothing>;
  if (answer.error) return <Nothing title="The source is not available">{sentence(answer.error)}</Nothing>;
  if (!answer.data) return <p class="empty" role="status">Loading…</p>;
  return <Lines source={answer.data} />;
}

// reason says why no file can be shown.
function reason(): string {
  const r = getReport();
  if (!r.regions.some((x) => x.file)) return "The report does not say in which files its regions are.";
  return "None of the files that the report names is there. If the sources are somewhere else, say where with expert view --source DIRECTORY.";
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
      <div class="code" ref={host} tabIndex={0} role="group" aria-label={`Source of ${file}`}>
        <pre>
          {source.lines.map((text, i) => {
            const n = first + i;
            const [coloured, still] = highlight(text, kind, inside);
            inside = still;
            return (
              <div key={n} class={"line" + (n === line ? " here" : n >= begin && n <= end ? " within" : "")} aria-current={n === line ? "true" : undefined}>
                <span class="no" aria-hidden="true">{n}</span>
                <code>{coloured}{"\n"}</code>
              </div>
            );
          })}
        </pre>
      </div>
    </div>
  );
}

interface Language {
  word: RegExp; // keywords
  line: string; // begins a comment
  block: boolean; // has comments in /* */
}

const languages: [RegExp, Language][] = [
  [/\.go$/i, { word: /^(break|case|chan|const|continue|default|defer|else|fallthrough|for|func|go|goto|if|import|interface|map|package|range|return|select|struct|switch|type|var|nil|true|false)$/, line: "//", block: true }],
  [/\.(c|h|cc|cpp|cxx|hpp|hh|cu)$/i, { word: /^(auto|break|case|char|class|const|continue|default|delete|do|double|else|enum|extern|float|for|goto|if|inline|int|long|namespace|new|private|public|register|return|short|signed|sizeof|static|struct|switch|template|this|typedef|union|unsigned|using|virtual|void|volatile|while)$/, line: "//", block: true }],
  [/\.(f|for|f77|f90|f95|f03|f08)$/i, { word: /^(allocatable|allocate|call|case|common|contains|cycle|deallocate|dimension|do|double|else|elseif|end|enddo|endif|exit|function|go|goto|if|implicit|in|inout|integer|intent|interface|logical|module|none|only|out|parameter|pointer|precision|private|program|public|real|return|select|subroutine|then|type|use|where|while)$/i, line: "!", block: false }],
];

const languageOf = (file: string): Language | null => languages.find(([name]) => name.test(file))?.[1] ?? null;

// highlight marks comments, strings and keywords of a line; it also says whether a comment goes on in the next line.
export function highlight(text: string, l: Language | null, inside: boolean): [ComponentChildren, boolean] {
  if (!l) return [text, false];
  const out: ComponentChildren[] = [];
  let at = 0;
  const add = (cls: string, to: number) => {
    out.push(cls ? <span class={cls}>{text.slice(at, to)}</span> : text.slice(at, to));
    at = to;
  };
  if (inside) {
    const end = text.indexOf("*/");
    if (end < 0) return [<span class="t-comment">{text}</span>, true];
    add("t-comment", end + 2);
  }
  const find = /\/\*|\/\/|!|"(?:\\.|[^"\\])*"|`[^`]*`|'(?:\\.|[^'\\])*'|[A-Za-z_][A-Za-z0-9_]*/g;
  find.lastIndex = at;
  for (let m = find.exec(text); m; m = find.exec(text)) {
    const t = m[0];
    if (t === "/*" && l.block) {
      add("", m.index);
      const end = text.indexOf("*/", m.index + 2);
      add("t-comment", end < 0 ? text.length : end + 2);
      if (end < 0) return [out, true];
      find.lastIndex = at;
    } else if (t === l.line) {
      add("", m.index);
      add("t-comment", text.length);
      break;
    } else if (/^["'`]/.test(t)) {
      add("", m.index);
      add("t-string", m.index + t.length);
    } else if (l.word.test(t)) {
      add("", m.index);
      add("t-keyword", m.index + t.length);
    }
  }
  if (at < text.length) add("", text.length);
  return [out, false];
}
