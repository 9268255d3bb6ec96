// A button that opens a small panel. Escape and a click elsewhere close it.
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

interface Props {
  label: string; // of the button, for those who do not see it, and of the panel
  button: ComponentChildren;
  class?: string;
  active?: boolean; // marks the button: something inside is not as usual
  up?: boolean; // the panel opens upwards
  children: ComponentChildren;
}

export function Popover({ label, button, active, up, children, ...p }: Props) {
  const [open, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!open) return;
    const outside = (e: Event) => root.current?.contains(e.target as Node) || setOpen(false);
    document.addEventListener("pointerdown", outside);
    document.addEventListener("focusin", outside);
    return () => {
      document.removeEventListener("pointerdown", outside);
      document.removeEventListener("focusin", outside);
    };
  }, [open]);
  const onKeyDown = (e: KeyboardEvent) => {
    if (e.key !== "Escape" || !open) return;
    e.stopPropagation();
    setOpen(false);
    root.current?.querySelector("button")?.focus();
  };
  return (
    <div class={"popover " + (p.class ?? "")} ref={root} onKeyDown={onKeyDown}>
      <button type="button" class={active ? "active" : ""} aria-label={label} title={label} aria-expanded={open} onClick={() => setOpen(!open)}>
        {button}
      </button>
      {open && (
        <div class={"panel" + (up ? " up" : "")} role="dialog" aria-label={label}>
          {children}
        </div>
      )}
    </div>
  );
}
