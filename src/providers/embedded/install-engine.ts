/** How the engine gets here. It is an optional peer, so whoever wants it installs it beside halter. */
import { OUTSIDE_PACKAGES, type PackageProblem, packageToInstall } from '../../core/outside-packages.ts';
import { packageProblem } from '../../disk/load-package.ts';
import type { EngineFailure } from './engine.ts';

/** The package with the version that halter was tried with, as package.json has it. */
export const ENGINE_PACKAGE = packageToInstall(OUTSIDE_PACKAGES.engine);
export const INSTALL_ENGINE = `install the engine beside halter: \`npm install ${ENGINE_PACKAGE}\`, with -g where halter was`;

export const engineFailure = ({ message, advice }: PackageProblem): EngineFailure => ({
  code: 'load_failed',
  message,
  hint: `${advice} Or start a model server such as Ollama and name it (\`--provider ollama\`).`,
});

/** Told without loading the engine, as in a list of models: it is missing, or another version. */
export const engineMissing = (): EngineFailure | undefined => {
  const problem = packageProblem(OUTSIDE_PACKAGES.engine);
  return problem && engineFailure(problem);
};
