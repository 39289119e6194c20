import { expect, it } from 'vitest';
import { assembled, openedSession, say } from '../../../tests/support/assembled.ts';
import { scratchFolder } from '../../../tests/support/scratch.ts';
import { type ScriptedProvider, scriptedProvider } from '../../testing/index.ts';
import { lastModelOf } from './own-model.ts';

const withModels = (...models: string[]): ScriptedProvider =>
  scriptedProvider([{ text: 'one' }, { text: 'two' }], { models: models.map((id) => ({ id, tools: true })) });

const world = () => {
  const [folder, home] = [scratchFolder(), scratchFolder()];
  const warnings: string[] = [];
  return {
    warnings,
    start: (modelProvider: ScriptedProvider, model: string, resumeWith?: 'own' | 'own_here' | 'named') =>
      assembled({
        folder,
        environment: { HOME: home },
        modelProvider,
        model,
        ...(resumeWith ? { resumeWith } : {}),
        onWarning: (code, message) => warnings.push(`${code}: ${message}`),
      }),
  };
};

/** A session that was begun with `first` and went on with `second`. */
const left = async ({ start }: ReturnType<typeof world>): Promise<string> => {
  const session = await openedSession(await start(withModels('first', 'second'), 'first', 'own'));
  await say(session);
  expect(await session.send({ type: 'change_model', model: 'second' })).toEqual({ ok: true });
  await session.close();
  return session.id;
};

it.each([
  ['is there', 'own', ['usual', 'second'], 'second', 0],
  ['is there no more', 'own', ['usual'], 'usual', 1],
  ['is at the server', 'own_here', ['usual', 'second'], 'second', 0],
  ['is not at the server', 'own_here', ['usual'], 'usual', 1],
  ['is there, and another is named', 'named', ['usual', 'second'], 'usual', 0],
  ['is there, and nothing was said of it', undefined, ['usual', 'second'], 'usual', 0],
] as const)('a session whose model %s goes on (%s)', async (_words, resume, models, expected, warned) => {
  const played = world();
  const id = await left(played);
  const provider = withModels(...models);
  const session = await openedSession(await played.start(provider, 'usual', resume), { id });
  expect(lastModelOf(session.log())).toBe(expected);
  await say(session);
  expect(provider.requests.at(-1)?.model).toBe(expected);
  expect(played.warnings).toHaveLength(warned);
  for (const said of played.warnings) expect(said).toContain('second, which is not there now. It goes on with usual');
});

it('a new session begins with the usual model, and a model that is named for one session goes before its own', async () => {
  const played = world();
  const id = await left(played);
  const halter = await played.start(withModels('usual', 'second', 'third'), 'usual', 'own');
  const opened = [await openedSession(halter), await openedSession(halter, { id, model: 'third' })];
  expect(opened.map((session) => lastModelOf(session.log()))).toEqual(['usual', 'third']);
});
