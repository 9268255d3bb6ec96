// What the colours of a column mean, and how they and the rows can be changed.
import { at, gradient, palettes } from "./colour";
import { type Content, colourMode, type Shown } from "./content";
import { percent, value } from "./format";
import { Icon } from "./icons";
import { Popover } from "./popover";
import { compared } from "./report";
import { getReport, setColumn, setState, useStore } from "./state";

// Options are what is needed less often.
export function Options({ c }: { c: Content }) {
  const settings = useStore((s) => s.columns[c.name]);
  const all = () => c.expand(new Set(c.tree.inner), c.selected);
  return (
    <Popover label={`Options of ${c.title}`} button={<Icon name="options" />} active={settings.hide > 0}>
      <label class="field">
        <span>Hide below</span>
        <span class="with-unit">
          <input type="number" min="0" max="100" step="any" value={settings.hide || ""} placeholder="0" onInput={(e) => setColumn(c.name, { hide: Math.min(100, Math.max(0, Number(e.currentTarget.value) || 0)) })} />
          <span>% of the root</span>
        </span>
      </label>
      <div class="buttons">
        <button type="button" class="text" onClick={all}>Expand all</button>
        <button type="button" class="text" onClick={() => c.expand(new Set(), c.selected >= 0 ? c.tree.root(c.selected) : -1)}>Collapse all</button>
      </div>
    </Popover>
  );
}

// Legend shows what the colours mean and lets the scale be changed.
export function Legend({ c, shown }: { c: Content; shown: Shown }) {
  const { scale, signed, theme, palette } = shown;
  const own = useStore((s) => s.columns[c.name].scale);
  const m = colourMode(c, shown.mode);
  const share = m !== "absolute" && c.tree.roots.some((r) => c.additive(r));
  const unit = c.tree.roots.length ? c.unit(c.tree.roots[0]!) : "";
  const text = (v: number) => (share ? percent(v, signed).replace(/\.0+$/, "") + "\u202f%" : value(v, unit, signed));
  const factor = share ? 100 : 1;
  const set = (which: 0 | 1, x: number) => {
    const next: [number, number] = signed ? [0, scale.max] : [scale.min, scale.max];
    next[which] = x / factor;
    if (Number.isFinite(x) && next[1] > next[0]) setColumn(c.name, { scale: next });
  };
  const number = (v: number) => Number((v * factor).toPrecision(6));
  return (
    <footer class="bar legend">
      <span>{text(scale.min)}</span>
      <span class="ramp" style={{ backgroundImage: gradient(theme, palette, signed) }} title={signed ? `Left: less in ${compared(getReport())[1]}\nRight: more in ${compared(getReport())[1]}` : `Middle of the scale: ${text(at(0.5, scale))}`} />
      <span>{text(scale.max)}</span>
      <Popover label={`Colour scale of ${c.title}`} button="Scale" class="scale" active={own !== null} up>
        {!signed && (
          <label class="field"><span>From</span><span class="with-unit"><input type="number" step="any" value={number(scale.min)} onChange={(e) => set(0, e.currentTarget.valueAsNumber)} /><span>{share ? "%" : unit}</span></span></label>
        )}
        <label class="field"><span>{signed ? "To ±" : "To"}</span><span class="with-unit"><input type="number" step="any" value={number(scale.max)} onChange={(e) => set(1, e.currentTarget.valueAsNumber)} /><span>{share ? "%" : unit}</span></span></label>
        {!signed && (
          <label class="field"><span>Colours</span>
            <select value={palette} onChange={(e) => setState({ palette: e.currentTarget.value as typeof palette })}>
              {palettes.map((p) => <option key={p} value={p}>{p[0]!.toUpperCase() + p.slice(1)}</option>)}
            </select>
          </label>
        )}
        <div class="buttons"><button type="button" class="text" disabled={own === null} onClick={() => setColumn(c.name, { scale: null })}>Reset</button></div>
      </Popover>
    </footer>
  );
}
