/** What `halter doctor` looks at. Each check says what is, and where something is wrong, what to do. */

import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { counted } from '../../core/number-text.ts';
import type { Outcome } from '../../core/outcome.ts';
import { OUTSIDE_PACKAGES, type OutsidePackage } from '../../core/outside-packages.ts';
import { FolderError } from '../../disk/disk-failure.ts';
import { findPackage, packageProblem } from '../../disk/load-package.ts';
import { makeFolder } from '../../disk/make-folder.ts';
import type { ServerProviderName } from '../../providers/index.ts';
import { type Config, createConfigFile } from '../../storage/config-file.ts';
import type { HalterPaths } from '../../storage/paths.ts';
import type { Storage } from '../../storage/storage.ts';
import type { FlagValues } from '../flags.ts';
import { type ModelServers, namedProvider } from '../model-servers.ts';
import type { Check } from './check.ts';

const ok = (name: string, detail: string): Check => ({ name, state: 'ok', detail });
const warning = (name: string, detail: string, advice: string): Check => ({ name, state: 'warning', detail, advice });
const problem = (name: string, detail: string, advice: string): Check => ({ name, state: 'problem', detail, advice });

export const checkProgram = (version: string): Check =>
  ok('halter', `${version}, Node ${process.versions.node}, ${process.platform} ${process.arch}`);

/** A folder that cannot be written is found now and not at the end of a long run. */
export const checkFolders = async (paths: HalterPaths): Promise<Check[]> =>
  Promise.all(
    (['config', 'data', 'cache'] as const).map(async (name) => {
      try {
        makeFolder(paths[name]);
        await access(paths[name], constants.R_OK | constants.W_OK);
        return ok(name, paths[name]);
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        const why = error instanceof FolderError ? error.message : `${paths[name]} cannot be written (${code})`;
        return problem(name, why, 'give yourself the right to write it, or name another folder');
      }
    }),
  );

export const checkSettings = async (paths: HalterPaths): Promise<Check> => {
  const file = createConfigFile(paths.config);
  const read = await file.read();
  if (!read.ok) return problem('settings', read.error.message, 'mend the file or move it away');
  const count = Object.keys(read.value.config).length;
  const [first] = read.value.warnings;
  return first === undefined
    ? ok('settings', `${count} set in ${file.path}`)
    : warning('settings', first, 'a newer halter may have written it');
};

/** The engine has a check of its own. What is optional may be missing. */
export const checkPackages = (): Check[] => {
  const { engine: _engine, ...others } = OUTSIDE_PACKAGES;
  const wrong = Object.values(others).flatMap((one: OutsidePackage) =>
    one.isOptional && findPackage(one.name) === undefined ? [] : (packageProblem(one) ?? []),
  );
  if (wrong.length === 0) return [ok('packages', 'those that halter loads have the versions that it needs')];
  return wrong.map(({ message, advice }) => problem('packages', message, advice));
};

/** Nothing is reported of files: their folders have checks of their own. */
export const checkStorage = (storage: Outcome<Storage>): Check[] => {
  if (!storage.ok) {
    const todo = storage.error.reason === 'not_installed' ? 'install it' : 'start it';
    return [problem('database', storage.error.message, `${todo}, or leave the database out to use files`)];
  }
  return storage.value.address ? [ok('database', storage.value.address.text)] : [];
};

export const checkRules = async ({ policies }: Storage, workspace: string): Promise<Check> => {
  const { rules, warnings } = await policies.load(workspace);
  const [first] = warnings;
  return first === undefined
    ? ok('rules', `${rules.length} remembered for this folder`)
    : warning('rules', first, 'allow again what you want to be allowed');
};

const NAMES_SHOWN = 5;

/** One server, and the model that would be taken. */
const checkServer = async (
  title: string,
  servers: ModelServers,
  at: { provider: ServerProviderName; baseUrl: string | undefined; model: string | undefined },
  paths: HalterPaths,
  signal: AbortSignal,
): Promise<Check[]> => {
  const found = await servers.list(at.provider, at.baseUrl, signal);
  if (!found.ok) return [problem(title, found.error.message, found.error.hint ?? 'start the server')];
  const names = found.models.map(({ id }) => id);
  const model = at.model ?? found.models.find(({ loaded }) => loaded)?.id ?? names[0];
  if (model === undefined) return [warning(title, `${found.endpoint}: no models`, 'pull one there')];
  const info = await servers.describe(at.provider, at.baseUrl, model, signal);
  if (info === undefined) {
    const advice = `take one of ${names.slice(0, NAMES_SHOWN).join(', ')}`;
    return [problem(title, `${found.endpoint}: there is no model ${model}`, advice)];
  }
  const { checkModel } = await import('./check-model.ts');
  return [
    ok(title, `${found.endpoint}: ${counted(names.length, 'model')}`),
    await checkModel(paths, { name: at.provider, endpoint: found.endpoint }, info),
  ];
};

export const checkServers = async (
  servers: ModelServers,
  flags: FlagValues,
  paths: HalterPaths,
  signal: AbortSignal,
): Promise<Check[]> => {
  const { provider, model } = namedProvider(flags);
  if (provider !== undefined && provider !== 'embedded') {
    return checkServer(provider, servers, { provider, baseUrl: flags['base-url'], model }, paths, signal);
  }
  const detected = await servers.detect(signal);
  if (detected.length === 0) {
    const detail = 'no Ollama, llama.cpp, LM Studio or vLLM answers on its usual port';
    return [warning('servers', detail, 'start one, or use the embedded engine')];
  }
  const all = detected.map((at) => checkServer(at.title, servers, { ...at, model: undefined }, paths, signal));
  return (await Promise.all(all)).flat();
};

export const checkEmbedded = async (servers: ModelServers, paths: HalterPaths): Promise<Check[]> => {
  const { engine } = OUTSIDE_PACKAGES;
  const unusable = packageProblem(engine);
  const told = findPackage(engine.name) === undefined ? warning : problem;
  if (unusable) return [told('embedded engine', unusable.message, unusable.advice)];
  const models = await servers.store.list();
  const [first] = models;
  if (first === undefined) {
    return [warning('embedded engine', 'ready, and no model is here yet', 'halter models pull starter')];
  }
  const { checkModel } = await import('./check-model.ts');
  const { folder } = servers.store;
  // What is taken where no model is named.
  const taken = (await servers.store.find('starter')) === undefined ? first : { ...first, id: 'starter' };
  return [
    ok('embedded engine', `${counted(models.length, 'model')} in ${folder}`),
    await checkModel(paths, { name: 'embedded', endpoint: folder }, taken),
  ];
};

/** Whether commands can be confined here, and how to have it. */
export const checkSandbox = async (
  config: Pick<Config, 'sandbox' | 'allow_network'>,
  place: { root: string; cache: string; home: string },
): Promise<Check> => {
  const { detectSandbox, partsInForce, SandboxShortage } = await import('../../sandbox/index.ts');
  const state = await detectSandbox();
  if (state.kind === 'none' && state.untried)
    return problem('sandbox', `commands are refused: ${state.reason}`, 'close programs or raise the limit (ulimit -n)');
  if (state.kind === 'none') {
    const advice = 'read each command before you allow it; no remembered rule lets one pass';
    return warning('sandbox', `commands run unsandboxed, with your own rights: ${state.reason}`, advice);
  }
  if (config.sandbox === false) {
    const detail = `${state.kind} works, and is switched off: commands run unsandboxed`;
    return warning('sandbox', detail, 'halter config set sandbox true');
  }
  const network = config.allow_network ? 'network allowed' : 'no network (--allow-network)';
  const detail = `commands run in ${state.kind}: the folder and a /tmp of its own are writable, the rest is not, ${network}`;
  if (state.kind === 'bubblewrap') {
    const parts = await partsInForce(state, { ...place, network: config.allow_network === true }).catch(
      (error: unknown) => {
        if (error instanceof SandboxShortage) return error;
        throw error;
      },
    );
    if (parts instanceof SandboxShortage)
      return problem('sandbox', `commands are refused: ${parts.message}`, ROOM_FOR_SANDBOX);
    const names = parts.filter(({ missing }) => missing === undefined).map(({ name }) => name);
    const missing = parts
      .filter((each) => each.missing !== undefined)
      .map((each) => `${each.name}: no, ${each.missing}`);
    const all = [`${detail}; in force: ${names.join(', ')}`, ...missing].join('; ');
    // What a person allowed is no fault.
    const isWhole = missing.length === 0 || (missing.length === 1 && config.allow_network === true);
    return isWhole
      ? ok('sandbox', all)
      : warning('sandbox', all, 'install util-linux and bash, or read each command before you allow it');
  }
  return warning(
    'sandbox',
    `${detail}; nobody has tried this profile on a Mac yet`,
    'read each command before you allow it',
  );
};

const ROOM_FOR_SANDBOX =
  'make the cache folder writable (XDG_CACHE_HOME names another), and look whether the disk is full';

/** Whether this folder has an index, and whether it can be read. */
export const checkIndex = async (folder: string, paths: HalterPaths, shared: Storage['index']): Promise<Check> => {
  const [{ createWorkspace }, { openRetrieval }] = await Promise.all([
    import('../../io/workspace.ts'),
    import('../../search/open-retrieval.ts'),
  ]);
  const workspace = await createWorkspace({ root: folder });
  if (!workspace.ok) return warning('index', workspace.error.message, 'name a folder that is there');
  const retrieval = openRetrieval({ dataFolder: paths.data, workspace: workspace.value, shared });
  const [status, isThere] = [await retrieval.status(), await retrieval.exists()];
  await retrieval.close();
  if (status.exists)
    return ok(
      'index',
      [counted(status.files, 'file'), counted(status.symbols, 'symbol'), counted(status.vectors, 'vector')].join(', '),
    );
  return isThere
    ? warning('index', `${status.file} cannot be read`, '`halter index` rebuilds it')
    : ok('index', 'none of this folder; `halter index` makes one');
};
