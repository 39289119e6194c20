/** What launched clients are told, where it goes by the size of the window or by the client's version. */
import { describe, expect, it } from 'vitest';
import { claudeVariables, type Gateway, LAUNCHED_CLIENTS } from './clients.ts';

const gateway: Gateway = { url: 'http://127.0.0.1:1', token: 'the-token', model: 'default' };

describe('the window that Claude Code is told', () => {
  // It wants to keep its share for an answer, and 13,000 tokens, free behind a prompt of some 14,000.
  const ROWS: readonly [tokens: number | undefined, window: string | undefined, answer: string | undefined][] = [
    [undefined, undefined, undefined],
    [8_192, undefined, undefined],
    [16_384, undefined, undefined],
    [32_768, '32768', '4096'],
    [65_536, '65536', '8192'],
    [131_072, '131072', '16384'],
    [1_000_000, '1000000', '20000'],
  ];
  it.each(ROWS)('of %s tokens leaves room for its prompt', (contextTokens, window, answer) => {
    const told = claudeVariables({ ...gateway, contextTokens });
    expect(told['CLAUDE_CODE_MAX_CONTEXT_TOKENS']).toBe(window);
    expect(told['CLAUDE_CODE_MAX_OUTPUT_TOKENS']).toBe(answer);
  });
});

it('reads the token for pi in its extension, since versions of pi write the name of a variable in different ways', async () => {
  const content = LAUNCHED_CLIENTS['pi']?.settings?.content(gateway, {});
  const text = content !== undefined && 'text' in content ? content.text : '';
  expect(text).not.toContain('the-token');
  const before = process.env['HALTER_TOKEN'];
  process.env['HALTER_TOKEN'] = 'of-the-session';
  try {
    const extension = await import(`data:text/javascript,${encodeURIComponent(text)}`);
    const registered: unknown[] = [];
    extension.default({ registerProvider: (...given: unknown[]) => registered.push(given) });
    expect(registered).toMatchObject([
      ['halter-session', { apiKey: 'of-the-session', baseUrl: 'http://127.0.0.1:1/v1', models: [{ id: 'default' }] }],
    ]);
  } finally {
    if (before === undefined) delete process.env['HALTER_TOKEN'];
    else process.env['HALTER_TOKEN'] = before;
  }
});
