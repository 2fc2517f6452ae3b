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

const WORD = [...words("a b c name paths globs description x-y a.b 5 012 0x1F 0o17 0b11 1_000 1e3 1.50 .5 5. -0 +5 1:30 190:20:30 .inf -.INF .NaN true False yes on null ~ 2026-01-31 2026-1-3 é 😀 **/*.ts *.md !a.ts {a,b} [a] \"q\" 'q' a# #c a:b a: :a - -a --- ... ? | > |- >+ & &x *x ! !!str !!int !!float !x @a `a` % , [ ] { } << = \\ \"a\\n\" ''''"), "a b", "a: b", "a # c", "- a", "\t", " ", "\ufeff", "\u00a0", "\u2028"];
const value = (depth) => {
  const sort = below(depth > 2 ? 6 : 12);
  if (sort < 6) return one(WORD);
  if (sort === 6) return `"${one(WORD).replace(/["\\]/g, "")}"`;
  if (sort === 7) return `'${one(WORD).replace(/'/g, "")}'`;
  if (sort === 8) return `[${some(0, 3, () => value(depth + 1)).join(one([", ", ",", " , "]))}]`;
  if (sort === 9) return `{${some(0, 2, () => one(WORD) + one([": ", ":", ": "]) + value(depth + 1)).join(", ")}}`;
  return `${one(WORD)} ${one(WORD)}`;
};
/** What stands at the head of a rule, more or less. */
function head() {
  const indent = one(["", "", "", "  ", " ", "\t"]);
  const line = () => {
    const sort = below(14);
    const key = one(["a", "b", "c", "name", "paths", "description", one(WORD)]);
    if (sort < 7) return `${key}:${one([" ", " ", " ", "  ", "", "\t"])}${value(0)}${one(["", "", "", "", " # c", " #", "\t# c", " "])}`;
    if (sort === 7) return `${key}:\n${some(1, 3, () => `${one(["  ", "", " ", "\t"])}- ${value(1)}`).join("\n")}`;
    if (sort === 8) return `${key}:\n${some(1, 2, () => `  ${one(WORD)}: ${value(1)}`).join("\n")}`;
    if (sort === 9) return `${key}: ${one(["|", ">", "|-", ">-", "|+", "|2"])}\n${some(1, 3, () => one(["  ", "   ", "", " "]) + one(WORD)).join("\n")}`;
    if (sort === 10) return `${indent}${one(WORD)}`;
    if (sort === 11) return `- ${value(1)}`;
    if (sort === 12) return `${key}: ${one(WORD)}\n  ${one(WORD)}`;
    return one(["", "# c", " # c", "\t", "  "]);
  };
  return some(1, 4, line).join(one(["\n", "\n", "\n", "\r\n"])) + one(["", "\n"]);
}
/** A value as JSON that tells what JSON does not: what is no finite number, a time, bytes. */
function plain(value) {
  if (value instanceof Date) return { "!": "date" };
  if (value instanceof Uint8Array) return { "!": "bytes" };
  if (typeof value === "number" && !Number.isFinite(value)) return { "!": String(value) };
  if (Array.isArray(value)) return value.map(plain);
  if (value && typeof value === "object") return Object.fromEntries(Object.entries(value).map(([key, value]) => [key, plain(value)]));
  return value ?? null;
}
/** `{in, out}`, without `out` where the library throws. */
function read(text, parse) {
  try {
    return { in: text, out: plain(parse(text)) };
  } catch {
    return { in: text };
  }
}

const GLOB = words("a b ab src * ** *** ? / / / . .. [ab] [!a] [^b] [a-c] [ ] {a,b} {a,b/c} {1..3} { } , ! !(a) @(a|b) +(a|b) ?(a) *(a) ( ) | \\* .md é **/ /** [[:alpha:]] -");
const LINE = () => one(["", " ", "export ", "\ufeff", "\u00a0", "\t", "# "]) + one(words("A B_1 c.d e-f é 1")) + one(["=", " = ", ": ", ":", "=\u00a0", " "]) + one(["", "v", " v ", "'v'", '"v"', "`v`", '"v\\nw"', "'v", "v # c", "v#c", '"v # c"', "v\u00a0", "\ufeffv", "'v'\u00a0", '"v\nw"', "v\u2028w", "\\"]) + one(["", "", " # c", "\u00a0# c"]);

const LIBRARIES = {
  picomatch() {
    const pattern = some(1, 6, () => one(GLOB)).join("");
    const paths = some(4, 8, path);
    const ask = (path) => {
      try {
        return require("picomatch").isMatch(path, pattern, { dot: true }) ? "1" : "0";
      } catch {
        return "0";
      }
    };
    return { pattern, paths, matches: paths.map(ask).join("") };
  },
  dotenv: () => read(some(1, 4, LINE).join(one(["\n", "\r\n", "\r"])), require("dotenv").parse),
  "js-yaml": () => read(head(), require("js-yaml").safeLoad),
  yaml: () => read(head(), (text) => require("yaml").parse(text, { logLevel: "error" })),
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
