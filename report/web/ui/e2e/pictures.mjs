// The pictures of README and the tutorial, made by make screenshots from the recordings that their commands made.
import { browse, root } from "./harness.mjs";
import { join } from "node:path";

const readme = join(root, "bin/readme/report.cubex");
const source = ["--source", root]; // programs are built with -trimpath: pictures name no directory of this machine
const tutorial = (name) => join(root, "bin/tutorial", name + ".cubex");

// opened shows the trees with all that leads to the wait of domains for each other.
async function opened(ui) {
  await ui.selectMetric("late_sender");
  await ui.selectPath("timestep", "recv");
  const { system } = await ui.meta();
  await ui.toggle("system", system.name.indexOf("domain"));
}

browse("findings", { report: readme, hash: "#view=findings", height: 720, flags: source }, async (ui) => {
  await ui.settled();
  await ui.picture("findings");
});

browse("trees", { report: tutorial("slow"), hash: "#view=trees&tab=source", height: 720, flags: source }, async (ui, page) => {
  await opened(ui);
  await page.locator("#detail").waitFor();
  await ui.settled();
  await ui.picture("trees");
});

browse("timeline", { report: tutorial("slow"), hash: "#view=timeline&metric=late_sender", height: 720, flags: source }, async (ui) => {
  await ui.settled();
  await ui.picture("timeline");
});

browse("difference", { report: tutorial("difference"), hash: "#view=trees", height: 720, flags: source }, async (ui) => {
  await opened(ui);
  await ui.picture("difference");
});
