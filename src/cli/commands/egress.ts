/** `halter egress`: what halter and its tools connected to, and what cannot be known of it. */
import { counted } from '../../core/number-text.ts';
import { type Outcome, succeed } from '../../core/outcome.ts';
import type { EgressEntry } from '../../storage/egress-file.ts';
import { createEgressFile } from '../../storage/egress-file.ts';
import { timeText } from '../../terminal/text.ts';
import type { CommandCode, Invocation } from '../command-code.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { UsageError } from '../io.ts';
import { onStorage, sessionNamed } from '../session-access.ts';
import { pathsOf, reportFailure } from '../settings.ts';
import { columns } from '../table.ts';

const bytesText = (bytes: number): string =>
  bytes < 1_000
    ? `${bytes} B`
    : bytes < 1_000_000
      ? `${(bytes / 1_000).toFixed(1)} kB`
      : `${(bytes / 1e6).toFixed(1)} MB`;

const placeText = (entry: Extract<EgressEntry, { type: 'connection' }>): string => {
  const way = entry.proxied ? 'through the proxy' : entry.address;
  return `${entry.scheme}://${entry.host}:${entry.port}${way === undefined || way === entry.host ? '' : ` (${way})`}`;
};

const firstSentence = (text: string): string => text.split('. ')[0] ?? text;

const rowOf = (entry: EgressEntry): string[] => {
  const start = [timeText(entry.at, 'seconds'), entry.who];
  if (entry.type === 'command') {
    const network = entry.network === 'none' ? 'sandboxed, without a network' : 'its own connections are not seen';
    return [...start, 'command', '', network];
  }
  const { sent, received } = entry;
  const bytes = sent === undefined || received === undefined ? '' : `${bytesText(sent)} out, ${bytesText(received)} in`;
  return [
    ...start,
    entry.verdict,
    bytes,
    `${placeText(entry)}${entry.reason ? ` – ${firstSentence(entry.reason)}` : ''}`,
  ];
};

const inNumbers = (entries: readonly EgressEntry[]): string => {
  const count = (what: string): number =>
    entries.filter((entry) => entry.type === 'connection' && entry.verdict === what).length;
  const unseen = entries.filter((entry) => entry.type === 'command' && entry.network === 'not_seen').length;
  const confined = entries.filter((entry) => entry.type === 'command' && entry.network === 'none').length;
  return [
    `${count('connected')} connected, ${count('refused')} refused, ${count('failed')} failed.`,
    ...(unseen > 0
      ? [
          `${counted(unseen, 'command')} ran with a network of their own: what they connected to is not known here (the sandbox takes it away).`,
        ]
      : []),
    ...(confined > 0 ? [`${counted(confined, 'command')} ran in the sandbox, without a network.`] : []),
    'Programs that halter starts (commands, MCP servers, a download by pip) connect by themselves and are not listed.',
  ].join('\n');
};

/**
 * Nothing is known of a session that is not there: to say that it connected to nothing would be a false all-clear. The
 * ledger also knows sessions that were deleted.
 */
const sessionOf = async (
  word: string,
  entries: readonly EgressEntry[],
  invocation: Invocation,
): Promise<string | ExitCode> => {
  const known = new Set(entries.flatMap(({ session }) => session ?? []));
  if (known.has(word)) return word;
  let found: Outcome<string> | undefined;
  const code = await onStorage(async ({ io }, { sessions }) => {
    const ids = async () => {
      const here = await sessions.ids();
      return here.ok ? succeed([...new Set([...known, ...here.value])]) : here;
    };
    found = await sessionNamed({ sessions: { ids, list: (options) => sessions.list(options) } }, word, io);
    return found.ok ? EXIT.answered : reportFailure(found.error, io);
  }).execute(invocation);
  return found?.ok ? found.value : code;
};

export const egressCommand: CommandCode = {
  async execute(invocation) {
    const { words, flags, io } = invocation;
    if ((flags.limit ?? 1) < 1) throw new UsageError('--limit is at least 1.', 'egress');
    const [session] = words;
    const { entries: all, damaged } = createEgressFile({ folder: pathsOf(io).data }).read();
    const id = session === undefined ? undefined : await sessionOf(session, all, invocation);
    if (typeof id === 'number') return id;
    const chosen = id === undefined ? all : all.filter((entry) => entry.session === id);
    const entries = flags.limit === undefined ? chosen : chosen.slice(-flags.limit);
    if (damaged > 0) io.stderr.write(`halter: ${counted(damaged, 'line')} of the ledger cannot be read\n`);
    if (flags.json) {
      io.stdout.write(`${JSON.stringify({ entries })}\n`);
      return EXIT.answered;
    }
    io.stdout.write(columns(entries.map(rowOf)));
    io.stderr.write(`${inNumbers(entries)}\n`);
    return EXIT.answered;
  },
};
