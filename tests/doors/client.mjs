// briefing mcp, asked by the official client from npm: the tools, their errors, and prompts that are followed.
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, test } from 'node:test'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { ResourceListChangedNotificationSchema, ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'

const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'briefing-doors-')))
const home = join(scratch, 'home')
const project = join(home, 'project')
const written = (path, text) => {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}
const TAIL = 'The last rule.'
for (const [path, text] of Object.entries({
  '.git/HEAD': 'ref: refs/heads/main\n',
  'AGENTS.md': `# Rules\n${'- Write small functions.\n'.repeat(1400)}${TAIL}\n`,
  'CLAUDE.md': 'Ask before you delete.\n',
  'src/CLAUDE.md': 'Handlers log nothing.\n',
  'src/a.rs': 'fn a() {}\n',
  'src/b.rs': 'fn b() {}\n',
})) written(join(project, path), text)

const events = []
const waiting = []
const heard = event => {
  events.push(event)
  waiting.splice(0).forEach(wake => wake())
}
/** Waits for an event, and no longer than a test may take. */
const eventually = async wanted => {
  while (!events.includes(wanted)) {
    await new Promise((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(`${wanted} was not heard of, only ${events}`)), 20_000)
      waiting.push(() => (clearTimeout(late), resolve()))
    })
  }
}

let client
before(async () => {
  client = new Client({ name: 'tests', version: '1' })
  const transport = new StdioClientTransport({
    command: process.env.BRIEFING,
    args: ['mcp', '--harness', 'codex,claude-code'],
    cwd: project,
    env: { HOME: home, PATH: process.env.PATH },
  })
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => heard(params.uri))
  client.setNotificationHandler(ResourceListChangedNotificationSchema, () => heard('list'))
  await client.connect(transport)
})
after(async () => {
  await client.close()
  rmSync(scratch, { recursive: true })
})

const call = async (name, args) => (await client.callTool({ name, arguments: args })).structuredContent
const problem = async (name, args) => {
  const result = await client.callTool({ name, arguments: args })
  assert.equal(result.isError, true, JSON.stringify(result))
  return result.content[0].text
}
const fates = briefing => briefing.sources.map(({ fate, path }) => `${fate} ${path.replace(project, '@')}`)

test('it says who it is, and its tools only read', async () => {
  assert.equal(client.getServerVersion().name, 'briefing')
  assert.match(client.getInstructions(), /alreadyLoaded/)
  const { tools } = await client.listTools()
  const names = ['effective_instructions', 'explain', 'instruction_files', 'compare', 'check', 'why']
  assert.deepEqual(tools.map(tool => tool.name), names)
  for (const { name, annotations, inputSchema, description } of tools) {
    assert.ok(annotations.readOnlyHint && !annotations.openWorldHint, name)
    assert.ok(inputSchema.type === 'object' && inputSchema.additionalProperties === false && description, name)
  }
  assert.ok(JSON.stringify(tools).length < 12_000, 'what every session pays for the tools')
})

test('an answer is small, and says what is lost', async () => {
  const { briefings } = await call('effective_instructions', { file: 'src/a.rs' })
  const [codex, claude] = briefings
  assert.equal(codex.harness, 'codex')
  assert.deepEqual(fates(codex), ['truncated @/AGENTS.md'])
  assert.match(codex.sources[0].reason, /32 768 of 35 0\d\d B are kept/)
  assert.deepEqual(fates(claude).slice(0, 2), ['loaded @/CLAUDE.md', 'loaded @/src/CLAUDE.md'])
  assert.ok(JSON.stringify(briefings).length < 4000 && claude.messages.every(message => !('text' in message)))
})

test('a session that reads one file after another gets each nested text once', async () => {
  const ask = { harness: 'claude-code', when: 'read', include: ['text'] }
  const first = (await call('effective_instructions', { ...ask, file: 'src/a.rs' })).briefings[0]
  assert.equal(first.messages.length, 1)
  assert.match(first.messages[0].text, /Handlers log nothing\./)
  assert.deepEqual(first.loaded, [join(project, 'src/CLAUDE.md')])
  const second = await call('effective_instructions', { ...ask, file: 'src/b.rs', alreadyLoaded: first.loaded })
  assert.deepEqual(second.briefings[0].messages, [])
})

test('details come when they are asked for', async () => {
  const { briefings } = await call('effective_instructions', { harness: 'codex', detail: 'full', include: ['text', 'trace'] })
  const [source] = briefings[0].sources
  assert.equal(source.limit.value, 32768)
  assert.deepEqual(source.kept, [{ start: 0, end: 32768 }])
  assert.ok(briefings[0].trace.length > 3 && briefings[0].messages[0].text.includes('Write small functions'))
})

test('explain, instruction_files and compare say what the editors are told', async () => {
  const { explanations } = await call('explain', { file: 'src/CLAUDE.md', target: 'src/a.rs' })
  assert.deepEqual(explanations.map(({ harness, fate }) => [harness, fate]), [['codex', null], ['claude-code', 'loaded']])
  assert.ok(explanations.every(explanation => !('probes' in explanation)))
  const { files } = await call('instruction_files', {})
  assert.deepEqual(files.map(file => file.path.replace(project, '@')), ['@/AGENTS.md', '@/CLAUDE.md', '@/src/CLAUDE.md'])
  assert.deepEqual(files[2].harnesses, [{ harness: 'claude-code', fate: 'loaded', trigger: 'read' }])
  const compared = await call('compare', { left: { harness: 'claude-code' }, right: { harness: 'claude-code', file: 'src/a.rs' } })
  assert.deepEqual(compared.differences.map(({ kind, name }) => `${kind} ${name.replace(project, '@')}`), ['added @/src/CLAUDE.md'])
  assert.ok(!('texts' in compared))
})

test('check lists findings', async () => {
  const { findings } = await call('check', {})
  assert.ok(findings.some(({ path, code, severity }) => path === 'AGENTS.md' && code === 'over-budget' && severity === 'warning'))
  assert.deepEqual((await call('check', { paths: ['src'], level: 'error' })).findings, [])
})

test('what is wrong with a question is said in words', async () => {
  assert.match(await problem('effective_instructions', { path: 'a' }), /^there is no argument `path`; the arguments are .*file/)
  assert.equal(await problem('effective_instructions', { file: 7 }), '`file` must be a string')
  assert.equal(await problem('explain', {}), '`file` is missing: a string')
  assert.match(await problem('effective_instructions', { harness: 'claud' }), /claude-code/)
  for (const file of ['/etc/passwd', '../other/a.rs', 'file:///etc/passwd']) {
    assert.match(await problem('effective_instructions', { file }), /is outside of the workspace .*project; briefing mcp --cwd DIR/)
  }
  assert.match(await problem('check', { paths: ['gone'] }), /gone: /)
  assert.match(await problem('check', { level: 'bad' }), /^level: `bad` is not one of error, warning/)
  assert.match(await problem('compare', { left: { harness: 'all' }, right: { harness: 'codex' } }), /^left: it takes one harness/)
  await assert.rejects(client.callTool({ name: 'write_file', arguments: {} }), /there is no tool `write_file`; the tools are/)
})

test('prompts are resources', async () => {
  const { resources } = await client.listResources()
  assert.deepEqual(resources.map(resource => resource.uri), ['briefing:/codex', 'briefing:/claude-code'])
  const { contents } = await client.readResource({ uri: 'briefing:/codex' })
  assert.ok(contents[0].text.startsWith('# AGENTS.md instructions') && !contents[0].text.includes(TAIL))
  const read = await client.readResource({ uri: `briefing:/claude-code${project}/src/a.rs` })
  assert.match(read.contents[0].text, /Handlers log nothing\./)
  assert.equal((await client.listResourceTemplates()).resourceTemplates.length, 1)
  for (const uri of ['briefing:/nobody', 'briefing:/codex/etc/passwd', 'file:///etc/passwd']) {
    await assert.rejects(client.readResource({ uri }), /nobody|outside of the workspace|not a preview/)
  }
})

test('who follows a prompt is told when it changes, and only then', async () => {
  const [codex, claude] = ['briefing:/codex', 'briefing:/claude-code']
  await client.subscribeResource({ uri: codex })
  await client.subscribeResource({ uri: claude })
  written(join(project, 'CLAUDE.md'), 'Ask before you delete anything.\n')
  await eventually(claude)
  assert.ok(!events.includes(codex), 'Codex does not read that file')
  renameSync(join(project, 'AGENTS.md'), join(project, 'AGENTS.override.md'))
  await eventually(codex)
  await client.unsubscribeResource({ uri: claude })
  events.length = 0
  written(join(project, 'CLAUDE.md'), 'Ask.\n')
  written(join(project, 'AGENTS.override.md'), 'Other rules.\n')
  await eventually(codex)
  assert.deepEqual([...new Set(events)], [codex])
})

test('a workspace that went away is said to be gone', async () => {
  renameSync(project, `${project}-gone`)
  assert.match(await problem('check', {}), /^the workspace .* is not there; start briefing mcp with --cwd DIR$/)
  renameSync(`${project}-gone`, project)
})
