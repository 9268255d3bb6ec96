// One of the three columns: a tree with values, how they are shown, search, and the legend of the colours.
import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import { cellsOf } from "./cells";
import { type Content, useShown } from "./content";
import { Icon } from "./icons";
import { Legend, Options } from "./legend";
import { hottest } from "./rows";
import { SearchBar, useSearch } from "./search";
import { type Mode, modes, setColumn, type Sort, useStore } from "./state";
import { TreeView } from "./treeview";

const modeTitle: Record<Mode, string> = {
  absolute: "Absolute",
  ownRoot: "Own root %",
  metricRoot: "Metric root %",
  metricSelection: "Metric selection %",
  callRoot: "Call root %",
  callSelection: "Call selection %",
  peer: "Peer %",
  external: "External %",
};
const sortTitle: Record<Sort, string> = { tree: "Tree order", value: "By value", name: "By name" };

interface Props {
  c: Content;
  views?: ComponentChildren; // choice of the view, after the title
  tools?: ComponentChildren; // buttons of this column only
  notes?: ComponentChildren; // a line above the tree
  body?: ComponentChildren; // in place of the tree and of all that belongs to it
}

export function ColumnView({ c, views, tools, notes, body }: Props) {
  const settings = useStore((s) => s.columns[c.name]);
  const shown = useShown(c);
  const found = useSearch(c, settings.search, shown.order);
  const [searching, setSearching] = useState(settings.search !== "");
  const open = searching || settings.search !== "";
  const field = useRef<HTMLInputElement>(null);

  // "/" wherever the focus is in the column
  const onKeyDown = (e: KeyboardEvent) => {
    if (e.key !== "/" || body || (e.target as Element).matches("input, select")) return;
    e.preventDefault();
    e.stopPropagation();
    setSearching(true);
    requestAnimationFrame(() => field.current?.select());
  };
  const closeSearch = () => {
    setSearching(false);
    setColumn(c.name, { search: "" });
    document.getElementById(c.name)?.focus();
  };
  const goHottest = () => {
    const { tree } = c;
    if (!c.excl || tree.size === 0) return;
    const w = shown.weight;
    const from = c.selected >= 0 ? c.selected : tree.roots.reduce((best, r) => (w[r]! > w[best]! ? r : best));
    const way = hottest(tree, from, w, c.excl);
    const end = way[way.length - 1]!;
    c.expand(new Set([...c.expanded, ...tree.ancestors(from), ...way.filter((n) => !tree.isLeaf(n) && (n !== end || w[n]! > 0))]), end);
  };

  const problem = c.failure || c.error;
  const ready = !problem && c.incl !== null;
  return (
    <section class={"column " + c.name + (c.loading ? " loading" : "")} aria-label={c.title} data-column={c.name} onKeyDown={onKeyDown}>
      <header class="bar">
        <h2>{c.title}</h2>
        {views}
        <span class="space" />
        {tools}
        {!body && <>
          <button type="button" class={open ? "active" : ""} title="Search (/)" aria-label={`Search in ${c.title}`} onClick={() => (open ? closeSearch() : (setSearching(true), requestAnimationFrame(() => field.current?.focus())))}>
            <Icon name="search" />
          </button>
          <button type="button" title="Open the hottest path from the selection (.)" aria-label={`Open the hottest path in ${c.title}`} onClick={goHottest} disabled={!ready}>
            <Icon name="flame" />
          </button>
          <Options c={c} />
        </>}
      </header>
      {!body && (
        <div class="bar how">
          <select aria-label={`Values in ${c.title}`} value={shown.mode} onChange={(e) => setColumn(c.name, { mode: e.currentTarget.value as Mode, scale: null })}>
            {modes[c.name].map((m) => (
              <option key={m} value={m} disabled={!c.available(m)}>{modeTitle[m]}</option>
            ))}
          </select>
          <span class="space" />
          {shown.rows.left > 0 && <button type="button" class="chip" title="Small values are hidden; show all" onClick={() => setColumn(c.name, { hide: 0 })}>{`< ${settings.hide} % hidden`}<Icon name="close" /></button>}
          <select aria-label={`Order of ${c.title}`} value={settings.sort} onChange={(e) => setColumn(c.name, { sort: e.currentTarget.value as Sort })}>
            {(Object.keys(sortTitle) as Sort[]).map((s) => <option key={s} value={s}>{sortTitle[s]}</option>)}
          </select>
        </div>
      )}
      {notes}
      {open && !body && <SearchBar c={c} field={field} text={settings.search} found={found} close={closeSearch} />}
      <div class="content">
        {problem ? (
          <div class="empty" role="status"><Icon name="warning" /><strong>{c.failure ? "Not available" : "Cannot be evaluated"}</strong><p>{problem}</p></div>
        ) : (
          body ?? (
            <TreeView
              id={c.name} label={c.title} tree={c.tree} rows={shown.rows} selected={c.selected} expanded={c.expanded}
              name={c.label} cells={(node) => cellsOf(c, shown, found.expression, node)} select={c.select} expand={c.expand} hottest={goHottest}
            />
          )
        )}
        {ready && !body && shown.rows.nodes.length === 0 && <div class="empty" role="status"><p>{shown.rows.left > 0 ? "All values are hidden because they are small." : "There are no entries."}</p></div>}
      </div>
      {!body && <Legend c={c} shown={shown} />}
    </section>
  );
}
