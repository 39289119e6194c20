/**
 * `npm run bench:gateway [-- --clients pi,codex --traps text,loop-same --through halter --prefix 10 --json]`: real agents in front of
 * a model server that goes wrong in 45 ways, alone and through the built `halter serve`. A row counts as passed where the
 * person gets what was asked for, or is told in words why not. `--prefix N` plays a session of N messages instead, and tells
 * how much of each prompt stood at the beginning of the next one.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { CLIENTS, type Client } from './gateway/clients.ts';
import type { ModelServer } from './gateway/model.ts';
import { playTrap, startGateway, type Through, withModel } from './gateway/play.ts';
import { playSession } from './gateway/prefix.ts';
import { TRAPS } from './gateway/traps.ts';

const { values } = parseArgs({
  options: {
    clients: { type: 'string', default: Object.keys(CLIENTS).join(',') },
    traps: { type: 'string' },
    through: { type: 'string', default: 'alone,halter' },
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

for (const name of values.clients.split(',')) {
  const client: Client | undefined = (CLIENTS as Readonly<Record<string, Client>>)[name];
  if (client === undefined) throw new Error(`There is no client ${name}: ${Object.keys(CLIENTS).join(', ')}.`);
  for (const through of ways) {
    // A server of chat completions cannot be reached by it at all.
    const cannot = through === 'alone' && client.wire !== 'chat-completions';
    await withModel(async (model) => {
      const gateway = through === 'halter' ? await startGateway(values.program, model.url) : undefined;
      try {
        if (values.prefix !== undefined) {
          if (!cannot) await reportPrefix(name, through, client, model, gateway?.url ?? model.url);
          return;
        }
        for (const trap of traps) {
          const played = cannot ? undefined : await playTrap(trap, client, model, gateway?.url ?? model.url);
          rows.push({ client: name, through, trap: trap.id, passed: played?.passed ?? false });
          if (values.verbose && played && !played.passed) {
            const { code, requests, output } = played.result;
            console.error(
              `${name} ${through} ${trap.id}: exit ${code}, ${requests} requests\n${output.slice(-SHOWN_CHARACTERS)}\n`,
            );
          } else if (!values.json) process.stderr.write(played?.passed ? '.' : 'x');
        }
      } finally {
        await gateway?.stop();
      }
    });
    if (!values.json && values.prefix === undefined) report(name, through, cannot);
  }
}
if (values.json) console.log(JSON.stringify(rows, null, 2));

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
  const { requests, sideRequests, share } = await playSession(client, model, endpoint, Number(values.prefix));
  const kept = `${(100 * share).toFixed(1)} %`;
  console.log(
    `${name.padEnd(12)} ${through.padEnd(7)} ${kept.padStart(7)} of the prompt kept, ${requests} requests, ${sideRequests} beside them`,
  );
}
