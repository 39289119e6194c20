/**
 * `npm run bench:gateway [-- --only traps,prefix,cost --clients pi,codex --traps text,loop-same --through halter --limit 60 --json]`
 *
 * `traps`: real agents in front of a model server that goes wrong in 45 ways, alone and through the built `halter serve`. A row
 * counts as passed where the person gets what was asked for, or is told in words why not, within `--limit` seconds: a client
 * that repeats a failure for longer is ended, and its row is late. All rows take most of an hour. `prefix`: a session of ten messages,
 * and how much of each prompt stood at the beginning of the next one. `cost`: CPU and the first byte beside a bare proxy.
 */
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { npmProgram } from '../tests/support/npm-program.ts';
import { CLIENTS, type Client } from './gateway/clients.ts';
import { reportCost } from './gateway/cost.ts';
import type { ModelServer } from './gateway/model.ts';
import { CLIENT_S, playTrap, startGateway, type Through, withModel } from './gateway/play.ts';
import { playSession } from './gateway/prefix.ts';
import { type Row, summaryOf, tableOf } from './gateway/table.ts';
import { TRAPS } from './gateway/traps.ts';

const { values } = parseArgs({
  options: {
    clients: { type: 'string', default: Object.keys(CLIENTS).join(',') },
    traps: { type: 'string' },
    through: { type: 'string', default: 'alone,halter' },
    only: { type: 'string', default: 'traps,prefix,cost' },
    prefix: { type: 'string' },
    program: { type: 'string', default: join(import.meta.dirname, '../dist/cli/main.js') },
    json: { type: 'boolean', default: false },
    limit: { type: 'string', default: String(CLIENT_S) },
    verbose: { type: 'boolean', default: false },
  },
});
const SHOWN_CHARACTERS = 1_500;

const wanted = values.traps?.split(',');
const traps = TRAPS.filter(({ id, group }) => !wanted || wanted.includes(id) || wanted.includes(group));
const ways = values.through.split(',') as Through[];

const limitS = Number(values['limit']);
const rows: Row[] = [];

/** `--prefix N` alone is a session of N messages and nothing else. */
const SESSION_MESSAGES = 10;
const parts = values.prefix === undefined ? values.only.split(',') : ['prefix'];
const messages = Number(values.prefix ?? SESSION_MESSAGES);
const say = (words: string): void => {
  if (!values.json) console.log(words);
};
/** Figures of a busy machine are larger than those of an idle one. */
const sayLoad = (): void =>
  say(
    `load of the machine: ${loadavg()
      .map((load) => load.toFixed(1))
      .join(' ')}`,
  );

sayLoad();
for (const name of values.clients.split(',')) {
  const client: Client | undefined = (CLIENTS as Readonly<Record<string, Client>>)[name];
  if (client === undefined) throw new Error(`There is no client ${name}: ${Object.keys(CLIENTS).join(', ')}.`);
  if (parts.includes('traps')) await playTraps(name, client);
  if (parts.includes('prefix')) await playPrefix(name, client);
}
if (parts.includes('cost')) await reportCost();
if (parts.includes('traps')) say(tableOf(rows, ways));
sayLoad();
if (values.json) console.log(JSON.stringify(rows, null, 2));

/** A server of chat completions cannot be reached by every client. */
function cannotConnect(client: Client, through: Through): boolean {
  return through === 'alone' && client.wire !== 'chat-completions';
}

async function playTraps(name: string, client: Client): Promise<void> {
  for (const through of ways) {
    const whyNot = cannotConnect(client, through) ? 'the server speaks chat completions only' : await whyAbsent(client);
    if (whyNot === undefined) await playRows(name, client, through);
    else
      for (const { id } of traps) rows.push({ client: name, through, trap: id, passed: false, isLate: false, whyNot });
    say(summaryOf(rowsOf(name, through)));
  }
}

/** Why the program cannot be had here; the others are tried all the same. */
async function whyAbsent(client: Client): Promise<string | undefined> {
  try {
    await npmProgram(client);
    return undefined;
  } catch (error) {
    return `not installed: ${(error as Error).message.split('\n', 1)[0]}`;
  }
}

async function playRows(name: string, client: Client, through: Through): Promise<void> {
  await withGateway(through, async (model, endpoint) => {
    for (const [index, trap] of traps.entries()) {
      const { passed, isLate, seconds, result } = await playTrap(trap, client, model, endpoint, limitS);
      rows.push({ client: name, through, trap: trap.id, passed, isLate });
      const number = `${String(index + 1).padStart(2)}/${traps.length}`;
      const how = passed ? 'passed' : isLate ? 'late' : 'failed';
      // To the other stream, so that the figures can be kept apart.
      console.error(`${name} ${through} ${number} ${trap.id.padEnd(20)} ${how.padEnd(6)} ${seconds.toFixed(1)} s`);
      if (!values.verbose || passed) continue;
      const { code, requests, output } = result;
      console.error(`exit ${code}, ${requests} requests\n${output.slice(-SHOWN_CHARACTERS)}\n`);
    }
  });
}

async function playPrefix(name: string, client: Client): Promise<void> {
  for (const through of ways) {
    if (cannotConnect(client, through)) continue;
    await withGateway(through, (model, endpoint) => reportPrefix(name, through, client, model, endpoint));
  }
}

async function withGateway(
  through: Through,
  use: (model: ModelServer, endpoint: string) => Promise<void>,
): Promise<void> {
  await withModel(async (model) => {
    const gateway = through === 'halter' ? await startGateway(values.program, model.url) : undefined;
    try {
      await use(model, gateway?.url ?? model.url);
    } finally {
      await gateway?.stop();
    }
  });
}

function rowsOf(client: string, through: Through): Row[] {
  return rows.filter((row) => row.client === client && row.through === through);
}

async function reportPrefix(
  name: string,
  through: Through,
  client: Client,
  model: ModelServer,
  endpoint: string,
): Promise<void> {
  const { requests, sideRequests, share } = await playSession(client, model, endpoint, messages);
  const kept = `${(100 * share).toFixed(1)} %`;
  say(
    `${name.padEnd(12)} ${through.padEnd(7)} ${kept.padStart(7)} of the prompt kept, ${requests} requests, ${sideRequests} beside them`,
  );
}
