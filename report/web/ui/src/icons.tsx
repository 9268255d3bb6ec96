// The few icons, 16 × 16, in the colour of the text.
const shapes = {
  chevron: "M6 4l4 4-4 4",
  search: "M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9zM10.5 10.5L14 14",
  close: "M4 4l8 8M12 4l-8 8",
  up: "M4 10l4-4 4 4",
  down: "M4 6l4 4 4-4",
  flame: "M8 1.8c.6 2.4 3.9 4 3.9 7.6A3.9 3.9 0 0 1 8 13.9a3.9 3.9 0 0 1-3.9-4.2c0-1.7.9-2.7 1.7-3.5.2 1 .7 1.6 1.3 1.8C6.8 5.6 7.2 3.6 8 1.8z",
  options: "M2.5 4.5h7M12.5 4.5h1M2.5 11.5h1M6.5 11.5h7M9.5 4.5a1.5 1.5 0 1 0 3 0 1.5 1.5 0 1 0-3 0M3.5 11.5a1.5 1.5 0 1 0 3 0 1.5 1.5 0 1 0-3 0",
  filter: "M2.5 3.5h11l-4.2 5v4l-2.6 1.2V8.5z",
  sun: "M8 5.2a2.8 2.8 0 1 0 0 5.6 2.8 2.8 0 0 0 0-5.6M8 1.5v1.3M8 13.2v1.3M1.5 8h1.3M13.2 8h1.3M3.4 3.4l.9.9M11.7 11.7l.9.9M12.6 3.4l-.9.9M4.3 11.7l-.9.9",
  moon: "M13.2 9.7A5.6 5.6 0 0 1 6.3 2.8a5.6 5.6 0 1 0 6.9 6.9z",
  auto: "M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11zM8 2.5v11M8 5h3.8M8 8h5.4M8 11h3.8",
  warning: "M8 2.5l6 11H2zM8 6.5v3.2M8 11.4v.6",
  info: "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM8 7.2v4M8 4.8v.6",
  panel: "M2.5 3h11v10h-11zM2.5 9h11",
  help: "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM6.2 6.3a1.8 1.8 0 1 1 2.7 1.5c-.6.4-.9.7-.9 1.4M8 11.3v.5",
} as const;

export type IconName = keyof typeof shapes;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" width="16" height="16" viewBox="0 0 16 16" aria-hidden="true">
      <path d={shapes[name]} fill="none" stroke="currentColor" stroke-width="1.3" stroke-linecap="round" stroke-linejoin="round" />
    </svg>
  );
}
