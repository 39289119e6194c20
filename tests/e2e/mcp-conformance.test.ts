/** The official suite of the Model Context Protocol, both sides; contents are asserted where the suite asks for none. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { playThese, reasonFor, scenariosOf } from '../conformance/mcp/run.ts';
import { serveSuite } from '../conformance/mcp/served.ts';
import { verifies } from '../requirements.ts';
import { everyNth, timeLimit } from '../support/long.ts';
import { scratchFolder } from '../support/scratch.ts';

const LONG = { timeout: timeLimit(180_000) };
/** Each is a program of its own, or two: usually those whose contents are asserted are played, and some of the others. */
const EVERY = 6;
const APPLICABLE = { server: 16, client: 25 };

const answered = (result: object): unknown => expect.objectContaining({ result: expect.objectContaining(result) });
/** What the suite takes any content for. */
const CONTENTS: Readonly<Record<string, unknown>> = {
  'tools-call-simple-text': answered({
    content: [{ type: 'text', text: 'This is a simple text response for testing.' }],
    structuredContent: expect.objectContaining({ success: true, data: 'This is a simple text response for testing.' }),
  }),
  'tools-call-error': answered({
    isError: true,
    content: [{ type: 'text', text: expect.stringContaining('intentionally returns an error') }],
  }),
  // The suite fills in a form of its own: without the very word that allows it, nothing runs.
  'tools-call-elicitation': answered({
    structuredContent: expect.objectContaining({ error_type: 'permission_denied' }),
  }),
  'completion-complete': answered({ completion: { values: [], total: 0, hasMore: false } }),
  'tools-call-with-logging': expect.objectContaining({
    logs: ['Tool execution started', 'Tool processing data', 'Tool execution completed'].map((data) =>
      expect.objectContaining({ level: 'info', logger: 'test_tool_with_logging', data }),
    ),
  }),
  'prompts-list': expect.objectContaining({ prompts: ['test_simple_prompt', 'test_prompt_with_arguments'] }),
  'prompts-get-with-args': expect.objectContaining({
    messages: [
      { role: 'user', content: { type: 'text', text: "Prompt with arguments: arg1='testValue1', arg2='testValue2'" } },
    ],
  }),
  tools_call: expect.objectContaining({ a: 5, b: 3 }),
  // A login that was refused by the client must have ended before the person was sent anywhere.
  'auth/resource-mismatch': expect.objectContaining({ authorizationRequestMade: false }),
  'auth/scope-retry-limit': expect.objectContaining({ maxAllowed: 3 }),
};

describe.each(['server', 'client'] as const)('halter as a %s', (side) => {
  it('passes the scenarios that are applicable', LONG, async () => {
    verifies('B10');
    const served = side === 'server' ? await serveSuite(scratchFolder()) : undefined;
    if (served) onTestFinished(() => served.close());
    const applicable = (await scenariosOf(side)).filter((scenario) => reasonFor(side, scenario) === undefined);
    expect(applicable).toHaveLength(APPLICABLE[side]);
    const isAsserted = (scenario: string): boolean => CONTENTS[scenario] !== undefined;
    const others = applicable.filter((scenario) => !isAsserted(scenario));
    const chosen = [...applicable.filter(isAsserted), ...everyNth(others, EVERY)];
    for (const { scenario, state, reason, checks } of await playThese(side, chosen, served?.url)) {
      expect([scenario, state, reason]).toEqual([scenario, 'passed', undefined]);
      const expected = CONTENTS[scenario];
      if (expected === undefined) continue;
      const details = checks.filter(({ status }) => status === 'SUCCESS').map((check) => check.details);
      expect(details).toContainEqual(expected);
    }
  });
});
