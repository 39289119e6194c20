/** `halter tools list` and `halter tools call`. */
import type { Agent } from '../../agent/create-agent.ts';
import { offeredTools } from '../../agent/loop/run-tool/tool-registry.ts';
import { openToolState } from '../../agent/session/tool-state.ts';
import { withoutByteOrderMark } from '../../core/json.ts';
import { failure, succeed } from '../../core/outcome.ts';
import { repeatedKey, repeatedKeyText } from '../../core/repeated-key.ts';
import { absenceOf } from '../../core/tool/said-of-itself.ts';
import { toolSchema } from '../../core/tool.ts';
import { PERMISSION_REQUIRED, type ToolResult } from '../../core/tool-result.ts';
import { parseWritten } from '../../core/written-numbers.ts';
import { systemClock } from '../../io/clock.ts';
import { sessionToOpen } from '../../storage/find-session.ts';
import type { CommandCode } from '../command-code.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import type { Io } from '../io.ts';
import { openHalter } from '../open-halter.ts';
import { createEnding } from '../run/ending.ts';
import { tellOpened, withoutCopy } from '../session-access.ts';
import { reportFailure } from '../settings.ts';
import { columns } from '../table.ts';

const FIRST_SENTENCE = /^.*?[.:](?=\s|$)/s;

export const toolsListCommand: CommandCode = {
  async execute({ flags, io }) {
    const opened = await openHalter({ flags, io });
    if (!opened.ok) return reportFailure(opened.error, io);
    const halter = opened.value;
    await halter.mcp.open();
    if (flags.openai) {
      const offered = offeredTools(halter.tools, halter.config, halter.preset?.offersAll);
      io.stdout.write(`${JSON.stringify(offered.map(toolSchema))}\n`);
    } else if (flags.json) {
      const tools = halter.tools.map((tool) => {
        const { name, description, parameters, risk } = tool;
        const reason = absenceOf(tool, halter.config)?.reason;
        return { name, description, parameters, risk, unavailable: reason };
      });
      io.stdout.write(`${JSON.stringify({ tools })}\n`);
    } else {
      const rows = halter.tools.map((tool) => {
        const { name, risk, description } = tool;
        const reason = absenceOf(tool, halter.config)?.reason;
        const first = FIRST_SENTENCE.exec(description)?.[0] ?? description;
        return [name, risk, reason === undefined ? first : `not available: ${reason}`];
      });
      io.stdout.write(columns(rows));
    }
    await halter.close();
    return EXIT.answered;
  },
};

export const toolsCallCommand: CommandCode = {
  async execute({ words, flags, io }) {
    const [name = '', text = ''] = words;
    const ending = createEnding(io, flags['max-time']);
    const opened = await openHalter({ flags, io, signal: ending.signal });
    if (!opened.ok) {
      ending.release();
      return reportFailure(opened.error, io);
    }
    const halter = opened.value;
    const session = await sessionOf(halter, flags.session, io);
    if (session && !session.ok) {
      ending.release();
      await halter.close();
      return reportFailure(session.error, io);
    }
    try {
      const read = parseJson(text);
      const result = read.ok
        ? await halter.executeTool(name, read.value, {
            ...session?.value,
            signal: ending.signal,
            report: (delta) => {
              if (io.stderr.isTTY) io.stderr.write(delta);
            },
          })
        : unreadable(read.error.message);
      const kept = await session?.value.close();
      io.stdout.write(`${JSON.stringify(result)}\n`);
      if (kept && !kept.ok) return reportFailure(kept.error, io);
      return ending.reason() === 'interrupted' ? EXIT.interrupted : codeOf(result);
    } finally {
      ending.release();
      await halter.close();
    }
  },
};

/** What the call shares with other calls of the same session, and with its conversation. */
const sessionOf = async (halter: Agent, named: string | undefined, io: Io) => {
  if (named === undefined) return undefined;
  const found = tellOpened(await sessionToOpen(halter.sessions, named), named, { io, quiet: false });
  if (!found.ok) return found;
  const { sessions, folder, limits } = halter;
  const opened = await openToolState({ sessions, folder, limits, clock: systemClock }, found.value);
  if (!opened.ok) return { ok: false as const, error: withoutCopy(opened.error, found.value) };
  return succeed({ ...opened.value, sessionId: found.value });
};

const parseJson = (text: string) => {
  try {
    const value: unknown = parseWritten(withoutByteOrderMark(text));
    const repeated = repeatedKey(text);
    if (repeated === undefined) return { ok: true as const, value };
    return failure('parse_error', `The arguments cannot be used: ${repeatedKeyText(repeated)}.`);
  } catch (error) {
    return failure('parse_error', `The arguments are not JSON: ${(error as Error).message}`);
  }
};

const unreadable = (message: string): ToolResult => ({
  success: false,
  data: null,
  error_message: message,
  error_type: 'parse_error',
  metadata: { execution_time_ms: 0, data_size_bytes: 0, timestamp: Date.now() },
});

const codeOf = (result: ToolResult): ExitCode => {
  if (result.success) return EXIT.answered;
  return result.metadata.reason === PERMISSION_REQUIRED ? EXIT.permission : EXIT.error;
};
