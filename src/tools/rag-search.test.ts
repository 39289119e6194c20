import { expect, it } from 'vitest';
import { summarizeResult } from '../core/summarize.ts';
import type { ToolContext } from '../core/tool.ts';
import { gaveSomething, NOTHING_FOUND, type ToolResult } from '../core/tool-result.ts';
import { ragSearch } from './rag-search.ts';

const summaryOf = (data: string, reason?: string): string => {
  const metadata = { execution_time_ms: 1, data_size_bytes: data.length, timestamp: 0, ...(reason && { reason }) };
  const result: ToolResult = { success: true, data, error_message: null, error_type: 'none', metadata };
  const items = ragSearch.summarize?.(result);
  return summarizeResult('rag_search', result, items === undefined ? {} : { items });
};

it('keeps in its summary the sentence that says where else to look', () => {
  const said = 'This chat has no documents yet. With global: true the whole workspace is searched.';
  expect(summaryOf(said, NOTHING_FOUND)).toContain(said);
  // Also where it begins as a list does.
  expect(summaryOf(`[no documents] ${said}`, NOTHING_FOUND)).toContain(said);
  expect(summaryOf('[{"path":"a.md","line_start":1,"line_end":2,"text":"b"}]')).toContain('a.md:1-2 b');
});

it.each([
  ['a chat without documents', { documents: () => [] }, {}],
  ['a search without hits', { search: async () => ({ ok: true, value: [] }) }, { global: true }],
])('%s gave nothing that an answer can rest on', async (_what, retrieval, more) => {
  const context = { retrieval, config: {}, signal: new AbortController().signal } as unknown as ToolContext;
  const output = await ragSearch.run({ query: 'x', ...more }, context);
  expect(output).toMatchObject({ success: true, metadata: { reason: 'nothing_found' } });
  expect(gaveSomething(output as ToolResult)).toBe(false);
  expect(gaveSomething({ ...(output as ToolResult), metadata: {} as ToolResult['metadata'] })).toBe(true);
});
