// Calls the functions of an installed client of early 2026 in the order in which a turn calls them, and prints the Project
// Context, or the list of skills. Runs under the client's own node: openclaw_early.mjs PACKAGE. Reads questions, a line of JSON each:
// {"home", "cwd", "env", "session", "agent", "skills"}; answers each with a line {"text"}, {"refused"} or {"failed"}.
import fs from 'node:fs';
import path from 'node:path';
import readline from 'node:readline';
import { pathToFileURL } from 'node:url';

const pkg = process.argv[2];
const dist = path.join(pkg, 'dist');
process.argv.length = 2;
for (const word of ['log', 'info', 'warn', 'error', 'debug']) console[word] = () => {};
process.env.OPENCLAW_DISABLE_CONFIG_CACHE = '1';

const texts = new Map();
const text = name => texts.get(name) ?? texts.set(name, fs.readFileSync(path.join(dist, name), 'utf8')).get(name);
const has = (name, source) => text(name).includes(`//#region ${source}\n`);
const imported = name => [...text(name).matchAll(/^import .*?"\.\/([^"]+)";$/gm)].map(found => found[1]);

/** Whether a chunk can be loaded without loading the program, which would start. */
const quiet = (name, seen = new Set()) => name !== 'entry.js' && (seen.has(name) || (seen.add(name), imported(name).every(name => quiet(name, seen))));
const size = name => fs.statSync(path.join(dist, name)).size;
const chunks = fs.readdirSync(dist).filter(name => name.endsWith('.js') && name !== 'index.js').sort((one, other) => size(one) - size(other));
let copies = 0;

/** The smallest chunk that holds all original SOURCES. */
function chunk(sources) {
  return chunks.find(chunk => sources.every(source => has(chunk, source)) && quiet(chunk)) ?? fail(`no chunk with ${sources}`);
}
const fail = why => { throw new Error(why); };

/** The functions NAMES of the original SOURCES, out of a copy of their chunk that exports them. */
async function functions(sources, names) {
  const copy = path.join(dist, `conformance-${process.pid}-${copies++}.js`);
  fs.writeFileSync(copy, `${text(chunk(sources))}\nexport { ${names.map(name => `${name} as __${name}`).join(', ')} };\n`);
  const module = await import(pathToFileURL(copy).href);
  return Object.fromEntries(names.map(name => [name, module[`__${name}`]]));
}

class Refused extends Error {}
const refuse = why => { throw new Refused(String(why)); };
const dotenv = (await import(pathToFileURL(path.join(pkg, '../dotenv/lib/main.js')).href)).default;
const { sanitizeSurrogates } = await import(pathToFileURL(path.join(pkg, '../@mariozechner/pi-ai/dist/utils/sanitize-unicode.js')).href);
const { createConfigIO } = await functions(['src/config/io.ts'], ['createConfigIO']);
const TURN = ['src/agents/bootstrap-files.ts', 'src/agents/system-prompt.ts'];
const turn = await functions(TURN, ['resolveBootstrapContextForRun', 'buildAgentSystemPrompt']);

/** What the Gateway does beforehand with hooks that come with the client; the older one has none that can be loaded. */
const extraFiles = path.join(dist, 'bundled/bootstrap-extra-files/handler.js');
let withHook = false;
if (fs.existsSync(extraFiles)) {
  const registry = imported(chunk(TURN)).find(name => has(name, 'src/hooks/internal-hooks.ts')) ?? fail('no registry of hooks');
  const alias = text(registry).match(/\bregisterInternalHook as (\w+)/)[1];
  const handler = (await import(pathToFileURL(extraFiles).href)).default;
  (await import(pathToFileURL(path.join(dist, registry)).href))[alias]('agent:bootstrap', event => withHook ? handler(event) : undefined);
}

/** Which agent, where it works; anew for every question, since the older client computes the place when it is loaded. */
const scope = () => functions(['src/agents/workspace.ts', 'src/agents/agent-scope.ts'], ['ensureAgentWorkspace', 'resolveAgentWorkspaceDir', 'resolveDefaultAgentId', 'listAgentIds']);

const listing = dir => { try { return new Set(fs.readdirSync(dir)); } catch { return null; } };

/** What a turn writes first; what it creates is taken away again. */
async function writesOfATurn(ensure, dir, config) {
  const before = listing(dir);
  await ensure({ dir, ensureBootstrapFiles: !config.agents?.defaults?.skipBootstrap }).catch(refuse);
  for (const name of listing(dir) ?? []) if (!before?.has(name)) fs.rmSync(path.join(dir, name), { recursive: true });
  if (!before) fs.rmSync(dir, { recursive: true, force: true });
}

/** The list of skills for a new session. */
async function listOfSkills(config, agentId, workspaceDir, managedSkillsDir) {
  const { resolveAgentSkillsFilter } = await functions(['src/agents/agent-scope.ts'], ['resolveAgentSkillsFilter']);
  const { buildWorkspaceSkillSnapshot } = await functions(['src/agents/skills/workspace.ts'], ['buildWorkspaceSkillSnapshot']);
  return buildWorkspaceSkillSnapshot(workspaceDir, { config, managedSkillsDir, skillFilter: resolveAgentSkillsFilter(config, agentId) }).prompt;
}

async function answerTo({ session, agent, skills }) {
  const { ensureAgentWorkspace, resolveAgentWorkspaceDir, resolveDefaultAgentId, listAgentIds } = await scope();
  // The client computes it when it is loaded.
  const { resolveConfigDir } = await functions(['src/utils.ts'], ['resolveConfigDir']);
  const managedSkillsDir = path.join(resolveConfigDir(), 'skills');
  dotenv.config({ quiet: true });
  const state = process.env.OPENCLAW_STATE_DIR?.trim() || process.env.CLAWDBOT_STATE_DIR?.trim();
  const home = process.env.OPENCLAW_HOME?.trim() && !pkg.includes('openclaw-2026.2.6') ? process.env.OPENCLAW_HOME.trim().replace(/^~(?=$|\/)/, process.env.HOME) : process.env.HOME;
  dotenv.config({ quiet: true, path: path.join(state ? path.resolve(state.replace(/^~(?=$|\/)/, home)) : path.join(home, '.openclaw'), '.env'), override: false });
  const io = createConfigIO();
  const snapshot = await io.readConfigFileSnapshot();
  if (snapshot.exists && !snapshot.valid) refuse(JSON.stringify(snapshot.issues));
  let config;
  try { config = io.loadConfig(); } catch (e) { refuse(e); }
  const agentId = agent ? agent.trim().toLowerCase() : resolveDefaultAgentId(config);
  if (agent && !listAgentIds(config).includes(agentId)) refuse(`Unknown agent id ${agent}`);
  const workspaceDir = path.resolve(resolveAgentWorkspaceDir(config, agentId));
  await writesOfATurn(ensureAgentWorkspace, workspaceDir, config);
  withHook = session !== 'local' && Boolean(config.hooks?.internal?.enabled);
  const rest = { subagent: 'subagent:probe', cron: 'cron:job1', group: 'telegram:group:123' }[session] ?? 'main';
  const { contextFiles } = await turn.resolveBootstrapContextForRun({ workspaceDir, config, sessionKey: `agent:${agentId}:${rest}`, sessionId: 'probe' });
  const minimal = session === 'subagent' || (session === 'cron' && !pkg.includes('openclaw-2026.2.6'));
  if (skills) return sanitizeSurrogates(turn.buildAgentSystemPrompt({ workspaceDir, promptMode: minimal ? 'minimal' : 'full', skillsPrompt: await listOfSkills(config, agentId, workspaceDir, managedSkillsDir), toolNames: ['read'], runtimeInfo: {} }));
  const prompt = sanitizeSurrogates(turn.buildAgentSystemPrompt({ workspaceDir, promptMode: minimal ? 'minimal' : 'full', contextFiles, toolNames: ['read'], runtimeInfo: {} }));
  const start = prompt.indexOf('\n# Project Context\n');
  if (start < 0) return '';
  return prompt.slice(start + 1, prompt.lastIndexOf(minimal ? '\n## Runtime\n' : '\n## Silent Replies\n'));
}

const own = { ...process.env };
let count = 0;
for await (const line of readline.createInterface({ input: process.stdin })) {
  const question = JSON.parse(line);
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, { PATH: own.PATH, OPENCLAW_DISABLE_CONFIG_CACHE: '1', OPENCLAW_SKIP_UPDATE_CHECK: '1', OPENCLAW_DISABLE_PLUGIN_MANIFEST_CACHE: '1' }, question.env);
  process.env.PATH += `:/nonexistent/${count++}`;  // what is known of programs is forgotten
  process.chdir(question.cwd);
  const answer = await answerTo(question).then(text => ({ text }), e => e instanceof Refused ? { refused: e.message } : { failed: String(e?.stack ?? e) });
  process.chdir('/');
  process.stdout.write(JSON.stringify(answer) + '\n');
}
process.exit(0);
