/** One search with ripgrep, and what is told of it. */
import type { JsonObject } from '../../core/json.ts';
import type { Outcome } from '../../core/outcome.ts';
import { isSecretPath, SECRET_GLOBS } from '../../core/policy/sensitive-files.ts';
import { isTokenFile, TOKEN_GLOBS, tokenIn } from '../../core/policy/token-files.ts';
import type { ProcessResult } from '../../core/ports.ts';
import type { ToolContext } from '../../core/tool.ts';
import { fail, ok, type ToolOutput } from '../../core/tool-result.ts';
import { createGrepCollector, type GrepCollector, type GrepFile, reportMatches } from '../grep-output.ts';
import { EVERY_FILE, type FileFilter, parseFileFilter, patternToRegex, REST_OF_LINE } from '../grep-pattern.ts';
import { TOOL_LIMITS } from '../limits.ts';
import { counted, printableName } from '../support/format.ts';
import { refuse } from '../support/refuse.ts';
import { loadRipgrep } from '../support/ripgrep.ts';

/** Of a version control system only its files are searched, never its store; these hold for every search. */
const NEVER = ['.git', '.hg', '.svn', '.bzr'].map((name) => `--glob=!${name}`);

/** Listed beside the search, so that what is said of them does not depend on what was looked for. */
const SECRETS = [...SECRET_GLOBS, ...TOKEN_GLOBS].map((glob) => `--iglob=${glob}`);

type Search = {
  pattern: string;
  filter: FileFilter;
  maxResults: number;
  hidden: boolean;
  ignored: boolean;
  /** The filter is the name of a file with secrets, so the person was asked about it. */
  namesSecret: boolean;
};

/** Which files are looked at, whatever is looked for. */
const reachOf = (search: Search, halterignore: boolean): string[] => [
  // The person's own ripgrep settings could run a program over every file (--pre) or change what is printed.
  '--no-config',
  '--no-follow',
  ...(search.hidden ? ['--hidden'] : []),
  // The same ignore files as get_file_tree: those of the workspace, with or without a .git, and nobody else's.
  ...(search.ignored
    ? ['--no-ignore']
    : ['--no-require-git', '--no-ignore-parent', '--no-ignore-global', '--no-ignore-dot']),
  ...(halterignore && !search.ignored ? ['--ignore-file=.halterignore'] : []),
];

const argumentsOf = (search: Search, halterignore: boolean): string[] => [
  ...reachOf(search, halterignore),
  '--json',
  '--ignore-case',
  `--max-count=${search.maxResults + 1}`,
  ...NEVER,
  ...search.filter.arguments,
  // From here on a text of the model stands by itself and is never an option.
  `--regexp=${patternToRegex(search.pattern)}${REST_OF_LINE}`,
  '--',
  './',
];

const isHidden = (path: string): boolean => path.split('/').some((part) => part.startsWith('.'));

type Searched = {
  outcome: Outcome<ProcessResult>;
  files: GrepFile[];
  collector: GrepCollector;
  enough: boolean;
  secrets: string[];
};

const runRipgrep = async (rgPath: string, search: Search, context: ToolContext): Promise<Searched> => {
  const halterignore = await context.workspace.stat('.halterignore');
  const ignore = halterignore.ok && halterignore.value.kind === 'file';
  // Only a search that names it was allowed to look into it; a search through everything was not.
  const isLeftOut = (path: string): boolean => !search.namesSecret && isSecretPath(path);
  const isReached = (path: string): boolean => (search.hidden || !isHidden(path)) && search.filter.accepts(path);
  const collector = createGrepCollector((path) => isReached(path) && !isLeftOut(path), search.maxResults + 1);
  const listing = context.processes.run({
    command: [rgPath, ...reachOf(search, ignore), '--files', ...SECRETS, ...NEVER, '--', './'],
    timeoutMs: TOOL_LIMITS.grepTimeoutMs,
    signal: context.signal,
    maxOutputBytes: TOOL_LIMITS.grepErrorBytes,
  });
  const enough = new AbortController();
  const outcome = await context.processes.run({
    command: [rgPath, ...argumentsOf(search, ignore)],
    timeoutMs: TOOL_LIMITS.grepTimeoutMs,
    signal: AbortSignal.any([context.signal, enough.signal]),
    // What ripgrep prints is read as it comes; only its complaints are kept.
    maxOutputBytes: TOOL_LIMITS.grepErrorBytes,
    onOutput: (text, stream) => {
      if (stream === 'stdout' && !enough.signal.aborted && !collector.push(text)) enough.abort();
    },
  });
  const listed = await listing;
  const names = listed.ok ? listed.value.stdout.split('\n') : [];
  const reached = names
    .map((name) => name.replace(/^\.[/\\]/, '').replaceAll('\\', '/'))
    .filter((name) => name !== '' && isReached(name));
  const withTokens = search.namesSecret ? new Set<string>() : await tokenFilesOf(reached, context);
  const secrets = reached.filter((name) => isLeftOut(name) || withTokens.has(name)).sort();
  const files = collector.files().filter(({ path }) => !withTokens.has(path));
  return { outcome, files, collector, enough: enough.signal.aborted, secrets };
};

/** Files of settings in which a key stands now. */
const tokenFilesOf = async (names: readonly string[], { workspace }: ToolContext): Promise<ReadonlySet<string>> => {
  const found = new Set<string>();
  for (const name of names.filter(isTokenFile)) {
    const read = await workspace.readFile(name, { maxBytes: TOOL_LIMITS.tokenFileBytes });
    // What is too large to be looked at is left out too.
    const holds = read.ok ? tokenIn(Buffer.from(read.value.bytes).toString()) !== undefined : true;
    if (holds) found.add(name);
  }
  return found;
};

const firstLine = (text: string): string => (text.split('\n')[0] ?? '').replace(/^rg: /, '').slice(0, 300);

const SECRETS_NAMED = 3;
/** Told of the files that are there and not of what is in them: who learns where a pattern matches learns the secret. */
const leftOut = (secrets: readonly string[]): string => {
  const more = secrets.length > SECRETS_NAMED ? ', …' : '';
  const names = `${secrets.slice(0, SECRETS_NAMED).map(printableName).join(', ')}${more}`;
  return `${counted(secrets.length, 'file')} that may hold secrets left out (${names}); read_file asks for them by name`;
};

const conclude = (
  search: Search,
  result: ProcessResult,
  { files, collector, enough, secrets }: Pick<Searched, 'files' | 'collector' | 'enough' | 'secrets'>,
): ToolOutput => {
  const flags = `${search.hidden ? ' [+hidden]' : ''}${search.ignored ? ' [+gitignored]' : ''}`;
  const notes: string[] = [];
  const stopped = enough || result.timedOut;
  if (!stopped && !collector.finished()) {
    const problem = firstLine(result.stderr) || `ripgrep ended with ${result.signal ?? `exit code ${result.exitCode}`}`;
    const parse = /parsing glob|parse error|invalid definition/.test(result.stderr);
    return parse
      ? fail('parse_error', `The search does not parse: ${problem}`)
      : fail('io_error', `The search failed: ${problem}`, { reason: 'search_failed' });
  }
  if (result.timedOut) notes.push(`The search was stopped after ${TOOL_LIMITS.grepTimeoutMs / 1000} s`);
  if (result.exitCode === 2) notes.push(`Not everything could be read: ${firstLine(result.stderr)}`);
  if (secrets.length > 0) notes.push(leftOut(secrets));
  const incomplete = collector.incomplete() || stopped;
  if (files.length > 0) {
    const report = reportMatches(files, { maxResults: search.maxResults, incomplete, flags, notes });
    return ok(report.text, report.truncated === undefined ? undefined : { truncated: report.truncated });
  }
  const left = [search.hidden ? '' : 'hidden', search.ignored ? '' : 'ignored'].filter((word) => word !== '');
  const hint = left.length > 0 ? ` (${left.join(' and ')} files were not searched)` : '';
  const text = [`No matches for ${JSON.stringify(search.pattern)}${flags}${hint}`, ...notes].join('\n');
  return ok(text, result.timedOut ? { truncated: notes[0] as string } : undefined);
};

const filterOf = async (filter: string, context: ToolContext): Promise<Outcome<FileFilter>> => {
  if (filter === '') return { ok: true, value: EVERY_FILE };
  const isLiteral = !/[*?[{!]/.test(filter);
  const stat = isLiteral ? await context.workspace.stat(filter) : undefined;
  return parseFileFilter(filter, stat?.ok === true && stat.value.kind === 'directory');
};

const namesSecret = (filter: string): boolean => isSecretPath(filter) || isTokenFile(filter);

export const searchFiles = async (args: JsonObject, context: ToolContext): Promise<ToolOutput> => {
  const pattern = String(args['pattern']);
  if (/[\n\r\0]/.test(pattern)) return fail('validation_failed', 'A pattern is part of one line: no newline, no NUL');
  if (pattern.trim() === '') return fail('validation_failed', 'The pattern is empty');
  const filter = await filterOf(String(args['file_filter'] ?? ''), context);
  if (!filter.ok) return refuse(filter.error);
  const search: Search = {
    pattern,
    filter: filter.value,
    maxResults: Number(args['max_results'] ?? TOOL_LIMITS.grepResultsDefault),
    hidden: args['include_hidden'] === true,
    ignored: args['ignore_gitignore'] === true,
    namesSecret: namesSecret(String(args['file_filter'] ?? '')),
  };
  const ripgrep = await loadRipgrep();
  if (!ripgrep.ok) return refuse(ripgrep.error);
  const searched = await runRipgrep(ripgrep.value.rgPath, search, context);
  const { outcome, enough } = searched;
  if (!outcome.ok) return refuse(outcome.error);
  if (outcome.value.cancelled && !enough) return fail('io_error', 'The search was cancelled', { reason: 'cancelled' });
  return conclude(search, outcome.value, searched);
};
