/** What programs that run others look up by themselves: their settings, their tasks, and the sources that they compile. */

export const PACKAGE_RUNNERS =
  /^(?:npm|npx|pnpm|pnpx|yarn|bun|bunx|corepack|node|tsx|ts-node|vite-node|nodemon|turbo|nx|lerna)$/;
/** Given a folder, they run what lies in it. */
export const FOLDER_RUNNERS = /^(?:node|bun|deno|tsx|ts-node|nodemon|python[\d.]*|pypy[\d.]*|php|ruby|electron)$/;
export const PYTHON_RUNNERS = /^(?:python[\d.]*|pypy[\d.]*|uv|uvx|poetry|pipenv|pdm|rye|hatch|pipx|fastmcp|mcp)$/;
/** They may be told that a folder goes by another name inside. */
export const CONTAINER_RUNNERS = /^(?:docker|podman|nerdctl|container|finch)$/;

/** What else decides about what a runner runs. */
const TYPESCRIPT = 'tsconfig.json jsconfig.json';
const COMPOSE = 'docker-compose.yml docker-compose.yaml compose.yml compose.yaml';
const GRADLE =
  'build.gradle build.gradle.kts settings.gradle settings.gradle.kts gradle.properties gradle/libs.versions.toml';
const PYTHON = 'pyproject.toml';
const FILES: Readonly<Record<string, string>> = {
  make: 'GNUmakefile makefile Makefile',
  gmake: 'GNUmakefile makefile Makefile',
  just: 'justfile Justfile .justfile',
  task: 'Taskfile.yml Taskfile.yaml taskfile.yml taskfile.yaml',
  rake: 'Rakefile Gemfile',
  bundle: 'Gemfile Gemfile.lock',
  node: 'node.config.json',
  bun: `${TYPESCRIPT} package.json`,
  tsx: TYPESCRIPT,
  'ts-node': TYPESCRIPT,
  'ts-node-esm': TYPESCRIPT,
  'vite-node': `${TYPESCRIPT} vite.config.ts vite.config.js vite.config.mts vite.config.mjs`,
  nodemon: `${TYPESCRIPT} nodemon.json`,
  turbo: 'turbo.json',
  nx: 'nx.json project.json',
  lerna: 'lerna.json',
  deno: `deno.json deno.jsonc deno.lock package.json ${TYPESCRIPT}`,
  uv: `${PYTHON} uv.lock`,
  uvx: PYTHON,
  poetry: `${PYTHON} poetry.lock`,
  pdm: `${PYTHON} pdm.lock`,
  hatch: `${PYTHON} hatch.toml`,
  rye: PYTHON,
  pipenv: 'Pipfile Pipfile.lock',
  fastmcp: `${PYTHON} fastmcp.json`,
  docker: `Dockerfile ${COMPOSE} docker-compose.override.yml docker-compose.override.yaml compose.override.yml compose.override.yaml`,
  podman: `Dockerfile Containerfile ${COMPOSE}`,
  nix: 'flake.nix flake.lock shell.nix default.nix',
  'nix-shell': 'shell.nix default.nix',
  mvn: 'pom.xml',
  mvnw: 'pom.xml',
  gradle: GRADLE,
  gradlew: GRADLE,
  mix: 'mix.exs mix.lock',
  composer: 'composer.json',
  stack: 'stack.yaml package.yaml',
  pm2: 'ecosystem.config.js ecosystem.config.cjs',
};
export const runnerFiles = (runner: string): string[] =>
  Object.hasOwn(FILES, runner) ? (FILES[runner] ?? '').split(' ') : [];

/** They compile a whole tree, or load it, and run what comes of it. */
const NATIVE = 'c|cc|cpp|cxx|h|hh|hpp|m|s|asm|f';
const JVM = /\.(?:java|kt|kts|groovy|gradle|scala)$|^pom\.xml$/;
const ELIXIR = /\.(?:exs?|erl|eex|heex)$/;
const SOURCES: Readonly<Record<string, RegExp>> = {
  go: new RegExp(`\\.(?:go|syso|${NATIVE})$|^go\\.(?:mod|work)$`, 'i'),
  cargo: new RegExp(`\\.(?:rs|in|inc|${NATIVE})$|^Cargo\\.toml$`, 'i'),
  dotnet: /\.(?:cs|fs|vb|razor|cshtml|csproj|fsproj|vbproj|props|targets)$|^launchSettings\.json$|^global\.json$/,
  mvn: JVM,
  mvnw: JVM,
  gradle: JVM,
  gradlew: JVM,
  java: /\.(?:class|jar|java)$/,
  swift: new RegExp(`\\.(?:swift|${NATIVE})$`, 'i'),
  zig: new RegExp(`\\.(?:zig|zon|${NATIVE})$`, 'i'),
  stack: new RegExp(`\\.(?:hs|cabal|${NATIVE})$`, 'i'),
  cabal: new RegExp(`\\.(?:hs|cabal|${NATIVE})$`, 'i'),
  rake: /\.rake$/,
  mix: ELIXIR,
  elixir: ELIXIR,
};
export const sourcesOf = (runner: string): RegExp | undefined =>
  Object.hasOwn(SOURCES, runner) ? SOURCES[runner] : undefined;
