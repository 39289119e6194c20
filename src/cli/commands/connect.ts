/** `halter connect CLIENT`: writes the settings with which another agent uses `halter serve`, and takes them back. */

import { homedir } from 'node:os';
import { failure, type Outcome, succeed } from '../../core/outcome.ts';
import { SERVER_LIMITS } from '../../server/limits.ts';
import { createGatewayToken } from '../../storage/gateway-token.ts';
import { diffLines } from '../../terminal/diff-lines.ts';
import { diffTexts, unifiedDiff } from '../../tools/support/diff.ts';
import { clientByName } from '../client-by-name.ts';
import type { CommandCode } from '../command-code.ts';
import { CONNECTED_CLIENTS, type ConnectedClient } from '../connect/clients.ts';
import { type Connected, createConnectedFile, digestOf } from '../connect/connected-file.ts';
import {
  isEmptySettings,
  isOpenToOthers,
  isReadOnly,
  modeOf,
  readOnlyFailure,
  readSettings,
  removeSettings,
  withoutSettings,
  withSettings,
  writeSettings,
} from '../connect/settings-file.ts';
import { shownSettings } from '../connect/shown-settings.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import type { FlagValues } from '../flags.ts';
import { type Io, paintTo, themeOf, UsageError } from '../io.ts';
import { askLine, isYes } from '../read-line.ts';
import { readGivenToken } from '../serve-options.ts';
import { pathsOf, reportFailure } from '../settings.ts';

const MODEL = 'default';

export const connectCommand: CommandCode = {
  async execute({ words: [name], flags, io }) {
    if (name === undefined) return listClients(io);
    const client: ConnectedClient = clientByName(CONNECTED_CLIENTS, name, 'connect');
    return flags.remove ? disconnect(name, client, flags, io) : connect(name, client, flags, io);
  },
};

const listClients = async (io: Io): Promise<ExitCode> => {
  const file = createConnectedFile(pathsOf(io).config);
  for (const [name, client] of Object.entries(CONNECTED_CLIENTS)) {
    const connected = await file.read(name);
    if (!connected.ok) return reportFailure(connected.error, io);
    const state = connected.value ? `connected to ${connected.value.url}` : 'not connected';
    io.stdout.write(`${name.padEnd(10)}${client.title.padEnd(14)}${state}\n`);
  }
  return EXIT.answered;
};

const connect = async (name: string, client: ConnectedClient, flags: FlagValues, io: Io): Promise<ExitCode> => {
  const port = flags.port ?? SERVER_LIMITS.port;
  if (port < 1 || port > 65_535) throw new UsageError('--port is a number from 1 to 65535.', 'connect');
  const { config } = pathsOf(io);
  const given = await readGivenToken(flags, io, config);
  if (!given.ok) return reportFailure(given.error, io);
  const tokens = createGatewayToken(config);
  const token = given.value === undefined ? await tokens.propose() : succeed(given.value);
  if (!token.ok) return reportFailure(token.error, io);
  const url = `http://127.0.0.1:${port}`;
  const contextTokens = flags['context-length'];
  const path = fileOf(client, io);
  const before = await readSettings(path);
  if (!before.ok) return reportFailure(before.error, io);
  const gateway = { url, token: token.value, model: MODEL, contextTokens };
  const memory = createConnectedFile(config);
  const earlier = await memory.read(name);
  if (!earlier.ok) return reportFailure(earlier.error, io);
  const original = originalOf(earlier.value, path, before.value, client, token.value);
  if (!original.ok) return reportFailure(original.error, io);
  // The window is the one value that a second connect may leave out.
  const isShorter = earlier.value?.context_tokens !== undefined && contextTokens === undefined;
  const start = isShorter ? (original.value ?? undefined) : before.value;
  const after = withSettings(path, start, client.settings(gateway), client);
  if (!after.ok) return reportFailure(after.error, io);
  const mode = await modeOf(path);
  if (isReadOnly(mode) && after.value !== before.value) return reportFailure(readOnlyFailure(path), io);
  if (after.value !== before.value || isOpenToOthers(mode)) {
    if (!(await agrees(path, before.value, after.value, token.value, flags, io))) return EXIT.permission;
    const stored = given.value === undefined ? await tokens.keep(token.value) : succeed(undefined);
    if (!stored.ok) return reportFailure(stored.error, io);
    const kept: Connected = {
      file: path,
      before: original.value,
      written: digestOf(after.value),
      url,
      token: token.value,
      ...(contextTokens === undefined ? {} : { context_tokens: contextTokens }),
      ...modeKept(earlier.value, path, mode),
    };
    const written = await writeKnown(memory, name, kept, earlier.value, after.value, mode, io);
    if (!written.ok) return reportFailure(written.error, io);
  }
  tellConnected(name, client, flags, io);
  return EXIT.answered;
};

/** Remembered first: what is written can always be taken back. */
const writeKnown = async (
  memory: ReturnType<typeof createConnectedFile>,
  name: string,
  kept: Connected,
  earlier: Connected | undefined,
  text: string,
  mode: number,
  io: Io,
): Promise<Outcome<void>> => {
  const remembered = await memory.write(name, kept);
  if (!remembered.ok) return remembered;
  const written = await writeSettings(kept.file, text, io, mode & OWNER);
  if (!written.ok) await memory.write(name, earlier);
  else if (isOpenToOthers(mode))
    io.stderr.write(`halter: ${kept.file} holds a token now, so others on this machine can no longer read it.\n`);
  return written;
};

const tellConnected = (name: string, client: ConnectedClient, flags: FlagValues, io: Io): void => {
  const port = flags.port ?? SERVER_LIMITS.port;
  const options = [
    ...(port === SERVER_LIMITS.port ? [] : [`--port ${port}`]),
    ...(flags['token-file'] === undefined ? [] : [`--token-file ${flags['token-file']}`]),
  ];
  const serve = ['halter serve', ...options].join(' ');
  io.stderr.write(
    `halter: ${client.title} is connected. Start \`${serve}\`, if it does not run already, and then \`${client.use}\`.\n` +
      `halter: \`halter connect ${name} --remove\` takes it back.\n`,
  );
};

const OWNER = 0o700;

/** What is put back later: who could read the file before the first token was in it. */
const modeKept = (earlier: Connected | undefined, path: string, now: number): Pick<Connected, 'mode'> => {
  if (isOpenToOthers(now)) return { mode: now };
  return earlier?.file === path && earlier.mode !== undefined ? { mode: earlier.mode } : {};
};

/** Connecting a second time must not make the first one's settings the original; what others wrote since belongs to it. */
const originalOf = (
  earlier: Connected | undefined,
  path: string,
  now: string | undefined,
  client: ConnectedClient,
  token: string,
): Outcome<string | null> => {
  if (earlier?.file !== path || now === undefined) return succeed(now ?? null);
  const rest = withoutHalter(earlier, now, client, earlier.token ?? token);
  return rest.ok ? succeed(rest.value.text ?? null) : rest;
};

const disconnect = async (name: string, client: ConnectedClient, flags: FlagValues, io: Io): Promise<ExitCode> => {
  const memory = createConnectedFile(pathsOf(io).config);
  const connected = await memory.read(name);
  if (!connected.ok) return reportFailure(connected.error, io);
  if (connected.value === undefined) {
    io.stderr.write(`halter: ${client.title} is not connected.\n`);
    return EXIT.answered;
  }
  const { file: path } = connected.value;
  const now = await readSettings(path);
  if (!now.ok) return reportFailure(now.error, io);
  if (now.value !== undefined) {
    if (isReadOnly(await modeOf(path))) return reportFailure(readOnlyFailure(path), io);
    const kept = connected.value.token;
    const token = kept === undefined ? await createGatewayToken(pathsOf(io).config).propose() : succeed(kept);
    if (!token.ok) return reportFailure(token.error, io);
    const rest = withoutHalter(connected.value, now.value, client, token.value);
    if (!rest.ok) return reportFailure(rest.error, io);
    const { text, kept: changed } = rest.value;
    if (!(await agrees(path, now.value, text ?? '', token.value, flags, io))) return EXIT.permission;
    const holdsToken = changed.length > 0 && text?.includes(token.value) === true;
    if (text === undefined) await removeSettings(path);
    else {
      const put = await writeSettings(path, text, io, holdsToken ? undefined : connected.value.mode);
      if (!put.ok) return reportFailure(put.error, io);
    }
    if (changed.length > 0)
      io.stderr.write(`halter: ${path} keeps what was changed by hand since: ${changed.join(', ')}.\n`);
    // Still remembered, so that the list names it and a second `--remove` can end it.
    if (holdsToken) return reportFailure(tokenLeft(path, name), io);
  }
  const forgotten = await memory.write(name, undefined);
  if (!forgotten.ok) return reportFailure(forgotten.error, io);
  io.stderr.write(`halter: ${client.title} is no longer connected.\n`);
  return EXIT.answered;
};

const tokenLeft = (path: string, name: string) =>
  failure(
    'io_error',
    `halter's token is still in ${path}. Take it out there, and then run \`halter connect ${name} --remove\` again.`,
  ).error;

/** The settings without what was written, no text where there was no file. What else changed since stays. */
const withoutHalter = (
  { file, before, written, url, context_tokens: contextTokens }: Connected,
  now: string,
  client: ConnectedClient,
  token: string,
): Outcome<{ text: string | undefined; kept: readonly string[] }> => {
  if (digestOf(now) === written) return succeed({ text: before ?? undefined, kept: [] });
  const settings = client.settings({ url, token, model: MODEL, contextTokens });
  const rest = withoutSettings(now, before ?? undefined, settings);
  if (!rest.ok) return failure(rest.error.error_type, `${file} is left as it is: ${rest.error.message}`);
  const { text, kept } = rest.value;
  return succeed({ text: before === null && isEmptySettings(text) ? undefined : text, kept });
};

const fileOf = (client: ConnectedClient, io: Io): string => client.file(io.env['HOME'] || homedir(), io.env);

/** Shows what changes, and asks. Where nobody can answer, only `--yes` is a yes. */
const agrees = async (
  path: string,
  before: string | undefined,
  after: string,
  token: string,
  flags: FlagValues,
  io: Io,
): Promise<boolean> => {
  const shownPath = path.replace(/^\//, '');
  const [old, changed] = [before ?? '', after].map((text) => shownSettings(text, token)) as [string, string];
  const diff = unifiedDiff(shownPath, diffTexts(old, changed), before === undefined);
  paintTo(io.stderr, `${diffLines(diff, io.stderr.columns, themeOf(io.stderr, io.env)).join('\n')}\n`);
  if (flags.yes) return true;
  if (!io.stdin.isTTY || !io.stderr.isTTY) {
    io.stderr.write(`halter: nothing was written. Add --yes to write ${path}.\n`);
    return false;
  }
  const isAgreed = isYes(await askLine(io, `Write ${path}? [y/N] `));
  if (!isAgreed) io.stderr.write('halter: nothing was written.\n');
  return isAgreed;
};
