/** `halter doctor`: what works on this machine, what does not, and what to do. */
import { realpath } from 'node:fs/promises';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { type Config, createConfigFile } from '../../storage/config-file.ts';
import { createFileStorage, openStorage } from '../../storage/storage.ts';
import { sanitizeLine } from '../../terminal/sanitize.ts';
import type { CommandCode } from '../command-code.ts';
import { createBundle } from '../doctor/bundle.ts';
import type { Check } from '../doctor/check.ts';
import { checkMcp } from '../doctor/check-mcp.ts';
import {
  checkEmbedded,
  checkFolders,
  checkIndex,
  checkPackages,
  checkProgram,
  checkRules,
  checkSandbox,
  checkServers,
  checkSettings,
  checkStorage,
} from '../doctor/checks.ts';
import { EXIT } from '../exit-codes.ts';
import { type Io, paintTo, wantsColor } from '../io.ts';
import { openModelServers } from '../model-servers.ts';
import { createEnding } from '../run/ending.ts';
import { withServerSettings } from '../server-choice.ts';
import { databaseOf } from '../session-access.ts';
import { pathsOf } from '../settings.ts';
import { readVersion } from '../version.ts';

const MARKS = { ok: ['✓', 32], warning: ['!', 33], problem: ['✗', 31] } as const;

const line = ({ name, state, detail, advice }: Check, width: number, io: Io): string => {
  const [mark, color] = MARKS[state];
  const painted = wantsColor(io.stdout, io.env) ? `\u001b[${color}m${mark}\u001b[39m` : mark;
  const what = advice === undefined ? '' : `\n  ${' '.repeat(width)}  → ${sanitizeLine(advice)}`;
  return `${painted} ${name.padEnd(width)}  ${sanitizeLine(detail)}${what}\n`;
};

/** Settings that cannot be read are reported by their own check. */
const settingsOf = async (folder: string): Promise<Config> => {
  const config = await createConfigFile(folder).read();
  return config.ok ? config.value.config : {};
};

export const doctorCommand: CommandCode = {
  async execute({ flags, io }) {
    const paths = pathsOf(io);
    const folder = resolve(io.cwd, flags.directory ?? '.');
    const workspace = await realpath(folder).catch(() => folder);
    const ending = createEnding(io, undefined);
    const settings = await settingsOf(paths.config);
    const server = withServerSettings(flags, settings);
    const servers = openModelServers(server, io, settings);
    const database = databaseOf(flags, settings, io);
    const opened = await openStorage({
      folders: paths,
      offline: flags.offline ?? settings.offline ?? false,
      database,
    });
    const storage = opened.ok ? opened.value : createFileStorage(paths);
    const checks: Check[] = [
      checkProgram(readVersion()),
      ...checkPackages(),
      ...(await checkFolders(paths)),
      await checkSettings(paths),
      ...checkStorage(opened),
      await checkRules(storage, workspace),
      ...(await checkServers(servers, server, paths, ending.signal)),
      ...(await checkEmbedded(servers, paths)),
      await checkSandbox(settings, { root: workspace, cache: paths.cache, home: io.env['HOME'] ?? homedir() }),
      await checkIndex(folder, paths, storage.index),
      ...(await checkMcp(folder, paths, flags, io)),
    ];
    servers.close();
    ending.release();
    const works = checks.every(({ state }) => state !== 'problem');
    if (flags.bundle) {
      const bundle = await createBundle({
        version: readVersion(),
        checks,
        config: settings,
        sessions: storage.sessions,
        io,
      });
      io.stdout.write(`${JSON.stringify(bundle, null, 2)}\n`);
    } else if (flags.json) {
      io.stdout.write(`${JSON.stringify({ works, checks })}\n`);
    } else {
      const width = Math.max(...checks.map(({ name }) => name.length));
      for (const check of checks) paintTo(io.stdout, line(check, width, io));
    }
    await storage.close();
    if (ending.reason() === 'interrupted') return EXIT.interrupted;
    return works ? EXIT.answered : EXIT.error;
  },
};
