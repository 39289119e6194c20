/** `halter mcp add|list|remove|allow`: the servers whose tools halter offers. */

import { resolve } from 'node:path';
import { noSuchServer, putOwnServer, readOwnServer, removeOwnServer } from '../../agent/mcp/own-list.ts';
import { allowOwnServer } from '../../agent/mcp/own-servers.ts';
import { startDigest } from '../../agent/mcp/server-files.ts';
import type { JsonObject } from '../../core/json.ts';
import { counted } from '../../core/number-text.ts';
import type { Failure } from '../../core/outcome.ts';
import { quotedName } from '../../core/quoted-name.ts';
import { createWorkspace } from '../../io/workspace.ts';
import { namedServer, readServers, type ServerDefinition, shownServer } from '../../mcp/server-definition.ts';
import { createConsentFile, createMcpFile, FOLDER_FILE, readFolderServers } from '../../storage/mcp-files.ts';
import { createTrustFile } from '../../storage/trust-file.ts';
import { sanitizeLine } from '../../terminal/sanitize.ts';
import type { CommandCode } from '../command-code.ts';
import { EXIT } from '../exit-codes.ts';
import { UsageError } from '../io.ts';
import { openHalter } from '../open-halter.ts';
import { pathsOf, reportFailure } from '../settings.ts';
import { columns } from '../table.ts';

/** `NAME=value` and `Name: value` as pairs. */
const pairs = (texts: readonly string[] | undefined, separator: RegExp, flag: string): Record<string, string> =>
  Object.fromEntries(
    (texts ?? []).map((text) => {
      const match = separator.exec(text);
      if (match === null) throw new UsageError(`${flag} ${quotedName(text)} has no name and value.`, 'mcp add');
      return [text.slice(0, match.index).trim(), text.slice(match.index + match[0].length)];
    }),
  );

export const mcpAddCommand: CommandCode = {
  async execute({ words, flags, io }) {
    const [name = '', first = '', ...args] = words;
    const entry: JsonObject = /^https?:\/\//i.test(first)
      ? { url: first, ...withAny('headers', pairs(flags.header, /:\s*/, '--header')) }
      : { command: first, args, ...withAny('env', pairs(flags.env, /=/, '--env')) };
    const read = readOwnServer(name, entry);
    if (!read.ok) throw new UsageError(read.error.message, 'mcp add');
    const { config } = pathsOf(io);
    const own = await createMcpFile(config).read();
    const before = own.ok ? readServers(own.value).servers.find((server) => server.name === name) : undefined;
    const kept = await putOwnServer(config, name, entry);
    if (!kept.ok) return reportFailure(kept.error, io);
    if (before !== undefined)
      io.stderr.write(`halter: ${name} stood in your list and was replaced; it was: ${namedServer(before)}\n`);
    return EXIT.answered;
  },
};

const withAny = (key: string, values: Record<string, string>): JsonObject =>
  Object.keys(values).length === 0 ? {} : { [key]: values };

export const mcpRemoveCommand: CommandCode = {
  async execute({ words, io }) {
    const [name = ''] = words;
    const removed = await removeOwnServer(pathsOf(io).config, name);
    return removed.ok ? EXIT.answered : reportFailure(removed.error, io);
  },
};

export const mcpListCommand: CommandCode = {
  async execute({ flags, io }) {
    const opened = await openHalter({ flags, io, onWarning: () => {} });
    if (!opened.ok) return reportFailure(opened.error, io);
    const halter = opened.value;
    const service = await halter.mcp.open();
    const servers = [];
    for (const report of halter.mcp.report()) {
      const connection = report.state === 'connected' ? service?.connection(report.name) : undefined;
      const [resources, prompts] = await Promise.all([connection?.resources(), connection?.prompts()]);
      servers.push({
        ...report,
        resources: resources?.ok ? resources.value.map(({ uri }) => String(uri)) : [],
        prompts: prompts?.ok ? prompts.value.map((prompt) => String(prompt['name'])) : [],
      });
    }
    await halter.close();
    if (flags.json) io.stdout.write(`${JSON.stringify({ servers })}\n`);
    else {
      const rows = servers.map(({ name, origin, state, detail, tools, resources, prompts, shown }) => [
        name,
        origin === 'folder' ? FOLDER_FILE : origin,
        sanitizeLine(state === 'connected' ? 'connected' : `${state}: ${detail}`),
        [counted(tools, 'tool'), counted(resources.length, 'resource'), counted(prompts.length, 'prompt')].join(', '),
        shown,
      ]);
      io.stdout.write(columns(rows));
    }
    return servers.some(({ state }) => state === 'failed') ? EXIT.error : EXIT.answered;
  },
};

const noServerToAllow = async (
  name: string,
  ofFolder: readonly ServerDefinition[],
  config: string,
): Promise<Failure> => {
  const own = await createMcpFile(config).read();
  const listed = [...ofFolder, ...(own.ok ? readServers(own.value).servers : [])];
  return noSuchServer(
    name,
    listed.map((server) => server.name),
    `${FOLDER_FILE} or your list`,
  );
};

/** A person who types this has seen nothing yet, so what will be started is shown in full. */
export const mcpAllowCommand: CommandCode = {
  async execute({ words, flags, io }) {
    const [name = ''] = words;
    const paths = pathsOf(io);
    const workspace = await createWorkspace({ root: resolve(io.cwd, flags.directory ?? '.') });
    if (!workspace.ok) return reportFailure(workspace.error, io);
    const { root } = workspace.value;
    const read = await readFolderServers(workspace.value);
    if (read && !read.ok) return reportFailure(read.error, io);
    const ofFolder = read ? readServers(read.value).servers : [];
    const server: ServerDefinition | undefined = ofFolder.find((candidate) => candidate.name === name);
    const place = { roots: [root], environment: io.env };
    if (server === undefined) {
      const own = await allowOwnServer({ place, config: paths.config }, name);
      if (!own.ok && own.error.error_type !== 'not_found') return reportFailure(own.error, io);
      if (!own.ok) return reportFailure(await noServerToAllow(name, ofFolder, paths.config), io);
      io.stderr.write(
        `halter: ${name} of your list may start here from now on, as it is now: ${shownServer(own.value)}\n`,
      );
      return EXIT.answered;
    }
    const kept = await createConsentFile(paths.config).add(root, name, startDigest(server, place));
    if (!kept.ok) return reportFailure(kept.error, io);
    io.stderr.write(`halter: ${name} of this folder may start from now on, as it is now: ${shownServer(server)}\n`);
    const trust = await createTrustFile({ folder: paths.config }).isTrusted(root);
    if (!trust.trusted)
      io.stderr.write('halter: the folder is not trusted yet, which it has to be too: `halter trust`\n');
    return EXIT.answered;
  },
};
