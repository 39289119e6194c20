/** How much of each prompt the one before held already, over a session of several messages: what a server need not read again. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sharedLength } from '../shared-length.ts';
import { type Client, MODEL, prepareClient, readCall } from './clients.ts';
import type { ModelRequest, ModelServer } from './model.ts';
import { CLIENT_S, runClient, TOKEN } from './play.ts';
import { plainCall } from './traps.ts';

export type PrefixShare = { requests: number; sideRequests: number; share: number };

/** What a chat template puts first comes first: the tools, then the messages in their order. */
const promptOf = ({ text }: ModelRequest): string => {
  const body = JSON.parse(text) as { tools?: unknown; messages: readonly unknown[] };
  return JSON.stringify(body.tools ?? []) + body.messages.map((message) => JSON.stringify(message)).join('\n');
};

export const playSession = async (
  client: Client,
  model: ModelServer,
  endpoint: string,
  messages: number,
): Promise<PrefixShare> => {
  const place = mkdtempSync(join(tmpdir(), 'halter-bench-'));
  const [home, folder] = [join(place, 'home'), join(place, 'work')];
  try {
    for (const each of [home, folder]) mkdirSync(each);
    for (let number = 1; number <= messages; number += 1) {
      writeFileSync(join(folder, `file-${number}.txt`), `The word of file ${number} is plum${number}.\n`);
    }
    model.requests.length = 0;
    model.reply = (request) => {
      if (request.tools.length === 0) return { deltas: [{ content: 'A title' }] };
      const heard = JSON.stringify(request.messages);
      const asked = [...heard.matchAll(/What is in file-(\d+)\.txt/g)].at(-1)?.[1] ?? '1';
      if (heard.includes(`is plum${asked}.`)) return { deltas: [{ content: `It is plum${asked}.` }] };
      return plainCall(readCall(client, join(folder, `file-${asked}.txt`)));
    };
    const given = { url: endpoint, token: TOKEN, model: MODEL };
    const program = await prepareClient(client, home, given);
    for (let number = 1; number <= messages; number += 1) {
      await runClient(program, client, `What is in file-${number}.txt?`, number === 1, {
        home,
        folder,
        given,
        limitS: CLIENT_S,
      });
    }
    return shareOf(model.requests);
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
};

const shareOf = (requests: readonly ModelRequest[]): PrefixShare => {
  const main = requests.filter(({ tools }) => tools.length > 0).map(promptOf);
  let kept = 0;
  let all = 0;
  for (const [index, prompt] of main.entries()) {
    const before = main[index - 1];
    if (before === undefined) continue;
    kept += sharedLength(before, prompt);
    all += before.length;
  }
  return { requests: main.length, sideRequests: requests.length - main.length, share: all === 0 ? 0 : kept / all };
};
