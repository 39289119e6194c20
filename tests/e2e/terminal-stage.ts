/** The real program in a real terminal, with a scripted model server, in a folder and a home of its own. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type ScriptedServer, type ScriptedServerTurn, startScriptedServer } from '../../src/testing/index.ts';
import { MAIN } from '../support/program.ts';
import { scratchFolder } from '../support/scratch.ts';
import { openScreen, type Screen } from './terminal-screen.ts';

export type Stage = {
  server: ScriptedServer;
  folder: string;
  home: string;
  environment: Record<string, string>;
  /** Starts the program once more in the same folder; resolves when it takes keys. */
  open(...args: string[]): Promise<Screen>;
};
type StageOptions = {
  turns: readonly ScriptedServerTurn[];
  columns?: number;
  rows?: number;
  /** The first model takes pictures. */
  sees?: boolean;
};

export const READY = 'test-model';

export const stage = async ({ turns, columns = 100, rows = 36, sees = false }: StageOptions): Promise<Stage> => {
  const home = scratchFolder();
  const folder = join(home, 'work');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'README.md'), 'The word of the day is heron.\n');
  const server = await startScriptedServer({
    turns,
    models: [{ id: 'test-model', vision: sees }, { id: 'other-model' }],
  });
  onTestFinished(() => server.close());
  const environment = {
    HOME: home,
    XDG_CONFIG_HOME: join(home, 'config'),
    XDG_DATA_HOME: join(home, 'data'),
    XDG_CACHE_HOME: join(home, 'cache'),
  };
  return {
    server,
    folder,
    home,
    environment,
    async open(...args) {
      const model = ['--provider', 'openai', '--base-url', server.openaiUrl, '-m', 'test-model'];
      const screen = openScreen({ program: [MAIN, ...model, ...args], folder, environment, rows, columns });
      onTestFinished(() => screen.close());
      // For a screen reader the line that is typed in comes last; a narrow window cuts the name.
      await screen.until((text) => /^\S+(?: ·|,) .*test-mo/m.test(text));
      return screen;
    },
  };
};

export const say = (screen: Screen, text: string): void => {
  screen.type(text);
  screen.keys('Enter');
};

/** The answer is there and the run is over: only then is a command taken that a run forbids. */
export const answered =
  (words: string) =>
  (text: string): boolean =>
    text.includes(words) && !text.includes('Esc stops');
