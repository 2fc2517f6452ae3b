// Formats Lua files with StyLua as `stylua.toml` says; with --check it only tells which would change.
// usage: node format.mjs STYLUA_MODULE [--check] FILE…
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";

const [module, ...rest] = process.argv.slice(2);
const stylua = createRequire(import.meta.url)(module);
const check = rest[0] === "--check";
/** What stylua.toml says; the module takes it away with each call. */
function config() {
  const config = stylua.Config.new();
  config.column_width = 120;
  config.indent_type = stylua.IndentType.Spaces;
  config.indent_width = 2;
  config.quote_style = stylua.QuoteStyle.AutoPreferSingle;
  return config;
}
let wrong = 0;
for (const file of rest.slice(check ? 1 : 0)) {
  const before = readFileSync(file, "utf8");
  const after = stylua.formatCode(before, config(), undefined, stylua.OutputVerification.None);
  if (before === after) continue;
  wrong += 1;
  if (check) console.error(`not formatted: ${file}`);
  else writeFileSync(file, after);
}
process.exit(check && wrong > 0 ? 1 : 0);
