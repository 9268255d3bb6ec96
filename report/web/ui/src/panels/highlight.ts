// Colours of source text, as far as a look at single lines can tell.

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

export const languageOf = (file: string): Language | null => languages.find(([name]) => name.test(file))?.[1] ?? null;

// Piece is a part of a line, with the class that gives its colour, "" for none.
export interface Piece {
  cls: string;
  text: string;
}

// highlight marks comments, strings and keywords of a line; it also says whether a comment goes on in the next line.
export function highlight(text: string, l: Language | null, inside: boolean): [Piece[], boolean] {
  if (!l) return [[{ cls: "", text }], false];
  const out: Piece[] = [];
  let at = 0;
  const add = (cls: string, to: number) => {
    if (to > at) out.push({ cls, text: text.slice(at, to) });
    at = to;
  };
  if (inside) {
    const end = text.indexOf("*/");
    add("t-comment", end < 0 ? text.length : end + 2);
    if (end < 0) return [out, true];
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
  add("", text.length);
  return [out, false];
}
