// Draws media/icon.png from media/icon.svg, in Chromium: the Marketplace takes no SVG. usage: CHROMIUM=PATH node scripts/icon.mjs

import { readFile } from 'node:fs/promises';
import { chromium } from 'playwright-core';

const at = path => new URL(`../media/${path}`, import.meta.url).pathname;
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
});
const page = await browser.newPage({ viewport: { width: 128, height: 128 }, deviceScaleFactor: 2 });
await page.setContent(`<style>body{margin:0}svg{display:block}</style>${await readFile(at('icon.svg'), 'utf8')}`);
await page.screenshot({ path: at('icon.png'), omitBackground: true });
await browser.close();
