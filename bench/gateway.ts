/**
 * `npm run bench:gateway [-- --only traps,prefix,cost --clients pi,codex --traps text,loop-same --through halter --json]`
 *
 * `traps`: real agents in front of a model server that goes wrong in 45 ways, alone and through the built `halter serve`. A row
 * counts as passed where the person gets what was asked for, or is told in words why not. `prefix`: a session of ten messages,
 * and how much of each prompt stood at the beginning of the next one. `cost`: CPU and the first byte beside a bare proxy.
 */
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { CLIENTS, type Client } from './gateway/clients.ts';
import { reportCost } from './gateway/cost.ts';
import type { ModelServer } from './gateway/model.ts';
import { playTrap, startGateway, type Through, withModel } from './gateway/play.ts';
import { playSession } from './gateway/prefix.ts';
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
    verbose: { type: 'boolean', default: false },
  },
});
const SHOWN_CHARACTERS = 1_500;

const wanted = values.traps?.split(',');
const traps = TRAPS.filter(({ id, group }) => !wanted || wanted.includes(id) || wanted.includes(group));
const ways = values.through.split(',') as Through[];

type Row = { client: string; through: Through; trap: string; passed: boolean };
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
sayLoad();
if (values.json) console.log(JSON.stringify(rows, null, 2));

/** A server of chat completions cannot be reached by every client. */
function cannotConnect(client: Client, through: Through): boolean {
  return through === 'alone' && client.wire !== 'chat-completions';
}

async function playTraps(name: string, client: Client): Promise<void> {
  for (const through of ways) {
    const cannot = cannotConnect(client, through);
    await withGateway(through, async (model, endpoint) => {
      for (const trap of traps) {
        const played = cannot ? undefined : await playTrap(trap, client, model, endpoint);
        rows.push({ client: name, through, trap: trap.id, passed: played?.passed ?? false });
        if (values.verbose && played && !played.passed) {
          const { code, requests, output } = played.result;
          console.error(
            `${name} ${through} ${trap.id}: exit ${code}, ${requests} requests\n${output.slice(-SHOWN_CHARACTERS)}\n`,
          );
        } else if (!values.json) process.stderr.write(played?.passed ? '.' : 'x');
      }
    });
    if (!values.json) report(name, through, cannot);
  }
  if (ways.length > 1)
    say(`${name.padEnd(12)} ${ways.map((way) => passedBy(name, way)).join(' -> ')} of ${traps.length}`);
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

function passedBy(name: string, through: Through): number {
  return rows.filter((row) => row.client === name && row.through === through && row.passed).length;
}

function report(name: string, through: Through, cannot: boolean): void {
  const own = rows.filter((row) => row.client === name && row.through === through);
  const passed = own.filter((row) => row.passed);
  const inText = (each: readonly Row[]) => each.filter(({ trap }) => trap.startsWith('text-')).length;
  const failed = own.filter((row) => !row.passed).map(({ trap }) => trap);
  console.log(
    `\n${name.padEnd(12)} ${through.padEnd(7)} ${String(passed.length).padStart(2)} of ${own.length}, calls as text ${inText(passed)} of ${inText(own)}${
      cannot
        ? '  cannot connect: the server speaks chat completions only'
        : failed.length
          ? `  not: ${failed.join(' ')}`
          : ''
    }`,
  );
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
