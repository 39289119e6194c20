/** What is typed between the start of the program and its first frame, with Enter. */
import { expect, it } from 'vitest';
import { startScriptedServer } from '../../src/testing/index.ts';
import { openApp } from '../support/app-in-pty.ts';
import { scratchFolder } from '../support/scratch.ts';

it('is taken as it was typed', async () => {
  const server = await startScriptedServer({ turns: [{ text: 'The heron answers.' }] });
  const model = ['--provider', 'openai', '--base-url', server.openaiUrl, '-m', 'test-model'];
  const app = openApp(model, { folder: scratchFolder(), home: scratchFolder() });
  try {
    app.type('What is the word?\r');
    await app.until('The heron answers.');
    expect(JSON.stringify(server.requests.at(-1)?.body)).toContain('What is the word?');
  } finally {
    app.close();
    await server.close();
  }
});
