// A box plot as small as a word.
import { time } from "../format";

interface Quartiles {
  min: number;
  q1: number | null; // null: not known
  median: number;
  q3: number | null;
  max: number;
}

// MiniBox shows quartiles of times in ns.
export function MiniBox({ box, width = 120 }: { box: Quartiles; width?: number }) {
  const { min, q1, median, q3, max } = box;
  if (!(max > min)) return null;
  const x = (v: number) => 1 + ((v - min) / (max - min)) * (width - 2);
  const t = (v: number) => time(v / 1e9);
  const half = q1 !== null && q3 !== null && [x(q1), x(q3)] as const;
  const text = `From ${t(min)} to ${t(max)}, ${half ? `half of them from ${t(q1)} to ${t(q3)}, ` : ""}median ${t(median)}`;
  return (
    <svg class="minibox" width={width} height="16" role="img" aria-label={text}>
      <title>{text}</title>
      <path d={`M${x(min)} 4v8M${x(min)} 8H${half ? `${half[0]}M${half[1]} 8H` : ""}${x(max)}M${x(max)} 4v8`} />
      {half && <rect x={half[0]} y="3" width={Math.max(1, half[1] - half[0])} height="10" />}
      <path class="median" d={`M${x(median)} 2.5v11`} />
    </svg>
  );
}
