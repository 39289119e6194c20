// A model that only ever says what the loop needs: `steps-50` calls `add` fifty times and then answers, `parallel-8` calls
// `wait` eight times at once. The conversation is the rest of the model's name. It prints its port.
import { createServer } from 'node:http';

const turns = new Map();

const callsOf = (kind, size, turn) => {
  if (kind === 'steps') return turn < size ? [['add', { a: turn, b: 1 }]] : [];
  return turn === 0 ? Array.from({ length: size }, () => ['wait', { ms: 100 }]) : [];
};

/** Four characters at a time, as models write. */
const pieces = (text) => text.match(/.{1,4}/g) ?? [];

const chunk = (delta, finish = null) =>
  `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', created: 0, model: 'm', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;

const answer = (model, promptTokens) => {
  const [kind, size] = model.split('-');
  const turn = turns.get(model) ?? 0;
  turns.set(model, turn + 1);
  const calls = callsOf(kind, Number(size), turn);
  const said = calls.flatMap(([name, args], index) => [
    chunk({ tool_calls: [{ index, id: `c${turn}_${index}`, type: 'function', function: { name, arguments: '' } }] }),
    ...pieces(JSON.stringify(args)).map((text) => chunk({ tool_calls: [{ index, function: { arguments: text } }] })),
  ]);
  const text = calls.length > 0 ? [] : pieces('All of it is done.').map((content) => chunk({ content }));
  const usage = { prompt_tokens: promptTokens, completion_tokens: 10, total_tokens: promptTokens + 10 };
  const last = `data: ${JSON.stringify({ choices: [], usage })}\n\ndata: [DONE]\n\n`;
  return [...said, ...text, chunk({}, calls.length > 0 ? 'tool_calls' : 'stop'), last].join('');
};

const server = createServer((request, response) => {
  const parts = [];
  request.on('data', (bytes) => parts.push(bytes));
  request.on('end', () => {
    const body = Buffer.concat(parts);
    // Not parsed, so that long conversations cost this side no more than short ones.
    const model = /"model":"([^"]+)"/.exec(body.toString('latin1', 0, 200))?.[1];
    if (request.method !== 'POST' || model === undefined) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(answer(model, body.length >> 2));
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
