/** What a server or a worker tells whoever runs it: sentences, or with `--log-format json` one JSON object a line. */
import type { FlagValues } from './flags.ts';
import type { Io, Output } from './io.ts';

export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;
export type Log = {
  /** `event`: its name for programs; told in sentences only where there is a text. */
  tell(event: string, text: string | undefined, fields?: LogFields): void;
  /** The same io, whose standard error keeps to the format. */
  readonly io: Io;
};

const OWN = /^halter: /;

export const openLog = (io: Io, flags: Pick<FlagValues, 'log-format'>): Log => {
  if (flags['log-format'] !== 'json') {
    return { io, tell: (_event, text) => void (text === undefined || io.stderr.write(`halter: ${text}\n`)) };
  }
  const write = (event: string, message: string | undefined, fields: LogFields = {}): void =>
    io.stderr.write(`${JSON.stringify({ at: new Date().toISOString(), event, ...fields, message })}\n`);
  return { tell: write, io: { ...io, stderr: asLines(io.stderr, (line) => write('said', line)) } };
};

/** Everything that is written becomes one record for each line. */
const asLines = (output: Output, tell: (line: string) => void): Output => ({
  isTTY: false,
  columns: output.columns,
  write(text) {
    for (const line of text.split('\n')) if (line.trim() !== '') tell(line.replace(OWN, ''));
  },
});
