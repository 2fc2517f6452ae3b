// Calls the functions of the installed client in the order in which a turn calls them, and prints the Project Context.
// Runs under the client's own node: openclaw.mjs PACKAGE QUESTION, where QUESTION is JSON (see openclaw.py).
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const [pkg, question] = [process.argv[2], JSON.parse(process.argv[3])];
const dist = path.join(pkg, 'dist');
const names = fs.readdirSync(dist);
process.argv.length = 2;
console.log = console.info = console.warn = console.error = console.debug = () => {};

/** The function NAME of the original source file, out of whichever chunk holds it: most often one that is named after PREFIX. */
async function get(prefix, source, name) {
  const [likely, others] = [true, false].map(wanted => names.filter(file => /\.m?js$/.test(file) && file.startsWith(prefix) === wanted));
  for (const file of [...likely, ...others]) {
    const text = fs.readFileSync(path.join(dist, file), 'utf8');
    if (!text.includes(`//#region ${source}`)) continue;
    const words = text.match(/export \{([^}]*)\};?\s*$/)?.[1].split(',').map(s => s.trim().split(' as ')) ?? [];
    const found = words.find(([inside]) => inside === name);
    if (found) return (await import(pathToFileURL(path.join(dist, file)).href).catch(refuse))[found[1] ?? name];
  }
  throw new Error(`${source} ${name} not found`);
}

class Refused extends Error {}
const refuse = why => { throw new Refused(why); };

async function config() {
  // The state directory of old: a start moves it, and leaves a link.
  const home = await get('home-dir-', 'src/infra/home-dir.ts', 'resolveRequiredHomeDir');
  await (await get('state-migrations.state-dir-', 'src/infra/state-migrations.state-dir.ts', 'autoMigrateLegacyStateDir'))({ env: process.env, homedir: () => home() });
  const snapshot = await (await get('io.runtime-', 'src/config/io.runtime.ts', 'readConfigFileSnapshot'))().catch(e => refuse(e));
  if (snapshot.exists && !snapshot.valid) refuse(JSON.stringify(snapshot.issues));
  return await (await get('io.runtime-', 'src/config/io.runtime.ts', 'loadConfig'))();
}

function listing(dir) {
  try { return new Set(fs.readdirSync(dir)); } catch { return null; }
}

/** What a turn writes first. What it creates is taken away again; what it deletes and records stays. */
async function writesOfATurn(workspace, cfg) {
  const ensure = await get('workspace-', 'src/agents/workspace.ts', 'ensureAgentWorkspace');
  const before = listing(workspace);
  const defaults = cfg.agents?.defaults;
  await ensure({ dir: workspace, ensureBootstrapFiles: !defaults?.skipBootstrap, skipOptionalBootstrapFiles: defaults?.skipOptionalBootstrapFiles }).catch(refuse);
  for (const name of listing(workspace) ?? []) if (!before?.has(name)) fs.rmSync(path.join(workspace, name), { recursive: true });
  if (!before) fs.rmSync(workspace, { recursive: true, force: true });
}

async function projectKeys(cfg, workspace) {
  const root = (await get('system-prompt-params-', 'src/agents/system-prompt-params.ts', 'resolveSystemPromptRepoRoot'))({ config: cfg, workspaceDir: workspace });
  const key = root ? await (await get('compact-', 'src/agents/project-memory-scope.ts', 'resolveProjectKey'))(root) : null;
  return key ? [key] : [];
}

async function projectContext() {
  const cfg = await config();
  const sole = await get('agent-scope-config-', 'src/agents/agent-scope-config.ts', 'resolveAgentOperationAgentId');
  const known = await get('agent-scope-config-', 'src/agents/agent-scope-config.ts', 'resolveConfiguredAgentId');
  const normalize = await get('agent-id-', 'packages/normalization-core/src/agent-id.ts', 'normalizeAgentId');
  let agentId;
  try { agentId = question.agent ? known(cfg, normalize(question.agent)) : sole(cfg); } catch (e) { refuse(e); }
  const sessionKey = { subagent: `agent:${agentId}:subagent:probe`, cron: `agent:${agentId}:cron:job1`, group: `agent:${agentId}:telegram:group:123` }[question.session] ?? `agent:${agentId}:main`;
  const workspaceDir = (await get('agent-scope-config-', 'src/agents/agent-scope-config.ts', 'resolveAgentWorkspaceDir'))(cfg, agentId);
  await writesOfATurn(workspaceDir, cfg);
  if (question.session !== 'local') {
    const prepare = await get('loader-', 'src/hooks/loader.ts', 'prepareInternalHooks').catch(() => null);
    // Before 2026.9.5 they were loaded and registered at once.
    if (prepare) (await prepare(cfg, workspaceDir, { failureMode: 'best-effort' })).commit();
    else await (await get('loader-', 'src/hooks/loader.ts', 'loadInternalHooks'))(cfg, workspaceDir);
  }

  const mode = (await get('bootstrap-files-', 'src/agents/bootstrap-files.ts', 'resolveContextInjectionMode'))(cfg, agentId);
  let files = [], contextFiles = [];
  if (mode !== 'never') {
    const resolve = await get('bootstrap-files-', 'src/agents/bootstrap-files.ts', 'resolveBootstrapContextForRun');
    ({ bootstrapFiles: files, contextFiles } = await resolve({ workspaceDir, config: cfg, sessionKey, agentId, contextMode: question.contextMode }));
  }
  const isPrimaryRun = (await get('openclaw-tools-', 'src/agents/bootstrap-routing.ts', 'isPrimaryBootstrapRun'))(sessionKey);
  const routing = await (await get('openclaw-tools-', 'src/agents/bootstrap-routing.ts', 'resolveWorkspaceBootstrapRouting'))({
    isWorkspaceBootstrapPending: await get('workspace-', 'src/agents/workspace.ts', 'isWorkspaceBootstrapPending'),
    bootstrapFiles: files, bootstrapContextRunKind: question.session === 'cron' ? 'cron' : 'default', trigger: 'user', sessionKey, isPrimaryRun,
    isCanonicalWorkspace: true, effectiveWorkspace: workspaceDir, resolvedWorkspace: workspaceDir, hasBootstrapFileAccess: true });
  if (!routing.includeBootstrapInSystemContext) contextFiles = contextFiles.filter(f => !/(^|[\\/])BOOTSTRAP\.md$/iu.test(f.path.trim()));

  const promptMode = question.promptMode ?? (await get('context-engine-maintenance-', 'src/agents/embedded-agent-runner/', 'resolvePromptModeForSession'))(sessionKey);
  const prompt = (await get('system-prompt-params-', 'src/agents/system-prompt-config.ts', 'buildConfiguredAgentSystemPrompt'))({
    runtimeInfo: { model: 'mock/mock', sessionKey, agentId }, config: cfg, agentId, workspaceDir, promptMode, contextFiles,
    activeProjectKeys: await projectKeys(cfg, workspaceDir), bootstrapMode: routing.bootstrapMode, toolNames: ['read'], tools: [] });
  // The wrapping of the attempt, and the refreshed identity line: both rewrite what the files said.
  const { splitSystemPromptCacheBoundary: split, SYSTEM_PROMPT_CACHE_BOUNDARY: boundary } = await import(pathToFileURL(path.join(pkg, '../@openclaw/ai/dist/internal/shared.mjs')).href);
  const halves = split(prompt);
  const wrap = (section, text) => `<!-- openclaw:attempt:${section} -->\n${text}\n<!-- /openclaw:attempt:${section} -->`;
  const wrapped = halves ? wrap('STABLE', halves.stablePrefix) + boundary + wrap('DYNAMIC', halves.dynamicSuffix) : wrap('STABLE', prompt);
  return cut((await get('system-prompt-params-', 'src/agents/system-prompt.ts', 'appendModelIdentitySystemPrompt'))({ model: 'mock/mock', systemPrompt: wrapped }));
}

function cut(prompt) {
  const start = prompt.indexOf('\n# Project Context\n');
  if (start < 0) return '';
  const end = prompt.indexOf('\n<!-- /openclaw:attempt:STABLE -->', start);
  const section = prompt.slice(start + 1, end < 0 ? undefined : end);
  // Before 2026.9.5 this followed within the stable part.
  const silent = section.lastIndexOf('\n## Silent Replies\nNothing to say: entire reply exactly ');
  return (silent < 0 ? section : section.slice(0, silent)).replace(/\n+$/, '');
}

const answer = await projectContext().then(text => ({ text }), e => e instanceof Refused ? { refused: String(e.message) } : { failed: String(e?.stack ?? e) });
process.stdout.write(`@@@${JSON.stringify(answer)}@@@\n`, () => process.exit(0));
