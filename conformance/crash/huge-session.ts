/** Makes a session of so many megabytes and opens it as a resume does; prints how long that takes and what it costs. */

import fs from 'node:fs';
import path from 'node:path';
import { limitYoungGeneration } from '../../src/cli/engine-flags.ts';
import type { EventBody } from '../../src/core/events.ts';
import type { ModelProvider } from '../../src/core/model-port.ts';
import { halterPaths } from '../../src/storage/paths.ts';
import { encodeEvent, encodeHeader } from '../../src/storage/session-format.ts';
import { openTestAgent } from '../../src/testing/test-agent.ts';

// As the program does when it opens.
limitYoungGeneration();
const MEGABYTE = 1024 * 1024;
const [home = '', megabytes = ''] = process.argv.slice(2);
const folder = path.join(home, 'ws');
const { sessions } = halterPaths({ HOME: home }, process.platform);
for (const made of [folder, sessions]) fs.mkdirSync(made, { recursive: true });
const file = fs.openSync(path.join(sessions, 'huge.jsonl'), 'w');
let written = fs.writeSync(file, encodeHeader('huge', 1));
let seq = 0;
const put = (body: EventBody): void => {
  seq += 1;
  written += fs.writeSync(file, encodeEvent({ seq, at: seq, ...body }, { messageCount: seq, title: '' }));
};
put({ type: 'session_started', version: 1, session_id: 'huge', workspace: fs.realpathSync(folder), model: 'm' });
while (written < Number(megabytes) * MEGABYTE) {
  const id = `call_${seq}`;
  put({ type: 'user_message_added', content: `question ${seq}` });
  put({
    type: 'assistant_message_added',
    message: {
      role: 'assistant',
      content: '',
      tool_calls: [{ id, name: 'read_file', arguments: { path: 'a.txt' }, source: 'native', repairs: [] }],
      finish: 'tool_calls',
    },
  });
  put({
    type: 'policy_evaluated',
    tool_call_id: id,
    verdict: 'allow',
    risk: 'medium',
    exclusive: false,
    arguments: { path: 'a.txt' },
    because: 'a rule',
  });
  put({ type: 'tool_started', tool_call_id: id });
  const metadata = { execution_time_ms: 1, data_size_bytes: 1, timestamp: 1 };
  const result = {
    success: true,
    data: `${seq} `.repeat(6_000),
    error_message: null,
    error_type: 'none' as const,
    metadata,
  };
  put({ type: 'tool_finished', tool_call_id: id, result });
  put({ type: 'iteration_completed', iteration: 1 });
  const message = { role: 'assistant' as const, content: `answer ${seq}`, tool_calls: [], finish: 'stop' as const };
  put({ type: 'assistant_message_added', message });
  put({ type: 'run_completed', sources: ['read_file'] });
}
fs.closeSync(file);

/** A model that is there and is not asked. */
const model: ModelProvider = {
  name: 'nobody',
  endpoint: 'nobody:',
  stream: async () => ({ ok: false, error: { code: 'cancelled', message: 'not asked' }, partial: false }),
  models: async () => ({ ok: true, models: [{ id: 'm' }] }),
  describe: async () => ({ ok: true, model: { id: 'm', context_length: 8_192 } }),
  close: async () => undefined,
};
const halter = await openTestAgent({
  folder,
  environment: { HOME: home },
  platform: process.platform,
  modelProvider: model,
  model: 'm',
  onWarning: () => {},
});
if (!halter.ok) throw new Error(halter.error.message);
await halter.value.model();
const before = process.memoryUsage().rss;
const started = performance.now();
const opened = await halter.value.openSession({ id: 'huge' });
if (!opened.ok) throw new Error(opened.error.message);
const milliseconds = Math.round(performance.now() - started);
const growth = Math.round((process.memoryUsage().rss - before) / MEGABYTE);
const events = opened.value.log().length;
await halter.value.close();
process.stdout.write(JSON.stringify({ milliseconds, growth_mb: growth, events }));
