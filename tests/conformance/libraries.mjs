#!/usr/bin/env node
// Asks the npm packages that clients bundle what they make of generated inputs, for tests/libraries.rs to compare.
//
// usage: libraries.mjs PACKAGES LIBRARY [COUNT [SEED]] > tests/vectors/libraries/LIBRARY.jsonl
//        libraries.mjs PACKAGES install
//
// PACKAGES is a directory outside of the repository, into which `install` puts the packages. Without COUNT it is 200. To compare more than is
// committed, write the files of all libraries into a directory and run `LIBRARIES=DIR cargo test --test tests libraries`.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";

const VERSIONS = { ignore: "7.0.5", dotenv: "17.2.4", "js-yaml": "3.15.2", yaml: "2.9.1", picomatch: "4.0.7" };

const [packages, library, count = 200, seed = 1] = process.argv.slice(2);
const require = createRequire(resolve(packages, "package.json"));

let state = Number(seed);
/** A whole number below `n`. */
function below(n) {
  state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
  return (state >>> 8) % n;
}
const one = (list) => list[below(list.length)];
const some = (least, most, make) => Array.from({ length: least + below(most - least + 1) }, make);
const words = (text) => text.split(" ");

const PATTERN = [...words("a b ab src * ** *** ? / / / . [ [a-c] [!a] [^b] ] - \\ ! # é É 😀 { } ( ) + $ ^ | **/ /** \\* \\? \\[ \\d \\1 \\w [b-a] .md 1 _"), " ", "\\ ", "\t", "\ufeff"];
const NAME = [...words("a b ab src a.md .a É é 😀 * ? [a] 1 !a #a a] \\ {a} A AB c d ^ -"), "a b", " "];
const path = () => some(1, 4, () => one(NAME)).join("/");

const LIBRARIES = {
  ignore() {
    const ignore = require("ignore");
    const patterns = below(4) ? [some(1, 6, () => one(PATTERN)).join("")] : some(2, 3, () => some(1, 6, () => one(PATTERN)).join(""));
    const paths = some(4, 8, () => path() + (below(8) ? "" : "/"));
    const ask = (path) => {
      try {
        return ignore().add(patterns).ignores(path) ? "1" : "0";
      } catch {
        return "t"; // it throws
      }
    };
    return { patterns, paths, ignored: paths.map(ask).join("") };
  },
};

if (library === "install") {
  mkdirSync(packages, { recursive: true });
  if (!existsSync(resolve(packages, "package.json"))) writeFileSync(resolve(packages, "package.json"), '{"private":true}');
  const set = Object.entries(VERSIONS).map(([name, version]) => `${name}@${version}`);
  execFileSync("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--save-exact", ...set], { cwd: packages, stdio: "inherit" });
} else {
  for (let n = 0; n < Number(count); n++) process.stdout.write(JSON.stringify(LIBRARIES[library]()) + "\n");
}
