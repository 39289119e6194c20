/** How the engine gets here. It is an optional peer, so whoever wants it installs it beside halter. */
import { isInstalled } from '../../disk/optional-package.ts';
import type { EngineFailure } from './engine.ts';

export const ENGINE = 'node-llama-cpp';

/** The package with the version that halter was tried with, as package.json has it. */
export const ENGINE_PACKAGE = `${ENGINE}@3.21.1`;
export const INSTALL_ENGINE = `install the engine beside halter: \`npm install ${ENGINE_PACKAGE}\`, with -g where halter was`;

export const NOT_INSTALLED: EngineFailure = {
  code: 'load_failed',
  message: `The embedded engine (${ENGINE}) is not installed.`,
  hint: `Start a model server such as Ollama and name it (\`--provider ollama\`), or ${INSTALL_ENGINE}.`,
};

/** Told without loading the engine, as in a list of models. */
export const engineMissing = (): EngineFailure | undefined => (isInstalled(ENGINE) ? undefined : NOT_INSTALLED);
