// Colours of values. Positions are 0…1 on the scale of a column; in differences −1…1. All palettes go from the background of the theme
// to its greatest contrast, so that more is always stronger, also without seeing hue.

export type Theme = "light" | "dark";
export type Palette = "heat" | "viridis" | "grey";
export const palettes: Palette[] = ["heat", "viridis", "grey"];

type RGB = [number, number, number];

const stops: Record<Palette, Record<Theme, string[]>> = {
  heat: {
    light: ["#fff4d6", "#fed98a", "#fba33f", "#ea6420", "#c22a20", "#7d0d2a"],
    dark: ["#33251a", "#6a3412", "#a84c0c", "#e07a1b", "#f8b04a", "#ffe7a3"],
  },
  viridis: {
    light: ["#eef6d0", "#a9dc67", "#3dba74", "#21908c", "#355f8d", "#440154"],
    dark: ["#2a1a3e", "#414487", "#2a788e", "#22a884", "#7ad151", "#fde725"],
  },
  grey: {
    light: ["#eeeeee", "#cfcfcf", "#a6a6a6", "#787878", "#484848", "#141414"],
    dark: ["#2c2c2c", "#484848", "#6e6e6e", "#989898", "#c6c6c6", "#f7f7f7"],
  },
};

// Less is blue, more is orange: told apart with every common kind of colour blindness, and by lightness in neither theme alone, which is
// why boxes of differences also carry a sign.
const less: Record<Theme, string[]> = {
  light: ["#e8f1fb", "#b3d3f2", "#6aa8e0", "#2f7ac0", "#0d4f92"],
  dark: ["#182838", "#1f4a75", "#2f75b5", "#5fa3e3", "#b5dafc"],
};
const more: Record<Theme, string[]> = {
  light: ["#fdf0e0", "#fbd0a0", "#f39d4e", "#d96d12", "#9c4400"],
  dark: ["#33240f", "#6b430f", "#a96412", "#e5922f", "#ffd598"],
};

const parse = (hex: string): RGB => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16)) as RGB;
const parsed = new Map<string[], RGB[]>();

function between(list: string[], x: number): RGB {
  let colours = parsed.get(list);
  if (!colours) parsed.set(list, (colours = list.map(parse)));
  const at = Math.min(1, Math.max(0, x)) * (colours.length - 1);
  const i = Math.min(colours.length - 2, Math.floor(at));
  return colours[i]!.map((c, k) => Math.round(c + (colours![i + 1]![k]! - c) * (at - i))) as RGB;
}

function rgb(x: number, theme: Theme, palette: Palette, signed: boolean): RGB {
  if (signed) return between((x < 0 ? less : more)[theme], Math.abs(x));
  return between(stops[palette][theme], x);
}

// colour returns the CSS colour of a position; exactly 0 is transparent.
export function colour(x: number, theme: Theme, palette: Palette = "heat", signed = false): string {
  if (x === 0 || Number.isNaN(x)) return "transparent";
  return `rgb(${rgb(x, theme, palette, signed).join(" ")})`;
}

// ink returns the colour in which something can be read on colour(x).
export function ink(x: number, theme: Theme, palette: Palette = "heat", signed = false): string {
  if (x === 0 || Number.isNaN(x)) return theme === "dark" ? "#fff" : "#000";
  const [r, g, b] = rgb(x, theme, palette, signed).map((c) => (c <= 10 ? c / 3294 : ((c / 255 + 0.055) / 1.055) ** 2.4)) as RGB;
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.179 ? "#000" : "#fff";
}

// Scale maps values to positions. Small values are given more of the scale than large ones, as most of them are small.
export interface Scale {
  min: number;
  max: number;
  signed: boolean; // min is −max
}

const bend = (x: number): number => Math.sqrt(x);

// position returns where on the scale a value lies: 0…1, or −1…1 on a signed one, its end for values
// beyond; NaN for those below its minimum and for what is no number.
export function position(v: number | null | undefined, s: Scale): number {
  if (v === null || v === undefined || Number.isNaN(v)) return NaN;
  if (v === 0) return 0;
  if (s.signed) return s.max > 0 ? Math.sign(v) * bend(Math.min(1, Math.abs(v) / s.max)) : NaN;
  if (v < s.min || s.max <= s.min) return NaN;
  return Math.max(1e-6, bend(Math.min(1, (v - s.min) / (s.max - s.min))));
}

// at is the inverse of position: the value at a place of the legend.
export function at(x: number, s: Scale): number {
  return s.signed ? Math.sign(x) * x * x * s.max : s.min + x * x * (s.max - s.min);
}

// gradient returns a CSS gradient that shows the palette from left to right.
export function gradient(theme: Theme, palette: Palette = "heat", signed = false): string {
  const lists = signed ? [...less[theme]].reverse().concat(more[theme]) : stops[palette][theme];
  return `linear-gradient(to right, ${lists.join(", ")})`;
}
