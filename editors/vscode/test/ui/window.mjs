// A window of VS Code as a person uses it: palette, keyboard, mouse; and what stands on the screen, as text.

import { DEADLINE, until } from '../host.mjs';

/** What is drawn has no plain spaces. */
const plain = text => (text ?? '').replace(/[\u00a0\u202f]/g, ' ');

/** Whether it is to be seen after a moment; if not, something has to be done again. */
const appears = locator =>
  locator.waitFor({ timeout: 5_000 }).then(
    () => true,
    () => false,
  );

export class Window {
  constructor(page) {
    this.page = page;
  }

  /** Opens a window of `host` on a folder. */
  static async open(host, folder, options) {
    const page = await host.open(folder, {}, options);
    await host.goto();
    await page
      .locator('.monaco-workbench .explorer-folders-view, .monaco-workbench .explorer-viewlet')
      .first()
      .waitFor();
    return new Window(page);
  }

  async close() {
    await this.page.context().close();
  }

  /** Runs a command by its title, as it stands in the palette. */
  async command(title) {
    await this.quick('F1', `>${title}`, title);
  }

  /** Chooses a line of the quick pick that is open. */
  async choose(text) {
    const choice = this.choice('.monaco-list-row', text);
    // A long list is drawn only as far as it is seen.
    await this.page.locator('.quick-input-widget .quick-input-box input').fill(text);
    await choice.click();
  }

  /** A line of the quick pick by what it says. Its element was another line's before and holds that one's text, hidden. */
  choice(row, text) {
    return this.page.locator(`.quick-input-list ${row}[aria-label*="${text}"]`).first();
  }

  /** Opens a file by its whole path. */
  async file(path) {
    const name = path.split('/').pop();
    const tab = this.page.locator('.tab.active', { hasText: name }).first();
    await until(`the file ${name}`, async () => {
      await this.quick('Control+P', path, name);
      // Results that come late take the place of what was there when Enter was pressed; and the tab is there first, then the text.
      return (await appears(tab)) && (await appears(this.editor(path)));
    });
  }

  /** The editor that is typed into, where it shows the file at `path`. */
  editor(path = '') {
    return this.page.locator(`.editor-group-container.active .monaco-editor.focused[data-uri$="${path}"]`).first();
  }

  /** Types into the box that `key` opens, and takes the first choice, which says `expected`. */
  async quick(key, text, expected) {
    const first = this.choice('.monaco-list-row.focused', expected);
    await until(`the choice ${expected}`, async () => {
      await this.page.keyboard.press('Escape');
      await this.page.keyboard.press(key);
      // The box of before may be on its way out, and take this one with it.
      const box = this.page.locator('.quick-input-widget .quick-input-box input');
      const typed = await box.fill(text, { timeout: 5_000 }).then(
        () => true,
        () => false,
      );
      // The choices are those that there were when the box was opened.
      return typed && appears(first);
    });
    await this.page.keyboard.press('Enter');
  }

  /** Puts the cursor into the first or the second editor. */
  async focus(group = 1) {
    const groups = this.page.locator('.editor-group-container');
    await until(`the cursor in editor ${group}`, async () => {
      await this.page.keyboard.press(`Control+${group}`);
      // The groups stand in the document as they were opened: from left to right.
      return appears(
        groups
          .nth(group - 1)
          .locator('.monaco-editor.focused')
          .first(),
      );
    });
  }

  /** Puts the cursor at the start of the text in front, whose first line is `line`: a key that comes while a box closes is lost. */
  async top(line) {
    const first = this.page.locator('.editor-group-container.active .view-line', { hasText: line }).first();
    const position = this.page.locator('.statusbar-item[id="status.editor.selection"]');
    await until('the cursor in the first line', async () => {
      await this.page.keyboard.press('Control+Home');
      return (await appears(first)) && /Ln 1, Col 1$/.test(plain(await position.first().textContent()).trim());
    });
  }

  /** What stands in each editor and on the status bar: for whoever reads that a step failed. */
  async screen() {
    const texts = await this.page.locator('.editor-group-container').evaluateAll(groups =>
      groups.map(group => {
        const tabs = [...group.querySelectorAll('.tab')].map(tab =>
          tab.matches('.active') ? `[${tab.textContent}]` : tab.textContent,
        );
        const lines = [...group.querySelectorAll('.view-line')].slice(0, 12).map(line => line.textContent);
        return [tabs.join(' '), ...lines].join('\n  ');
      }),
    );
    return plain([...texts, `status: ${await this.status()}`].join('\n'));
  }

  /** The whole text of the editor in front, by way of the clipboard. */
  async copied() {
    await this.clip('');
    await this.page.keyboard.press('Control+A');
    await this.page.keyboard.press('Control+C');
    await until('a copy of the text', async () => (await this.clipboard()) !== '');
    return this.clipboard();
  }

  clip(text) {
    return this.page.evaluate(text => navigator.clipboard.writeText(text), text);
  }

  clipboard() {
    return this.page.evaluate(() => navigator.clipboard.readText());
  }

  /** The status of Briefing. */
  async status() {
    const item = this.page.locator('.statusbar-item[id$="briefing.status"]');
    return (await item.count()) ? plain(await item.first().textContent()).trim() : '';
  }

  async statusIs(wanted) {
    await this.shows('status', () => this.status(), wanted);
  }

  /** A view by its title. */
  pane(title = 'Instructions') {
    return this.page.locator('.pane', {
      has: this.page.locator('.pane-header h3', { hasText: new RegExp(`^${title}$`) }),
    });
  }

  row(text, title) {
    return this.pane(title).locator('.monaco-list-row', { hasText: text }).first();
  }

  /** The lines of a view that are on the screen. */
  async view(title) {
    const rows = this.pane(title).locator('.monaco-list-row');
    const lines = await rows.evaluateAll(rows =>
      rows
        .map(row => ({
          at: Number(row.getAttribute('data-index')),
          text: row.querySelector('.monaco-tl-contents')?.textContent,
        }))
        .sort((a, b) => a.at - b.at)
        .map(({ text }) => text),
    );
    return lines.map(plain).join('\n');
  }

  async viewShows(wanted, title) {
    await this.shows('view', () => this.view(title), wanted);
  }

  /** Waits until what `ask` gives is, or matches, `wanted`; a failure says what it was instead. */
  async shows(what, ask, wanted) {
    let last;
    const fits = text => (wanted instanceof RegExp ? wanted.test(text) : text === wanted);
    await until(`the ${what}`, async () => fits((last = await ask()))).catch(error => {
      throw new Error(`${error.message}: wanted ${wanted}, is\n${last}`);
    });
  }

  /** Holds the mouse over a line until what appears says `wanted`. */
  async hover(line, wanted) {
    const said = async () => {
      // Nothing appears for a mouse that does not move, and what is there goes when the editor scrolls.
      const box = await line.boundingBox();
      if (box) {
        await this.page.mouse.move(box.x + 60, box.y + box.height / 2);
        await this.page.mouse.move(box.x + 90, box.y + box.height / 2, { steps: 4 });
      }
      return plain((await this.page.locator('.monaco-hover:visible').allInnerTexts()).join('\n'));
    };
    await this.shows('hover', said, wanted);
  }

  notification(text) {
    return this.page.locator('.notification-toast', { hasText: text }).first();
  }

  /** The content of the webview in front. */
  webview() {
    return this.page.frameLocator('iframe.webview.ready').frameLocator('#active-frame');
  }

  async shot(path) {
    await this.page.screenshot({ path });
  }
}

export { DEADLINE };
