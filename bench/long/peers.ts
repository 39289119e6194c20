/** Other programs in the same conversation: how each is set up, and how it is told one message after the other. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type NpmProgram, npmProgram } from '../../tests/support/npm-program.ts';

export type Peer = NpmProgram & {
  /** Files of its home. */
  home(url: string, windowTokens: number): Record<string, object>;
  args(message: string, isFirst: boolean): string[];
  env: Record<string, string>;
};

const platform = `${process.platform}-${process.arch}`;
const MODEL = 'long-model';
const ANSWER_TOKENS = 2_048;

export const PEERS: Readonly<Record<string, Peer>> = {
  opencode: {
    name: 'opencode-ai@1.18.33',
    files: [`opencode-${platform}/bin/opencode`, `opencode-${platform}-baseline/bin/opencode`],
    home: (url, windowTokens) => ({
      '.config/opencode/opencode.json': {
        model: `bench/${MODEL}`,
        small_model: `bench/${MODEL}`,
        autoupdate: false,
        share: 'disabled',
        provider: {
          bench: {
            npm: '@ai-sdk/openai-compatible',
            name: 'bench',
            options: { baseURL: url, apiKey: 'none' },
            models: {
              [MODEL]: { name: MODEL, tool_call: true, limit: { context: windowTokens, output: ANSWER_TOKENS } },
            },
          },
        },
      },
    }),
    args: (message, isFirst) => ['run', message, '-m', `bench/${MODEL}`, ...(isFirst ? [] : ['--continue'])],
    env: { OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_MODELS_FETCH: '1' },
  },
  /** With room kept for an answer and recent turns that fit this window: as it comes it keeps 16,384 tokens free. */
  pi: {
    name: '@earendil-works/pi-coding-agent@0.87.1',
    files: ['.bin/pi'],
    home: (url, windowTokens) => ({
      '.pi/agent/models.json': {
        providers: {
          bench: {
            baseUrl: url,
            api: 'openai-completions',
            apiKey: 'none',
            models: [{ id: MODEL, contextWindow: windowTokens, maxTokens: ANSWER_TOKENS }],
          },
        },
      },
      '.pi/agent/settings.json': {
        compaction: { enabled: true, reserveTokens: 4_096, keepRecentTokens: Math.floor(windowTokens / 4) },
      },
    }),
    args: (message, isFirst) => ['-p', '--provider', 'bench', '--model', MODEL, ...(isFirst ? [] : ['-c']), message],
    env: { PI_OFFLINE: '1', PI_SKIP_VERSION_CHECK: '1' },
  },
};

/** Writes what the program wants in its home; resolves with its path. */
export const preparePeer = async (peer: Peer, home: string, url: string, windowTokens: number): Promise<string> => {
  const program = await npmProgram(peer);
  for (const [path, value] of Object.entries(peer.home(url, windowTokens))) {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), JSON.stringify(value, null, 2));
  }
  return program;
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
