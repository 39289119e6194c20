/** Other programs in the same conversation: how each is set up for a window, and what a running one uses. */
import { readFileSync } from 'node:fs';
import { CLIENTS, type Client, MODEL, prepareClient } from '../gateway/clients.ts';

export type Peer = { client: Client; settings?(windowTokens: number): Record<string, string> };

const ANSWER_TOKENS = 2_048;
const ROOM_TOKENS = 4_096;

const { opencode, pi } = CLIENTS;

export const PEERS: Readonly<Record<string, Peer>> = {
  opencode: { client: opencode },
  /** With room kept for an answer and recent turns that fit this window: as it comes it keeps 16,384 tokens free. */
  pi: {
    client: pi,
    settings: (windowTokens) => ({
      '.pi/agent/settings.json': JSON.stringify({
        compaction: { enabled: true, reserveTokens: ROOM_TOKENS, keepRecentTokens: Math.floor(windowTokens / 4) },
      }),
    }),
  },
};

/** Resolves with the path of the program and the variables that it wants. `url` is without `/v1`. */
export const preparePeer = async ({ client, settings }: Peer, home: string, url: string, windowTokens: number) => {
  const endpoint = { url, token: 'none', model: MODEL, windowTokens, answerTokens: ANSWER_TOKENS };
  const files = { ...client.home(endpoint), ...settings?.(windowTokens) };
  return { program: await prepareClient({ ...client, home: () => files }, home, endpoint), env: client.env(endpoint) };
};

const TICKS_A_SECOND = 100;

/** What a running process used so far, on Linux; undefined elsewhere, and when it has ended. */
export const usedBy = (pid: number): { cpuSeconds: number; rssMb: number } | undefined => {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    const most = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    if (most === undefined) return undefined;
    return { cpuSeconds: (Number(fields[11]) + Number(fields[12])) / TICKS_A_SECOND, rssMb: Number(most) / 1024 };
  } catch {
    return undefined;
  }
};
