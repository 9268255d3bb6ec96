// Search for names by a regular expression.
import { useEffect, useMemo } from "preact/hooks";
import { type Content } from "./content";
import { Icon } from "./icons";
import { type Order, rowsOf } from "./rows";
import { setColumn } from "./state";

export interface Found {
  expression: RegExp | null;
  error: string;
  nodes: number[]; // from top to bottom
}

export function useSearch(c: Content, text: string, order: Order): Found {
  return useMemo(() => {
    if (text === "") return { expression: null, error: "", nodes: [] };
    let expression: RegExp;
    try {
      expression = new RegExp(text, "i");
    } catch (e) {
      return { expression: null, error: (e as Error).message.replace(/^Invalid regular expression: /, ""), nodes: [] };
    }
    const known = new Map<string, boolean>();
    const hit = new Uint8Array(c.tree.size);
    let any = false;
    for (let i = 0; i < c.tree.size; i++) {
      const name = c.label(i);
      let h = known.get(name);
      if (h === undefined) known.set(name, (h = expression.test(name)));
      if (h) any = !!(hit[i] = 1);
    }
    const all = { has: () => true } as unknown as ReadonlySet<number>;
    return { expression, error: "", nodes: any ? rowsOf(c.tree, all, order, null).nodes.filter((n) => hit[n]) : [] };
  }, [c.tree, text, order]);
}

export function SearchBar({ c, field, text, found, close }: { c: Content; field: { current: HTMLInputElement | null }; text: string; found: Found; close: () => void }) {
  const at = found.nodes.indexOf(c.selected);
  const go = (step: 1 | -1) => {
    const n = found.nodes.length;
    if (n === 0) return;
    const node = found.nodes[at < 0 ? (step > 0 ? 0 : n - 1) : (at + step + n) % n]!;
    c.expand(new Set([...c.expanded, ...c.tree.ancestors(node)]), node);
  };
  const onKeyDown = (e: KeyboardEvent) => {
    if (e.key === "Enter") go(e.shiftKey ? -1 : 1);
    else if (e.key === "Escape") close();
    else return;
    e.preventDefault();
    e.stopPropagation();
  };
  useEffect(() => {
    if (text === "") field.current?.focus();
  }, []);
  const count = found.error ? "invalid" : text === "" ? "" : found.nodes.length === 0 ? "none" : at < 0 ? String(found.nodes.length) : `${at + 1} of ${found.nodes.length}`;
  return (
    <div class="bar search" role="search">
      <Icon name="search" />
      <input
        ref={field} type="text" placeholder="Regular expression" spellcheck={false} autocomplete="off" aria-label={`Search expression for ${c.title}`}
        aria-invalid={found.error !== ""} title={found.error} value={text} onInput={(e) => setColumn(c.name, { search: e.currentTarget.value })} onKeyDown={onKeyDown}
      />
      <output class={found.error ? "bad" : ""} title={found.error}>{count}</output>
      <button type="button" aria-label="Previous match" title="Previous match (Shift+Enter)" disabled={found.nodes.length === 0} onClick={() => go(-1)}><Icon name="up" /></button>
      <button type="button" aria-label="Next match" title="Next match (Enter)" disabled={found.nodes.length === 0} onClick={() => go(1)}><Icon name="down" /></button>
      <button type="button" aria-label="Close search" title="Close (Esc)" onClick={close}><Icon name="close" /></button>
    </div>
  );
}
