/** What `halter config get` prints, and where it says that it comes from. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { fakeIo } from '../../../tests/support/fake-io.ts';
import { scratchFolder } from '../../../tests/support/scratch.ts';
import { createTrustFile } from '../../storage/trust-file.ts';
import { configGetCommand, configSetCommand } from './config.ts';

const get = async (words: string[], files: { own?: object; project?: object } = {}, isTTY = false) => {
  const base = scratchFolder();
  const config = join(base, 'config', 'halter');
  const cwd = join(base, 'work');
  mkdirSync(join(cwd, '.halter'), { recursive: true });
  mkdirSync(config, { recursive: true, mode: 0o700 });
  if (files.own) writeFileSync(join(config, 'config.json'), JSON.stringify(files.own));
  if (files.project) {
    writeFileSync(join(cwd, '.halter', 'config.json'), JSON.stringify(files.project));
    await createTrustFile({ folder: config }).trust(cwd);
  }
  let out = '';
  let err = '';
  const stream = (write: (text: string) => void) => ({ write, isTTY, columns: 80 });
  const io = {
    stdin: Readable.from([]),
    stdout: stream((text) => {
      out += text;
    }),
    stderr: stream((text) => {
      err += text;
    }),
    env: { HOME: base, XDG_CONFIG_HOME: join(base, 'config') },
    cwd,
    onSignal: () => () => {},
  };
  const code = await configGetCommand.execute({ words, flags: {}, io } as never);
  return { code, out, err, file: join(config, 'config.json') };
};

it.each([false, true])('prints every setting as data, and says to a person where it is from (%s)', async (isTTY) => {
  verifies('U1');
  const { code, out, err, file } = await get([], { own: { model: 'a', seed: 1 } }, isTTY);
  expect([code, JSON.parse(out)]).toEqual([0, { model: 'a', seed: 1 }]);
  expect(err).toBe(isTTY ? `halter: from ${file}; \`halter config set KEY VALUE\` keeps one\n` : '');
});

it('says that none is set, how to set one and which there are', async () => {
  const { code, out, err, file } = await get([]);
  expect([code, JSON.parse(out)]).toEqual([0, {}]);
  expect(err).toContain(`no setting is kept in ${file}; \`halter config set KEY VALUE\` keeps one`);
  expect(err).toContain('there are: model, model_fast');
});

it.each([{ words: [] }, { words: ['seed'] }])(
  'names what a trusted folder sets over it: get $words',
  async ({ words }) => {
    const { out, err } = await get(words, { own: { seed: 1 }, project: { seed: 2 } });
    expect(out).toContain('1');
    expect(err).toContain('.halter/config.json of this folder comes first: seed 2');
  },
);

it('says how one that is not set is set', async () => {
  const { code, out, err } = await get(['seed']);
  expect([code, out]).toEqual([1, '']);
  expect(err).toContain('`halter config set seed VALUE` sets it');
});

const set = (key: string, value: string, home = scratchFolder()) =>
  configSetCommand.execute({ words: [key, value], flags: {}, io: fakeIo({ env: { HOME: home } }) } as never);

it.each(
  ['base_url', 'web_search_url', 'image_url', 'trace_endpoint'].flatMap((key) =>
    ['notaurl', 'localhost:8080', 'ftp://here', 'http://', '/v1'].map((value) => [key, value] as const),
  ),
)('keeps no address that is none: %s %s', async (key, value) => {
  await expect(set(key, value)).rejects.toThrow(`${key} must be an address such as http://127.0.0.1:8080/v1, not`);
});

it.each([
  ['base_url', 'http://127.0.0.1:8080/v1'],
  ['base_url', 'http://one:1/v1, https://two/v1'],
  ['base_url', ''],
  ['web_search_url', 'https://search.example'],
])('keeps an address: %s %j', async (key, value) => {
  expect(await set(key, value)).toBe(0);
});
