/** `halter context`: every part of the window with its tokens, of a session or of one that would begin now. */

import type { ContextReport } from '../../agent/loop/window/report.ts';
import { grouped } from '../../core/number-text.ts';
import type { CommandCode } from '../command-code.ts';
import { EXIT } from '../exit-codes.ts';
import { UsageError } from '../io.ts';
import { openHalter } from '../open-halter.ts';
import { sessionNamed } from '../session-access.ts';
import { reportFailure } from '../settings.ts';
import { columns } from '../table.ts';

export const contextCommand: CommandCode = {
  async execute({ flags, io }) {
    if (flags.session !== undefined && flags.continue) {
      throw new UsageError('--session and --continue exclude each other.', 'context');
    }
    const opened = await openHalter({ flags, io });
    if (!opened.ok) return reportFailure(opened.error, io);
    const halter = opened.value;
    try {
      const named = flags.session === undefined ? undefined : await sessionNamed(halter, flags.session, io);
      if (named && !named.ok) return reportFailure(named.error, io);
      const model = await halter.model();
      if (!model.ok) io.stderr.write(`halter: the window is not known: ${model.error.message}\n`);
      const report = await halter.context({
        ...(named ? { id: named.value } : {}),
        ...(flags.continue ? { continueLast: true } : {}),
      });
      if (!report.ok) return reportFailure(report.error, io);
      io.stdout.write(flags.json ? `${JSON.stringify(report.value)}\n` : contextText(report.value));
      return EXIT.answered;
    } finally {
      await halter.close();
    }
  },
};

export const contextText = (report: ContextReport): string => {
  const { context_length: window, reserved_tokens: reserved, counted_tokens: counted } = report;
  const share = (tokens: number): string => (window === null ? '' : `${((tokens / window) * 100).toFixed(1)} %`);
  const width = grouped(window ?? report.total_tokens).length;
  const row = (label: string, tokens: number): string[] => [label, grouped(tokens).padStart(width), share(tokens)];
  const rows = [
    ...report.parts.flatMap((part) => [
      row(part.label, part.tokens),
      ...(part.label.endsWith('tools') ? report.tools.map((tool) => row(`  ${tool.name}`, tool.tokens)) : []),
    ]),
    row('together, about', report.total_tokens),
    ...(counted === null ? [] : [row('the server counted', counted)]),
    ...(reserved === null ? [] : [row('kept for the answer', reserved)]),
    ...(window === null ? [] : [row('the window', window)]),
  ].filter(([, tokens]) => tokens?.trim() !== '0');
  const note = window === null ? 'The server does not say how large its window is.\n' : '';
  return `${columns(rows)}${note}`;
};
