/** What is typed between the start of the program and its first frame, with Enter. */
import { type AddressInfo, connect, createServer } from 'node:net';
import { expect, it } from 'vitest';
import { startScriptedServer } from '../../src/testing/index.ts';
import { verifies } from '../requirements.ts';
import { openApp } from '../support/app-in-pty.ts';
import { scratchFolder } from '../support/scratch.ts';

/** A model server that lets nobody in until it is told to. */
const behindDoor = async (port: number) => {
  let open: () => void = () => {};
  const isOpen = new Promise<void>((resolve) => {
    open = resolve;
  });
  const door = createServer((asked) => {
    asked.on('error', () => undefined);
    void isOpen.then(() => asked.pipe(connect(port, '127.0.0.1').on('error', () => asked.destroy())).pipe(asked));
  });
  await new Promise<void>((resolve) => door.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(door.address() as AddressInfo).port}/v1`, open, close: () => door.close() };
};

it('is not written behind what halter says while it starts', async () => {
  verifies('Z9');
  const server = await startScriptedServer({ turns: [{ text: 'The heron answers.' }] });
  const door = await behindDoor(server.port);
  const model = ['--provider', 'openai', '--base-url', door.url];
  const app = openApp(model, { folder: scratchFolder(), home: scratchFolder() });
  try {
    await app.until('Waiting for the model server');
    app.forget();
    app.type('What is the word?\r');
    door.open();
    await app.until('The heron answers.');
    const [beforeTheApp = ''] = app.seen().split('test-model');
    expect(beforeTheApp).not.toContain('What is');
    expect(JSON.stringify(server.requests.at(-1)?.body)).toContain('What is the word?');
  } finally {
    app.close();
    door.close();
    await server.close();
  }
});

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
