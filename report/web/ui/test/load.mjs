// Loads a module of the page into node.
import { build } from "esbuild";

export async function load(name) {
  const { outputFiles } = await build({
    entryPoints: [new URL(`../src/${name}`, import.meta.url).pathname],
    bundle: true,
    format: "esm",
    write: false,
  });
  return import("data:text/javascript;base64," + Buffer.from(outputFiles[0].contents).toString("base64"));
}
