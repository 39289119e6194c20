/** How the engine gets here. It is an optional peer, so whoever wants it installs it beside halter. */

/** The package with the version that halter was tried with, as package.json has it. */
export const ENGINE_PACKAGE = 'node-llama-cpp@3.21.1';
export const INSTALL_ENGINE = `install the engine beside halter: \`npm install ${ENGINE_PACKAGE}\`, with -g where halter was`;
