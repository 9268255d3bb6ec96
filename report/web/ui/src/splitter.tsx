// A border between two parts of the page that can be moved with the pointer and the arrow keys.
interface Props {
  label: string;
  at: number; // where it is, 0…1
  across?: boolean; // lies across the page, moves up and down
  move: (by: number) => void; // by a share of what is divided
  reset: () => void; // to where it was at first, with a double click
}

export function Splitter({ label, at, across, move, reset }: Props) {
  const onPointerDown = (e: PointerEvent) => {
    const bar = e.currentTarget as HTMLElement;
    const box = bar.parentElement!.getBoundingClientRect();
    const where = (e: PointerEvent) => (across ? e.clientY / box.height : e.clientX / box.width);
    let last = where(e);
    bar.setPointerCapture(e.pointerId);
    const onMove = (e: PointerEvent) => {
      const now = where(e);
      move(now - last);
      last = now;
    };
    bar.addEventListener("pointermove", onMove);
    bar.addEventListener("lostpointercapture", () => bar.removeEventListener("pointermove", onMove), { once: true });
    e.preventDefault();
  };
  const onKeyDown = (e: KeyboardEvent) => {
    const [less, more] = across ? ["ArrowUp", "ArrowDown"] : ["ArrowLeft", "ArrowRight"];
    if (e.key !== less && e.key !== more) return;
    move(e.key === less ? -0.02 : 0.02);
    e.preventDefault();
    e.stopPropagation();
  };
  return (
    <div
      class={"splitter" + (across ? " across" : "")} role="separator" tabIndex={0} aria-label={label}
      aria-orientation={across ? "horizontal" : "vertical"} aria-valuenow={Math.round(at * 100)} aria-valuemin={0} aria-valuemax={100}
      onPointerDown={onPointerDown} onKeyDown={onKeyDown} onDblClick={reset}
    />
  );
}
