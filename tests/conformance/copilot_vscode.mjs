// Asks GitHub Copilot in a real VS Code: opens a window on a folder, its chat, and says something there. The model is whatever
// chatLanguageModels.json of the home directory names. usage: copilot_vscode.mjs '{"home": …, "cwd": …, "mention": …, "say": …}'

import { Host, until } from '../../editors/vscode/test/host.mjs';
import { Window } from '../../editors/vscode/test/ui/window.mjs';

const { home, cwd, mention, say } = JSON.parse(process.argv[2]);
const host = await Host.start('current', { home, options: ['--disable-workspace-trust'] });
process.once('SIGTERM', () => host.stop().then(() => process.exit()));
try {
  const window = await Window.open(host, cwd);
  // Without an account, the chat that comes with VS Code is switched off, on a busy machine only after it was switched on here.
  const chat = window.page.locator('.interactive-input-part', { hasText: 'Mock' }).first();
  await until('the chat with its model', async () => {
    await window.command('Extensions: Enable All Extensions');
    await window.command('Chat: Open Chat');
    return chat.waitFor({ timeout: 10_000 }).then(() => true, () => false);
  });
  if (mention) {
    await window.file(mention);
    await window.command('Chat: Add File to Chat');
    await window.page.locator('.chat-attached-context-attachment', { hasText: mention.split('/').pop() }).first().waitFor();
    await window.command('Chat: Open Chat');
  }
  await window.page.keyboard.type(say);
  // The driver ends this once the model was asked. What is attached may still be looked at when Enter is pressed first.
  for (let tries = 0; tries < 30; tries++) {
    await window.page.keyboard.press('Enter');
    await new Promise(resolve => setTimeout(resolve, 2_000));
  }
  console.log(await window.page.locator('.interactive-session').innerText());
} catch (error) {
  console.log(error, await new Window(host.page).screen());
}
await host.stop();
