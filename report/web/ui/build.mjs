// Builds the page into ../assets. With --check it builds in memory and tells whether ../assets is what comes out.
import { build } from "esbuild";
import { readFile, writeFile, mkdir } from "node:fs/promises";
import { createRequire } from "node:module";

const here = new URL("./", import.meta.url);
const out = new URL("../assets/", here);

const licences = await licencesOf(["preact"]);
const { outputFiles } = await build({
  absWorkingDir: here.pathname.replace(/\/$/, ""),
  entryPoints: { app: "src/main.tsx" },
  outdir: "out",
  bundle: true,
  minify: true,
  format: "iife",
  target: ["chrome123", "firefox120", "safari17.5"],
  jsx: "automatic",
  jsxImportSource: "preact",
  legalComments: "none",
  banner: { js: `/*\n${licences}*/` }, // wherever the script goes, reports in one file for instance
  charset: "utf8",
  write: false,
  logLevel: "warning",
});

const files = new Map(outputFiles.map((f) => [f.path.split(/[/\\]/).pop(), Buffer.from(f.contents)]));
for (const name of ["index.html", "icon.svg"]) files.set(name, await readFile(new URL("src/" + name, here)));
files.set("LICENSES", Buffer.from(licences));

if (process.argv.includes("--check")) {
  let same = true;
  for (const [name, want] of files) {
    const have = await readFile(new URL(name, out)).catch(() => null);
    if (have && want.equals(have)) continue;
    same = false;
    console.error(`report/web/assets/${name} is not what npm run build makes`);
  }
  process.exit(same ? 0 : 1);
}
await mkdir(out, { recursive: true });
for (const [name, content] of files) await writeFile(new URL(name, out), content);

// licencesOf returns the texts that go with packages.
async function licencesOf(packages) {
  const require = createRequire(import.meta.url);
  let text = "The page holds code of these packages:\n";
  for (const name of packages) {
    const meta = require.resolve(name + "/package.json");
    const { version } = JSON.parse(await readFile(meta, "utf8"));
    text += `\n${name} ${version}\n\n` + (await readFile(meta.replace("package.json", "LICENSE"), "utf8")).trim() + "\n";
  }
  return text;
}
