/** Where a server's tokenizer is asked, it is asked about what is sent: tools in words are counted as words. */
import { expect, it } from 'vitest';
import { verifies } from '../../../../tests/requirements.ts';
import { assembled, openedSession, say } from '../../../../tests/support/assembled.ts';
import { smallWindowServer } from '../../../../tests/support/small-window-server.ts';
import { wireSize } from '../../../../tests/support/wire-size.ts';
import type { ModelRequest } from '../../../core/model-port.ts';

const WINDOW = 4_096;
const WORDS = 'The quick brown fox jumps over the lazy dog. ';

it.each(['native', 'hermes'] as const)('%s', async (dialect) => {
  verifies('B7');
  const counted: ModelRequest[] = [];
  // The template of such a model leaves out tools that are no words.
  const sizeOf = (request: ModelRequest): number =>
    wireSize(dialect === 'native' ? request : { ...request, tools: [] });
  const answer = () => ({ text: WORDS.repeat(8) });
  const { provider, refused } = smallWindowServer({ window: WINDOW, isTold: true, sizeOf, answer });
  const modelProvider = {
    ...provider,
    countTokens: async (request: ModelRequest) => {
      counted.push(request);
      return sizeOf(request);
    },
  };
  const options = {
    modelProvider,
    mode: 'yolo',
    compaction: 'rules',
    ...(dialect === 'native' ? {} : { dialect }),
  } as const;
  const session = await openedSession(await assembled(options));
  for (let at = 0; at < 16; at += 1) await say(session, `Question ${at}: ${WORDS.repeat(8)}`);
  expect(counted.length).toBeGreaterThan(0);
  for (const request of counted) expect(JSON.stringify([request.messages, request.tools])).toContain('read_file');
  const made = session.log().flatMap((event) => (event.type === 'context_compacted' ? [event.report] : []));
  expect(made.length).toBeGreaterThan(0);
  for (const report of made) expect(report?.before_tokens).toBeGreaterThan(WINDOW / 2);
  expect(refused).toEqual([]);
});
