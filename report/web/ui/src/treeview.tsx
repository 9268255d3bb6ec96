// A tree of any size: only the rows in sight are in the document. Selection follows the focus, as in the trees of other tools; the
// keyboard works as the ARIA tree pattern says.
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { Icon } from "./icons";
import type { Tree } from "./report";
import { below, type Rows } from "./rows";

const rowHeight = window.matchMedia("(pointer: coarse)").matches ? 32 : 24; // px, as in style.css
const beyond = 8; // rows drawn above and below the window

export interface Cells {
  values: ComponentChildren; // before the tree
  name: ComponentChildren;
  after?: ComponentChildren; // at the right edge
  title: string;
  quiet?: boolean; // of less importance
}

interface Props {
  id: string;
  label: string;
  tree: Tree;
  rows: Rows;
  selected: number;
  expanded: ReadonlySet<number>;
  name: (node: number) => string; // for typing ahead
  cells: (node: number) => Cells;
  select: (node: number) => void;
  expand: (expanded: ReadonlySet<number>, selected: number) => void;
  hottest: () => void;
}

export function TreeView(p: Props) {
  const { tree, rows, selected, expanded } = p;
  const box = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [{ width, height }, setSize] = useState({ width: 400, height: 600 });
  const typed = useRef({ text: "", at: 0 });
  const places = useMemo(() => new Map(rows.nodes.map((node, i) => [node, i])), [rows]);
  const place = places.get(selected) ?? -1;

  useLayoutEffect(() => {
    const measure = () => {
      const { clientWidth, clientHeight } = box.current!;
      setSize((s) => (s.width === clientWidth && s.height === clientHeight ? s : { width: clientWidth, height: clientHeight }));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(box.current!);
    return () => observer.disconnect();
  }, []);

  // The selected row comes into sight when it changes, not when others are opened or closed.
  const seen = place >= 0 && height > 0;
  useLayoutEffect(() => {
    if (!seen) return;
    const b = box.current!;
    const y = place * rowHeight;
    if (y < b.scrollTop) b.scrollTop = Math.max(0, y - rowHeight);
    else if (y + rowHeight > b.scrollTop + b.clientHeight) b.scrollTop = y + 2 * rowHeight - b.clientHeight;
    setTop(b.scrollTop);
  }, [selected, seen]);

  const toggle = (node: number, deep = false) => {
    if (tree.isLeaf(node)) return;
    const set = new Set(expanded);
    const open = !set.has(node);
    for (const n of deep ? below(tree, node) : [node]) {
      if (!open) set.delete(n);
      else if (!tree.isLeaf(n)) set.add(n);
    }
    // What is selected stays in sight: the node that is closed over it takes its place.
    p.expand(set, !open && tree.ancestors(selected).includes(node) ? node : selected);
  };

  const onKeyDown = (e: KeyboardEvent) => {
    if (e.ctrlKey || e.metaKey || e.altKey || rows.nodes.length === 0) return;
    const go = (i: number) => p.select(rows.nodes[Math.min(rows.nodes.length - 1, Math.max(0, i))]!);
    const page = Math.max(1, Math.floor(height / rowHeight) - 1);
    if (selected < 0 && ["ArrowRight", "ArrowLeft", "Enter", " ", "*"].includes(e.key)) return go(0);
    const open = expanded.has(selected) && !tree.isLeaf(selected);
    switch (e.key) {
      case "ArrowDown": go(place + 1); break;
      case "ArrowUp": go(place < 0 ? 0 : place - 1); break;
      case "PageDown": go(place + page); break;
      case "PageUp": go(place - page); break;
      case "Home": go(0); break;
      case "End": go(rows.nodes.length - 1); break;
      case "ArrowRight":
        if (e.shiftKey || !open) open && e.shiftKey ? p.expand(new Set([...expanded, ...below(tree, selected).filter((n) => !tree.isLeaf(n))]), selected) : toggle(selected, e.shiftKey);
        else if (places.has(rows.nodes[place + 1]!) && tree.parent[rows.nodes[place + 1]!] === selected) go(place + 1);
        break;
      case "ArrowLeft":
        if (open) toggle(selected, e.shiftKey);
        else if (tree.parent[selected]! >= 0) p.select(tree.parent[selected]!);
        break;
      case "Enter":
      case " ":
        if (typed.current.text && e.key === " " && recent(typed.current.at)) return typeAhead(" ", e);
        toggle(selected, e.shiftKey);
        break;
      case "*": {
        const up = tree.parent[selected] ?? -1;
        const siblings = up < 0 ? tree.roots : Array.from(tree.children(up));
        p.expand(new Set([...expanded, ...siblings.filter((n) => !tree.isLeaf(n))]), selected);
        break;
      }
      case ".": p.hottest(); break;
      default:
        if (e.key.length !== 1 || "/?[]".includes(e.key)) return;
        return typeAhead(e.key, e);
    }
    e.preventDefault();
    e.stopPropagation();
  };

  const typeAhead = (key: string, e: KeyboardEvent) => {
    e.preventDefault();
    e.stopPropagation();
    const t = typed.current;
    t.text = (recent(t.at) ? t.text : "") + key.toLowerCase();
    t.at = performance.now();
    const from = t.text.length === 1 ? place + 1 : Math.max(0, place); // the same letter again: the next one
    for (let i = 0; i < rows.nodes.length; i++) {
      const node = rows.nodes[(from + i) % rows.nodes.length]!;
      if (p.name(node).toLowerCase().startsWith(t.text)) return p.select(node);
    }
  };

  const nodeAt = (e: MouseEvent): number => {
    const row = (e.target as Element).closest<HTMLElement>("[data-node]");
    return row ? Number(row.dataset.node) : -1;
  };
  const onClick = (e: MouseEvent) => {
    const node = nodeAt(e);
    if (node < 0) return;
    if ((e.target as Element).closest(".twist")) toggle(node, e.shiftKey || e.altKey);
    else p.select(node);
  };
  const onDblClick = (e: MouseEvent) => {
    const node = nodeAt(e);
    if (node >= 0 && !(e.target as Element).closest(".twist")) toggle(node, e.shiftKey || e.altKey);
  };

  const first = Math.max(0, Math.floor(top / rowHeight) - beyond);
  const last = Math.min(rows.nodes.length, Math.ceil((top + height) / rowHeight) + beyond);
  // Deep trees get a smaller step to the right, so that names keep at least half the width.
  const step = Math.min(14, Math.max(2, (width * 0.4) / Math.max(1, rows.depth)));
  const drawn = [];
  for (let i = first; i < last; i++) drawn.push(i);
  return (
    <div
      ref={box} id={p.id} class="tree" role="tree" tabIndex={0} aria-label={p.label}
      aria-activedescendant={place >= first && place < last ? `${p.id}-${selected}` : undefined}
      onScroll={(e) => setTop(e.currentTarget.scrollTop)} onKeyDown={onKeyDown} onClick={onClick} onDblClick={onDblClick}
    >
      <div class="all" role="presentation" style={{ height: rows.nodes.length * rowHeight + "px" }}>
        {drawn.map((i) => {
          const node = rows.nodes[i]!;
          const cells = p.cells(node);
          const leaf = tree.isLeaf(node);
          const level = tree.level[node]!;
          return (
            <div
              key={node} id={`${p.id}-${node}`} class={"row" + (cells.quiet ? " quiet" : "")} role="treeitem" data-node={node} title={cells.title}
              aria-level={level + 1} aria-posinset={rows.position[i]} aria-setsize={rows.siblings[i]}
              aria-selected={node === selected} aria-expanded={leaf ? undefined : expanded.has(node)}
              style={{ top: i * rowHeight + "px" }}
            >
              {cells.values}
              <span class="name" style={{ paddingLeft: level * step + "px" }}>
                <span class={"twist" + (leaf ? " none" : "")} aria-hidden="true">{!leaf && <Icon name="chevron" />}</span>
                <span class="text">{cells.name}</span>
              </span>
              {cells.after}
            </div>
          );
        })}
      </div>
    </div>
  );
}

const recent = (time: number): boolean => performance.now() - time < 700;
