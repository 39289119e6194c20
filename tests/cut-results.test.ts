/** What a tool leaves out of its result is said to the model, in every form that results have, and where the window cuts it. */
import { describe, expect, it } from 'vitest';
import type { Event } from '../src/core/events.ts';
import type { JsonObject } from '../src/core/json.ts';
import { messageText } from '../src/core/message.ts';
import { createProjection } from '../src/core/model-projection.ts';
import type { ResultForm } from '../src/core/tool/model-content.ts';
import type { ToolContext } from '../src/core/tool.ts';
import type { ToolResult } from '../src/core/tool-result.ts';
import { getFileTree } from '../src/tools/get-file-tree.ts';
import { TOOL_LIMITS } from '../src/tools/limits.ts';
import { verifies } from './requirements.ts';
import { assembled } from './support/assembled.ts';
import { putFiles, scratchFolder } from './support/scratch.ts';

const TEXT = Array.from({ length: 20_000 }, (_, index) => `line ${index}`).join('\n');

const CUT: Record<string, { args: JsonObject; says: RegExp }> = {
  ls: { args: { max_entries: 1 }, says: /1 of 2 entries shown/ },
  grep_search: { args: { pattern: 'line', max_results: 3 }, says: /narrows the search/ },
  read_file: { args: { path: 'long.txt', full: true }, says: /ask for a range with line_start and line_end/ },
};

const filesCut = async (): Promise<[string, ToolResult, RegExp][]> => {
  const folder = scratchFolder();
  putFiles(folder, { 'long.txt': TEXT, 'short.txt': '' });
  const halter = await assembled({ folder, mode: 'yolo' });
  const rows = Object.entries(CUT).map(
    async ([name, { args, says }]): Promise<[string, ToolResult, RegExp]> => [
      name,
      await halter.executeTool(name, args),
      says,
    ],
  );
  return Promise.all(rows);
};

/** Without writing so many files. */
const treeCut = async (): Promise<[string, ToolResult, RegExp]> => {
  const paths = Array.from({ length: TOOL_LIMITS.fileTreePaths }, (_, index) => `f/${index}`);
  const walk = async () => ({ ok: true, value: { paths, truncated: true } });
  const context: object = { workspace: { walk } };
  const output = await getFileTree.run({}, context as ToolContext);
  const { metadata: own, ...result } = output;
  const metadata = { execution_time_ms: 1, data_size_bytes: 1, timestamp: 1, ...own };
  const ended: object = { error_message: null, error_type: 'none', ...result, metadata };
  return [getFileTree.name, ended as ToolResult, /the first 5,000 paths; there are more files/];
};

/** What the model reads of the result of one call. */
const told = (name: string, result: ToolResult, results: ResultForm, cut?: number): string => {
  const { messages, add } = projection(results);
  add({ type: 'user_message_added', seq: 1, content: 'go' });
  const call = { id: 'call_1', name, arguments: {}, source: 'native', repairs: [] };
  add({
    type: 'assistant_message_added',
    seq: 2,
    message: { role: 'assistant', content: '', tool_calls: [call], finish: 'tool_calls' },
  });
  add({ type: 'tool_finished', seq: 3, tool_call_id: 'call_1', result });
  if (cut !== undefined)
    add({ type: 'context_compacted', seq: 4, kept_from_seq: 1, summary: '', results_characters: cut });
  return messageText(messages().find(({ role }) => role === 'tool')?.content ?? '');
};
const projection = (results: ResultForm) => {
  const of = createProjection({ system: '', results, summaryCharacters: 900 });
  return { messages: () => of.messages(), add: (event: object) => of.add(event as Event) };
};

describe('a result that its tool cut', () => {
  it('says so in every form, and where the window cuts it once more', async () => {
    verifies('E4', 'E7');
    const results = [...(await filesCut()), await treeCut()];
    const silent = results.flatMap(([name, result, says]) =>
      (['compact', 'full', 'summary'] as const).flatMap((form) =>
        [undefined, 500].flatMap((cut) =>
          says.test(told(name, result, form, cut)) ? [] : [`${name}, ${form}, ${cut}`],
        ),
      ),
    );
    expect(silent).toEqual([]);
  });
});
