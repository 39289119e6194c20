/** The MCP servers: each is started as a session would, and says what it is. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ServerReport } from '../../agent/mcp/report.ts';
import { counted } from '../../core/number-text.ts';
import { createMcpFile, FOLDER_FILE } from '../../storage/mcp-files.ts';
import type { HalterPaths } from '../../storage/paths.ts';
import type { FlagValues } from '../flags.ts';
import type { Io } from '../io.ts';
import { openHalter } from '../open-halter.ts';
import type { Check } from './check.ts';

const checkOf = ({ name, origin, state, detail, tools }: ServerReport): Check => {
  const check = { name: `mcp ${name}` };
  if (state === 'connected') return { ...check, state: 'ok', detail: `${detail}: ${counted(tools, 'tool')}` };
  if (state === 'disabled') return { ...check, state: 'ok', detail: 'turned off' };
  if (state === 'login needed') return { ...check, state: 'warning', detail, advice: `halter mcp login ${name}` };
  if (origin === 'folder' && state === 'not connected')
    return { ...check, state: 'warning', detail: `of ${FOLDER_FILE}, not started`, advice: `halter mcp allow ${name}` };
  const advice = 'try its command by hand; `halter mcp remove` takes it off the list';
  return { ...check, state: 'warning', detail: detail === '' ? state : detail, advice };
};

export const checkMcp = async (folder: string, paths: HalterPaths, flags: FlagValues, io: Io): Promise<Check[]> => {
  const file = createMcpFile(paths.config);
  if (!existsSync(file.path) && !existsSync(join(folder, FOLDER_FILE))) return [];
  const warnings: string[] = [];
  const opened = await openHalter({ flags, io, onWarning: (code, text) => code === 'mcp' && warnings.push(text) });
  if (!opened.ok) return [];
  await opened.value.mcp.open();
  const checks = opened.value.mcp.report().map(checkOf);
  await opened.value.close();
  const [first] = warnings;
  if (checks.length > 0 || first === undefined) return checks;
  return [{ name: 'mcp', state: 'warning', detail: first, advice: `look at ${file.path} and ${FOLDER_FILE}` }];
};
