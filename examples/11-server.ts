/** The web app, the HTTP API and the endpoint for OpenAI clients as one function from Request to Response. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { createApp, listen, openHalter } from 'halter/server';

const halter = await openHalter({ folder: process.cwd(), model: process.env['MODEL'] ?? 'ollama/qwen3:4b' });
const token = randomUUID();
const app = createApp({ halter, token });
const listening = await listen(app, { host: '127.0.0.1', port: 0 });
assert(listening.ok);
const server = listening.value;
console.log(`http://127.0.0.1:${server.port}/?token=${token}`);

const reply = await fetch(`http://127.0.0.1:${server.port}/v1/chat/completions`, {
  method: 'POST',
  headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
  body: JSON.stringify({ model: 'qwen3:4b', messages: [{ role: 'user', content: 'Say hello.' }] }),
});
const { choices } = (await reply.json()) as { choices: { message: { content: string } }[] };
console.log(choices[0]?.message.content);
assert.equal(reply.status, 200);

await server.close();
await app.close();
await halter.close();
