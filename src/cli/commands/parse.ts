/**
 * `halter parse`: the text of a model on standard input → its calls as one line of JSON. Calls that cannot be run stand in
 * `broken`, are told on standard error, and make the exit code 1.
 */

import type { JsonValue } from '../../core/json.ts';
import { writtenJson } from '../../core/written-numbers.ts';
import {
  createParser,
  detectDialect,
  dialectsAlike,
  type Parser,
  type ParserEvent,
  readBehindThoughts,
} from '../../dialects/index.ts';
import { PROVIDER_LIMITS } from '../../providers/limits.ts';
import { sanitizeLine } from '../../terminal/sanitize.ts';
import type { CommandCode } from '../command-code.ts';
import { checkDialect } from '../dialect-flag.ts';
import { EXIT } from '../exit-codes.ts';
import { UsageError } from '../io.ts';
import { readText } from '../parse-faults.ts';
import { readStdin } from '../read-stdin.ts';
import { readToolsFile } from '../tools-file.ts';

const AUTO = 'auto';

export const parseCommand: CommandCode = {
  async execute({ flags, io }) {
    const ofModel = flags.model === undefined ? undefined : detectDialect({ model: flags.model });
    const dialect = checkDialect(flags.dialect ?? ofModel ?? AUTO);
    const pieceLength = flags.chunks ?? 0;
    if (flags.chunks !== undefined && pieceLength < 1) throw new UsageError('--chunks is at least 1.', 'parse');
    const tools = flags.tools === undefined ? undefined : await readToolsFile(flags.tools, io.cwd);
    const text = await readStdin(io, {
      maxBytes: PROVIDER_LIMITS.modelResponseBytes,
      advice: 'No model answers at such length.',
      bytes: 'replace',
    });
    if (!text.ok) {
      io.stderr.write(`halter: ${text.error.message}\n`);
      return EXIT.error;
    }
    const open = (): Parser => createParser({ dialect, ...(tools ? { tools } : {}) });
    const parser = open();
    const step = pieceLength || Math.max(1, text.value.length);
    const events: ParserEvent[] = [];
    for (let start = 0; start < text.value.length; start += step)
      events.push(...parser.push(text.value.slice(start, start + step)));
    const end = parser.end();
    const behind = readBehindThoughts(text.value, end.result, open);
    const { result } = behind ?? end;
    const answer = {
      events: behind?.events ?? [...events, ...end.events],
      result,
      text: result.content,
      whole: behind?.text ?? text.value,
    };
    const read = readText(answer, { dialect, tools, source: text.value });
    const calls = read.calls.map(({ id, name, arguments: args, repairs }) => ({ id, name, arguments: args, repairs }));
    const { content, faults: broken } = read;
    const { reasoning, truncated } = result;
    const faults = broken.length > 0 ? { broken } : {};
    // The text alone does not tell these from each other.
    const alike = dialect === AUTO && calls.length > 0 ? dialectsAlike(read.dialect) : [];
    const named = { dialect: read.dialect, ...(alike.length > 0 ? { alike } : {}) };
    io.stdout.write(`${writtenJson({ ...named, content, reasoning, calls, truncated, ...faults } as JsonValue)}\n`);
    for (const { message } of broken) io.stderr.write(`halter: ${sanitizeLine(message)}\n`);
    return broken.length > 0 ? EXIT.error : EXIT.answered;
  },
};
