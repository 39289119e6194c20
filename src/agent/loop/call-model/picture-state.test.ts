/** A session with pictures whose model does not see them any more, for a while or for good. */
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../tests/requirements.ts';
import { assembled, openedSession, say } from '../../../../tests/support/assembled.ts';
import type { ContentPart } from '../../../core/message.ts';
import type { ModelError, ModelProvider, ModelRequest } from '../../../core/model-port.ts';
import { defineTool } from '../../../core/tool/define-tool.ts';
import { scriptedProvider } from '../../../testing/index.ts';

const PICTURE: ContentPart = {
  type: 'image',
  mime_type: 'image/png',
  data_base64: `iVBORw0KGgoAAAAN${'AAAA'.repeat(3_996)}`,
  name: 'shot.png',
};
const holds = (request: ModelRequest | undefined): boolean => JSON.stringify(request?.messages).includes('AAAA');
const surely: ModelError = { code: 'server_error', message: 'no', reason: 'pictures_unsupported', status: 500 };

const start = async (refusal: ModelError, vision?: boolean, isRefused?: (request: ModelRequest) => boolean) => {
  const server = { sees: true, vision, broken: false };
  const scripted = scriptedProvider((request) => {
    if (server.broken) return { error: { code: 'bad_request', message: 'another thing' } };
    if (isRefused ? isRefused(request) : !server.sees && holds(request)) return { error: refusal };
    const last = request.messages.at(-1);
    return last?.role === 'user' && last.content === 'look'
      ? { calls: [{ name: 'shoot', arguments: {} }] }
      : { text: 'Yes.' };
  });
  const shoot = defineTool({
    name: 'shoot',
    description: 'Takes a picture.',
    risk: 'safe',
    effects: 'none',
    parameters: { type: 'object', properties: {} },
    run: async () => 'done',
    toModelOutput: () => [PICTURE],
  });
  const describeIt: ModelProvider['describe'] = async (id) => ({
    ok: true,
    model: { id, context_length: 65_536, ...(server.vision === undefined ? {} : { vision: server.vision }) },
  });
  const agent = await assembled({
    modelProvider: { ...scripted, describe: describeIt },
    mode: 'yolo',
    plugins: { tools: [shoot], dialects: [], commands: [], providers: {} } as never,
  });
  const session = await openedSession(agent);
  const warned: string[] = [];
  const failed: string[] = [];
  session.subscribe((update) => {
    if (update.type === 'warning') warned.push(update.code);
    if (update.type === 'model_failed') failed.push(update.message);
  });
  const send = async (content: ContentPart[]): Promise<void> => {
    await session.send({ type: 'send_message', content });
    await session.idle();
  };
  const last = (): ModelRequest | undefined => scripted.requests.at(-1);
  return { server, session, scripted, warned, failed, send, last };
};
const withPicture: ContentPart[] = [{ type: 'text', text: 'What is this?' }, PICTURE];

describe.each([
  ['that says so', surely],
  ['that says nothing (500)', { code: 'server_error', message: 'It answered 500.', status: 500 }],
  ['that says nothing (400)', { code: 'bad_request', message: 'bad request', status: 400 }],
] satisfies [string, ModelError][])('a server %s', (_how, refusal) => {
  it.each([
    ['the person', false],
    ['a tool', true],
  ])('that takes the pictures of %s no more: every message is answered, and it is said once', async (_who, ofTool) => {
    verifies('B2');
    const { server, session, scripted, warned, failed, send, last } = await start(refusal);
    if (ofTool) await say(session, 'look');
    else await send(withPicture);
    expect(holds(last())).toBe(true);
    server.sees = false;
    for (let at = 0; at < 4; at += 1) await say(session, `And ${at}?`);
    expect(failed).toEqual([]);
    expect(warned.filter((code) => code === 'pictures_refused')).toHaveLength(1);
    expect(warned).not.toContain('prefix_broken');
    expect(scripted.requests.filter(holds)).toHaveLength(2);
    if (!ofTool) expect(JSON.stringify(last()?.messages)).toMatch(/picture stands here.*shot\.png, image\/png, 12 kB/);
  });
});

it('pictures come back where the server says that the model sees, with the next picture, and with another model', async () => {
  verifies('B2');
  const { server, session, failed, send, last } = await start(surely);
  await send(withPicture);
  server.sees = false;
  await say(session, 'And?');
  expect(holds(last())).toBe(false);
  server.sees = server.vision = true;
  await say(session, 'And now?');
  expect(holds(last())).toBe(true);
  Object.assign(server, { sees: false, vision: undefined });
  await say(session, 'Gone?');
  expect(holds(last())).toBe(false);
  server.sees = true;
  await send(withPicture);
  expect(holds(last())).toBe(true);
  server.sees = false;
  await say(session, 'Gone?');
  server.sees = true;
  await session.send({ type: 'change_model', model: 'other-model' });
  await say(session, 'Better?');
  expect(holds(last())).toBe(true);
  expect(failed).toEqual([]);
});

it('a server that says that it sees and does not is not believed at every message', async () => {
  const { server, session, scripted, send, failed } = await start(surely, true);
  server.sees = false;
  await send(withPicture);
  for (let at = 0; at < 5; at += 1) await say(session, `And ${at}?`);
  expect(scripted.requests.filter(holds).length).toBeLessThanOrEqual(2);
  expect(failed).toEqual([]);
});

it('an error that is about something else stays one, and the pictures stay', async () => {
  const { server, session, send, warned, failed, last } = await start(surely);
  await send(withPicture);
  server.broken = true;
  await say(session, 'And?');
  expect(failed).toHaveLength(1);
  server.broken = false;
  await say(session, 'Again?');
  expect(holds(last())).toBe(true);
  expect(warned).not.toContain('pictures_refused');
});

describe('a bad picture among good ones', () => {
  const other = (name: string, data_base64: string, mime_type = 'image/png'): ContentPart => ({
    type: 'image',
    mime_type,
    data_base64,
    name,
  });
  const bad = other('bad.png', `iVBORw0KGgoBBBB${'BBBB'.repeat(40)}=`);
  const kept = (request: ModelRequest | undefined): boolean => JSON.stringify(request?.messages).includes('BBBB');
  const unreadable: ModelError = { code: 'bad_request', message: 'bad', reason: 'picture_unreadable', status: 400 };

  it('that its server cannot read is left out alone, now and later, and that is said once', async () => {
    verifies('B2');
    const { scripted, warned, failed, send, last, session } = await start(unreadable, undefined, kept);
    await send(withPicture);
    await send([{ type: 'text', text: 'And this?' }, bad]);
    await send([{ type: 'text', text: 'And this one?' }, other('third.png', `iVBORw0KGgoAAAAN${'CCCC'.repeat(40)}`)]);
    await say(session, 'So?');
    expect(failed).toEqual([]);
    expect(warned).toEqual(['picture_unreadable']);
    expect(scripted.requests.filter(kept)).toHaveLength(1);
    const sent = JSON.stringify(last()?.messages);
    expect(sent).toContain('CCCC');
    expect(sent).toContain('AAAA');
    expect(sent).toMatch(/cannot be read as a picture: bad\.png/);
  });

  const good = (letter: string): ContentPart =>
    other(`${letter}.png`, `iVBORw0KGgoAAAAN${letter.repeat(4).repeat(40)}`);
  it.each([
    ['the first of two', [bad, good('C')], 1],
    ['the last of two', [good('C'), bad], 2],
    ['one of three', [good('C'), bad, good('D')], 2],
    ['there twice', [bad, good('C'), bad], 1],
    ['the last of four', [good('C'), good('D'), good('E'), bad], 4],
  ])('of one message is left out alone: %s', async (_which, pictures, tries) => {
    verifies('B2');
    const { session, scripted, warned, failed, send, last } = await start(unreadable, undefined, kept);
    await send([{ type: 'text', text: 'What are these?' }, ...pictures]);
    await say(session, 'So?');
    expect(failed).toEqual([]);
    expect(warned).toEqual(['picture_unreadable']);
    expect(scripted.requests.filter(kept)).toHaveLength(tries);
    const sent = JSON.stringify(last()?.messages);
    for (const letter of ['C', 'D', 'E'])
      expect(sent.includes(letter.repeat(160))).toBe(
        pictures.some((part) => part.type === 'image' && part.name === `${letter}.png`),
      );
    expect(sent).toMatch(/cannot be read as a picture: bad\.png/);
    expect(sent).not.toMatch(/cannot be read as a picture: [CDE]\.png/);
  });

  it('more of one message than are tried, or several bad ones, go at once, and that is said once', async () => {
    verifies('B2');
    const isBad = (request: ModelRequest): boolean => /BBBB|FFFF/.test(JSON.stringify(request.messages));
    for (const pictures of [
      [bad, good('F'), good('C')],
      [bad, ...['C', 'D', 'E', 'G'].map(good)],
    ]) {
      const { warned, failed, send, last } = await start(unreadable, undefined, isBad);
      await send([{ type: 'text', text: 'What are these?' }, ...pictures]);
      expect(failed).toEqual([]);
      expect(warned).toEqual(['picture_unreadable']);
      expect(JSON.stringify(last()?.messages)).not.toContain('CCCC');
    }
  });

  it('are all there again where what was tried failed of another thing', async () => {
    let isFirst = true;
    const { server, session, scripted, warned, failed, send, last } = await start(unreadable, undefined, (request) => {
      server.broken = isFirst;
      isFirst = false;
      return kept(request);
    });
    await send([{ type: 'text', text: 'What are these?' }, bad, good('C')]);
    expect(failed).toHaveLength(1);
    expect(warned).toEqual([]);
    server.broken = false;
    await say(session, 'So?');
    expect(failed).toHaveLength(1);
    expect(warned).toEqual(['picture_unreadable']);
    expect(scripted.requests.filter(kept)).toHaveLength(2);
    expect(JSON.stringify(last()?.messages)).toContain('CCCC');
  });

  it.each([
    ['a page', '<html>'],
    ['nothing', ''],
    ['a sound', 'RIFF\u0010\u0000\u0000\u0000WAVEfmt '],
    ['a text', 'iVBOR'],
  ])('that is %s is not sent, and that is said once', async (_what, content) => {
    verifies('B2');
    const { scripted, warned, send, last } = await start(unreadable, undefined, () => false);
    const none = other('none.png', btoa(content));
    await send([{ type: 'text', text: 'What is it?' }, PICTURE, none]);
    await send(withPicture);
    expect(warned).toEqual(['not_a_picture']);
    expect(JSON.stringify(last()?.messages)).toMatch(/cannot be read as a picture: none\.png/);
    expect(scripted.requests.every((request) => holds(request))).toBe(true);
  });

  it.each(['image/jpg', 'IMAGE/PNG', 'image/x-png', 'image/pjpeg'])(
    'that is a page said to be %s is not sent',
    async (mime_type) => {
      const { warned, send, last } = await start(unreadable, undefined, () => false);
      await send([{ type: 'text', text: 'What is it?' }, other('none.png', btoa('<html>'), mime_type)]);
      expect(warned).toEqual(['not_a_picture']);
      expect(JSON.stringify(last()?.messages)).toMatch(/cannot be read as a picture: none\.png/);
    },
  );

  it('a picture whose base64 has line breaks is one', async () => {
    const { warned, send } = await start(unreadable, undefined, () => false);
    await send([
      { type: 'text', text: 'What is it?' },
      other('broken.png', `iVBO\nRw0K\nGgoA\nAAAN${'AAAA'.repeat(40)}`),
    ]);
    expect(warned).toEqual([]);
  });

  it('a picture under the name of another kind goes out as what it is', async () => {
    const { send, last } = await start(unreadable, undefined, () => false);
    await send([
      { type: 'text', text: 'What is it?' },
      { ...PICTURE, mime_type: 'image/jpeg' },
    ]);
    expect(JSON.stringify(last()?.messages)).toContain('image/png');
  });
});
