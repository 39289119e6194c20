import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../tests/requirements.ts';
import { assembled, openedSession, say } from '../../../../tests/support/assembled.ts';
import { putFiles, scratchFolder } from '../../../../tests/support/scratch.ts';
import type { Event, EventOf } from '../../../core/events.ts';
import { projectForModel } from '../../../core/project.ts';
import { defineTool } from '../../../core/tool/define-tool.ts';
import { createRetainer } from '../../../core/window/retained.ts';
import { scriptedProvider } from '../../../testing/index.ts';
import { BUILT_IN_TOOLS } from '../../../tools/index.ts';
import { traceOf } from '../window/plan-facts.ts';
import { toolFacts } from './tool-facts.ts';
import { createToolRegistry } from './tool-registry.ts';

const own = (name: string, more: object) =>
  defineTool({ name, description: 'x', risk: 'safe', parameters: { type: 'object' }, run: () => 'x', ...more });
const OWN = [
  own('pays', { effects: 'network' }),
  own('asks', { effects: 'network', reads_only: true }),
  own('is_risky', { risk: 'high' }),
];
const registry = createToolRegistry([...BUILT_IN_TOOLS, ...OWN]);
const { mayRepeat } = toolFacts(registry);
const called = (name: string, args: Record<string, string> = {}) => ({
  id: 'a',
  name,
  arguments: args,
  source: 'native' as const,
  repairs: [],
});

/** Every tool has to stand in one of them. */
const REPEATABLE = `ls get_file_tree read_file grep_search rag_search code_graph get_current_time get_working_directory
  list_tasks read_job stop_job system_stats web_fetch web_search asks`.split(/\s+/);
const DONE_ONCE =
  `bash write_job write_file edit_file replace_lines insert_lines add_task update_task generate_image pays
  is_risky`.split(/\s+/);

describe('a call that may be made again for its result alone', () => {
  it('is one of a tool that only looks', () => {
    verifies('B7');
    const names = registry.tools.map(({ name }) => name);
    const advice =
      'Add the tool above: to REPEATABLE where it only looks, to DONE_ONCE where twice is not the same as once';
    expect(names.filter((name) => mayRepeat(called(name))).toSorted(), advice).toEqual(REPEATABLE.toSorted());
    expect(names.filter((name) => !mayRepeat(called(name))).toSorted(), advice).toEqual(DONE_ONCE.toSorted());
    expect(mayRepeat(called('there_is_no_such_tool'))).toBe(false);
  });

  it.each([
    ['bash', { command: 'cat src/a.ts' }, true],
    ['bash', { command: 'bash deploy.sh' }, false],
    ['bash', { command: 'cat a.txt | mail x@example.org' }, false],
    ['bash', { command: 'npm test' }, false],
    // What is typed into a program is no command of ours.
    ['write_job', { job_id: 'job_1', text: 'cat a.txt' }, false],
  ])('%s %j: %s', (name, args, may) => {
    expect(mayRepeat(called(name, args as unknown as Record<string, string>))).toBe(may);
    if (name === 'write_job') expect(traceOf(registry)(called(name, args as never))).toMatchObject({ kind: 'ran' });
  });
});

const LONG = Array.from({ length: 2_000 }, (_, line) => `entry ${line} of the log`).join('\n');

describe('what stands for a result that was dropped or cut', () => {
  const dropped: Partial<EventOf<'context_compacted'>> = { results_from_seq: 1_000_000 };
  const forms: [name: string, Partial<EventOf<'context_compacted'>>][] = [
    ['dropped', dropped],
    ['dropped where every token counts', { ...dropped, tightest: true }],
    ['cut', { results_characters: 60 }],
  ];
  /** A window of 8,192 tokens: a result above its quarter is put aside. */
  const log = async (name: string, args: Record<string, string>): Promise<readonly Event[]> => {
    const folder = scratchFolder();
    putFiles(folder, { 'deploy.sh': 'cat long.txt\n', 'short.sh': 'head -c 2000 long.txt\n', 'long.txt': LONG });
    const page = defineTool({
      name: 'page',
      description: 'x',
      risk: 'safe',
      effects: 'network',
      reads_only: true,
      parameters: { type: 'object' },
      run: () => LONG,
    });
    const modelProvider = scriptedProvider([{ calls: [{ name, arguments: args }] }, { text: 'done' }], {
      models: [{ id: 'test-model', context_length: 8_192 }],
    });
    const session = await openedSession(
      await assembled({ folder, modelProvider, mode: 'yolo', plugins: { tools: [page] } as never }),
    );
    await say(session);
    return session.log();
  };
  const resultIn = (events: readonly Event[], form: Partial<EventOf<'context_compacted'>>): string => {
    const event = { seq: 999_999, at: 0, type: 'context_compacted', summary: '', kept_from_seq: 0, ...form } as Event;
    const messages = projectForModel([...events, event], {
      system: '',
      results: 'compact',
      summaryCharacters: 900,
      ...toolFacts(registry),
    });
    return String(messages.find(({ role }) => role === 'tool')?.content);
  };

  it('names the place where the whole is, whatever the tool', async () => {
    verifies('B7');
    for (const [name, args] of [
      ['bash', { command: 'sh deploy.sh' }],
      ['page', {}],
    ] as const) {
      const events = await log(name, args);
      const [file = 'none'] = events.flatMap((event) =>
        event.type === 'tool_finished' ? [event.result.metadata.result_file] : [],
      );
      expect(file).toMatch(/^@results\/.+\.txt$/);
      for (const [form, event] of forms)
        expect([form, resultIn(events, event)]).toEqual([form, expect.stringContaining(file)]);
      const retained = createRetainer(events, traceOf(registry))(1_000_000, {
        trace: traceOf(registry),
        tasks: [],
        maxCharacters: 6_000,
      });
      expect(retained.text).toContain(`${file}: ${name}`);
    }
  });

  it('sends nobody to do again what was done', async () => {
    verifies('B7');
    const run = await log('bash', { command: 'sh short.sh' });
    for (const [form, event] of forms) {
      const text = resultIn(run, event);
      expect([form, text]).not.toEqual([form, expect.stringMatching(/Call it again if|Ask for less/)]);
      expect([form, text]).toEqual([form, expect.stringMatching(/Do not call it again|\[done; (?:dropped|cut)/)]);
    }
    const read = await log('bash', { command: 'head -c 2000 long.txt' });
    expect(resultIn(read, dropped)).toContain('Call it again if it is needed.');
    expect(resultIn(read, { results_characters: 600 })).toContain('Ask for less at a time.');
  });
});
