import { render } from "preact";
import { App } from "./app";
import { heading } from "./report";
import { getReport, start } from "./state";
import "./style.css";

const root = document.getElementById("app")!;
document.documentElement.dataset.theme = window.matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";

render(<p class="empty" role="status">Loading the report…</p>, root);
start().then(
  () => {
    document.title = `${heading(getReport())} · expert`;
    render(<App />, root);
  },
  (e: Error) =>
    render(
      <div class="empty" role="alert">
        <strong>The report cannot be shown</strong>
        <p>{e.message}</p>
      </div>,
      root,
    ),
);
