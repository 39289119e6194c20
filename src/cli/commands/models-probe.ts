/** `halter models probe NAME`: tries a model on its server, says what works, and keeps it as the model's profile. */

import { resolve } from 'node:path';
import { probeModel } from '../../agent/models/probe.ts';
import { mayBeLed } from '../../agent/models/tool-way.ts';
import { whenLoaded } from '../../agent/models/when-loaded.ts';
import { type ModelProfile, type ProfileCheck, shareProfiles } from '../../core/model-profile.ts';
import { systemClock } from '../../io/clock.ts';
import { writeFileAtomically } from '../../storage/atomic-file.ts';
import { createModelProfiles } from '../../storage/model-profiles.ts';
import { sanitizeLine } from '../../terminal/sanitize.ts';
import { formatDuration } from '../../terminal/text.ts';
import type { CommandCode, Invocation } from '../command-code.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { type Io, paintTo, wantsColor } from '../io.ts';
import { openHalter } from '../open-halter.ts';
import { progressLine } from '../progress-line.ts';
import { createEnding, type Ending } from '../run/ending.ts';
import { pathsOf, reportFailure, reportModelError } from '../settings.ts';
import { columns } from '../table.ts';

export const modelsProbeCommand: CommandCode = {
  async execute(invocation) {
    const { words, flags, io } = invocation;
    // Where nothing names a model, none is tried: all that was found before is written.
    const isNamed =
      words.length > 0 || [flags.model, flags.provider, flags['base-url']].some((flag) => flag !== undefined);
    if (flags.export !== undefined && !isNamed)
      return exportProfiles(await createModelProfiles(pathsOf(io)).list(), flags.export, io);
    const ending = createEnding(invocation.io, undefined);
    try {
      const code = await probe(invocation, ending);
      return ending.reason() === 'interrupted' ? EXIT.interrupted : code;
    } finally {
      ending.release();
    }
  },
};

const probe = async ({ words, flags, io }: Invocation, ending: Ending): Promise<ExitCode> => {
  const [name] = words;
  const progress = progressLine(io.stderr);
  const opened = await openHalter({
    flags: name === undefined ? flags : { ...flags, model: name },
    io,
    signal: ending.signal,
    onLoading: (message, fraction) => progress.show(message, fraction),
  });
  if (!opened.ok) return reportFailure(opened.error, io);
  const halter = opened.value;
  try {
    const chosen = await whenLoaded(() => halter.model(), { signal: ending.signal, onLoading: progress.show });
    progress.clear();
    if (!chosen.ok) return reportModelError(chosen.error, io);
    const probed = await probeModel({
      ...chosen.value,
      clock: systemClock,
      signal: ending.signal,
      onCheck: ({ group, title }, number, total) =>
        progress.show(`${number} of ${total} · ${group}: ${title}`, (number - 1) / total),
    });
    progress.clear();
    if (!probed.ok) return reportModelError(probed.error, io);
    const { profile } = probed;
    const saved = await createModelProfiles(halter.paths).save(profile);
    if (flags.json) io.stdout.write(`${JSON.stringify(profile)}\n`);
    else paintTo(io.stdout, describe(profile, io));
    if (!saved.ok) return reportFailure(saved.error, io);
    if (flags.export !== undefined) return await exportProfiles([profile], flags.export, io);
    if (!flags.json) io.stderr.write(`halter: kept in ${saved.value}\n`);
    return EXIT.answered;
  } finally {
    await halter.close();
  }
};

/** One file by the digests of the models, for others. */
const exportProfiles = async (profiles: readonly ModelProfile[], file: string, io: Io): Promise<ExitCode> => {
  const shared = shareProfiles(profiles);
  const count = Object.values(shared.profiles).reduce((sum, ofModel) => sum + Object.keys(ofModel).length, 0);
  const without = profiles.length - count;
  if (count === 0) {
    const why = profiles.length === 0 ? 'no model was probed here' : 'no server told a digest of its model';
    io.stderr.write(`halter: There is nothing to write: ${why}.\n`);
    return EXIT.error;
  }
  const written = await writeFileAtomically(resolve(io.cwd, file), `${JSON.stringify(shared, null, 2)}\n`);
  if (!written.ok) return reportFailure(written.error, io);
  const left = without === 0 ? '' : `; ${without} left out, since their servers tell no digest`;
  io.stderr.write(`halter: ${count} ${count === 1 ? 'profile' : 'profiles'} in ${file}${left}\n`);
  return EXIT.answered;
};

const MARKS = { passed: ['✓', 32], failed: ['✗', 31], skipped: ['–', 90] } as const;

const row = (check: ProfileCheck, io: Io): string[] => {
  const [mark, color] = MARKS[check.outcome];
  const time = check.outcome === 'skipped' ? '' : formatDuration(check.seconds * 1_000);
  const line = columns([
    [mark, check.title.padEnd(TITLE_COLUMNS), time.padStart(TIME_COLUMNS), check.detail],
  ]).trimEnd();
  return wantsColor(io.stdout, io.env) ? [`\u001b[${color}m${line.slice(0, 1)}\u001b[39m${line.slice(1)}`] : [line];
};
const TITLE_COLUMNS = 60;
const TIME_COLUMNS = 7;

const describe = (profile: ModelProfile, io: Io): string => {
  const lines: string[] = [];
  for (const group of new Set(profile.checks.map((check) => check.group))) {
    lines.push(
      group,
      ...profile.checks.filter((check) => check.group === group).flatMap((check) => row(check, io)),
      '',
    );
  }
  const count = (outcome: ProfileCheck['outcome']): number =>
    profile.checks.filter((check) => check.outcome === outcome).length;
  lines.push(
    `${sanitizeLine(`${profile.key.model} at ${profile.key.endpoint}`)}: ${count('passed')} passed, ${count('failed')} failed, ${count('skipped')} skipped`,
    ...conclusions(profile).map((line) => `  ${sanitizeLine(line)}`),
  );
  return `${lines.join('\n')}\n`;
};

/** What halter does from now on because of it. */
export const conclusions = (profile: ModelProfile): string[] => {
  const { speed } = profile;
  const calls = {
    native: "tools go by the server's own field",
    text: `tools stand in the prompt, and calls are text${profile.dialect ? ` (${profile.dialect})` : ''}`,
    none: mayBeLed(profile)
      ? 'it made no call by itself: it is led in steps, one call a turn; another model does more'
      : 'it made no call in any way: use it without tools, or take another model',
  }[profile.tool_calls];
  const constrained = {
    first_retry: 'bad arguments are decoded under their schema at once',
    last_retry: 'bad arguments are decoded under their schema at the last retry',
    never: 'schemas are not kept here, so bad arguments are only sent back',
  }[profile.constrained];
  const rates = [
    speed.prefill_tokens_per_second === undefined ? '' : `reads ${speed.prefill_tokens_per_second} tokens/s`,
    speed.decode_tokens_per_second === undefined ? '' : `writes ${speed.decode_tokens_per_second} tokens/s`,
  ].filter((text) => text !== '');
  return [
    calls,
    profile.parallel_calls ? 'several calls in one answer' : 'one call in an answer',
    constrained,
    `the ${profile.prompt_tier} prompt`,
    ...(profile.context_tokens === undefined ? [] : [`its window is ${profile.context_tokens} tokens`]),
    ...(rates.length === 0 ? [] : [rates.join(', ')]),
  ];
};
