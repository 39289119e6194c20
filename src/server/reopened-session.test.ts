/** What is told of a session after a restart is what its next message runs with. */

import { expect, it } from 'vitest';
import { everyNth } from '../../tests/support/long.ts';
import { ORIGIN, TOKEN, testServer } from '../../tests/support/test-server.ts';
import type { Mode } from '../core/policy/modes.ts';
import { followMode } from '../core/policy/overrides.ts';
import { scriptedProvider } from '../testing/index.ts';

type Told = { mode?: string; model?: string };
type Row = {
  before: Mode;
  after: Mode;
  chosen: string | undefined;
  usual: string;
  here: string[];
  resume: 'own' | 'named';
};

const MODES_OF_ROWS: readonly (readonly [Mode, Mode])[] = [
  ['ask', 'ask'],
  ['ask', 'auto'],
  ['plan', 'ask'],
  ['edit', 'plan'],
];
const MODELS: readonly Omit<Row, 'before' | 'after'>[] = (['own', 'named'] as const).flatMap((resume) => [
  { resume, chosen: undefined, usual: 'm', here: ['m', 'n'] },
  { resume, chosen: undefined, usual: 'n', here: ['m', 'n'] },
  { resume, chosen: 'n', usual: 'm', here: ['m', 'n'] },
  { resume, chosen: 'n', usual: 'm', here: ['m'] },
]);
const ROWS: Row[] = MODES_OF_ROWS.flatMap(([before, after]) => MODELS.map((row) => ({ before, after, ...row })));

const NAMES_ONE = ['session_started', 'model_changed', 'mode_changed'];

/** What the page's stream told so far of mode and model, the last word of each. */
const follow = (response: Response): Told => {
  const told: Told = {};
  const read = async (): Promise<void> => {
    let text = '';
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk, { stream: true });
      const frames = text.split('\n\n');
      text = frames.pop() ?? '';
      for (const frame of frames) {
        const {
          type = '',
          mode,
          model,
        } = JSON.parse(/^data: (.*)$/m.exec(frame)?.[1] ?? '{}') as Told & { type?: string };
        if (!frame.startsWith('event: opens_with') && !NAMES_ONE.includes(type)) continue;
        Object.assign(told, mode && { mode }, model && { model });
      }
    }
  };
  void read().catch(() => {});
  return told;
};

it.each(everyNth(ROWS, 3))(
  'is told at once: $before, then $after; $chosen of $here, usual $usual, $resume',
  async (row) => {
    const server = await testServer({ text: 'Yes.' }, { models: [{ id: 'm' }, { id: 'n' }], resumeWith: row.resume });
    const { id } = await server.json<{ id: string }>('POST', '/api/sessions', {});
    const command = (body: object) => server.call('POST', `/api/sessions/${id}/commands`, body);
    if (row.chosen) await command({ type: 'change_model', model: row.chosen });
    await command({ type: 'change_mode', mode: row.before });
    await server.close();

    const provider = scriptedProvider([{ text: 'Yes.' }], { models: row.here.map((name) => ({ id: name })) });
    const again = await server.open({ model: row.usual, mode: row.after, modelProvider: provider });
    const get = (path: string): Promise<Response> =>
      Promise.resolve(
        again.app(
          new Request(`${ORIGIN}${path}`, { headers: { host: '127.0.0.1:7411', authorization: `Bearer ${TOKEN}` } }),
        ),
      );
    const session = (await (await get(`/api/sessions/${id}`)).json()) as Told;

    const page = follow(await get(`/api/sessions/${id}/events?form=updates`));
    const own = row.chosen ?? 'm';
    const model = row.resume === 'own' && row.here.includes(own) ? own : row.usual;
    const runs = { mode: row.after, model };
    await expect.poll(() => page).toEqual(runs);
    expect({ mode: session.mode, model: session.model }).toEqual(runs);
    const { face } = await again.app.server.sessions.open(id);
    await face.send({ type: 'send_message', content: 'go on' });
    await face.idle();
    const ran = { mode: followMode()(face.log()) ?? 'ask', model: provider.requests.at(-1)?.model };
    expect(ran).toEqual(runs);
  },
);
