/** The program under a Node that is new enough: its surroundings first, then the command line. */
import { endOnSignals } from './end-signals.ts';
import { EXIT } from './exit-codes.ts';
import { correctHome } from './home-variable.ts';
import { startFolderProblem } from './start-folder.ts';

export const main = async (): Promise<void> => {
  endOnSignals();
  const problem = correctHome(process.env) ?? startFolderProblem();
  if (problem !== undefined) {
    process.stderr.write(`halter: ${problem}\n`);
    process.exitCode = EXIT.error;
    return;
  }
  // Before the rest is loaded, which is what is kept compiled.
  const { keepCompiled } = await import('./compile-cache.ts');
  await keepCompiled();
  const commandLine = await import('./command-line.ts');
  await commandLine.main();
};
