/** The terminal app over a scripted session, run as a program of its own on a pseudo-terminal by the tests. */
import { readFileSync } from 'node:fs';
import type { EventBody } from '../../src/core/events.ts';
import type { Tool } from '../../src/core/tool.ts';
import { ok } from '../../src/core/tool-result.ts';
import { runTerminal } from '../../src/terminal/run-terminal.ts';
import { createFakeSession, type Script, toolCall } from './terminal-fake-session.ts';

const tool = (name: string, risk: Tool['risk'], mainArgument?: string): Tool => ({
  name,
  description: `The tool ${name}. It does what its name says and is here to be listed.`,
  risk,
  effects: 'read',
  parameters: { type: 'object' },
  ...(mainArgument ? { main_argument: mainArgument } : {}),
  run: async () => ok('done'),
});
const TOOLS = [
  tool('ls', 'safe', 'path'),
  tool('read_file', 'medium', 'path'),
  tool('write_file', 'high', 'path'),
  tool('bash', 'high', 'command'),
];

const DIFF = `--- a/notes.md
+++ b/notes.md
@@ -1,3 +1,4 @@
 # Notes
-old line
+new line
+another line
 end
`;
const ANSWER = `Here is what I found in **this folder**:

- \`a.ts\` holds the code
- \`b.ts\` holds the tests

| file | lines |
|------|------:|
| a.ts | 120 |
| b.ts | 45 |

\`\`\`ts
export const answer = 42;
\`\`\`

That is all.
`;

const whenColumnsAre = (isRight: (columns: number) => boolean): Promise<void> =>
  new Promise((resolve) => {
    const look = (): void => {
      if (!isRight(process.stdout.columns)) return;
      process.stdout.off('resize', look);
      resolve();
    };
    process.stdout.on('resize', look);
    look();
  });

const scripts: Record<string, Script> = {
  async tour(stage) {
    stage.progress({ type: 'reasoning_delta', delta: 'The person wants to know what is here. I look first.' });
    stage.say('', [
      toolCall('c1', 'ls', { path: '.' }),
      toolCall('c2', 'read_file', { path: 'missing.ts' }),
      toolCall('c3', 'write_file', { path: 'notes.md', content: '# Notes\nnew line\nanother line\nend' }),
    ]);
    await stage.call('c1', 'ls', { path: '.' }, { output: 'FILE a.ts\nFILE b.ts\n' });
    stage.event({
      type: 'policy_evaluated',
      tool_call_id: 'c2',
      verdict: 'allow',
      risk: 'medium',
      exclusive: false,
      arguments: { path: 'missing.ts' },
      because: 'rule',
    });
    stage.event({ type: 'tool_started', tool_call_id: 'c2' });
    stage.event({
      type: 'tool_finished',
      tool_call_id: 'c2',
      result: {
        success: false,
        data: null,
        error_type: 'not_found',
        error_message: 'missing.ts does not exist. Files nearby: a.ts, b.ts.',
        metadata: { execution_time_ms: 1, data_size_bytes: 0, timestamp: 0 },
      },
    });
    stage.event({ type: 'task_changed', task: { id: 'task_1', content: 'Look at the folder', status: 'completed' } });
    stage.event({ type: 'task_changed', task: { id: 'task_2', content: 'Write the notes', status: 'in_progress' } });
    await stage.call(
      'c3',
      'write_file',
      { path: 'notes.md', content: '# Notes\nnew line\nanother line\nend' },
      { risk: 'high', preview: { summary: 'write notes.md, 2 lines added, 1 removed', diff: DIFF } },
    );
    await stage.stream(ANSWER);
    stage.say(ANSWER);
  },
  async permission(stage, message) {
    const args = JSON.parse(message.replace(/^ask /, '')) as { tool: string; args: Record<string, string> };
    stage.say('', [toolCall('p1', args.tool, args.args)]);
    const result = await stage.call('p1', args.tool, args.args, { risk: 'high' });
    if (!stage.isStopped()) stage.say(result.success ? 'It was allowed.' : 'It was denied.');
  },
  /** Goes on only when the window has the size that the test gives it, so that the resize falls inside the stream. */
  async long(stage) {
    const lines = Array.from(
      { length: 300 },
      (_, index) => `line ${index + 1} of the long answer, with **bold** words\n`,
    );
    const text = lines.join('');
    // In the middle of a line, so that the open line is one that a narrower window wraps.
    const first = text.indexOf('line 101 ') + 48;
    const second = text.indexOf('line 201 ') + 48;
    await stage.stream(text.slice(0, first), 7);
    await whenColumnsAre((columns) => columns === 40);
    await stage.stream(text.slice(first, second), 7);
    await whenColumnsAre((columns) => columns === 100);
    await stage.stream(text.slice(second), 7);
    stage.say(lines.join(''));
  },
  /** Stops in the middle of every thirtieth line until the window has another size. */
  async steady(stage) {
    for (let line = 1; line <= 400; line += 1) {
      const text = `line ${line} of the long answer, with **bold** words\n`;
      const at = line % 30 === 0 && line <= 300 ? 48 : 0;
      const columns = process.stdout.columns;
      await stage.stream(text.slice(0, at), 9);
      if (at > 0) await whenColumnsAre((now) => now !== columns);
      await stage.stream(text.slice(at), 9);
    }
    stage.say('');
  },
  async forever(stage) {
    let count = 0;
    while (!stage.isStopped()) {
      count += 1;
      await stage.stream(`word${count} `, 3);
      if (count % 12 === 0) await stage.stream('\n');
      await Promise.race([stage.stopped, new Promise((resolve) => setTimeout(resolve, 10))]);
    }
  },
  async running(stage) {
    stage.say('', [toolCall('r1', 'bash', { command: 'npm test' })]);
    stage.event({ type: 'tool_started', tool_call_id: 'r1' });
    for (let line = 1; line <= 8; line += 1)
      stage.progress({ type: 'tool_output_delta', tool_call_id: 'r1', delta: `output ${line}\n` });
    await stage.stopped;
    stage.event({
      type: 'tool_finished',
      tool_call_id: 'r1',
      result: {
        success: false,
        data: 'output 1',
        error_type: 'io_error',
        error_message: 'Cancelled.',
        metadata: { execution_time_ms: 5, data_size_bytes: 8, timestamp: 0, reason: 'cancelled' },
      },
    });
  },
  async hostile(stage, message) {
    const text = JSON.parse(message) as string;
    stage.say('', [toolCall('h1', 'ls', { path: text })]);
    await stage.call(
      'h1',
      'ls',
      { path: text },
      { output: text, result: { success: false, error_type: 'io_error', error_message: text } },
    );
    for (const piece of text.match(/[\s\S]{1,2}/g) ?? []) stage.progress({ type: 'text_delta', delta: piece });
    stage.say(text);
    stage.event({ type: 'model_failed', code: 'unauthorized', message: text });
  },
  async slow(stage) {
    stage.progress({ type: 'loading', message: 'Loading the model', fraction: 0.42 });
    await stage.stopped;
  },
  async prefill(stage) {
    stage.progress({ type: 'prefill', processed: 0, total: 2048, cached: 0 });
    await new Promise((resolve) => setTimeout(resolve, 50));
    stage.progress({ type: 'prefill', processed: 512, total: 2048, cached: 0, seconds_left: 12 });
    await stage.stopped;
  },
  async crash() {
    setTimeout(() => {
      throw new Error('a bug in the program');
    }, 0);
  },
};

const name = process.argv[2] ?? 'tour';
const past = process.argv[3] ? (JSON.parse(readFileSync(process.argv[3], 'utf8')) as EventBody[]) : [];
const script = scripts[name];
if (!script) throw new Error(`no script ${name}`);
const code = await runTerminal({
  session: createFakeSession(script, 'first', past),
  openSession: async () => createFakeSession(script, 'second'),
  tools: TOOLS,
  model: { name: 'qwen2.5:7b', contextLength: 8192, endpoint: 'http://127.0.0.1:11434' },
  listModels: async () => ['qwen2.5:7b', 'llama3.1:8b'],
  listFiles: async () => ['README.md', 'src/a.ts', 'src/b.ts'],
  sandbox: { text: 'sandboxed', confined: true },
  environment: process.env,
  title: 'halter  ~/project',
});
process.stdout.write(`left with ${code}\n`);
process.exit(code);
